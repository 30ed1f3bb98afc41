"""What was deleted, so that copies can forget it: only of kinds that the key may read."""

from typing import NamedTuple

from sightline.platform.access import Actor, Scope
from sightline.platform.db import Tx, Window
from sightline.platform.wire import Page
from sightline.workspaces import queries_deletions
from sightline.workspaces.records_deletions import Deletion, DeletionFilters, Kind

READS = tuple(scope for scope in Scope if scope.endswith(":read"))


class Told(NamedTuple):
    """The scope that reads a kind, what the trail calls it, and its table."""

    scope: Scope
    word: str
    table: str


TOLD = {
    Kind.IDEA: Told(Scope.IDEAS_READ, "idea", "ideas"),
    Kind.COMMENT: Told(Scope.IDEAS_READ, "idea_comment", "idea_comments"),
    Kind.INITIATIVE: Told(Scope.INITIATIVES_READ, "initiative", "initiatives"),
    Kind.TEAM: Told(Scope.INITIATIVES_READ, "team", "teams"),
    Kind.SIGNAL: Told(Scope.SIGNALS_READ, "signal", "signals"),
    Kind.INSIGHT: Told(Scope.INSIGHTS_READ, "insight", "insights"),
    Kind.OPPORTUNITY: Told(Scope.OPPORTUNITIES_READ, "opportunity", "opportunities"),
    Kind.PRODUCT: Told(Scope.PRODUCTS_READ, "product", "products"),
    Kind.FEATURE: Told(Scope.PRODUCTS_READ, "feature", "features"),
    Kind.ACCOUNT: Told(Scope.ACCOUNTS_READ, "account", "accounts"),
    Kind.FEEDBACK: Told(Scope.STUDIES_READ, "study_feedback", "study_feedback"),
    Kind.BRIEF: Told(Scope.RESEARCH_READ, "research_brief", "research_briefs"),
}


async def list_deletions(tx: Tx, actor: Actor, wanted: DeletionFilters, window: Window) -> Page[Deletion]:
    """Oldest first. Raises InsufficientScope when a kind is asked for that the key may not read."""
    actor.require_scopes(frozenset(TOLD[kind].scope for kind in wanted.kind))
    kinds = [kind for kind in TOLD if TOLD[kind].scope in actor.scopes and (not wanted.kind or kind in wanted.kind)]
    if not kinds:
        return Page([], 0, window)
    sources = {kind: (TOLD[kind].word, TOLD[kind].table) for kind in kinds}
    return await queries_deletions.page_of_deletions(tx, actor.workspace_id, sources, wanted.since, window)
