"""The labels of a workspace's workflow: which exist, which a request can set, and which a new idea gets."""

from collections.abc import Iterable
from typing import Any, ClassVar, Final, NamedTuple
from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.platform.errors import BadRequest


class UnknownStatus(BadRequest):
    """400: no label of the workspace; `allowed` has the labels that a request can set."""

    code = "UNKNOWN_STATUS"
    members: ClassVar[dict[str, Any]] = {"allowed": ["New", "Planned"]}


class Label(NamedTuple):
    """A label, and whether it is reserved for ideas that became an initiative."""

    label: str
    promotion: bool


_LABELS = sql("""
SELECT label, promotion FROM idea_statuses WHERE workspace_id = :workspace_id ORDER BY position, label""")
# Of an idea that is sent without a status: the promotion label only if there is no other.
INITIAL_LABEL: Final = """
    coalesce((SELECT label FROM idea_statuses WHERE workspace_id = :workspace_id
               ORDER BY promotion, position, label LIMIT 1), 'New')"""


async def find_labels(tx: Tx, workspace_id: UUID) -> list[Label]:
    """Returns the labels in the order of the workflow."""
    return [Label(*row) for row in await tx.rows(_LABELS, workspace_id=workspace_id)]


def initial_label(labels: Iterable[Label]) -> str:
    """Returns the label of a new idea without a status, as INITIAL_LABEL does."""
    return min(labels, key=lambda each: each.promotion).label


async def refuse_unknown(tx: Tx, workspace_id: UUID, labels: Iterable[str]) -> None:
    """Raises UnknownStatus for the first label that the workflow does not have."""
    known = [each.label for each in await find_labels(tx, workspace_id)]
    for label in labels:
        if label not in known:
            raise _unknown(label, known)


async def unknown_status(tx: Tx, workspace_id: UUID, label: str) -> UnknownStatus:
    """Returns the error for a label, with the labels that a request can set: all but the promotion label."""
    labels = await find_labels(tx, workspace_id)
    return _unknown(label, [each.label for each in labels if not each.promotion])


def _unknown(label: str, allowed: list[str]) -> UnknownStatus:
    return UnknownStatus(f"The workspace has no idea status {label!r}.", field="status", allowed=allowed)
