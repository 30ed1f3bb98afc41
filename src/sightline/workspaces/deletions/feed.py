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
    require_scopes(actor.scopes, {SOURCES[kind].scope for kind in filters.kind})
    kinds = [
        kind for kind in SOURCES if SOURCES[kind].scope in actor.scopes and (not filters.kind or kind in filters.kind)
    ]
    if not kinds:
        return Page([], 0, window)
    where = Where(actor.workspace_id)
    times = " AND ".join(await changed_since(tx, where, _ORDER.moment, filters.since))
    each = [f"{_of_kind(SOURCES[kind])} AND {times}" for kind in kinds]
    ranges = [f"workspace_id = :workspace_id AND {one}" for one in each]
    count = " + ".join(f"(SELECT count(*) FROM changes WHERE workspace_id = :workspace_id AND {one})" for one in each)
    cases = " ".join(f"WHEN '{SOURCES[kind].name}' THEN '{kind}'" for kind in kinds)
    columns = f"CASE kind {cases} END AS kind, record_id AS id, public_id, iso(at) AS deleted_at"
    selection = Selection(where, _ORDER, "changes", ranges, count)
    return await read_selection(tx, Listing("changes", Deletion, columns, _ORDER), selection, window)


def _of_kind(source: Source) -> str:
    """Returns the condition for deletions of a kind. Records that were created again are not deleted in copies.

    OFFSET looks each up by its id: as a join it compares all with all while a table has just been filled.
    """
    return f"""kind = '{source.name}' AND action = 'deleted'
       AND NOT EXISTS (SELECT FROM {source.table} AS present
                        WHERE present.workspace_id = :workspace_id AND present.id = changes.record_id OFFSET 0)"""
