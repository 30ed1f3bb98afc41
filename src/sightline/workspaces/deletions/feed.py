"""The feed of deleted records, of the kinds that the key may read."""

from typing import NamedTuple

from sightline.platform.access import Actor
from sightline.platform.db import Tx, Window
from sightline.platform.scopes import Scope, require_scopes
from sightline.platform.wire import Page
from sightline.workspaces.deletions import queries
from sightline.workspaces.deletions.records import DeletedKind, Deletion, DeletionFilters

READS = tuple(scope for scope in Scope if scope.endswith(":read"))


class Source(NamedTuple):
    """The scope that reads a kind, its name in `changes`, and its table."""

    scope: Scope
    name: str
    table: str


SOURCES = {
    DeletedKind.IDEA: Source(Scope.IDEAS_READ, "idea", "ideas"),
    DeletedKind.COMMENT: Source(Scope.IDEAS_READ, "idea_comment", "idea_comments"),
    DeletedKind.INITIATIVE: Source(Scope.INITIATIVES_READ, "initiative", "initiatives"),
    DeletedKind.TEAM: Source(Scope.INITIATIVES_READ, "team", "teams"),
    DeletedKind.SIGNAL: Source(Scope.SIGNALS_READ, "signal", "signals"),
    DeletedKind.INSIGHT: Source(Scope.INSIGHTS_READ, "insight", "insights"),
    DeletedKind.OPPORTUNITY: Source(Scope.OPPORTUNITIES_READ, "opportunity", "opportunities"),
    DeletedKind.PRODUCT: Source(Scope.PRODUCTS_READ, "product", "products"),
    DeletedKind.FEATURE: Source(Scope.PRODUCTS_READ, "feature", "features"),
    DeletedKind.ACCOUNT: Source(Scope.ACCOUNTS_READ, "account", "accounts"),
    DeletedKind.FEEDBACK: Source(Scope.STUDIES_READ, "study_feedback", "study_feedback"),
    DeletedKind.BRIEF: Source(Scope.RESEARCH_READ, "research_brief", "research_briefs"),
}


async def list_deletions(tx: Tx, actor: Actor, filters: DeletionFilters, window: Window) -> Page[Deletion]:
    """Returns a page, oldest first. Raises InsufficientScope if `kind` names one that the key may not read."""
    require_scopes(actor.scopes, frozenset(SOURCES[kind].scope for kind in filters.kind))
    kinds = [
        kind for kind in SOURCES if SOURCES[kind].scope in actor.scopes and (not filters.kind or kind in filters.kind)
    ]
    if not kinds:
        return Page([], 0, window)
    sources = {kind: (SOURCES[kind].name, SOURCES[kind].table) for kind in kinds}
    return await queries.page_of_deletions(tx, actor.workspace_id, sources, filters.since, window)
