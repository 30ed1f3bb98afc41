"""Work in a thread beside the event loop: requests of one workspace wait for each other, not others for all of them."""

import asyncio
import threading
from uuid import UUID, uuid4

from sightline.platform.beside import Beside
from sightline.platform.turns import acting_for
from tests.waiting import next_turn


async def test_another_workspace_waits_for_one_of_many() -> None:
    beside, goes_on, done = Beside("test"), threading.Event(), list[str]()

    async def work(workspace_id: UUID, name: str) -> None:
        acting_for.set(workspace_id)
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
