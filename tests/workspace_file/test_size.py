"""A file may be larger than memory."""

import gc
import json
import os
import time
import tracemalloc
from collections.abc import Iterator
from io import BufferedReader, RawIOBase
from typing import Any

import pytest

from sightline.platform.db import Database
from sightline.workspace_file import apply_file, export_workspace
from tests.workspace_file.files import new_slug

pytestmark = pytest.mark.slow

MB = 1024 * 1024


class Generated(RawIOBase):
    """A file that is made while it is read."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self.parts = parts
        self.left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.left and (part := next(self.parts, None)) is not None:
            self.left = part
        count = min(len(buffer), len(self.left))
        buffer[:count] = self.left[:count]
        self.left = self.left[count:]
        return count


def _file(slug: str, ideas: int) -> Iterator[bytes]:
    head = {
        "workspace": {"slug": slug, "name": "Large"},
        "products": [{"key": "p", "name": "P", "features": [{"key": f"f{n}", "name": f"F{n}"} for n in range(10)]}],
        "accounts": [{"key": f"a{number}", "name": f"A{number}"} for number in range(100)],
    }
    yield json.dumps(head)[:-1].encode() + b', "ideas": ['
    for number in range(ideas):
        yield (b"," if number else b"") + json.dumps(_idea(number)).encode()
    yield b"]}"


def _idea(number: int) -> dict[str, Any]:
    return {
        "key": f"i{number}",
        "name": f"Idea {number}",
        "description": f"What idea {number} is about. " * 8,
        "product": "p",
        "features": [f"f{number % 10}"],
        "accounts": [f"a{number % 100}"],
        "questions": [{"key": "q", "question": "Why?"}],
    }


async def _apply(database: Database, slug: str, ideas: int) -> Any:
    return await apply_file(database, BufferedReader(Generated(_file(slug, ideas))), actor_id="tests")


async def test_memory_does_not_grow_with_the_file(database: Database) -> None:
    await _apply(database, new_slug(), 500)
    slug = new_slug()
    tracemalloc.start()
    try:
        applied = await _apply(database, slug, 3_000)
        peak_of_apply = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        size = 0

        def count(part: bytes) -> None:
            nonlocal size
            size += len(part)

        await export_workspace(database, slug, count)
        peak_of_export = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert applied.counts["ideas"].added == 3_000
    assert size > 3 * MB
    assert peak_of_apply < 25 * MB
    assert peak_of_export < 20 * MB


def _calls(slug: str, signals: int) -> Iterator[bytes]:
    """Signals as an export shows them: each with its sets of links, which name lists that come later."""
    yield f'{{"workspace": {{"slug": "{slug}", "name": "Large"}}, "signals": ['.encode()
    for number in range(signals):
        call = {"key": f"s{number}", "name": "Call", "initiatives": [], "studies": []}
        text = f"What was said in call {number}. " * 250
        yield (b"," if number else b"") + json.dumps(call | {"rawData": {"text": text}}).encode()
    yield b"]}"


async def test_signals_that_are_there_already_do_not_stay_in_memory(database: Database) -> None:
    slug = new_slug()
    await apply_file(database, BufferedReader(Generated(_calls(slug, 4_000))), actor_id="tests")
    tracemalloc.start()
    try:
        again = await apply_file(database, BufferedReader(Generated(_calls(slug, 4_000))), actor_id="tests")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert again.counts["signals"].unchanged == 4_000
    assert peak < 30 * MB, f"{peak / MB:.0f} MB for 32 MB of signals"


def resident() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.torture
async def test_a_hundred_thousand_ideas_stay_within_150_mb(database: Database) -> None:
    await _apply(database, new_slug(), 100)
    gc.collect()
    before = resident()
    slug = new_slug()
    started = time.monotonic()
    applied = await _apply(database, slug, 100_000)
    seconds = time.monotonic() - started
    assert applied.counts["ideas"].added == 100_000
    assert resident() - before < 150 * MB
    assert 200_000 / seconds > 2_000, f"{200_000 / seconds:.0f} records a second"
    started = time.monotonic()
    again = await _apply(database, slug, 100_000)
    assert again.counts["ideas"].unchanged == 100_000
    assert resident() - before < 150 * MB
