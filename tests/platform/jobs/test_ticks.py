"""What a worker says of periodic work that fails. Decisions: Jobs."""

import asyncio
from collections.abc import Awaitable, Callable

import msgspec
import pytest
import structlog

from sightline.platform import logs
from sightline.platform.db import Database
from sightline.platform.db.retries import ASKED_AGAIN
from sightline.platform.jobs import Tick, Tools
from sightline.platform.jobs.worker import Pace, Worker
from tests.line import Line, open_line
from tests.platform.jobs.conftest import Site
from tests.waiting import hang, until

FAILED = "A tick failed and is repeated after the pause"

Act = Callable[[Database, Line], Awaitable[None]]


async def meets_a_deadlock(db: Database, _line: Line) -> None:
    async with db.autocommit() as tx:
        await tx.connection.execute("DO $$ BEGIN RAISE deadlock_detected; END $$")


async def has_no_answer(db: Database, _line: Line) -> None:
    async with db.autocommit() as tx:
        await tx.connection.execute("SELECT pg_sleep(60)", timeout=0.1)


async def reads_no_file(_db: Database, _line: Line) -> None:
    raise FileNotFoundError("There is no such file.")


async def takes_too_long(_db: Database, _line: Line) -> None:
    await hang()


async def waits_in_an_outage(_db: Database, line: Line) -> None:
    line.cut()
    await hang()


@pytest.mark.parametrize(
    ("act", "logged"),
    [
        (meets_a_deadlock, ("error", FAILED)),
        (has_no_answer, ("warning", ASKED_AGAIN)),
        (reads_no_file, ("error", FAILED)),
        (takes_too_long, ("error", FAILED)),
        (waits_in_an_outage, ("warning", ASKED_AGAIN)),
    ],
)
async def test_a_tick_that_fails_is_named_and_an_outage_is_no_error(
    site: Site, act: Act, logged: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sightline.platform.jobs.worker.TICK_SECONDS", 1.0)
    logs.configure("info", "json")
    monkeypatch.setattr(
        "sightline.platform.jobs.worker._log", structlog.get_logger()
    )  # one used before keeps its level
    said = ""
    async with open_line(site.url) as line:

        async def tick(db: Database, _tools: Tools) -> None:
            await act(db, line)

        def has_said() -> bool:
            nonlocal said
            said += capfd.readouterr().err
            return said.endswith("\n")

        db = await Database.connect(line.url, size=2)
        ticking = asyncio.create_task(Worker(db, site.url, [], {}, Pace())._tick_forever(Tick("test.tick", tick)))
        await until(has_said)
        ticking.cancel()
        await db.close()
    logs.configure("error", "text")
    [found] = [msgspec.json.decode(line) for line in said.splitlines()]
    assert (found["level"], found["event"], found["tick"]) == (*logged, "test.tick")
