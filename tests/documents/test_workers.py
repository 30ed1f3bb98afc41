"""Documents are written once, also if workers are killed or frozen. Each test ends the processes it started."""

import os
import signal
from pathlib import Path

import pytest

from sightline.platform.db.sql import sql
from tests.cli.command import serving
from tests.documents.conftest import (
    Crew,
    answer_the_open_question,
    document_of,
    earlier_versions,
    poll,
    poll_to_the_end,
    regenerate,
)
from tests.documents.worker_process import ATTEMPTS
from tests.waiting import until, wait_until
from tests.world import World

pytestmark = pytest.mark.slow


async def test_a_document_is_replaced_once_if_its_worker_is_killed_during_the_write(acme: World, crew: Crew) -> None:
    receipt = (await regenerate(acme)).json()
    first = crew.worker()
    await crew.until_started(first)
    second = crew.worker()
    first.kill()
    await crew.until_started(first, second)
    assert (await poll(acme, receipt))["status"] == "pending"
    crew.open_gate()
    assert (await poll_to_the_end(acme, receipt))["status"] == "completed"
    assert (await document_of(acme, receipt))["version"] == 2
    assert await earlier_versions(acme) == [1]


async def test_a_worker_frozen_past_its_heartbeat_writes_nothing(acme: World, crew: Crew) -> None:
    """Not even if the same document is requested again."""
    receipt = (await regenerate(acme)).json()
    first = crew.worker()
    await crew.until_started(first)
    first.send_signal(signal.SIGSTOP)
    second = crew.worker()
    await crew.until_started(first, second)
    await answer_the_open_question(acme, "Until Easter.")
    assert (await regenerate(acme)).json()["deduplicated"]
    crew.open_gate()
    assert (await poll_to_the_end(acme, receipt))["status"] == "completed"
    first.send_signal(signal.SIGCONT)
    await crew.until_said("Job left to another worker")
    document = await document_of(acme, receipt)
    assert (document["version"], "Until Easter." in document["content"]) == (2, True)
    assert await earlier_versions(acme) == [1]


async def test_a_stopping_worker_hands_its_document_back_at_once(acme: World, crew: Crew) -> None:
    """Otherwise another worker would start only after an hour."""
    receipt = (await regenerate(acme)).json()
    first = crew.worker(heartbeat=3600)
    await crew.until_started(first)
    second = crew.worker(heartbeat=3600)
    first.terminate()
    await crew.until_started(first, second)
    assert first.wait(8) == 0
    crew.open_gate()
    assert (await poll_to_the_end(acme, receipt))["status"] == "completed"
    assert (await document_of(acme, receipt))["version"] == 2


async def test_a_document_that_cannot_be_written_ends_as_failed_after_its_attempts(acme: World, crew: Crew) -> None:
    crew.poison()
    receipt = (await regenerate(acme)).json()
    worker = crew.worker()
    failed = await poll_to_the_end(acme, receipt)
    assert crew.started() == [worker.pid] * ATTEMPTS
    assert (failed["status"], failed["queued"]) == ("failed", False)
    assert failed["failure"] == {"message": "The document could not be written.", "retryable": True}
    assert (await document_of(acme, receipt))["content"] == "# By hand"
    crew.cure()
    crew.open_gate()
    again = (await regenerate(acme)).json()
    assert (again["deduplicated"], again["documentId"]) == (False, receipt["documentId"])
    assert (await poll_to_the_end(acme, again))["status"] == "completed"
    assert (await poll(acme, receipt))["status"] == "failed"


async def test_a_request_while_a_worker_writes_is_not_lost(acme: World, crew: Crew) -> None:
    receipt = (await regenerate(acme)).json()
    worker = crew.worker()
    await crew.until_started(worker)
    await answer_the_open_question(acme, "Until Easter.")
    joined = (await regenerate(acme)).json()
    assert (joined["jobId"], joined["deduplicated"]) == (receipt["jobId"], True)
    crew.open_gate()
    assert (await poll_to_the_end(acme, receipt))["status"] == "completed"
    document = await document_of(acme, receipt)
    assert (document["version"], "Until Easter." in document["content"]) == (2, True)
    assert crew.started() == [worker.pid] * 2


async def test_a_document_is_stored_once_if_sightline_worker_is_killed_while_storing_it(
    acme: World, database_url: str, tmp_path: Path
) -> None:
    """It is killed while the statement that replaces the document waits for a lock of the test.

    The database carries that statement out; until then no other worker takes the job.
    """
    receipt = (await regenerate(acme)).json()
    settings = {"DATABASE_URL": database_url, "JOB_HEARTBEAT": "1"}
    hold = sql("SELECT FROM documents WHERE workspace_id = :workspace_id FOR SHARE")
    with serving(tmp_path / "log", "worker", **settings) as worker:
        async with acme.database.transaction() as tx:
            await tx.run(hold, workspace_id=acme.workspace_id)
            await until(lambda: is_storing(acme))
            [first] = worker.workers()
            os.kill(first, signal.SIGKILL)
            wait_until(lambda: "The worker died (signal 9) and is started again." in worker.said)
        assert (await poll_to_the_end(acme, receipt))["status"] == "completed"
        wait_until(lambda: worker.workers() not in ([], [first]))
        async with acme.database.autocommit() as tx:
            ended = "SELECT NOT EXISTS (SELECT FROM jobs WHERE record_id = $1)"
            await until(lambda: tx.connection.fetchval(ended, receipt["jobId"]))
    document = await document_of(acme, receipt)
    assert (document["version"], document["writer"]["name"]) == (2, "embedded")
    assert await earlier_versions(acme) == [1]


async def is_storing(acme: World) -> bool:
    """Whether a statement waits for the document."""
    waiting = (
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()"
        " AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO documents%')"
    )
    async with acme.database.autocommit() as tx:
        return bool(await tx.connection.fetchval(waiting))
