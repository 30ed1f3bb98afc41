"""The feed of deleted records, of the kinds that the key may read."""

from typing import NamedTuple
from uuid import UUID

from sightline.platform.access import Actor
from sightline.platform.db import Tx, Where, Window
from sightline.platform.lists.listing import Listing, Order, Selection, changed_since
from sightline.platform.lists.read import read_selection
from sightline.platform.scopes import Scope, require_scopes
from sightline.platform.wire import Page
from sightline.workspaces.deletions.records import DeletedKind, Deletion, DeletionFilters

_ORDER = Order("deletions", "at", "id", UUID)

READS = tuple(scope for scope in Scope if scope.endswith(":read"))


class Source(NamedTuple):
    """The scope that reads a kind, and its name in `changes`."""

    scope: Scope
    name: str


SOURCES = {
    DeletedKind.IDEA: Source(Scope.IDEAS_READ, "idea"),
    DeletedKind.COMMENT: Source(Scope.IDEAS_READ, "idea_comment"),
    DeletedKind.INITIATIVE: Source(Scope.INITIATIVES_READ, "initiative"),
    DeletedKind.TEAM: Source(Scope.INITIATIVES_READ, "team"),
    DeletedKind.SIGNAL: Source(Scope.SIGNALS_READ, "signal"),
    DeletedKind.INSIGHT: Source(Scope.INSIGHTS_READ, "insight"),
    DeletedKind.OPPORTUNITY: Source(Scope.OPPORTUNITIES_READ, "opportunity"),
    DeletedKind.PRODUCT: Source(Scope.PRODUCTS_READ, "product"),
    DeletedKind.FEATURE: Source(Scope.PRODUCTS_READ, "feature"),
    DeletedKind.ACCOUNT: Source(Scope.ACCOUNTS_READ, "account"),
    DeletedKind.FEEDBACK: Source(Scope.STUDIES_READ, "study_feedback"),
    DeletedKind.BRIEF: Source(Scope.RESEARCH_READ, "research_brief"),
}


async def list_deletions(tx: Tx, actor: Actor, filters: DeletionFilters, window: Window) -> Page[Deletion]:
    """Returns a page, oldest first. Raises InsufficientScope if `kind` names one that the key may not read."""
    require_scopes(actor.scopes, {SOURCES[kind].scope for kind in filters.kind})
    kinds = [
        kind for kind in SOURCES if SOURCES[kind].scope in actor.scopes and (not filters.kind or kind in filters.kind)
    ]
    if not kinds:
        return Page([], 0, window)
    where = Where(actor.workspace_id)
    times = " AND ".join(await changed_since(tx, where, _ORDER.moment, filters.since))
    each = [f"kind = '{SOURCES[kind].name}' AND action = 'deleted' AND NOT is_undone AND {times}" for kind in kinds]
    ranges = [f"workspace_id = :workspace_id AND {one}" for one in each]
    count = " + ".join(f"(SELECT count(*) FROM changes WHERE workspace_id = :workspace_id AND {one})" for one in each)
    cases = " ".join(f"WHEN '{SOURCES[kind].name}' THEN '{kind}'" for kind in kinds)
    columns = f"CASE kind {cases} END AS kind, record_id AS id, public_id, iso(at) AS deleted_at"
    selection = Selection(where, _ORDER, "changes", ranges, count)
    return await read_selection(tx, Listing("changes", Deletion, columns, _ORDER), selection, window)
