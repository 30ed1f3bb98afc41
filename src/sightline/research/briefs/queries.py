"""The SQL of briefs."""

from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sightline.platform.db import Tx, Where, Window, sql
from sightline.platform.db.words import apart, words_in
from sightline.platform.errors import NotFound
from sightline.platform.lists.large import stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_list
from sightline.platform.lists.single import SingleRecord
from sightline.platform.wire import Listed
from sightline.research.briefs.records import Brief, BriefFilters, BriefList, BriefSummary, Pagination
from sightline.research.schedules.cadence import RunPolicy

# The fields of a BriefSummary under their names, in their order.
_SUMMARY = """
    id, name, state, row_version, jsonb_build_object('runPolicy', run_policy, 'timezone', timezone) AS cadence,
    CASE WHEN state = 'active' AND run_policy <> 'on_demand' THEN iso(next_run_at) END AS next_run_at,
    (SELECT jsonb_build_object('id', r.id, 'status', r.status, 'finishedAt', iso(r.finished_at))
       FROM research_runs AS r WHERE r.workspace_id = :workspace_id AND r.brief_id = research_briefs.id
      ORDER BY r.created_at DESC, r.id DESC LIMIT 1) AS last_run,
    iso(created_at) AS created_at, iso(updated_at) AS updated_at"""
# In the order of Brief's fields.
_BRIEF = f"""{_SUMMARY}, question,
    jsonb_build_object(
        'state', state,
        'draft', jsonb_build_object('revision', revision, 'definition', definition),
        'kept', CASE WHEN kept_definition IS NOT NULL
                     THEN jsonb_build_object('revision', kept_revision, 'definition', kept_definition) END)
    AS configuration"""

_COUNT = "(SELECT count(*) FROM research_briefs WHERE workspace_id = :workspace_id)"
_NEWEST = Order("research.newest", "created_at", "id", UUID, is_descending=True, has_cursor=False)
_LISTING = Listing("research_briefs", BriefSummary, _SUMMARY, _NEWEST, _COUNT)


async def list_briefs(tx: Tx, workspace_id: UUID, filters: BriefFilters, window: Window) -> Listed[BriefList]:
    """Returns a page, newest first. Each of the searched words begins a word of the brief."""
    where = Where(workspace_id)
    if filters.q is not None and filters.q.strip():
        words = " & ".join(f"{word}:*" for word in words_in(filters.q))
        where.add("search @@ to_tsquery('simple', :words)", words=words)
    page = await read_list(tx, _LISTING, where, window)
    return Listed(BriefList(page.items, Pagination.of(page)), window, page.has_more)


BRIEF = SingleRecord.of(
    "research_briefs WHERE workspace_id = :workspace_id AND id = :id",
    _BRIEF,
    stored_size("question", json=["definition", "kept_definition"]),
)


async def find_brief(tx: Tx, workspace_id: UUID, id: UUID, *, at_once: bool = False) -> Brief:
    """Raises NotFound, and LargeRecord for a large one that is read `at_once`."""
    return Brief(*await BRIEF.find(tx, at_once=at_once, workspace_id=workspace_id, id=id))


class BriefRow(NamedTuple):
    """What decides whether a brief can be started or changed."""

    id: UUID
    name: str
    state: str
    row_version: int
    revision: int
    definition: Any
    run_policy: RunPolicy
    timezone: str
    next_run_at: datetime | None


_LOCK = sql(f"""
SELECT {", ".join(BriefRow._fields)} FROM research_briefs WHERE workspace_id = :workspace_id AND id = :id
   FOR NO KEY UPDATE""")


async def lock_brief(tx: Tx, workspace_id: UUID, id: UUID) -> BriefRow:
    """Nobody else changes the brief, or starts a run of it, before the transaction ends. Raises NotFound."""
    row = await tx.row(_LOCK, workspace_id=workspace_id, id=id)
    if row is None:
        raise NotFound("The workspace has no such research.", field="command.briefId")
    return BriefRow(*row)


def words_of(name: str, question: str, definition: str) -> str:
    """What a search finds a brief by: its name, its question, and what its sections and apps are about.

    Ids, types and modes are no words of the plan. A host and a compound count as the words that they join.
    """
    subjects = (
        '$.sections[*].keyvalue() ? (@.key != "id" && @.key != "type" && @.key != "scope").value',
        '$.sections[*].scope.keyvalue() ? (@.key != "sourceMode").value',
        "$.reads[*].label",
    )
    found = " || ".join(f"jsonb_path_query_array({definition}, '{path}', '{{}}', true)" for path in subjects)
    text = f"""{name} || ' ' || {question} || ' ' || coalesce((
           SELECT string_agg(word #>> '{{}}', ' ') FROM jsonb_path_query({found}, 'strict $.**') AS word
            WHERE jsonb_typeof(word) = 'string'), '')"""
    return f"to_tsvector('simple', {apart(text)})"


class Activity(NamedTuple):
    """The state of a brief and its cadence."""

    state: str
    run_policy: str
    timezone: str
    next_run_at: datetime | None


_FIND_ALLOWED = sql("SELECT research_policies, managed_schedule FROM plans WHERE workspace_id = :workspace_id")


class Allowed(NamedTuple):
    """Which policies the workspace's plan allows, and whether the service manages the schedule."""

    policies: list[str]
    is_managed: bool


async def find_allowed(tx: Tx, workspace_id: UUID) -> Allowed:
    row = await tx.row(_FIND_ALLOWED, workspace_id=workspace_id)
    return Allowed(*row) if row else Allowed([], False)
