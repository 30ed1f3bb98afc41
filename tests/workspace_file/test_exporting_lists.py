"""One list of a workspace, as lines that can be imported and opened in a spreadsheet."""

import csv
from io import StringIO

import msgspec
import pytest

from sightline.platform.db import Database
from sightline.platform.errors import NotFound
from sightline.workspace_file import export_list
from sightline.workspace_file.exporting import Format
from tests.imports.loading import KINDS, counts, load
from tests.workspace_file.files import apply, exported, new_slug, small, whole

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=1", "''-2", "'quoted'", "a=b", "Zeile\r\nzwei"]


async def lines_of(database: Database, slug: str, kind: str, format: Format) -> bytes:
    parts: list[bytes] = []
    await export_list(database, slug, kind, format, parts.append)
    return b"".join(parts)


@pytest.mark.parametrize("format", ["jsonl", "csv"])
@pytest.mark.parametrize("kind", KINDS)
async def test_an_exported_list_is_imported_again_without_a_change(
    database: Database, kind: str, format: Format
) -> None:
    file = whole()
    slug = file["workspace"]["slug"]
    await apply(database, file)
    before = await exported(database, slug)
    lines = await lines_of(database, slug, kind, format)
    done = await load(database, slug, kind, lines, format=format)
    assert counts(done) == (0, 0, len(before[kind]), 0), done.faults
    assert await exported(database, slug) == before
    assert await lines_of(database, slug, kind, format) == lines


async def test_json_lines_are_the_records_of_the_whole_file(database: Database) -> None:
    file = whole()
    await apply(database, file)
    lines = await lines_of(database, file["workspace"]["slug"], "ideas", "jsonl")
    found = [msgspec.json.decode(line) for line in lines.splitlines()]
    assert found == (await exported(database, file["workspace"]["slug"]))["ideas"]


async def test_no_cell_is_a_formula_and_each_comes_back(database: Database) -> None:
    slug = new_slug()
    texts = dict(enumerate(FORMULAS))
    records = [{"key": f"k{n}", "name": "N", "description": text} for n, text in texts.items()]
    await apply(database, small(slug, ideas=records))
    before = {idea["key"]: idea["description"] for idea in (await exported(database, slug))["ideas"]}
    lines = await lines_of(database, slug, "ideas", "csv")
    rows = list(csv.reader(StringIO(lines.decode(), newline="")))
    assert len(rows) == len(FORMULAS) + 1
    assert [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == []
    await apply(database, small(slug, ideas=[record | {"description": "Other"} for record in records]))
    assert counts(await load(database, slug, "ideas", lines, format="csv")) == (0, len(FORMULAS), 0, 0)
    after = {idea["key"]: idea["description"] for idea in (await exported(database, slug))["ideas"]}
    assert after == before


async def test_an_unknown_workspace_is_refused_and_an_empty_list_has_only_names(database: Database) -> None:
    with pytest.raises(NotFound):
        await lines_of(database, "nowhere", "ideas", "csv")
    slug = new_slug()
    await apply(database, small(slug))
    assert await lines_of(database, slug, "accounts", "jsonl") == b""
    head = await lines_of(database, slug, "accounts", "csv")
    assert head == b"id,key,number,externalId,name,domain,contacts,createdAt,updatedAt\r\n"
