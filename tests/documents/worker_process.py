"""A worker whose engine writes when it is let: `python -m tests.documents.worker_process <database> <pace> <folder>`.

Everything else is the real thing, but for shorter waits between attempts. In the folder stand the processes that began
to write, one line each; a file `gate` lets them go on, a file `poison` makes them fail, each time.
"""

import asyncio
import os
import signal
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import msgspec
import uvloop

from sightline.documents import jobs
from sightline.intelligence.embedded import EmbeddedEngine, embedded_engine
from sightline.intelligence.material import DocumentType, Draft, Material
from sightline.platform import logs
from sightline.platform.db import Database
from sightline.platform.jobs import JobsOfRoom, Tools
from sightline.platform.jobs.worker import Pace, Worker
from tests.waiting import wait_until

ATTEMPTS = 3


class GatedEngine:
    """The embedded engine's documents, when the gate is open."""

    name, version = "gated", "1"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write_document(self, type: DocumentType, material: Material) -> Draft:
        with open(self._folder / "started", "a") as started:
            started.write(f"{os.getpid()}\n")
        if (self._folder / "poison").exists():
            raise ValueError("A secret of the inside.")
        wait_until((self._folder / "gate").exists, 600)
        return embedded_engine().write_document(type, material)


def say_ready() -> None:
    print("ready", flush=True)  # noqa: T201 - the test waits for it


async def main(url: str, pace: Pace, folder: Path) -> None:
    jobs.SMALL = 0  # so that the gate holds up a thread, not the worker
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    db = await Database.connect(url, size=4)
    work = [replace(each, attempts=ATTEMPTS, first_wait=timedelta(milliseconds=50)) for each in jobs.JOBS.work]
    tools: Tools = {EmbeddedEngine: GatedEngine(folder)}
    await Worker(db, url, [JobsOfRoom(work=work)], tools, pace).run(ending, say_ready)
    await db.close()
    os._exit(0)  # as the real one does: it waits for no thread


if __name__ == "__main__":
    logs.configure("info", "text")
    asyncio.Runner(loop_factory=uvloop.new_event_loop).run(  # as the real one
        main(sys.argv[1], msgspec.json.decode(sys.argv[2], type=Pace), Path(sys.argv[3]))
    )
