"""A run is searched section by section: sealed once, stopped at once, retried with its dates."""

import asyncio
from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

import asyncpg
import pytest

from sightline.platform.db import Database
from sightline.platform.jobs import JobStopped
from sightline.research import jobs
from sightline.research.runs import work
from sightline.research.runs.search import SearchTools
from sightline.sources.pages import Page
from sightline.sources.search import SearchFailed, SearchPage, SearchQuery
from tests.line import Line, open_line
from tests.research.lab import EXPORTS, FORECASTS, PAGES, Json, Lab, exports, of, section
from tests.sources.shelf import Shelf
from tests.waiting import hang

SOURCES = "SELECT count(*) FROM research_sources WHERE workspace_id = $1 AND run_id = $2"
ATTEMPTS = """
SELECT array_agg(status || ' ' || attempts) FROM research_sections WHERE workspace_id = $1 AND run_id = $2"""
FINDINGS = "SELECT count(*) FROM research_findings WHERE workspace_id = $1 AND run_id = $2"


class LockedShelf(Shelf):
    """Fails to search for one word."""

    def __init__(self, pages: Iterable[Page], word: str) -> None:
        super().__init__(pages)
        self.word = word

    async def search(self, query: SearchQuery) -> SearchPage:
        if self.word in query.text:
            await self.refuse()
        return await super().search(query)

    async def refuse(self) -> None:
        raise SearchFailed("The shelf is locked.", temporary=False)


class CutShelf(Shelf):
    """The database goes away when it is searched, for a second."""

    def __init__(self, line: Line) -> None:
        super().__init__(PAGES)
        self._line = line

    async def search(self, query: SearchQuery) -> SearchPage:
        if not self.asked:
            self._line.cut()
            self._opening = asyncio.create_task(self._open())
        return await super().search(query)

    async def _open(self) -> None:
        await asyncio.sleep(1)
        await self._line.open()


class SlowShelf(LockedShelf):
    """Takes long to search for one word; `slowed` is set when it begins to."""

    def __init__(self, pages: Iterable[Page], word: str) -> None:
        super().__init__(pages, word)
        self.slowed = asyncio.Event()

    async def refuse(self) -> None:
        self.slowed.set()
        await hang()


async def test_a_run_finds_sources_and_answers_from_them(lab: Lab) -> None:
    run = await lab.searched(section(), exports())
    assert run["status"] == "completed"
    assert [(one["status"], one["findingCount"], one["failure"]) for one in run["sections"]] == [
        ("completed", 2, None),
        ("completed", 1, None),
    ]
    found = await lab.findings(run)
    assert found["pagination"] == {"total": 2, "limit": 10, "offset": 0, "hasMore": False}
    [answered] = found["answer"]["questions"]
    assert answered["question"] == "How do planners forecast demand?"
    assert set(answered["findingIds"]) <= {one["id"] for one in found["items"]}
    for one in found["items"]:
        assert one["url"] in lab.shelf.pages
        text = lab.shelf.pages[one["url"]].text
        assert [said for said in one["observations"] if said["quote"] not in text] == []
        assert 0 <= one["relevance"]["score"] <= 1
        assert one["provenance"].keys() == {"provider", "query", "contentHash", "engine"}
        assert (one["sectionId"], one["provenance"]["provider"]) == (FORECASTS, "shelf")


async def test_what_was_read_is_stored_so_that_quotes_can_be_checked(lab: Lab) -> None:
    run = await lab.searched()
    assert await lab.sql(SOURCES, run["id"]) == 2
    unquoted = """
        SELECT count(*) FROM research_findings AS f
          JOIN research_sources AS s ON s.workspace_id = $1 AND s.run_id = $2 AND s.id = f.source_id
         CROSS JOIN jsonb_array_elements(f.observations) AS said
         WHERE f.workspace_id = $1 AND f.run_id = $2
           AND (strpos(s.content, said ->> 'quote') = 0 OR s.content_hash <> f.provenance ->> 'contentHash')"""
    assert await lab.sql(unquoted, run["id"]) == 0


async def test_a_source_serves_several_sections_and_is_read_once(lab: Lab) -> None:
    run = await lab.searched(section(), section(EXPORTS, name="Again"))
    assert [one["findingCount"] for one in run["sections"]] == [2, 2]
    assert await lab.sql(SOURCES, run["id"]) == 2
    assert len(lab.shelf.read_urls) == len(set(lab.shelf.read_urls))
    first, second = await lab.findings(run), await lab.findings(run, EXPORTS)
    assert {one["url"] for one in first["items"]} == {one["url"] for one in second["items"]}
    assert not {one["id"] for one in first["items"]} & {one["id"] for one in second["items"]}


async def test_a_page_in_another_language_serves_no_section_that_excludes_it(lab: Lab) -> None:
    german = section(EXPORTS, name="Again", scope={"languages": ["German"]})
    run = await lab.searched(section(), german)
    assert [one["findingCount"] for one in run["sections"]] == [2, 0]


async def test_a_source_that_another_section_excludes_stays_out_of_it(lab: Lab) -> None:
    without = section(EXPORTS, name="Again", scope={"excludedDomains": ["crops.example"]})
    run = await lab.searched(section(), without)
    assert {one["url"] for one in (await lab.findings(run, EXPORTS))["items"]} == {"https://fields.example/fields"}


async def test_the_window_is_recorded_at_the_first_start(lab: Lab) -> None:
    started = await lab.start(initialLookbackDays=7)
    before = await lab.view(started["briefId"], "run", runId=started["run"]["id"])
    assert (before["fromDateTime"], before["toDateTime"], before["run"]["startedAt"]) == (None, None, None)
    await lab.search(started["run"])
    after = await lab.view(started["briefId"], "run", runId=started["run"]["id"])
    start, end = (datetime.fromisoformat(after[name]) for name in ("fromDateTime", "toDateTime"))
    assert end - start == timedelta(days=7)
    assert after["run"]["startedAt"] == after["toDateTime"]


async def test_a_retry_keeps_the_dates_and_what_was_sealed(lab: Lab) -> None:
    started = await lab.start(section(), exports())
    lab.shelf = LockedShelf(PAGES, "export")
    await lab.search(started["run"])
    run = await lab.progress(started["briefId"])
    assert (run["status"], [one["status"] for one in run["sections"]]) == ("completed", ["completed", "failed"])
    assert run["sections"][1]["failure"] == "No search succeeded: The shelf is locked."
    dates, found = await dates_of(lab, run), await lab.findings(run)
    retried = (await lab.run("retry", **of(run))).json()["run"]
    assert (retried["status"], [one["status"] for one in retried["sections"]]) == ("queued", ["completed", "queued"])
    assert (retried["sections"][1]["failure"], retried["finishedAt"]) == (None, None)
    lab.shelf = Shelf(PAGES)
    later = lab.at(datetime.fromisoformat(dates[1]) + timedelta(days=40))
    await lab.search(run, later)
    run = await lab.progress(started["briefId"])
    assert (run["status"], [one["findingCount"] for one in run["sections"]]) == ("completed", [2, 1])
    assert (await dates_of(lab, run), await lab.findings(run)) == (dates, found)
    assert lab.shelf.asked
    assert not [query for query in lab.shelf.asked if "forecast" in query.text]


async def dates_of(lab: Lab, run: Json) -> tuple[str, str]:
    shown = await lab.view(run["briefId"], "run", runId=run["id"])
    return shown["fromDateTime"], shown["toDateTime"]


async def test_a_run_without_any_section_that_succeeds_is_failed(lab: Lab) -> None:
    started = await lab.start(section(), exports())
    await lab.fail_all()
    await lab.search(started["run"])
    run = await lab.progress(started["briefId"])
    assert (run["status"], run["failure"]) == ("failed", "Every section failed.")
    assert [one["status"] for one in run["sections"]] == ["failed", "failed"]
    assert run["finishedAt"]
    assert (await lab.findings(run))["answer"] is None


async def test_a_section_that_finds_nothing_is_completed_and_says_so(lab: Lab) -> None:
    run = await lab.searched(section(topic="submarine cable", questions=["Who lays cables?"], objective="Cables."))
    assert (run["status"], run["sections"][0]["findingCount"]) == ("completed", 0)
    assert (await lab.findings(run))["answer"]["questions"][0]["findingIds"] == []


async def test_progress_counts_at_every_look(lab: Lab) -> None:
    started = await lab.start(section(), exports())
    db, run_id = lab.world.database, UUID(started["run"]["id"])
    async with db.transaction() as tx:
        task = await work.start_next_section(tx, lab.workspace_id, run_id)
    assert task is not None
    run = await lab.progress(started["briefId"])
    assert (run["status"], [one["status"] for one in run["sections"]]) == ("running", ["running", "queued"])
    await work.search_section_of(db, lab.tools[SearchTools], task)
    run = await lab.progress(started["briefId"])
    assert [(one["status"], one["findingCount"]) for one in run["sections"]] == [("completed", 2), ("queued", 0)]
    assert run["status"] == "running"


async def test_a_second_worker_seals_nothing_that_is_sealed(lab: Lab) -> None:
    """As when the first was taken for dead, but went on."""
    started = await lab.start()
    db, run_id, tools = lab.world.database, UUID(started["run"]["id"]), lab.tools[SearchTools]
    attempts = []
    for _ in range(2):
        async with db.transaction() as tx:
            attempts.append(await work.start_next_section(tx, lab.workspace_id, run_id))
    for task in attempts:
        assert task is not None
        await work.search_section_of(db, tools, task)
    await lab.search(started["run"])
    run = await lab.progress(started["briefId"])
    assert (run["status"], run["sections"][0]["findingCount"]) == ("completed", 2)
    assert (await lab.sql(FINDINGS, run["id"]), await lab.credits()) == (2, 5)


async def test_a_section_that_ends_its_worker_each_time_fails_and_the_others_go_on(lab: Lab) -> None:
    started = await lab.start(section(), exports())
    db, run_id = lab.world.database, UUID(started["run"]["id"])
    for _ in range(work.MOST_ATTEMPTS):
        async with db.transaction() as tx:
            task = await work.start_next_section(tx, lab.workspace_id, run_id)
        assert task is not None
        assert task.section.id == UUID(FORECASTS)
    await lab.search(started["run"])
    run = await lab.progress(started["briefId"])
    assert [one["status"] for one in run["sections"]] == ["failed", "completed"]
    assert (run["sections"][0]["failure"], await lab.credits()) == (work.GAVE_UP, 5)


@pytest.mark.slow
async def test_outages_of_the_database_use_up_no_attempt_of_a_section(lab: Lab, database_url: str) -> None:
    started = await lab.start()
    async with open_line(database_url) as line:
        db = await Database.connect(line.url, size=2)
        for _ in range(work.MOST_ATTEMPTS + 1):
            lab.shelf = CutShelf(line)
            with pytest.raises((OSError, asyncpg.PostgresError)):
                await lab.search(started["run"], db)
        lab.shelf = Shelf(PAGES)
        await lab.search(started["run"], db)
        await db.close()
    run = await lab.progress(started["briefId"])
    assert (run["status"], run["sections"][0]["findingCount"], await lab.credits()) == ("completed", 2, 5)


async def test_a_start_that_was_stored_without_an_answer_uses_up_no_attempt_of_its_section(
    lab: Lab, database_url: str
) -> None:
    started = await lab.start()
    async with open_line(database_url) as line:
        db = await Database.connect(line.url, size=2)
        line.loses_commit_of = b"attempts = attempts + 1"
        for _ in range(work.MOST_ATTEMPTS + 1):
            with pytest.raises(asyncpg.PostgresConnectionError):
                await lab.search(started["run"], db)
            assert await lab.sql(ATTEMPTS, UUID(started["run"]["id"])) == ["running 0"]
        line.loses_commit_of = None
        await lab.search(started["run"], db)
        await db.close()
    run = await lab.progress(started["briefId"])
    assert (run["status"], run["sections"][0]["findingCount"], await lab.credits()) == ("completed", 2, 5)


@pytest.mark.parametrize("searched", [0, 1])
async def test_a_stop_takes_effect_at_once_and_keeps_what_is_sealed(lab: Lab, searched: int) -> None:
    started = await lab.start(section(), exports())
    lab.shelf = SlowShelf(PAGES, "export" if searched else "forecast")
    working = asyncio.create_task(lab.search(started["run"]))
    await asyncio.wait_for(lab.shelf.slowed.wait(), 60)
    stopped = (await lab.run("stop", **of(started["run"]))).json()["run"]
    assert stopped["status"] == "stopped"
    expected = ["completed", "stopped"] if searched else ["stopped", "stopped"]
    assert [one["status"] for one in stopped["sections"]] == expected
    await asyncio.wait_for(working, 20)  # though the search would take longer
    run = await lab.progress(started["briefId"])
    assert run == stopped
    assert run["sections"][0]["findingCount"] == (2 if searched else 0)
    assert await lab.credits() == 5 * searched


async def test_a_stopped_run_goes_on_when_it_is_retried(lab: Lab) -> None:
    started = await lab.start(section(), exports())
    await lab.run("stop", **of(started["run"]))
    await lab.search(started["run"])
    assert (await lab.progress(started["briefId"]))["status"] == "stopped"
    await lab.run("retry", **of(started["run"]))
    await lab.search(started["run"])
    run = await lab.progress(started["briefId"])
    assert (run["status"], [one["findingCount"] for one in run["sections"]]) == ("completed", [2, 1])


async def test_a_first_preview_searches_one_round_and_later_runs_more(lab: Lab) -> None:
    cables = section(topic="submarine cable", questions=["Who lays cables?"], objective="Cables.")
    first = await lab.searched(cables)
    preview = len(lab.shelf.asked)
    lab.shelf.asked.clear()
    edit = {"briefId": first["briefId"], "expectedRowVersion": 1}
    second = (await lab.run("start", **lab.new(cables), **edit)).json()["run"]
    await lab.search(second)
    assert 0 < preview < len(lab.shelf.asked)


async def test_a_run_is_not_found_under_another_brief(lab: Lab) -> None:
    run, other = await lab.searched(), await lab.start()
    for action in ("retry", "retry_addition", "stop"):
        answer = await lab.run(action, briefId=other["briefId"], runId=run["id"])
        assert (answer.status_code, answer.json()["field"]) == (404, "command.runId")


async def test_a_job_that_fails_for_good_fails_the_open_sections(lab: Lab) -> None:
    started = await lab.start(section(), exports())
    db, run_id = lab.world.database, UUID(started["run"]["id"])
    await jobs.give_up_search(db, lab.workspace_id, run_id, ValueError("A secret of the inside."))
    run = await lab.progress(started["briefId"])
    assert (run["status"], {one["failure"] for one in run["sections"]}) == ("failed", {jobs.SEARCH_FAILED})
    assert await lab.credits() == 0
    await jobs.revive_search(db, lab.workspace_id, run_id)
    assert await lab.credits() == 10
    await lab.search(run)
    assert (await lab.progress(started["briefId"]))["status"] == "completed"


async def test_a_job_that_an_operator_stops_stops_the_run(lab: Lab) -> None:
    started = await lab.start()
    await jobs.give_up_search(
        lab.world.database, lab.workspace_id, UUID(started["run"]["id"]), JobStopped("Maintenance")
    )
    run = await lab.progress(started["briefId"])
    assert (run["status"], run["failure"], await lab.credits()) == ("stopped", jobs.STOPPED, 0)
