"""What a new workspace begins with, until somebody sets up their own."""

from uuid import UUID

from sightline.platform.db import Tx

IDEA_STATUSES = ("New", "Under review", "Approved", "Planned", "Delivered", "Declined")

ADD_STATUSES = """
INSERT INTO idea_statuses (workspace_id, label, position)
SELECT $1, label, place - 1 FROM unnest($2::text[]) WITH ORDINALITY AS labels (label, place)
ON CONFLICT DO NOTHING"""


async def add_default_statuses(tx: Tx, workspace_id: UUID) -> None:
    """The default workflow of ideas; its first label is the initial one."""
    await tx.run(ADD_STATUSES, workspace_id, IDEA_STATUSES)
