"""An import may be larger than memory."""

import asyncio
import gc
import json
import time
import tracemalloc
from collections.abc import Iterator
from io import BufferedReader, RawIOBase
from typing import Any, cast

import pytest

from sightline.imports import Import, Imported, ListReader
from sightline.platform.db import Database
from tests.imports.loading import base, counts
from tests.workspace_file.test_size import MB, Generated, resident

pytestmark = pytest.mark.slow

KINDS = ("ideas", "accounts", "feedback", "signals")


def _record(kind: str, number: int) -> dict[str, Any]:
    record: dict[str, Any] = {"externalId": f"x{number}", "name": f"Record {number}"}
    if kind == "ideas":
        record |= {"description": f"What {number} is about. " * 8, "product": "app", "features": ["csv"]}
    elif kind == "feedback":
        record = {"externalId": f"x{number}", "study": "talks", "rating": number % 11, "metric": "ease"}
        record |= {"subject": {"type": "product", "id": "app"}, "submittedAt": "2026-03-01"}
    elif kind == "signals":
        record |= {"account": "initech", "transcript": {"turns": [{"speaker": "Bo", "text": "It is slow."}] * 4}}
    return record


def _lines(kind: str, count: int) -> Iterator[bytes]:
    for number in range(count):
        yield json.dumps(_record(kind, number)).encode() + b"\n"


async def _import(database: Database, slug: str, kind: str, count: int) -> Imported:
    source: BufferedReader = BufferedReader(cast(RawIOBase, Generated(_lines(kind, count))))
    return await Import(database, slug, ListReader(kind, source), actor_id="tests").run(asyncio.Event())


async def test_memory_does_not_grow_with_the_file(database: Database) -> None:
    slug = await base(database)
    await _import(database, slug, "ideas", 500)
    tracemalloc.start()
    try:
        done = await _import(database, slug, "ideas", 4_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert counts(done) == (3_500, 0, 500, 0)
    assert peak < 25 * MB


@pytest.mark.torture
@pytest.mark.parametrize("kind", KINDS)
async def test_three_hundred_thousand_lines_stay_within_100_mb(database: Database, kind: str) -> None:
    slug = await base(database)
    await _import(database, slug, kind, 2_000)
    gc.collect()
    before = resident()
    for added in (298_000, 0):
        started = time.monotonic()
        done = await _import(database, slug, kind, 300_000)
        speed = 300_000 / (time.monotonic() - started)
        assert counts(done) == (added, 0, 300_000 - added, 0)
        assert resident() - before < 100 * MB
        assert speed > 2_000, f"{speed:.0f} lines a second"
