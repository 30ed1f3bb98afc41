"""A worker that searches a shelf when it is let: `python -m tests.research.worker_process <database> <pace> <folder>`.

In the folder stand the processes that began a search, one line each; a file `gate` lets them go on.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

import msgspec
import uvloop

from sightline.intelligence.embedded import EmbeddedEngine, embedded_engine
from sightline.intelligence.embedded.research import EmbeddedResearcher
from sightline.platform import logs
from sightline.platform.db import Database
from sightline.platform.jobs.worker import Pace, Worker
from sightline.research.jobs import JOBS
from sightline.research.runs.search import SearchTools
from sightline.sources.app_store.store import AppStore
from sightline.sources.search import SearchPage, SearchQuery
from tests.research.lab import PAGES
from tests.sources.shelf import Shelf
from tests.waiting import until
from tests.world import NO_STORE


class GatedShelf(Shelf):
    """Searches when the gate is open."""

    def __init__(self, folder: Path) -> None:
        super().__init__(PAGES)
        self._folder = folder
        self._gate = folder / "gate"

    async def search(self, query: SearchQuery) -> SearchPage:
        if not self._gate.exists():
            with open(self._folder / "started", "a") as started:  # noqa: ASYNC230 - one line, in a test
                started.write(f"{os.getpid()}\n")
        await until(self._gate.exists, 600)
        return await super().search(query)


def say_ready() -> None:
    print("ready", flush=True)  # noqa: T201 - the test waits for it


async def main(url: str, pace: Pace, folder: Path) -> None:
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    db = await Database.connect(url, size=4)
    shelf = GatedShelf(folder)
    tools = {
        EmbeddedEngine: embedded_engine(),
        SearchTools: SearchTools(EmbeddedResearcher(), shelf, shelf),
        AppStore: AppStore(NO_STORE),
    }
    await Worker(db, url, [JOBS], tools, pace).run(ending, say_ready)
    await db.close()
    os._exit(0)  # as the real one does: it waits for no thread


if __name__ == "__main__":
    logs.configure("info", "text")
    asyncio.Runner(loop_factory=uvloop.new_event_loop).run(  # as the real one
        main(sys.argv[1], msgspec.json.decode(sys.argv[2], type=Pace), Path(sys.argv[3]))
    )
