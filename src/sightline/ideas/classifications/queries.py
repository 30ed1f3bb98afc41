"""The SQL of classifications."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from sightline.ideas.classifications.records import ClassificationReviewState, ValueOrigin
from sightline.platform.db import Tx, sql
from sightline.platform.db.sql import columns, values

VALUE = columns("idea_id, group_id, option_ids, text_value, review_state, origin, updated_at")
IS_UNREVIEWED_SUGGESTION: Final = "(origin IS NOT DISTINCT FROM 'suggested' AND review_state = 'unreviewed')"


class StoredValue(NamedTuple):
    """The value of one idea in one group, in the order of VALUE."""

    idea_id: UUID
    group_id: UUID
    option_ids: list[UUID]
    text_value: str | None
    review_state: ClassificationReviewState
    origin: ValueOrigin | None
    updated_at: datetime

    @property
    def is_unreviewed_suggestion(self) -> bool:
        return self.origin == "suggested" and self.review_state == "unreviewed"


# LATERAL reads each idea by the primary key, however many ideas there are.
FIND_VALUES = sql(f"""
SELECT {", ".join(VALUE)}
  FROM unnest(:idea_ids::uuid[]) AS idea (id)
 CROSS JOIN LATERAL (SELECT * FROM idea_classifications
                      WHERE workspace_id = :workspace_id AND idea_id = idea.id OFFSET 0) AS value""")


async def find_values(tx: Tx, workspace_id: UUID, idea_ids: Sequence[UUID]) -> dict[tuple[UUID, UUID], StoredValue]:
    """Returns the stored values of these ideas by idea and group, including values of inactive groups."""
    rows = await tx.rows(FIND_VALUES, workspace_id=workspace_id, idea_ids=idea_ids)
    return {(row["idea_id"], row["group_id"]): StoredValue(*row) for row in rows}


_SAVE = sql(f"""
INSERT INTO idea_classifications (workspace_id, {", ".join(VALUE)}) VALUES (:workspace_id, {values(VALUE)})
ON CONFLICT (workspace_id, idea_id, group_id) DO UPDATE
   SET option_ids = excluded.option_ids, text_value = excluded.text_value, review_state = excluded.review_state,
       origin = excluded.origin, updated_at = excluded.updated_at""")


async def save_values(tx: Tx, workspace_id: UUID, stored: Iterable[StoredValue]) -> None:
    """Adds each value, or replaces the one that the idea has in the group."""
    await tx.run_many(_SAVE, ({"workspace_id": workspace_id, **value._asdict()} for value in stored))


async def copy_values(tx: Tx, workspace_id: UUID, stored: Iterable[StoredValue]) -> None:
    """Adds values of ideas that have none yet. Faster than `save_values`."""
    records = [(workspace_id, *value) for value in stored]
    await tx.connection.copy_records_to_table("idea_classifications", records=records, columns=("workspace_id", *VALUE))


_REMOVE = sql("""
DELETE FROM idea_classifications
 WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND group_id = ANY(:group_ids::uuid[])""")


async def remove_values(tx: Tx, workspace_id: UUID, idea_id: UUID, group_ids: Sequence[UUID]) -> None:
    """Removes the values of one idea in these groups."""
    await tx.run(_REMOVE, workspace_id=workspace_id, idea_id=idea_id, group_ids=group_ids)


_DISTRUST = sql("""
UPDATE idea_classifications SET review_state = 'unreviewed', updated_at = :now
 WHERE workspace_id = :workspace_id AND option_ids && :option_ids::uuid[] AND review_state <> 'unreviewed'""")


async def distrust(tx: Tx, workspace_id: UUID, option_ids: Sequence[UUID]) -> None:
    """Marks values with one of these options as unreviewed."""
    await tx.run(_DISTRUST, workspace_id=workspace_id, option_ids=option_ids)
