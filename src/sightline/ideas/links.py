"""The features, insights and accounts of an idea: sets of links."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import UNSET, UnsetType

from sightline.platform.db import Tx, sql

_ADD_INSIGHTS = sql("""
INSERT INTO idea_insights AS known (workspace_id, idea_id, insight_id, validated)
SELECT :workspace_id, :idea_id, link.id, :validated
  FROM unnest(:ids::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n
ON CONFLICT (workspace_id, idea_id, insight_id) DO UPDATE SET validated = true
 WHERE excluded.validated AND NOT known.validated""")
_ADD = """
INSERT INTO {table} (workspace_id, idea_id, {member})
SELECT :workspace_id, :idea_id, link.id
  FROM unnest(:ids::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n
ON CONFLICT DO NOTHING"""
_DROP_OTHERS = """
DELETE FROM {table} WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND {member} <> ALL(:ids)"""

_ADD_ACCOUNTS = sql(_ADD, table="idea_accounts", member="account_id")
_ADD_FEATURES = sql(_ADD, table="idea_features", member="feature_id")
_DROP_INSIGHTS = sql(_DROP_OTHERS, table="idea_insights", member="insight_id")
_DROP_ACCOUNTS = sql(_DROP_OTHERS, table="idea_accounts", member="account_id")
_DROP_FEATURES = sql(_DROP_OTHERS, table="idea_features", member="feature_id")


def distinct(ids: Sequence[UUID] | UnsetType | None) -> list[UUID] | None:
    """Returns each id once, in the order of first mention; None if the set is omitted."""
    return None if ids is None or ids is UNSET else list(dict.fromkeys(ids))


async def add_insights(tx: Tx, workspace_id: UUID, idea_id: UUID, ids: list[UUID], *, validated: bool) -> int:
    """Returns how many links were added or became validated. A validated link stays validated."""
    return await tx.run(_ADD_INSIGHTS, workspace_id=workspace_id, idea_id=idea_id, ids=ids, validated=validated)


async def add_accounts(tx: Tx, workspace_id: UUID, idea_id: UUID, ids: list[UUID]) -> int:
    """Returns how many links were added."""
    return await tx.run(_ADD_ACCOUNTS, workspace_id=workspace_id, idea_id=idea_id, ids=ids)


async def replace_insights(tx: Tx, workspace_id: UUID, idea_id: UUID, ids: list[UUID], *, validated: bool) -> int:
    """Returns how many links were removed, added or became validated."""
    removed = await tx.run(_DROP_INSIGHTS, workspace_id=workspace_id, idea_id=idea_id, ids=ids)
    return removed + await add_insights(tx, workspace_id, idea_id, ids, validated=validated)


async def replace_accounts(tx: Tx, workspace_id: UUID, idea_id: UUID, ids: list[UUID]) -> int:
    """Returns how many links were removed or added."""
    removed = await tx.run(_DROP_ACCOUNTS, workspace_id=workspace_id, idea_id=idea_id, ids=ids)
    return removed + await add_accounts(tx, workspace_id, idea_id, ids)


async def replace_features(tx: Tx, workspace_id: UUID, idea_id: UUID, ids: list[UUID]) -> int:
    """Returns how many links were removed or added."""
    removed = await tx.run(_DROP_FEATURES, workspace_id=workspace_id, idea_id=idea_id, ids=ids)
    return removed + await tx.run(_ADD_FEATURES, workspace_id=workspace_id, idea_id=idea_id, ids=ids)
