"""What is applied comes out again, byte by byte the second time."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import msgspec
import pytest
import yaml

from sightline.platform.db import Database
from sightline.sample.workspace import load
from sightline.workspace_file.parts import SHOWN, TABLES
from sightline.workspaces.operating import delete_workspace
from tests.imports.loading import base
from tests.imports.loading import load as load_lines
from tests.workspace_file.files import STAMPS, THEN, apply, by_key, export, exported, new_slug, refusal, small, whole


def test_the_file_for_tests_has_a_value_in_every_field() -> None:
    for path, table in TABLES.items():
        records = _records_at(whole(), path.split("."))
        used = {name for record in records for name in record}
        names = {field.encode_name for field in msgspec.structs.fields(table.record)}
        missing = names - used - {"id", "number", "createdAt", "updatedAt", "taxonomyVersion"}
        assert not missing, f"{path}: add {missing} to tests/workspace_file/files.py"


def _records_at(value: Any, path: list[str]) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [found for item in value for found in _records_at(item, path)]
    if not path:
        return [value]
    return _records_at(value[path[0]], path[1:]) if path[0] in value else []


@pytest.mark.parametrize("read", [whole, load], ids=["everything", "the sample"])
async def test_an_export_applied_elsewhere_exports_the_same_bytes(
    database: Database, read: Callable[[], dict[str, Any]]
) -> None:
    file = read()
    slug = file["workspace"]["slug"]
    await apply(database, file)
    first = await export(database, slug)
    await delete_workspace(database, slug)
    await apply(database, first)
    assert await export(database, slug) == first


async def test_an_export_applied_to_its_own_workspace_changes_nothing(database: Database) -> None:
    file = whole()
    await apply(database, file)
    first = await export(database, file["workspace"]["slug"])
    applied = await apply(database, first)
    assert {name for name, count in applied.counts.items() if count.added or count.changed or count.removed} == set()
    assert await export(database, file["workspace"]["slug"]) == first


async def test_the_largest_number_of_a_signal_comes_back(database: Database) -> None:
    slug = new_slug()
    data = {"large": 1.7976931348623157e308, "small": 5e-324}
    await apply(database, small(slug, signals=[{"key": "s", "name": "S", "rawData": {"data": data}}]))
    first = await export(database, slug)
    await apply(database, first)
    assert await export(database, slug) == first


async def test_lists_may_stand_in_any_order(database: Database) -> None:
    slug = new_slug()
    await apply(database, whole(slug))
    first = await exported(database, slug)
    await delete_workspace(database, slug)
    turned = dict(reversed(first.items()))
    turned["portal"] = dict(reversed(first["portal"].items()))
    await apply(database, turned)
    assert await exported(database, slug) == first


async def test_json_and_yaml_give_the_same_workspace(database: Database) -> None:
    slug = new_slug()
    await apply(database, yaml.safe_dump(whole(slug), sort_keys=False, allow_unicode=True).encode())
    first = await exported(database, slug)
    applied = await apply(database, whole(slug))
    changed = {name for name, count in applied.counts.items() if count.added or count.changed}
    assert changed == set(), (first, changed)


async def test_an_export_read_as_yaml_has_the_same_texts(database: Database) -> None:
    slug = new_slug()
    text = 'a\u0085b\u2028c\u2029d\u007fe\u0080f\u009fg\ufffeh\uffffi\ufeffj\u00a0k\u0001l\tm\U0001f600n\\u2028o"p/q'
    await apply(database, small(slug, signals=[{"key": "s", "name": "S", "rawData": {"text": text, text: text}}]))
    first = await export(database, slug)
    await apply(database, b"# a comment makes it YAML\n" + first)
    assert await export(database, slug) == first
    [signal] = (await exported(database, slug))["signals"]
    assert signal["rawData"] == {"text": text, text: text}


async def test_every_value_is_exported_as_it_was_applied(database: Database) -> None:
    file = whole()
    applied = await apply(database, file)
    found = await exported(database, file["workspace"]["slug"])
    assert list(found) == ["$schema", *SHOWN]
    differences: list[str] = []
    _compare(file, found, "", _names(applied.ids, found), differences)
    assert differences == []


def _names(ids: Any, found: dict[str, Any]) -> dict[str, set[str]]:
    """By key the ids that may stand in its place."""
    names: dict[str, set[str]] = {}
    for listed in ids.values():
        for key, id in listed.items():
            names.setdefault(key.rpartition("/")[2], set()).add(str(id))
    return names


def _compare(given: Any, found: Any, path: str, names: dict[str, set[str]], differences: list[str]) -> None:
    if isinstance(given, dict) and isinstance(found, dict):
        for name, value in given.items():
            _compare(value, found.get(name), f"{path}.{name}", names, differences)
    elif isinstance(given, list) and isinstance(found, list) and _keys(given) and len(given) == len(found):
        stored = by_key(found)
        for item in given:
            _compare(item, stored[item["key"]], f"{path}[{item['key']}]", names, differences)
    elif isinstance(given, list) and isinstance(found, list) and len(given) <= len(found):
        _compare_items(given, found, path, names, differences)
    elif given != found and found not in names.get(str(given), ()):
        differences.append(f"{path}: {given!r} became {found!r}")


def _compare_items(given: Any, found: Any, path: str, names: dict[str, set[str]], differences: list[str]) -> None:
    if path.endswith(".accounts") and len(found) > len(given):  # the primary account counts too
        found = found[1:]
    if path.endswith(".optionValues"):
        given = [value.lower() for value in given]
    for index, (one, other) in enumerate(zip(given, found, strict=True)):
        _compare(one, other, f"{path}[{index}]", names, differences)


def _keys(items: list[Any]) -> bool:
    return bool(items) and all(isinstance(item, dict) and "key" in item for item in items)


async def test_records_without_a_key_are_exported_with_their_id(database: Database) -> None:
    file = small(ideas=[{"key": "one", "name": "One", "description": "x"}])
    slug = file["workspace"]["slug"]
    applied = await apply(database, file)
    async with database.transaction() as tx:
        await tx.connection.execute("UPDATE ideas SET key = NULL WHERE workspace_id = $1", applied.workspace_id)
    first = await export(database, slug)
    await delete_workspace(database, slug)
    await apply(database, first)
    assert await export(database, slug) == first
    assert msgspec.json.decode(first)["ideas"][0]["id"] == str(applied.ids["ideas"]["one"])


async def test_links_keep_their_order(database: Database) -> None:
    keys = ["c", "a", "d", "b"]
    file = small(
        accounts=[{"key": key, "name": key} for key in sorted(keys)],
        ideas=[{"key": "one", "name": "One", "description": "x", "accounts": keys}],
    )
    slug = file["workspace"]["slug"]
    ids = (await apply(database, file)).ids["accounts"]
    assert (await exported(database, slug))["ideas"][0]["accounts"] == [str(ids[key]) for key in keys]
    file["ideas"][0]["accounts"] = ["c", "d", "a"]
    applied = await apply(database, file)
    assert applied.counts["ideas"].changed == 1
    assert (await exported(database, slug))["ideas"][0]["accounts"] == [str(ids[key]) for key in ("c", "d", "a")]


async def test_secrets_sessions_and_keys_are_not_exported(database: Database) -> None:
    file = whole()
    applied = await apply(database, file)
    async with database.transaction() as tx:
        secret = "UPDATE portals SET secret = 'TOPSECRET' WHERE workspace_id = $1"
        await tx.connection.execute(secret, applied.workspace_id)
    first = await export(database, file["workspace"]["slug"])
    assert b"secret" not in first.lower()
    await apply(database, first)
    async with database.autocommit() as tx:
        kept = await tx.connection.fetchval("SELECT secret FROM portals WHERE workspace_id = $1", applied.workspace_id)
    assert kept == b"TOPSECRET"


async def test_active_runs_are_left_out(database: Database) -> None:
    file = whole()
    applied = await apply(database, file)
    async with database.transaction() as tx:
        await tx.connection.execute(
            "UPDATE research_runs SET status = 'running' WHERE workspace_id = $1", applied.workspace_id
        )
    assert (await exported(database, file["workspace"]["slug"]))["research"][0]["runs"] == []


async def test_transcripts_are_counted_and_their_turns_kept_with_the_raw_data(database: Database) -> None:
    file = whole()
    applied = await apply(database, file)
    async with database.autocommit() as tx:
        row = await tx.connection.fetchrow(
            "SELECT s.transcript, r.raw FROM signals s JOIN signal_raw r ON r.signal_id = s.id AND"
            " r.workspace_id = s.workspace_id WHERE s.workspace_id = $1 AND s.key = 'call'",
            applied.workspace_id,
        )
    assert row is not None
    summary, raw = (msgspec.json.decode(column) for column in row)
    assert summary == {"turnCount": 2, "speakers": ["Cy", "Ada"], "durationSeconds": 61.5}
    given = file["signals"][0]
    assert raw == given["rawData"] | {"transcript": {"turns": given["transcript"]["turns"]}}


async def test_a_time_without_an_offset_is_utc(database: Database) -> None:
    ideas = [
        {"key": "a", "name": "A", "description": "x", "createdAt": "2026-03-01"},
        {"key": "b", "name": "B", "description": "x", "createdAt": "2026-03-01 10:00:00+01:00"},
    ]
    file = small(ideas=ideas)
    await apply(database, file)
    found = by_key((await exported(database, file["workspace"]["slug"]))["ideas"])
    assert (found["a"]["createdAt"], found["b"]["createdAt"]) == ("2026-03-01T00:00:00.000Z", THEN)


async def test_any_record_may_have_id_number_and_times(database: Database) -> None:
    file = whole()
    for path in TABLES:
        for place, record in enumerate(_records_at(file, path.split(".")), 1):
            for name, value in {"id": str(uuid4()), "number": 1_000 + place, **STAMPS}.items():
                record.setdefault(name, value)
    applied = await apply(database, file)
    first = await export(database, applied.slug)
    assert by_key(msgspec.json.decode(first)["ideas"])["fast"]["id"] == by_key(file["ideas"])["fast"]["id"]
    await apply(database, first)
    assert await export(database, applied.slug) == first
    labels = [{"label": "New", "id": "no id"}, {"label": "Old", "updatedAt": "no moment"}]
    faults = await refusal(database, small(ideaStatuses=labels))
    assert set(faults) == {"ideaStatuses[0].id", "ideaStatuses[1].updatedAt"}


async def test_voters_of_an_import_come_out_again_without_a_portal(database: Database) -> None:
    slug = await base(database)
    rows = b"ID,Title,Body,Voters\n1,Dark mode,x,bo@globex.test; cy@globex.test\n"
    assert (await load_lines(database, slug, "ideas", rows)).votes_added == 2
    first = await export(database, slug)
    file = await exported(database, slug)
    assert [len(file["portal"][name]) for name in ("users", "votes", "requests")] == [2, 2, 0]
    assert "alias" not in file["portal"]
    await delete_workspace(database, slug)
    await apply(database, first)
    assert await export(database, slug) == first
