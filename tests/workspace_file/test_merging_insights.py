"""Merges of insights by a file keep what the API keeps: an insight is merged into one that is not merged itself."""

import asyncio
from typing import Any

import pytest

from sightline.platform.db import Database
from tests.imports.loading import base, counts, faults, load, look
from tests.waiting import until_blocked
from tests.workspace_file.files import apply, refusal, small

ITSELF = "An insight cannot be merged into itself"
MERGED = "That insight is itself merged into another one"
OTHERS = "Other insights are merged into this one: merge them into the other one too"
CHAIN = """
UPDATE insights AS i SET merged_into = o.id FROM insights AS o
 WHERE i.workspace_id = $1 AND o.workspace_id = $1 AND (i.key, o.key) IN (('a', 'b'), ('b', 'c'))"""


def merges(**targets: str | None) -> list[dict[str, Any]]:
    return [{"key": key, "title": key.title(), "mergedInto": target} for key, target in targets.items()]


@pytest.mark.parametrize(
    ("before", "given", "expected"),
    [
        ({}, {"a": "a"}, {0: ITSELF}),
        ({}, {"a": "b", "b": "a"}, {0: MERGED, 1: MERGED}),
        ({}, {"a": "b", "b": "c", "c": "a"}, {0: MERGED, 1: MERGED, 2: MERGED}),
        ({}, {"a": "b", "b": "c"}, {0: MERGED}),
        ({"b": "c"}, {"a": "b"}, {0: MERGED}),
        ({"a": "b"}, {"b": "c"}, {0: OTHERS}),
        ({"a": "b"}, {"b": "c", "a": "c"}, {}),
        ({"b": "c"}, {"a": "b", "b": None}, {}),
        ({"a": "b"}, {"a": "b"}, {}),
    ],
)
async def test_an_insight_is_merged_into_one_that_stays(
    database: Database, before: dict[str, str], given: dict[str, str | None], expected: dict[int, str]
) -> None:
    slug = (await apply(database, small(insights=merges(a=None, b=None, c=None)))).slug
    await apply(database, small(slug, insights=merges(**before)))
    file = small(slug, insights=merges(**given))
    if not expected:
        await apply(database, file)
        return
    found = await refusal(database, file)
    assert found == {f"insights[{index}].mergedInto": message for index, message in expected.items()}


async def test_lines_that_merge_in_a_circle_are_refused(database: Database) -> None:
    slug = await base(database)
    done = await load(database, slug, "insights", merges(a="b", b="a", c="d", d=None))
    assert faults(done) == {(1, "mergedInto"): MERGED, (2, "mergedInto"): MERGED}
    merged = "SELECT string_agg(key, '') FROM insights WHERE workspace_id = $1 AND merged_into IS NOT NULL"
    assert await look(database, slug, merged) == "c"


async def test_a_chain_that_is_there_hinders_no_other_change(database: Database) -> None:
    applied = await apply(database, small(insights=merges(a=None, b=None, c=None)))
    async with database.autocommit() as tx:
        await tx.connection.execute(CHAIN, applied.workspace_id)
    file = small(applied.slug, insights=merges(a="b", b="c", c=None), teams=[{"key": "t", "name": "T"}])
    file["insights"][0]["title"] = "Renamed"
    assert (await apply(database, file)).counts["insights"].changed == 1
    assert counts(await load(database, applied.slug, "insights", merges(a="b", b="c"))) == (0, 1, 1, 0)


async def test_a_target_that_is_merged_meanwhile_is_refused(database: Database) -> None:
    applied = await apply(database, small(insights=merges(a=None, b=None, c=None)))
    async with database.transaction() as tx:
        ids = applied.ids["insights"]
        await tx.connection.execute("UPDATE insights SET merged_into = $2 WHERE id = $1", ids["b"], ids["c"])
        applying = asyncio.create_task(refusal(database, small(applied.slug, insights=merges(a="b"))))
        await until_blocked(database)
    assert await applying == {"insights[0].mergedInto": MERGED}
