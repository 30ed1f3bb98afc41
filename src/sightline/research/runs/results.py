"""A run with everything that its sections found. The views of the API show the same in parts."""

from uuid import UUID

from sightline.intelligence.research import SectionAnswer
from sightline.platform.db import Tx, Window
from sightline.platform.errors import NotFound
from sightline.platform.wire import Record, decode_parts
from sightline.research.runs.findings import find_answer, page_of_findings
from sightline.research.runs.queries import find_latest_run
from sightline.research.runs.records import Finding, RunReceipt

MOST_FINDINGS = Window(50)  # of a section


class SectionResult(Record):
    """What a section found."""

    id: UUID
    name: str
    failure: str | None
    answer: SectionAnswer | None
    findings: list[Finding]


class Research(Record):
    """A run with what all its sections found."""

    brief_id: UUID
    run: RunReceipt
    sections: list[SectionResult]


async def follow_run(tx: Tx, workspace_id: UUID, brief_id: UUID) -> RunReceipt:
    """Returns the newest run of a brief. Raises NotFound if there is none."""
    run = await find_latest_run(tx, workspace_id, brief_id)
    if run is None:
        raise NotFound
    return decode_parts(run)


async def read_results(tx: Tx, workspace_id: UUID, run: RunReceipt) -> Research:
    """Returns the answers of all sections, and at most 50 findings of each."""
    research = Research(run.brief_id, run, [])
    for one in run.sections:
        answer = await find_answer(tx, workspace_id, run.id, one.id)
        found = await page_of_findings(tx, workspace_id, run.id, one.id, MOST_FINDINGS)
        research.sections.append(SectionResult(one.id, one.name, one.failure, answer, found.items))
    return decode_parts(research)
