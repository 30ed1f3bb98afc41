"""Work in a thread beside the event loop: nobody waits for all requests of one workspace, or of one person."""

import asyncio
import threading
from contextvars import ContextVar
from uuid import UUID, uuid4

import pytest

from sightline.platform.beside import Beside
from sightline.platform.turns import acting_for, acting_person
from tests.waiting import next_turn


@pytest.mark.parametrize("of", [acting_for, acting_person], ids=["workspace", "person"])
async def test_others_wait_for_one_of_many(of: ContextVar[UUID | None]) -> None:
    beside, goes_on, done = Beside("test"), threading.Event(), list[str]()
    acting_for.set(uuid4())

    async def work(owner: UUID, name: str) -> None:
        of.set(owner)
        await beside.run(goes_on.wait, 20)
        done.append(name)

    one, other = uuid4(), uuid4()
    tasks = [asyncio.create_task(work(one, "one")) for _ in range(5)]
    await next_turn()
    tasks.append(asyncio.create_task(work(other, "other")))
    await next_turn()
    goes_on.set()
    await asyncio.gather(*tasks)
    assert done.index("other") == 1


async def test_jobs_of_one_workspace_take_one_of_two_threads() -> None:
    beside, goes_on, one = Beside("test", threads=2), threading.Event(), uuid4()
    tasks = [asyncio.create_task(beside.run_job(one, goes_on.wait, 20)) for _ in range(5)]
    await next_turn()
    assert await asyncio.wait_for(beside.run_job(uuid4(), lambda: "other"), 20) == "other"
    assert not any(task.done() for task in tasks)
    goes_on.set()
    assert await asyncio.gather(*tasks) == [True] * 5
