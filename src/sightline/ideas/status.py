"""The workflow label of an idea. Specification: Idea status; decisions: Ideas."""

from uuid import UUID

from sightline.platform.db import Tx
from sightline.platform.errors import BadRequest, Conflict


class UnknownStatus(BadRequest):
    """400: no label of the workspace; extra `allowed`."""

    code = "UNKNOWN_STATUS"


class PromotionReserved(Conflict):
    """409: the label is reserved for the promotion workflow."""

    code = "PROMOTION_RESERVED"


class SourceManaged(Conflict):
    """409: the idea's integration owns its status."""

    code = "SOURCE_MANAGED"


_LABELS = "SELECT label FROM idea_statuses WHERE workspace_id = $1 ORDER BY position, label"


async def unknown_status(tx: Tx, workspace_id: UUID, label: str) -> UnknownStatus:
    """The refusal of a label, with those that are allowed."""
    allowed = [row["label"] for row in await tx.rows(_LABELS, workspace_id)]
    return UnknownStatus(f"The workspace has no idea status {label!r}.", field="status", allowed=allowed)
