"""The workflow labels of a new workspace, and what a label is."""

from uuid import UUID

from sightline.platform.db import Tx, sql
from sightline.platform.wire import Text


class StatusLabel(Text):
    """An exact label of the workspace's workflow, 1 to 120 characters."""

    longest = 120


IDEA_STATUSES = ("New", "Under review", "Approved", "Planned", "Delivered", "Declined")

_ADD = sql("""
INSERT INTO idea_statuses (workspace_id, label, position, provisional)
SELECT :workspace_id, label, place - 1, :provisional
  FROM unnest(:labels::text[]) WITH ORDINALITY AS labels (label, place)
ON CONFLICT DO NOTHING""")


async def add_default_statuses(tx: Tx, workspace_id: UUID, *, provisional: bool = False) -> None:
    """Adds the default workflow of ideas; its first label is the initial one.

    `provisional`: unused labels go when a workspace file brings labels of its own.
    """
    await tx.run(_ADD, workspace_id=workspace_id, labels=IDEA_STATUSES, provisional=provisional)
