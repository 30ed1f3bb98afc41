"""What may be nested 100 levels deep by the API may be in a file, an import and an export as well, and not deeper."""

from typing import Any

import msgspec
import pytest

from sightline.platform.db import Database
from tests.imports.loading import base, counts, csv_lines, faults, load
from tests.workspace_file.files import apply, by_key, export, exported, new_slug, refusal, small
from tests.world import World

LEVELS = 100  # with the body or the record as the first


def nested(levels: int) -> Any:
    """An object of so many levels."""
    value: Any = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


def moved(file: bytes, slug: str) -> bytes:
    """The same file for a workspace of another name."""
    content = msgspec.json.decode(file)
    content["workspace"] = {"slug": slug, "name": "Moved"}
    return msgspec.json.encode(content)


async def test_what_the_api_takes_is_exported_and_applied_again(world: World) -> None:
    deepest = nested(LEVELS - 1)
    body = {"name": "Deep", "text": "It is slow.", "data": deepest, "rawData": {"import": deepest["a"]}}
    answer = await world.client.post("/signals", json=body)
    assert answer.status_code == 201, answer.text
    refused = await world.client.post("/signals", json=body | {"data": {"a": deepest}})
    assert (refused.status_code, refused.json()["code"]) == (400, "MALFORMED_JSON")
    slug = new_slug()
    await apply(world.database, moved(await export(world.database, world.slug), slug))
    [signal] = (await exported(world.database, slug))["signals"]
    assert signal["data"] == deepest
    assert signal["rawData"]["import"] == deepest["a"]


async def test_a_file_is_bounded_like_a_body(database: Database) -> None:
    slug = new_slug()
    await apply(database, small(slug, signals=[{"key": "s", "name": "S", "data": nested(LEVELS - 1)}]))
    [signal] = (await exported(database, slug))["signals"]
    assert signal["data"] == nested(LEVELS - 1)
    found = await refusal(database, small(signals=[{"key": "s", "name": "S", "data": nested(LEVELS)}]))
    assert found == {"signals[0].data": "Is nested too deeply: more than 100 levels"}


async def test_lines_are_bounded_like_a_body(database: Database) -> None:
    slug = await base(database)
    deep, deeper = nested(LEVELS - 1), nested(LEVELS)
    records = [{"key": "a", "name": "A", "data": deep}, {"key": "b", "name": "B", "data": deeper}]
    done = await load(database, slug, "signals", records)
    assert (counts(done), [line for line, _ in faults(done)]) == ((1, 0, 0, 1), [2])
    cells = [msgspec.json.encode(value).decode() for value in (deep, deeper)]
    lines = csv_lines(["key", "name", "rawData"], ["c", "C", cells[0]], ["d", "D", cells[1]])
    done = await load(database, slug, "signals", lines)
    assert (counts(done), set(faults(done))) == ((1, 0, 0, 1), {(3, "rawData")})
    signals = by_key((await exported(database, slug))["signals"])
    assert (signals["a"]["data"], signals["c"]["rawData"]) == (deep, deep)
    await apply(database, moved(await export(database, slug), new_slug()))


@pytest.mark.parametrize("opening", ["unknown: ", "signals: ", '{"unknown": ', '{"workspace": '])
async def test_a_file_nested_without_end_is_refused_at_once(database: Database, opening: str) -> None:
    found = await refusal(database, (opening + "[" * 500_000).encode())
    assert any("nested too deeply" in message for message in found.values()), found
