"""When ideas got their statuses, as far as customers see these."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sightline.catalog.portal_labels import ShownLabel, shown_label
from sightline.platform.db import Tx, sql

_MOVES = sql("""
    SELECT changes.record_id, changes.at, labels.label, labels.portal::text AS settings
      FROM changes
      JOIN idea_statuses AS labels ON labels.workspace_id = :workspace_id AND labels.label = changes.detail ->> 'to'
     WHERE changes.workspace_id = :workspace_id AND changes.kind = 'idea' AND changes.record_id = ANY(:ids)
       AND changes.action IN ('status_changed', 'updated')
     ORDER BY changes.at DESC, changes.id DESC LIMIT 500""")


class StatusMove(NamedTuple):
    """The time at which an idea got a status."""

    at: datetime
    status: ShownLabel


async def list_moves(tx: Tx, workspace_id: UUID, idea_ids: list[UUID]) -> dict[UUID, list[StatusMove]]:
    """Returns the changes of shown statuses by idea, the latest first, at most 500 in all.

    A label that customers do not see, or that the workflow no longer has, is left out.
    """
    moves: dict[UUID, list[StatusMove]] = {}
    for row in await tx.rows(_MOVES, workspace_id=workspace_id, ids=idea_ids):
        if (status := shown_label(row["label"], row["settings"])) is not None:
            moves.setdefault(row["record_id"], []).append(StatusMove(row["at"], status))
    return moves
