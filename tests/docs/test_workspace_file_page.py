"""docs/guide/workspace-file.md names every list and field with its bounds, and its example applies."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest
from msgspec import Meta

from sightline.platform.db import Database
from sightline.platform.file_parts.tables import Field
from sightline.workspace_file import apply_file, schema
from sightline.workspace_file.parts import PARTS, TABLES

FILE = "docs/guide/workspace-file.md"
PAGE = (Path(__file__).parents[2] / FILE).read_text()
OF_EVERY_RECORD = {"id", "key", "number", "createdAt", "updatedAt"}
SHAPES = PARTS | {path: table.record for path, table in TABLES.items()}


def section(heading: str) -> str:
    found = re.search(rf"^### `{re.escape(heading)}`\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"add a section ### `{heading}` to {FILE}"
    return found[1]


def structs(shape: Any) -> Iterator[type[msgspec.Struct]]:
    """Every type with fields within a type, but the records of lists that have a section of their own."""
    if isinstance(shape, type) and issubclass(shape, msgspec.Struct):
        yield shape
        for field in msgspec.structs.fields(shape):
            yield from structs(field.type)
    elif shape not in SHAPES.values():
        for part in get_args(shape):
            if part not in SHAPES.values():
                yield from structs(part)


def bounds(shape: Any) -> Iterator[str]:
    """What a reader has to know of a type's limits, as the page writes it."""
    for part in get_args(shape):
        if get_origin(shape) is Literal:
            yield f"`{part}`"
        elif isinstance(part, Meta) and part.max_length not in (None, 255):
            yield f"{part.max_length:,}"
        yield from bounds(part)


def default_of(field: "Field") -> str | None:
    """None where the default is not written as such."""
    if field.is_required:
        return "needed"
    if isinstance(field.default, bool):
        return f"`{str(field.default).lower()}`"
    if isinstance(field.default, str | int):
        return f"`{field.default}`" if field.default != "" else "empty"
    return None


@pytest.mark.parametrize("path", SHAPES)
def test_every_field_is_named_in_the_section_of_its_list(path: str) -> None:
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", section(path)))))
    fields = {field.encode_name for struct in structs(SHAPES[path]) for field in msgspec.structs.fields(struct)}
    missing = fields - words - OF_EVERY_RECORD
    assert not missing, f"say in {FILE}, under `{path}`, what these fields mean: {sorted(missing)}"


@pytest.mark.parametrize("path", TABLES)
def test_no_field_is_described_that_the_file_does_not_have(path: str) -> None:
    described = set(re.findall(r"^\| `(\w+)` \|", section(path), re.MULTILINE))
    known = {field.encode_name for field in msgspec.structs.fields(SHAPES[path])}
    assert described <= known | {child.list_name for child in TABLES[path].children}


@pytest.mark.parametrize("path", TABLES)
def test_a_field_is_described_with_its_default_and_its_bounds(path: str) -> None:
    types = get_type_hints(TABLES[path].record, include_extras=True)
    for field in (one for one in TABLES[path].fields if one.name not in OF_EVERY_RECORD):
        row = re.search(rf"^\| `{field.name}` \| (.*?) \|(.*)\|$", section(path), re.MULTILINE)
        assert row, f"add a row for `{field.name}` under `{path}` in {FILE}"
        missing = [bound for bound in bounds(types[field.attribute]) if bound not in row[0]]
        assert not missing, f"{FILE}, {path}, {field.name}: say that {missing} is allowed, or the limit"
        if (default := default_of(field)) is not None:
            assert row[1] == default, f"{FILE}, {path}, {field.name}: the default is {default}"


def test_the_schema_beside_the_guide_is_current() -> None:
    stored = (Path(__file__).parents[2] / "docs/workspace-file.schema.json").read_bytes()
    assert msgspec.json.decode(stored) == schema(), "run make schema"


async def test_the_example_applies_and_applying_it_again_changes_nothing(database: Database) -> None:
    example = re.search(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert example
    first, second = [await apply_file(database, BytesIO(example[1].encode()), actor_id="page") for _ in "12"]
    assert first.counts["ideas"].added == 1
    assert all(count.added == count.changed == 0 for count in second.counts.values())
