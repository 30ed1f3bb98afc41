"""The SQL of what runs found: findings, answers, records, and the pages of a brief's runs."""

from typing import Any
from uuid import UUID

from sightline.platform.db import Tx, Where, Window, sql
from sightline.platform.errors import NotFound
from sightline.platform.lists.large import stored_size
from sightline.platform.lists.listing import Listing, Order
from sightline.platform.lists.read import read_whole
from sightline.platform.lists.single import SingleRecord
from sightline.platform.wire import Page
from sightline.research.runs.queries import RUN, RUN_SIZE, other_apps
from sightline.research.runs.records import Finding, RunReceipt, StoreRecord

# The plan and the dates of a run, what its reviews raise, and the scores of its apps.
EXECUTION = SingleRecord.of(
    "research_runs WHERE workspace_id = :workspace_id AND id = :id",
    """definition, iso(from_date_time) AS from_date_time, iso(to_date_time) AS to_date_time, review_themes,
       (SELECT coalesce(jsonb_agg(score - '{storefront,hasReviews,warnings}'::text[] ORDER BY place), '[]')
          FROM jsonb_path_query(scores, '$[*] ? (@.type() == "object")') WITH ORDINALITY AS _ (score, place)
       ) AS scores""",
    stored_size(json=["definition", "review_themes", "scores"]),
)

_FIND_ANSWER = sql("""
SELECT answer FROM research_sections WHERE workspace_id = :workspace_id AND run_id = :run_id AND id = :id""")


async def find_answer(tx: Tx, workspace_id: UUID, run_id: UUID, section_id: UUID) -> Any:
    """The answer of a section, None if there is none yet. Raises NotFound for an unknown section."""
    row = await tx.row(_FIND_ANSWER, workspace_id=workspace_id, run_id=run_id, id=section_id)
    if row is None:
        raise NotFound("The run has no such section.", field="sectionId")
    return row["answer"]


# The fields of a Finding under their names.
_FINDING = """
    id, section_id, title, url, publisher, iso(published_at) AS published_at, iso(retrieved_at) AS retrieved_at,
    relevance, observations, provenance"""
_FINDINGS = Listing(
    "research_findings",
    Finding,
    _FINDING,
    Order("findings", "position", "id", UUID, has_cursor=False),
    size=stored_size("title", "url", "publisher", json=["relevance", "observations", "provenance"]),
)
# The fields of a StoreRecord under their names.
_RECORD = """
    id, connector, external_id, label, rating, title, body, app_version AS version, storefront,
    iso(submitted_at) AS submitted_at, url"""
_RECORDS = Listing(
    "research_records",
    StoreRecord,
    _RECORD,
    Order("records", "position", "id", UUID, has_cursor=False),
    size=stored_size("title", "body"),
)

_FIND_OTHER_APPS = sql(
    "SELECT {apps} FROM research_runs AS r WHERE r.workspace_id = :workspace_id AND r.id = :run_id",
    apps=other_apps(":section_id::uuid"),
)


async def page_of_findings(
    tx: Tx, workspace_id: UUID, run_id: UUID, section_id: UUID, window: Window, *, at_once: bool = False
) -> Page[Finding]:
    """Returns findings of a section in the order in which they were found.

    Raises LargeRecord for large ones that are read `at_once`.
    """
    where = Where(workspace_id).equals(run_id=run_id, section_id=section_id)
    return await read_whole(tx, _FINDINGS, where, window, at_once=at_once)


async def page_of_records(
    tx: Tx, workspace_id: UUID, run_id: UUID, section_id: UUID | None, window: Window, *, at_once: bool
) -> Page[StoreRecord]:
    """Returns original reviews of a section, or of the whole run, in the order in which they were read.

    Raises LargeRecord for large ones that are read `at_once`.
    """
    where = Where(workspace_id).equals(run_id=run_id)
    if section_id is not None:
        where.add("coalesce(section_id, :section_id) = :section_id", section_id=section_id)
        others = await tx.value(_FIND_OTHER_APPS, workspace_id=workspace_id, run_id=run_id, section_id=section_id)
        where.add("external_id <> ALL(:others)", others=others)
    return await read_whole(tx, _RECORDS, where, window, at_once=at_once)


async def page_of_runs(
    tx: Tx, workspace_id: UUID, brief_id: UUID, window: Window, *, at_once: bool
) -> Page[RunReceipt]:
    """Returns runs of a brief, newest first. Raises LargeRecord for large ones that are read `at_once`."""
    runs = Listing("research_runs", RunReceipt, RUN, order_of_runs(brief_id), alias="r", size=RUN_SIZE)
    return await read_whole(tx, runs, Where(workspace_id).equals(brief_id=brief_id), window, at_once=at_once)


def order_of_runs(brief_id: UUID) -> Order:
    """Returns the order of a brief's runs. A cursor is valid for this brief only."""
    return Order(f"runs:{brief_id.hex}", "created_at", "id", UUID, is_descending=True)
