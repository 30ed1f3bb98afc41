"""The SQL of ideas: changing one that exists, and deleting it."""

from typing import Any, NamedTuple
from uuid import UUID

from sightline.ideas.queries import IDEA
from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.db.database import Row
from sightline.platform.db.horizon import MOMENT
from sightline.platform.errors import NotFound
from sightline.platform.ids import new_id
from sightline.platform.refs import IdeaRef, InitiativeRef

_LOCK = f"""
SELECT {IDEA}, feature_ownership, matched_key, portal_visible
  FROM ideas WHERE workspace_id = $1 AND {{}} = $2 FOR NO KEY UPDATE"""


async def lock_idea(tx: Tx, workspace_id: UUID, ref: IdeaRef) -> Row:
    """The columns of IDEA, and what else decides about changes. Raises NotFound."""
    statement = _LOCK.format(ref.column)
    row = await tx.row(statement, workspace_id, ref.value)
    if row is None:
        raise NotFound
    return row


_FIND_FOR_MATCHING = """
SELECT id, 'IDEA-' || number AS public_id, description, product_id, feature_ids, feature_matching, feature_ownership,
       matched_key, version
  FROM ideas WHERE workspace_id = $1 AND {} = $2"""


async def find_for_matching(tx: Tx, workspace_id: UUID, ref: IdeaRef) -> Row:
    """What matching reads and leaves. Raises NotFound."""
    statement = _FIND_FOR_MATCHING.format(ref.column)
    row = await tx.row(statement, workspace_id, ref.value)
    if row is None:
        raise NotFound
    return row


class Target(NamedTuple):
    """An initiative that an idea may be attached to."""

    id: UUID
    is_archived: bool


_HOLD_INITIATIVE = "SELECT id, status = 'ARCHIVED' FROM initiatives WHERE workspace_id = $1 AND {} = $2 FOR SHARE"


async def hold_initiative(tx: Tx, workspace_id: UUID, ref: InitiativeRef) -> Target | None:
    """Keeps the initiative as it is until the transaction ends. Comes before the idea in the order of locks."""
    statement = _HOLD_INITIATIVE.format(ref.column)
    row = await tx.row(statement, workspace_id, ref.value)
    return Target(*row) if row else None


CHANGEABLE = (
    "name",
    "description",
    "initiative_id",
    "feature_ownership",
    "feature_matching",
    "matched_key",
    "taxonomy_version_id",
    "portal_visible",
)


async def change_columns(tx: Tx, workspace_id: UUID, id: UUID, columns: dict[str, Any]) -> None:
    """Sets the named columns, of those that are CHANGEABLE, and moves version and date."""
    names = [name for name in CHANGEABLE if name in columns]
    sets = "".join(f"{name} = ${place}, " for place, name in enumerate(names, 4))
    statement = (
        f"UPDATE ideas SET {sets}updated_at = $3, version = version + 1, written = pg_current_xact_id()"
        " WHERE workspace_id = $1 AND id = $2"
    )
    await tx.run(statement, workspace_id, id, tx.now, *(columns[name] for name in names))


_DROP = "DELETE FROM {table} WHERE workspace_id = $1 AND idea_id = $2 AND {member} <> ALL($3)"
DROP_INSIGHTS = _DROP.format(table="idea_insights", member="insight_id")
DROP_ACCOUNTS = _DROP.format(table="idea_accounts", member="account_id")


async def drop_other_insights(tx: Tx, workspace_id: UUID, idea_id: UUID, kept: list[UUID]) -> int:
    return await tx.run(DROP_INSIGHTS, workspace_id, idea_id, kept)


async def drop_other_accounts(tx: Tx, workspace_id: UUID, idea_id: UUID, kept: list[UUID]) -> int:
    return await tx.run(DROP_ACCOUNTS, workspace_id, idea_id, kept)


_REMOVE = """
WITH removed AS (
    DELETE FROM ideas WHERE workspace_id = $1 AND id = $2 RETURNING id, 'IDEA-' || number AS public_id),
    logged AS (
        INSERT INTO changes (workspace_id, id, kind, record_id, public_id, action, actor_kind, actor_id, at)
        SELECT $1, $3, 'idea', removed.id, removed.public_id, 'deleted', $4, $5, $6 FROM removed),
    counted AS (
        INSERT INTO record_counts AS counts (workspace_id, kind, slot, count)
        SELECT $1, 'idea', 0, -1 FROM removed
        ON CONFLICT (workspace_id, kind, slot) DO UPDATE SET count = counts.count - 1)
SELECT id FROM removed"""


async def remove_idea(tx: Tx, actor: Actor, id: UUID) -> None:
    """With all that hangs on it; a line in the trail says that it was there."""
    await tx.run(_REMOVE, actor.workspace_id, id, new_id(), actor.kind, actor.id, tx.now)


_STATUS = """
SELECT i.id, 'IDEA-' || i.number AS public_id, i.status, i.version,
       coalesce(g.manages_status, false) AS is_source_managed, coalesce(s.state = 'completed', false) AS is_closed,
       l.promotion AS is_promotion
  FROM (SELECT 1) AS always
  LEFT JOIN idea_statuses l ON l.workspace_id = $1 AND l.label = $3
  LEFT JOIN ideas i ON i.workspace_id = $1 AND i.{} = $2
  LEFT JOIN integrations g ON g.workspace_id = i.workspace_id AND g.id = i.integration_id
  LEFT JOIN sprints s ON s.workspace_id = i.workspace_id AND s.id = i.sprint_id"""


class StatusState(NamedTuple):
    """What decides about a status change. `id` is None without such an idea, `is_promotion` without such a label."""

    id: UUID | None
    public_id: str
    status: str
    version: int
    is_source_managed: bool
    is_closed: bool
    is_promotion: bool | None


async def find_status(tx: Tx, workspace_id: UUID, ref: IdeaRef, label: str) -> StatusState:
    row = await tx.row(_STATUS.format(ref.column), workspace_id, ref.value, label)
    return StatusState(*row or ())


# Where it still is as it was seen; the sprint may have been completed and the label removed meanwhile.
_MOVE = f"""
WITH moved AS (
    UPDATE ideas SET status = $4, updated_at = {MOMENT.format(now="$5", offset="$10")},
                     version = version + 1, written = pg_current_xact_id()
     WHERE workspace_id = $1 AND id = $2 AND status = $3 AND version = $9
       AND EXISTS (SELECT FROM idea_statuses WHERE workspace_id = $1 AND label = $4 AND NOT promotion)
       AND NOT EXISTS (SELECT FROM sprints s WHERE s.workspace_id = $1 AND s.id = ideas.sprint_id
                          AND s.state = 'completed')
    RETURNING id, 'IDEA-' || number AS public_id, updated_at),
    logged AS (
        INSERT INTO changes (workspace_id, id, kind, record_id, public_id, action, actor_kind, actor_id, at, detail)
        SELECT $1, $6, 'idea', moved.id, moved.public_id, 'status_changed', $7, $8, moved.updated_at,
               jsonb_build_object('from', $3::text, 'to', $4::text) FROM moved)
SELECT id FROM moved"""


async def move_status(tx: Tx, actor: Actor, seen: StatusState, label: str) -> bool:
    """One statement. False when the idea is no longer as it was seen."""
    change = (new_id(), actor.kind, actor.id)
    values = (actor.workspace_id, seen.id, seen.status, label, tx.now, *change, seen.version, tx.clock.offset)
    return await tx.value(_MOVE, *values) is not None


_REVIEW = """
INSERT INTO idea_classifications AS c
       (workspace_id, idea_id, group_id, option_ids, text_value, review_state, origin, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (workspace_id, idea_id, group_id) DO UPDATE
   SET option_ids = excluded.option_ids, text_value = excluded.text_value, review_state = excluded.review_state,
       origin = excluded.origin, updated_at = excluded.updated_at"""


async def review_classification(  # noqa: PLR0913 - one value
    tx: Tx,
    workspace_id: UUID,
    idea_id: UUID,
    group_id: UUID,
    option_ids: list[UUID],
    text_value: str | None,
    review_state: str,
    origin: str | None,
) -> None:
    values = (workspace_id, idea_id, group_id, option_ids, text_value, review_state, origin, tx.now)
    await tx.run(_REVIEW, *values)


_MAP_VERSION = "SELECT map_version FROM products WHERE workspace_id = $1 AND id = $2"


async def find_map_version(tx: Tx, workspace_id: UUID, product_id: UUID) -> int | None:
    """The version of the product's feature map; None: no product."""
    version: int | None = await tx.value(_MAP_VERSION, workspace_id, product_id)
    return version
