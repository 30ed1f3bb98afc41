"""The SQL of what runs found: findings, answers, records, and the pages of a brief's runs."""

from typing import Any
from uuid import UUID

from sightline.platform.db import Position, Row, Tx, Where, Window, sql
from sightline.platform.db.pages import ShortList, read_page
from sightline.platform.errors import NotFound
from sightline.research.runs.queries import RUN, other_apps
from sightline.research.runs.records import Finding, RunReceipt, StoreRecord

_FIND_EXECUTION = sql("""
SELECT definition, iso(from_date_time) AS from_date_time, iso(to_date_time) AS to_date_time, review_themes,
       (SELECT coalesce(jsonb_agg(score - '{storefront,hasReviews,warnings}'::text[] ORDER BY place), '[]')
          FROM jsonb_path_query(scores, '$[*] ? (@.type() == "object")') WITH ORDINALITY AS _ (score, place)) AS scores
  FROM research_runs WHERE workspace_id = :workspace_id AND id = :id""")


async def find_execution(tx: Tx, workspace_id: UUID, run_id: UUID) -> Row:
    """The plan and the dates of a run, what its reviews raise, and the scores of its apps. Raises NotFound."""
    row = await tx.row(_FIND_EXECUTION, workspace_id=workspace_id, id=run_id)
    if row is None:
        raise NotFound
    return row


_FIND_ANSWER = sql("""
SELECT answer FROM research_sections WHERE workspace_id = :workspace_id AND run_id = :run_id AND id = :id""")


async def find_answer(tx: Tx, workspace_id: UUID, run_id: UUID, section_id: UUID) -> Any:
    """The answer of a section, None if there is none yet. Raises NotFound for an unknown section."""
    row = await tx.row(_FIND_ANSWER, workspace_id=workspace_id, run_id=run_id, id=section_id)
    if row is None:
        raise NotFound("The run has no such section.", field="sectionId")
    return row["answer"]


# In the order of Finding's fields.
_FINDING = """
    id, section_id, title, url, publisher, iso(published_at), iso(retrieved_at), relevance, observations, provenance"""
_FINDINGS = ShortList("research_findings", _FINDING, "0")
# In the order of StoreRecord's fields.
_RECORD = """
    id, connector, external_id, label, rating, title, body, app_version, storefront, iso(submitted_at), url"""
_RECORDS = ShortList("research_records", _RECORD, "0")


_FIND_OTHER_APPS = sql(
    "SELECT {apps} FROM research_runs AS r WHERE r.workspace_id = :workspace_id AND r.id = :run_id",
    apps=other_apps(":section_id::uuid"),
)


async def page_of_findings(
    tx: Tx, workspace_id: UUID, run_id: UUID, section_id: UUID, window: Window
) -> tuple[list[Finding], int]:
    """In the order in which they were found, and how many there are in all."""
    where = _of_run(workspace_id, run_id)
    where.add("section_id = :section_id", section_id=section_id)
    rows, total = await read_page(tx, _FINDINGS, where, "position, id", window)
    return [Finding(*fields) for *fields, _ in rows], total


async def page_of_records(
    tx: Tx, workspace_id: UUID, run_id: UUID, section_id: UUID | None, window: Window
) -> tuple[list[StoreRecord], int]:
    """Those of a section, or of the whole run, and how many there are in all."""
    where = _of_run(workspace_id, run_id)
    if section_id is not None:
        where.add("coalesce(section_id, :section_id) = :section_id", section_id=section_id)
        others = await tx.value(_FIND_OTHER_APPS, workspace_id=workspace_id, run_id=run_id, section_id=section_id)
        where.add("external_id <> ALL(:others)", others=others)
    rows, total = await read_page(tx, _RECORDS, where, "position, id", window)
    return [StoreRecord(*fields) for *fields, _ in rows], total


def _of_run(workspace_id: UUID, run_id: UUID) -> Where:
    where = Where(workspace_id)
    where.add("run_id = :run_id", run_id=run_id)
    return where


_PAGE_OF_RUNS = """
SELECT {columns}, r.created_at AS moment FROM research_runs AS r
 WHERE r.workspace_id = :workspace_id AND r.brief_id = :brief_id {after}
 ORDER BY r.created_at DESC, r.id DESC LIMIT :limit"""
_FIRST_RUNS = sql(_PAGE_OF_RUNS, columns=RUN, after="")
_LATER_RUNS = sql(_PAGE_OF_RUNS, columns=RUN, after="AND (r.created_at, r.id) < (:moment, :tie)")


async def page_of_runs(
    tx: Tx, workspace_id: UUID, brief_id: UUID, limit: int, after: Position | None
) -> tuple[list[RunReceipt], Position | None]:
    """The newest runs after a position, and the position of the next page."""
    of_brief = {"workspace_id": workspace_id, "brief_id": brief_id, "limit": limit + 1}
    if after is None:
        rows = await tx.rows(_FIRST_RUNS, **of_brief)
    else:
        rows = await tx.rows(_LATER_RUNS, **of_brief, moment=after.moment, tie=after.tie)
    runs = [RunReceipt(*fields) for *fields, _ in rows[:limit]]
    if len(rows) <= limit:
        return runs, None
    last = rows[limit - 1]
    return runs, Position(order_of_runs(brief_id), last["moment"], last["id"])


def order_of_runs(brief_id: UUID) -> str:
    """The name of the list in a cursor, which is valid for this brief only."""
    return f"runs:{brief_id.hex}"
