"""Faulty lines are reported with their number and do not stop the others."""

import asyncio
import os
from typing import Any

import pytest

from sightline.imports import Import, ListReader
from sightline.platform.db import Database
from sightline.platform.errors import NotFound
from sightline.workspaces.operating import delete_workspace
from tests.imports.loading import (
    KINDS,
    RECORDS,
    base,
    counts,
    every_row,
    faults,
    json_lines,
    load,
    look,
    opened,
    stored,
)

MANY_NAMES = b",".join(b'"n%d": 1' % number for number in range(40_000))
IDEA = {"name": "A", "description": "x"}
HOW = {
    "ideas": ("product", "nobody"),
    "accounts": ("contacts", [{"email": "no address"}]),
    "insights": ("signals", ["nobody"]),
    "feedback": ("study", "nobody"),
    "signals": ("initiatives", ["nobody"]),
}


@pytest.mark.parametrize("kind", KINDS)
async def test_faulty_lines_are_named_and_the_others_are_stored(database: Database, kind: str) -> None:
    slug = await base(database, accounts=[])
    record = RECORDS[kind]
    name, wrong = HOW[kind]
    lines: list[Any] = [
        record,
        b"{no json",
        record | {"externalId": "2", "colour": 1, "createdAt": 7},
        b"",
        record | {"externalId": "3", name: wrong},
        {**record, "externalId": None},
        record,
        b"[1]",
        b'{"key": "a", "key": "b"}',
        record | {"externalId": "9", "createdAt": "a\0b"},
        record | {"externalId": "last"},
    ]
    done = await load(database, slug, kind, lines)
    assert counts(done) == (2, 0, 0, 8)
    found = faults(done)
    places = {(line, path.partition("[")[0]) for line, path in found}
    twice = next(path for line, path in found if line == 7)
    assert places == {
        (2, ""),
        (3, "colour"),
        (3, "createdAt"),
        (5, name),
        (6, ""),
        (7, twice),
        (8, ""),
        (9, ""),
    } | {(10, "createdAt")}
    assert found[2, ""].startswith("Is not JSON")
    assert found[6, ""].startswith("Give an id, a key")
    assert found[9, ""] == "Has 'key' twice in an object"
    assert found[7, twice] == "Is the same as line 1"
    assert await stored(database, slug, kind) == 2


@pytest.mark.parametrize(
    "inside",
    [
        {"comments": [{"key": "c", "body": "B", "author": "nobody"}]},
        {"questions": [{"key": "q", "question": "Why?"}], "evidence": [{"key": "e", "title": "T", "signal": "nobody"}]},
    ],
)
async def test_a_record_with_a_fault_inside_leaves_nothing_behind(database: Database, inside: Any) -> None:
    slug = await base(database, ideas=[{"key": "old", **IDEA}])
    before = await every_row(database, slug)
    faulty = [{"key": "new", **IDEA, **inside}, {"key": "old", **IDEA, "name": "B", **inside}]
    assert counts(await load(database, slug, "ideas", faulty)) == (0, 0, 0, 2)
    after = await every_row(database, slug)
    assert {name: rows for name, rows in after.items() if name != "public_numbers"} == {
        name: rows for name, rows in before.items() if name != "public_numbers"
    }
    sound = {"key": "sound", **IDEA}
    assert counts(await load(database, slug, "ideas", [faulty[0], sound, faulty[1]])) == (1, 0, 0, 2)


async def test_the_same_record_twice_is_found_however_far_apart(database: Database) -> None:
    slug = await base(database, ideas=[{"key": "known", "sourceKey": "crm", "externalId": "7", **IDEA}])
    lines: list[Any] = [{"key": f"i{n}", **IDEA} for n in range(2_100)]
    lines += [{"key": "i5", **IDEA}, {"key": "known"}, {"sourceKey": "crm", "externalId": "7"}]
    done = await load(database, slug, "ideas", lines)
    assert counts(done) == (2_100, 0, 1, 2)
    assert {line: text for (line, _), text in faults(done).items()} == {
        2101: "Is the same as line 6",
        2103: "Is the same as line 2102",
    }


async def test_what_only_the_database_refuses_costs_its_own_line(database: Database) -> None:
    slug = await base(database)
    lines: list[Any] = [{"key": f"s{n}", "name": "S"} for n in range(300)]
    lines[123]["origin"] = os.urandom(20_000).hex()  # more than an index takes
    done = await load(database, slug, "signals", lines)
    assert counts(done) == (299, 0, 0, 1)
    [fault] = done.faults
    assert fault.line == 124
    assert fault.message.startswith("The database refuses: index row")


async def test_a_hundred_faults_are_shown_and_all_are_counted(database: Database) -> None:
    slug = await base(database)
    done = await load(database, slug, "accounts", [{"key": f"{n}", "nme": 1} for n in range(3_000)] + [{"key": 1}])
    assert (len(done.faults), done.faulty, done.faults[99].line) == (100, 3_001, 100)


@pytest.mark.parametrize("tail", [b"", b"\n", b"\r\n"])
async def test_a_line_that_is_too_long_is_passed_over(database: Database, tail: bytes) -> None:
    slug = await base(database, accounts=[])
    long = b'{"key": "a", "name": "' + b"a" * 9_000_000 + b'"}'
    lines = b"\xef\xbb\xbf" + b'{"key": "x", "name": "X"}\r\n' + long + b'\n{"key": "y", "name": "Y"}' + tail
    done = await load(database, slug, "accounts", lines)
    assert (counts(done), faults(done)) == ((2, 0, 0, 1), {(2, ""): "Is longer than 8 MiB"})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"key": "a", "name": "\xff"}', "Is not JSON"),
        (b'{"key": "a", "name": "\\ud800"}', "Has half of a surrogate pair"),
        (b'{"key": "a", "name": "A", "data": {"a": 1e999}}', "Is too large a number"),
        (b'{"key": "a", "name": "A", "data": {"a": NaN}}', "Is too large a number"),
        (
            b'{"key": "a", "name": "A", "data": {"a": ' + b"9" * 310 + b"}}",
            "Is too large a number: at most 309 digits",
        ),
        (b'{"key": "a", "name": "A", "data": [' + b"1e30, " * 100 + b"1e-40]}", "At most 100 numbers like 1e30"),
        (b'{"key": "a", "name": "A", "data": {"a": "\\u0000"}}', "Must not hold the character NUL"),
        (b'{"key": "a", "name": "A", "data": ' + b'{"a":' * 300 + b"1" + b"}" * 301, "Is nested too deeply"),
        (b'{"key": "a", "name": "A", "data": {' + MANY_NAMES + b', "n39999": 2}}', "Has 'n39999' twice in an object"),
        (b"null", "Expected an object"),
        (b'{"key": "a", "name": "A"} {"key": "b"}', "Is not JSON"),
    ],
)
async def test_odd_json_is_refused_as_in_workspace_files(database: Database, line: bytes, message: str) -> None:
    slug = await base(database)
    done = await load(database, slug, "signals", line + b'\n{"key": "b", "name": "B"}', format="jsonl")
    assert counts(done) == (1, 0, 0, 1)
    assert done.faults[0].message.startswith(message), done.faults


async def test_a_text_of_nothing_but_nul_is_one_fault(database: Database) -> None:
    slug = await base(database)
    done = await load(database, slug, "signals", b'{"key": "a", "name": "\\u0000"}', format="jsonl")
    assert [(fault.line, fault.path, fault.message) for fault in done.faults] == [
        (1, "name", "Must not hold the character NUL")
    ]


async def test_a_large_whole_number_is_kept(database: Database) -> None:
    slug = await base(database)
    line = b'{"key": "a", "name": "A", "data": {"a": 9223372036854775807, "b": {"c": [1.5, -2, true, null]}}}'
    assert counts(await load(database, slug, "signals", line)) == (1, 0, 0, 0)
    assert bytes(await look(database, slug, "SELECT data FROM signals WHERE workspace_id = $1")) == (
        b'{"a": 9223372036854775807, "b": {"c": [1.5, -2, true, null]}}'
    )


async def test_an_id_of_another_list_or_a_taken_name_is_refused(database: Database) -> None:
    slug = await base(database)
    two = [{"key": "a", "externalId": "1", "name": "A"}, {"key": "b", "externalId": "2", "name": "B"}]
    await load(database, slug, "accounts", two)
    done = await load(database, slug, "accounts", [{"key": "a", "externalId": "2"}, {"key": "b", "name": "C"}])
    assert (counts(done), faults(done)) == ((0, 1, 0, 1), {(1, "externalId"): "Belongs to another record"})


async def test_a_workspace_that_goes_away_ends_the_import(database: Database) -> None:
    slug = await base(database)
    data = json_lines({"key": f"{n}", "name": "A"} for n in range(9_000))
    has_started = asyncio.Event()
    importing = Import(database, slug, ListReader("accounts", opened(data)), actor_id="tests")
    running = asyncio.create_task(importing.run(asyncio.Event(), lambda batch: has_started.set()))
    await has_started.wait()
    await delete_workspace(database, slug)
    with pytest.raises(NotFound):
        await running
    assert 1_000 <= importing.done.added == importing.reached < 9_000


async def test_faulty_lines_leave_no_gap_in_the_numbers(database: Database) -> None:
    slug = await base(database)
    lines = [IDEA | {"externalId": str(n)} | ({"status": "Nowhere"} if n % 7 == 3 else {}) for n in range(2_500)]
    await load(database, slug, "ideas", lines)
    await load(database, slug, "ideas", [IDEA | {"externalId": "new"}])
    numbers = "SELECT array_agg(number ORDER BY number) FROM ideas WHERE workspace_id = $1"
    assert await look(database, slug, numbers) == list(range(1, 2_500 - 357 + 2))


async def test_numbers_that_were_rolled_back_are_not_those_that_a_line_has(database: Database) -> None:
    slug = await base(database)
    first = [IDEA | {"externalId": str(n)} for n in range(5)] + [IDEA | {"externalId": "5", "status": "Nowhere"}]
    await load(database, slug, "ideas", [*first, IDEA | {"externalId": "6", "number": 4}])
    numbers = "SELECT array_agg(number ORDER BY external_id) FROM ideas WHERE workspace_id = $1"
    assert (await look(database, slug, numbers))[-1] == 4
    assert len(set(await look(database, slug, numbers))) == 6


async def test_every_refused_line_that_waited_for_later_ones_has_its_reason(database: Database) -> None:
    slug, rejects = await base(database), list[str]()
    lines = [{"key": f"k{n}", "title": "Slow", "mergedInto": "nothing"} for n in range(150)]
    reader = ListReader("insights", opened(json_lines(lines)))
    importing = Import(database, slug, reader, actor_id="tests", rejects=rejects.append)
    await importing.run(asyncio.Event())
    assert sum("There is no 'nothing' in insights" in line for line in rejects) == 150
    assert [kind.count for kind in importing.fault_kinds.values()] == [150]


async def test_rows_of_one_record_that_differ_are_refused_at_the_first_of_their_fields(database: Database) -> None:
    names = [
        "name",
        "description",
        "status",
        "portalVisible",
        "importedVoteCount",
        "createdAt",
        "updatedAt",
        "sourceKey",
    ]
    cells = [
        ["A", "B"],
        ["x", "y"],
        ["Open", "Done"],
        ["true", "false"],
        ["1", "2"],
        ["2026-01-01", "2026-01-02"],
        ["2026-01-01", "2026-01-02"],
    ]
    rows = [",".join([*each, "import", "1", label]) for each, label in zip(zip(*cells, strict=True), "ab", strict=True)]
    data = "\n".join([",".join([*names, "externalId", "provenance.labels"]), *rows]).encode()
    done = await load(database, await base(database), "ideas", data)
    assert faults(done)[3, "name"] == "Is not as in line 2, which has the same identity"
