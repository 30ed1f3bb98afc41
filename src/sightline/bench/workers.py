"""A background worker, as `sightline worker` runs one. A process of its own."""

import asyncio
import os
import signal
import sys
from threading import Thread

from sightline.bench.child import open_answers
from sightline.bench.servers import end_with_input
from sightline.settings import Settings
from sightline.worker import work


async def run(settings: Settings) -> None:
    """Answers the one question once it takes jobs, then works until SIGTERM."""
    tell, ending = open_answers(), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    sys.stdin.readline()
    Thread(target=end_with_input, daemon=True).start()
    await work(settings, ending, lambda: tell({"answer": {"pid": os.getpid()}}))


if __name__ == "__main__":
    asyncio.run(run(Settings.read()))
