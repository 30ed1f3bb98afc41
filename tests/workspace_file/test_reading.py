"""Files that are broken, hostile or merely large."""

import io
from typing import Any

import pytest

from sightline.platform.db import Database
from sightline.platform.file_parts.entries import Faults
from sightline.workspace_file.documents import Unreadable, read_items
from sightline.workspace_file.values import value_faults
from tests.workspace_file.files import apply, exported, new_slug, refusal


def read(text: str | bytes) -> tuple[dict[str, Any], dict[str, str]]:
    """What stands in a file with a list of ideas, and its faults."""
    found: dict[str, Any] = {}
    faults = Faults()
    for item in read_items(io.BytesIO(text.encode() if isinstance(text, str) else text), {"ideas"}):
        for fault in value_faults(item.value, item.path):
            faults.add(fault.path, fault.message)
        if item.list and item.place >= 0:
            found[item.list].append(item.value)
        else:
            found[item.path] = item.value
    return found, {fault.path: fault.message for fault in faults.shown}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("7", 7),
        ("-0.5", -0.5),
        ("1e3", 1000.0),
        ("true", True),
        ("no", "no"),
        ("~", None),
        ("", None),
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("'7'", "7"),
        ("!!str 7", "7"),
        ("12:30", "12:30"),
        ("[a, {b: c}]", ["a", {"b": "c"}]),
        ("|\n  a\n  b\n", "a\nb\n"),
        ('"\\u00e9\\n"', "é\n"),
        ("é", "é"),
    ],
)
def test_yaml_means_what_it_says(written: str, value: Any) -> None:
    assert read(f"part: {written}\n") == ({"part": value}, {})


def test_anchors_and_merge_keys_save_repeating() -> None:
    text = "a: &a {x: 1, y: [2]}\nb: *a\nc: {<<: *a, x: 3}\nd: {<<: [*a, {z: 4}]}\nideas: [*a, {k: *a}]\n"
    once = {"x": 1, "y": [2]}
    found, faults = read(text)
    assert faults == {}
    assert found == {
        "a": once,
        "b": once,
        "c": {"x": 3, "y": [2]},
        "d": once | {"z": 4},
        "ideas": [once, {"k": once}],
    }


def _bomb() -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 10)]
    return "\n".join(lines)


def test_merges_of_merges_do_not_multiply() -> None:
    lines = ["a0: &a0 {x: 1, y: 2}", "a1: &a1 {<<: [*a0, {x: 3, z: 4}], y: 5}"]
    lines += [f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 10)}]}}" for level in range(2, 10)]
    assert read("\n".join(lines))[0]["a9"] == {"x": 1, "y": 5, "z": 4}


def _merges() -> str:
    return "a: &a {" + ", ".join(f"k{n}: 1" for n in range(5_000)) + "}\nb:\n" + "- {<<: *a}\n" * 201


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has to be a mapping"),
        ("[]", "has to be a mapping"),
        ("just words", "has to be a mapping"),
        ('{"a": 1', "not JSON"),
        ('{"a": 1} x', "not JSON"),
        ('{"a": 01}', "not JSON"),
        ('{"a": "\\ud800"', "not JSON"),
        (b'{"a": "\xff"}', "not JSON"),
        (b"a: \xff\n", "invalid leading UTF-8 octet"),
        ("a: [1\n", "not YAML"),
        ("a: 'x\n", "not YAML"),
        ("a: *nothing\n", "undefined alias"),
        ("a: !!python/object:os.system x\n", "could not determine a constructor"),
        ("? [a]\n: 1\n", "unhashable key"),
        ("a: 1\n---\nb: 2\n", "expected a single document"),
        (b"a: \x00\n", "not YAML"),
        ("a: " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
        ('{"a": ' + '{"a":' * 5000 + "1" + "}" * 5000 + "}", "nested too deeply"),
        (_bomb(), "repeat too much"),
        (f"a: &a {'x' * 1_000_000}\nb: [{', '.join(['*a'] * 100)}]\n", "repeat too much"),
        (_merges(), "repeat too much"),
        ("a: &a {}\nb: &b [" + "*a, " * 1_000 + "]\nc:\n" + "- {<<: *b}\n" * 1_001, "repeat too much"),
        ("a: &a {<<: *a}\n", "nested too deeply"),
        ('{"a": ' + "9" * 10_000 + "}", "too large a number"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(text: str | bytes, says: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read(text)
    message = str(refused.value)
    assert says in message
    assert len(message) < 500
    assert "\n" not in message


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a": 1,\n "b": {"c": 1, "c": 2}}',
        "a: 1\na: 2\n",
        "a: 1\nb: {c: 1, c: 2}\n",
        "a: {<<: {c: 1, c: 2}}\n",
    ],
)
def test_the_same_name_twice_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(Unreadable, match=r"line [12]"):
        read(text)


def test_what_no_database_takes_is_a_fault() -> None:
    text = '{"a": "x\\u0000", "ideas": [{"n\\u0000": 1}], "b": 1e999, "c": "\\ud800"}'
    assert set(read(text)[1]) == {"a", "ideas[0].n\x00", "b", "c"}
    assert set(read(f"b: [1e999, {'9' * 310}, 9999999999999999999]\n")[1]) == {"b[0]", "b[1]"}


def test_a_byte_order_mark_and_leading_space_do_not_matter() -> None:
    assert read(b'\xef\xbb\xbf {"a": 1}')[0] == {"a": 1}
    assert read(b" \n\n {\n}")[0] == {}
    assert read(b"\xef\xbb\xbfa: 1\n")[0] == {"a": 1}
    assert read("# only a comment first\n{a: 1}")[0] == {"a": 1}


@pytest.mark.parametrize("wrong", ["ideas: {}", "ideas: 7", "teams: [7]", "teams: [null]", "prune: all", "portal: []"])
async def test_wrong_shapes_are_named(database: Database, wrong: str) -> None:
    file = f"workspace: {{slug: {new_slug()}, name: A}}\n{wrong}\n".encode()
    (path,) = await refusal(database, file)
    assert path in (wrong.partition(":")[0], "teams[0]")


async def test_a_file_that_cannot_be_read_is_refused(database: Database) -> None:
    faults = await refusal(database, b"workspace: [")
    assert list(faults) == [""]
    assert "line" in faults[""]
    faults = await refusal(database, b'{"workspace": {"slug": "a"}, "ideas": [{}, {"number": 99999999999999999999}]}')
    assert {"ideas[1].number", "workspace.name"} <= set(faults)


async def test_a_file_comes_through_a_pipe(database: Database) -> None:
    class Pipe(io.RawIOBase):
        def __init__(self, data: bytes) -> None:
            self.data = data

        def read(self, size: int = -1) -> bytes:
            taken, self.data = self.data[:7], self.data[7:]
            return taken

    from sightline.workspace_file import apply_file

    slug = new_slug()
    for data in (f"workspace: {{slug: {slug}, name: A}}\n", f'{{"workspace": {{"slug": "{slug}", "name": "A"}}}}'):
        applied = await apply_file(database, Pipe(data.encode()), actor_id="tests")  # type: ignore[arg-type]  # only read()
        assert applied.slug == slug


async def test_numbers_of_any_size_in_free_fields_come_back(database: Database) -> None:
    slug = new_slug()
    data = '{"a": 9223372036854775807, "b": -0.1, "c": 1e22, "d": 1E-9, "e": 100.0, "f": {"true": true, "one": 1}}'
    file = (
        f'{{"workspace": {{"slug": "{slug}", "name": "A"}}, "signals": [{{"key": "s", "name": "S", "data": {data}}}]}}'
    )
    await apply(database, file.encode())
    again = await apply(database, file.encode())
    assert again.counts["signals"].unchanged == 1
    found = (await exported(database, slug))["signals"][0]["data"]
    assert found == {"a": 2**63 - 1, "b": -0.1, "c": 1e22, "d": 1e-9, "e": 100.0, "f": {"true": True, "one": 1}}
    await apply(database, file.replace('"one": 1', '"one": true').encode())
    assert (await exported(database, slug))["signals"][0]["data"]["f"]["one"] is True
