"""Checking every quote of a run against the text that was stored of its source."""

from hashlib import sha256
from uuid import UUID

import msgspec

from sightline.platform.db import Tx, sql
from sightline.platform.errors import NotFound
from sightline.platform.wire import Record
from sightline.research.runs.records import FindingProvenance, Observation

NO_TEXT = "No text of the source is stored"
OTHER_TEXT = "The stored text is not the one that was judged"
NOT_QUOTED = "Not a part of the stored text"

_FIND_RUNS = sql("SELECT workspace_id FROM research_runs WHERE id = :id ORDER BY workspace_id")
_FIND_QUOTES = sql("""
SELECT f.id, f.url, f.observations, f.provenance, s.content, s.content_hash
  FROM research_findings AS f
  LEFT JOIN research_sources AS s ON s.workspace_id = :workspace_id AND s.run_id = f.run_id AND s.id = f.source_id
 WHERE f.workspace_id = :workspace_id AND f.run_id = :run_id
 ORDER BY f.section_id, f.position, f.id""")


class Mismatch(Record):
    """A quote, or all quotes of a finding (null), that the stored text does not bear out."""

    finding_id: UUID
    url: str
    quote: str | None
    reason: str


class Verification(Record):
    """How many findings and quotes were checked, and which do not hold."""

    run_id: UUID
    findings: int
    quotes: int
    mismatches: list[Mismatch]


async def verify_run(tx: Tx, run_id: UUID) -> Verification:
    """Checks the run in every workspace that has it. Raises NotFound."""
    workspaces = [row["workspace_id"] for row in await tx.rows(_FIND_RUNS, id=run_id)]
    if not workspaces:
        raise NotFound(f"There is no run {run_id}.")
    checked = Verification(run_id, 0, 0, [])
    for workspace_id in workspaces:
        for row in await tx.rows(_FIND_QUOTES, workspace_id=workspace_id, run_id=run_id):
            quotes = [one.quote for one in msgspec.json.decode(row["observations"], type=list[Observation])]
            judged = msgspec.json.decode(row["provenance"], type=FindingProvenance).content_hash
            checked.findings += 1
            checked.quotes += len(quotes)
            wrong = _faults(row["content"], row["content_hash"], judged, quotes)
            checked.mismatches += [Mismatch(row["id"], row["url"], quote, reason) for quote, reason in wrong]
    return checked


def _faults(content: str | None, stored: str | None, judged: str, quotes: list[str]) -> list[tuple[str | None, str]]:
    if content is None:
        return [(None, NO_TEXT)]
    if len({sha256(content.encode()).hexdigest(), stored, judged}) > 1:
        return [(None, OTHER_TEXT)]
    return [(quote, NOT_QUOTED) for quote in quotes if quote not in content]
