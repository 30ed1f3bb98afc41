"""The features, insights and accounts of an idea: sets of links."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from msgspec import UNSET, UnsetType

from sightline.platform.db import Statement, Tx, sql

_ADD = """
INSERT INTO {table} (workspace_id, idea_id, {member})
SELECT :workspace_id, :idea_id, link.id
  FROM unnest(:ids::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n
ON CONFLICT DO NOTHING"""
# A validated link stays validated.
_ADD_INSIGHTS = sql("""
INSERT INTO idea_insights AS known (workspace_id, idea_id, insight_id, validated)
SELECT :workspace_id, :idea_id, link.id, :validated
  FROM unnest(:ids::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n
ON CONFLICT (workspace_id, idea_id, insight_id) DO UPDATE SET validated = true
 WHERE excluded.validated AND NOT known.validated""")
_DROP_OTHERS = """
DELETE FROM {table} WHERE workspace_id = :workspace_id AND idea_id = :idea_id AND {member} <> ALL(:ids)"""


class Links(NamedTuple):
    """How the links of one kind are stored. Those of insights take the value `validated`."""

    add: Statement
    drop_others: Statement


def _links(table: str, member: str, add: Statement | None = None) -> Links:
    drop_others = sql(_DROP_OTHERS, table=table, member=member)
    return Links(add or sql(_ADD, table=table, member=member), drop_others)


FEATURES = _links("idea_features", "feature_id")
INSIGHTS = _links("idea_insights", "insight_id", _ADD_INSIGHTS)
ACCOUNTS = _links("idea_accounts", "account_id")


def distinct(ids: Sequence[UUID] | UnsetType | None) -> list[UUID] | None:
    """Returns each id once, in the order of first mention; None if the set is omitted."""
    return None if ids is None or ids is UNSET else list(dict.fromkeys(ids))


async def add_links(tx: Tx, links: Links, idea: tuple[UUID, UUID], ids: list[UUID], **validated: bool) -> int:
    """Links an idea, named by workspace and id. Returns how many links were added or became validated."""
    workspace_id, idea_id = idea
    return await tx.run(links.add, workspace_id=workspace_id, idea_id=idea_id, ids=ids, **validated)


async def replace_links(tx: Tx, links: Links, idea: tuple[UUID, UUID], ids: list[UUID], **validated: bool) -> int:
    """Returns how many links were removed, added or became validated."""
    workspace_id, idea_id = idea
    removed = await tx.run(links.drop_others, workspace_id=workspace_id, idea_id=idea_id, ids=ids)
    return removed + await add_links(tx, links, idea, ids, **validated)
