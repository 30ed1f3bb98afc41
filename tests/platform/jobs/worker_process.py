"""A worker with the kinds of the tests: `python -m tests.platform.jobs.worker_process <database> <pooler> <pace>`.

`pooler` is the address at which its jobs reach the database; if it is another one, they wait 2 s for an answer. The
pace is JSON.
Prints a line when it takes jobs; ends in order on SIGTERM.
"""

import asyncio
import signal
import sys

import msgspec
import uvloop

from sightline.platform import logs
from sightline.platform.db import Database
from sightline.platform.jobs.worker import Pace, Worker
from tests.platform.jobs.entries import JOBS


def say_ready() -> None:
    print("ready", flush=True)  # noqa: T201 - the test waits for it


async def main(url: str, pooler: str, pace: Pace) -> None:
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    db = await Database.connect(pooler, size=4, answer_seconds=None if pooler == url else 2)
    await Worker(db, url, [JOBS], {}, pace).run(ending, say_ready)
    await db.close()


if __name__ == "__main__":
    logs.configure("info", "text")
    asyncio.Runner(loop_factory=uvloop.new_event_loop).run(  # as the real one
        main(sys.argv[1], sys.argv[2], msgspec.json.decode(sys.argv[3], type=Pace))
    )
