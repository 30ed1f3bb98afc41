"""An initiative with a written PRD, and workers as processes that wait for the test before they write."""

import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import msgspec
import pytest
import pytest_asyncio

from sightline.documents.jobs import write_document
from sightline.intelligence.embedded import EmbeddedEngine, embedded_engine
from sightline.platform.db import Database
from sightline.platform.db.sql import sql
from sightline.platform.jobs import Tools
from sightline.platform.jobs.queue import HeldDatabase
from sightline.platform.jobs.worker import Pace
from tests.waiting import until
from tests.workers import Workers
from tests.world import World

Json = dict[str, Any]
AT = "/initiatives/INITIATIVE-1"
HEARTBEAT = 1.0
TOOLS: Tools = {EmbeddedEngine: embedded_engine()}


@pytest_asyncio.fixture
async def acme(world: World) -> World:
    """An initiative with an idea, an answered and an open question, and a written PRD."""
    questions = [
        {"key": "who", "question": "Who waits?", "status": "answered", "answer": "Finance, every month."},
        {"key": "when", "question": "Until when?", "status": "pending", "placeholder": "By summer."},
    ]
    document = {"key": "prd", "type": "PRD", "content": "# By hand"}
    await world.add(
        teams=[{"key": "core", "name": "Core"}],
        initiatives=[{"key": "out", "name": "Exports", "number": 1, "teams": ["core"], "documents": [document]}],
        ideas=[
            {
                "key": "csv",
                "name": "CSV export",
                "description": "Export tables as CSV.",
                "initiative": "out",
                "questions": questions,
            }
        ],
    )
    return world


async def regenerate(acme: World, type: str = "PRD", **headers: str) -> httpx2.Response:
    return await acme.client.post(f"{AT}/documents/regenerate", json={"type": type}, headers=headers)


async def poll(acme: World, receipt: Json) -> Json:
    answer = await acme.client.get(f"{acme.address}{receipt['statusUrl']}")
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


async def poll_to_the_end(acme: World, receipt: Json) -> Json:
    """The receipt when it is pending no more."""
    await until(lambda: is_over(acme, receipt))
    return await poll(acme, receipt)


async def is_over(acme: World, receipt: Json) -> bool:
    return bool((await poll(acme, receipt))["status"] != "pending")


async def answer_the_open_question(acme: World, answer: str) -> None:
    question = (await acme.client.get("/ideas/IDEA-1/questions")).json()[1]
    answered = await acme.client.patch(f"/ideas/IDEA-1/questions/{question['id']}/answer", json={"answer": answer})
    assert answered.status_code == 200, answered.text


async def document_of(acme: World, receipt: Json) -> Json:
    document: Json = (await acme.client.get(f"{AT}/documents/{receipt['documentId']}")).json()
    return document


async def written(acme: World, type: str) -> Json:
    """The first document of a type, written as a worker does."""
    receipt = (await acme.client.post(f"{AT}/documents", json={"type": type})).json()
    await carry_out(acme, receipt)
    return await document_of(acme, receipt)


async def carry_out(acme: World, receipt: Json, tools: Tools = TOOLS, database: Database | None = None) -> None:
    """What a worker does with the job of the receipt."""
    run = "UPDATE jobs SET state = 'running', run = 1, held_until = now() WHERE record_id = $1 RETURNING id"
    async with acme.database.autocommit() as tx:
        job = await tx.connection.fetchval(run, UUID(receipt["jobId"]))
    held = HeldDatabase(database or acme.database, job, 1, frozen_after=timedelta(minutes=1))
    await write_document(held, tools, acme.workspace_id, UUID(receipt["jobId"]))


async def earlier_versions(acme: World) -> list[int]:
    """The versions that are kept, besides the present ones."""
    kept = sql("SELECT version FROM document_versions WHERE workspace_id = :workspace_id ORDER BY document_id, version")
    async with acme.database.autocommit() as tx:
        return [row["version"] for row in await tx.rows(kept, workspace_id=acme.workspace_id)]


class Crew(Workers):
    """Workers on the database of the tests. `module` is what each runs."""

    module = "tests.documents.worker_process"

    def __init__(self, url: str, folder: Path) -> None:
        super().__init__(folder / "log")
        self._url = url
        self._folder = folder

    def worker(self, heartbeat: float = HEARTBEAT) -> "subprocess.Popen[bytes]":
        """One more, which takes jobs."""
        pace = msgspec.json.encode(Pace(heartbeat=timedelta(seconds=heartbeat))).decode()
        return self.start(self.module, self._url, pace, str(self._folder))

    def started(self) -> list[int]:
        """The processes that began to write, in their order."""
        started = self._folder / "started"
        return [int(line) for line in started.read_text().split()] if started.exists() else []

    async def until_started(self, *workers: "subprocess.Popen[bytes]") -> None:
        await until(lambda: self.started() == [worker.pid for worker in workers])

    async def until_said(self, line: str) -> None:
        await until(lambda: line in self.said)

    def open_gate(self) -> None:
        (self._folder / "gate").touch()

    def poison(self) -> None:
        (self._folder / "poison").touch()

    def cure(self) -> None:
        (self._folder / "poison").unlink()


@pytest.fixture
def crew(database_url: str, tmp_path: Path) -> Iterator[Crew]:
    crew = Crew(database_url, tmp_path)
    yield crew
    crew.end()
