"""The SQL of searching a run: a section is started, and sealed once with all that it found."""

from datetime import datetime, time
from typing import NamedTuple
from uuid import UUID

from msgspec.structs import asdict

from sightline.platform.db import Row, Tx, sql
from sightline.research.runs.search_result import KnownSource, SearchedSection
from sightline.sources.addresses import identity
from sightline.sources.pages import Page, Published

_BEGIN_RUN = sql("""
UPDATE research_runs
   SET status = 'running', started_at = coalesce(started_at, :now),
       from_date_time = coalesce(from_date_time, :since), to_date_time = coalesce(to_date_time, :until)
 WHERE workspace_id = :workspace_id AND id = :run_id""")
_FIND_SOURCES = sql("""
SELECT DISTINCT ON (s.id) s.id, s.url, s.content, s.retrieved_at, s.language, coalesce(f.title, s.url) AS title,
       f.publisher, f.published_at
  FROM research_sources AS s
  LEFT JOIN research_findings AS f ON f.workspace_id = :workspace_id AND f.run_id = s.run_id AND f.source_id = s.id
 WHERE s.workspace_id = :workspace_id AND s.run_id = :run_id
 ORDER BY s.id, f.position""")


async def begin_run(tx: Tx, workspace_id: UUID, run_id: UUID, since: datetime | None, until: datetime | None) -> None:
    """Sets the run to running, and its dates unless it has them. Without dates, a later call sets them."""
    await tx.run(_BEGIN_RUN, workspace_id=workspace_id, run_id=run_id, since=since, until=until)


async def find_sources(tx: Tx, workspace_id: UUID, run_id: UUID) -> dict[str, KnownSource]:
    """The sources that sections of the run have found, by the identity of their address."""
    rows = await tx.rows(_FIND_SOURCES, workspace_id=workspace_id, run_id=run_id)
    return {identity(row["url"]): KnownSource(row["id"], _page(row)) for row in rows}


def _page(row: Row) -> Page:
    published = row["published_at"]
    return Page(
        url=row["url"],
        title=row["title"],
        text=row["content"],
        retrieved_at=row["retrieved_at"],
        publisher=row["publisher"],
        published=published and Published(published, "structured", "source", published.time() == time()),
        language=row["language"],
    )


_SPEND = sql("""
UPDATE research_runs SET credits_reserved = credits_reserved - :credits
 WHERE workspace_id = :workspace_id AND id = :run_id""")


class Attempt(NamedTuple):
    """One attempt at one section of a run."""

    workspace_id: UUID
    run_id: UUID
    id: UUID
    attempt: int


async def spend_reserved(tx: Tx, workspace_id: UUID, run_id: UUID, credits: int) -> None:
    """Takes credits, settled or returned, off what the run has reserved."""
    await tx.run(_SPEND, workspace_id=workspace_id, run_id=run_id, credits=credits)


_ADD_SOURCE = sql("""
INSERT INTO research_sources (workspace_id, run_id, id, url, content_hash, content, retrieved_at, language)
VALUES (:workspace_id, :run_id, :id, :url, :content_hash, :content, :retrieved_at, :language)""")
_ADD_FINDING = sql("""
INSERT INTO research_findings (workspace_id, run_id, section_id, id, source_id, position, title, url, publisher,
                               published_at, retrieved_at, relevance, observations, provenance)
VALUES (:workspace_id, :run_id, :section_id, :id, :source_id, :position, :title, :url, :publisher, :published_at,
        :retrieved_at, :relevance, :observations, :provenance)""")


async def add_found(tx: Tx, attempt: Attempt, found: SearchedSection) -> None:
    """Adds the sources and the findings of a section."""
    of_run = {"workspace_id": attempt.workspace_id, "run_id": attempt.run_id}
    await tx.run_many(_ADD_SOURCE, [of_run | asdict(source) for source in found.sources])
    of_section = {**of_run, "section_id": attempt.id}
    findings = [of_section | asdict(one) | {"position": n} for n, one in enumerate(found.findings)]
    await tx.run_many(_ADD_FINDING, findings)
