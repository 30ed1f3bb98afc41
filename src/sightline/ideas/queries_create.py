"""The SQL of ideas: creating one, and updating one that is known by its identity."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sightline.ideas.queries import IDEA
from sightline.ideas.queries_questions import drafted_columns
from sightline.intelligence.engine import DraftedQuestion
from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.db.database import Row
from sightline.platform.db.horizon import MOMENT
from sightline.workspaces.changes import LOG_ADDED, addition

# A label nobody asked for is the first of the workflow that is not reserved.
_INSERT = f"""
WITH added AS (
    INSERT INTO ideas (workspace_id, created_at, updated_at, id, number, name, description, status, product_id,
                       integration_id, source_key, external_id, created_source, provenance, feature_ownership,
                       feature_matching, matched_key, taxonomy_version_id, feature_ids, insight_ids, account_ids)
    SELECT $1, {{moment}}, {{moment}}, $8, $9, $10, $11,
           coalesce($12, (SELECT label FROM idea_statuses WHERE workspace_id = $1
                           ORDER BY promotion, position, label LIMIT 1), 'New'),
           $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25
    ON CONFLICT DO NOTHING
    RETURNING *, 'IDEA-' || number AS public_id),
    asked AS (
        INSERT INTO idea_questions (workspace_id, id, idea_id, question, reasoning, placeholder, status, origin,
                                    created_at, updated_at)
        SELECT $1, drafted.id, $8, drafted.question, drafted.reasoning, drafted.placeholder, 'pending', 'engine', $2, $2
          FROM added, unnest($26::uuid[], $27::text[], $28::text[], $29::text[])
                      AS drafted (id, question, reasoning, placeholder)),
    {LOG_ADDED}
    {{links}}
SELECT {IDEA} FROM added"""

_LINKS = """,
    with_features AS (
        INSERT INTO idea_features (workspace_id, idea_id, feature_id)
        SELECT $1, $8, id FROM added, unnest($23::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n),
    with_insights AS (
        INSERT INTO idea_insights (workspace_id, idea_id, insight_id, validated)
        SELECT $1, $8, link.id, $30 FROM added, unnest($24::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n),
    with_accounts AS (
        INSERT INTO idea_accounts (workspace_id, idea_id, account_id)
        SELECT $1, $8, link.id FROM added, unnest($25::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n)"""

ADD_IDEA = _INSERT.format(links="", moment=MOMENT.format(now="$2", offset="$30"))
ADD_IDEA_WITH_LINKS = _INSERT.format(
    links=_LINKS.replace("id FROM added", "link.id FROM added", 1), moment=MOMENT.format(now="$2", offset="$31")
)


async def add_idea(  # noqa: PLR0913 - the sets of links beside the columns
    tx: Tx,
    actor: Actor,
    columns: Sequence[Any],
    features: list[UUID],
    insights: list[UUID],
    accounts: list[UUID],
    drafted: Sequence[DraftedQuestion],
    *,
    validated: bool,
) -> Row | None:
    """One statement: the idea, its links and questions, its line in the trail, its count. None: its identity is taken.

    `columns`: id, number, name, description, status or None, product, integration, source key, external id, channel,
    provenance, ownership, matching, matching key, taxonomy version.
    """
    values = (*addition(tx, actor, "idea"), *columns, features, insights, accounts, *drafted_columns(drafted))
    if features or insights or accounts:
        return await tx.row(ADD_IDEA_WITH_LINKS, *values, validated, tx.clock.offset)
    return await tx.row(ADD_IDEA, *values, tx.clock.offset)


# What decides how a known idea is updated, besides the columns that are replaced.
KNOWN = f"{IDEA}, feature_ownership, matched_key"

_FIND_KNOWN = f"""
SELECT {KNOWN} FROM ideas
 WHERE workspace_id = $1 AND ((source_key = $2 AND external_id = $4) OR (integration_id = $3 AND external_id = $4))
 ORDER BY id"""
FIND_KNOWN = _FIND_KNOWN
LOCK_KNOWN = f"{_FIND_KNOWN} FOR NO KEY UPDATE"


async def find_known(
    tx: Tx, workspace_id: UUID, source_key: str | None, integration_id: UUID | None, external_id: str, *, lock: bool
) -> list[Row]:
    """The ideas of either identity: none, one, or two when the identities name two."""
    statement = LOCK_KNOWN if lock else FIND_KNOWN
    return await tx.rows(statement, workspace_id, source_key, integration_id, external_id)


_UPDATE = f"""
UPDATE ideas
   SET name = $3, description = $4, status = $5, product_id = $6, integration_id = $7, source_key = $8,
       external_id = $9, feature_ownership = $10, feature_matching = $11, matched_key = $12,
       taxonomy_version_id = $13, updated_at = $14, version = version + 1, written = pg_current_xact_id()
 WHERE workspace_id = $1 AND id = $2
RETURNING {IDEA}"""


async def change_idea(tx: Tx, workspace_id: UUID, id: UUID, columns: Sequence[Any]) -> None:
    """Replaces the columns an identity update may change, in the order of the statement."""
    await tx.run(_UPDATE, workspace_id, id, *columns, tx.now)


_ADD_INSIGHTS = """
INSERT INTO idea_insights AS known (workspace_id, idea_id, insight_id, validated)
SELECT $1, $2, link.id, $4 FROM unnest($3::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n
ON CONFLICT (workspace_id, idea_id, insight_id) DO UPDATE SET validated = true WHERE $4 AND NOT known.validated"""
_ADD_ACCOUNTS = """
INSERT INTO idea_accounts (workspace_id, idea_id, account_id)
SELECT $1, $2, link.id FROM unnest($3::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n
ON CONFLICT DO NOTHING"""
_DROP_FEATURES = "DELETE FROM idea_features WHERE workspace_id = $1 AND idea_id = $2 AND feature_id <> ALL($3)"
_ADD_FEATURES = """
INSERT INTO idea_features (workspace_id, idea_id, feature_id)
SELECT $1, $2, link.id FROM unnest($3::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n
ON CONFLICT DO NOTHING"""


async def add_insights(tx: Tx, workspace_id: UUID, idea_id: UUID, ids: Sequence[UUID], *, validated: bool) -> int:
    """How many links were added or became validated; a validated one is never demoted."""
    return await tx.run(_ADD_INSIGHTS, workspace_id, idea_id, ids, validated)


async def add_accounts(tx: Tx, workspace_id: UUID, idea_id: UUID, ids: Sequence[UUID]) -> int:
    return await tx.run(_ADD_ACCOUNTS, workspace_id, idea_id, ids)


async def replace_features(tx: Tx, workspace_id: UUID, idea_id: UUID, ids: Sequence[UUID]) -> int:
    """How many links were removed or added."""
    removed = await tx.run(_DROP_FEATURES, workspace_id, idea_id, ids)
    return removed + await tx.run(_ADD_FEATURES, workspace_id, idea_id, ids)


_ASSIGN = """
INSERT INTO idea_classifications AS c
       (workspace_id, idea_id, group_id, option_ids, text_value, review_state, origin, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, 'api', $7)
ON CONFLICT (workspace_id, idea_id, group_id) DO UPDATE
   SET option_ids = excluded.option_ids, text_value = excluded.text_value, review_state = excluded.review_state,
       origin = excluded.origin, updated_at = excluded.updated_at
 WHERE (c.option_ids, c.text_value) IS DISTINCT FROM (excluded.option_ids, excluded.text_value)
    OR (c.review_state = 'unassigned') <> (excluded.review_state = 'unassigned')"""


async def assign(  # noqa: PLR0913 - one value
    tx: Tx,
    workspace_id: UUID,
    idea_id: UUID,
    group_id: UUID,
    option_ids: list[UUID],
    text_value: str | None,
    review_state: str,
) -> int:
    """1 when the value changed, 0 when it was that already."""
    return await tx.run(_ASSIGN, workspace_id, idea_id, group_id, option_ids, text_value, review_state, tx.now)
