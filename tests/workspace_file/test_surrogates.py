"""Half of a surrogate pair is no character: it is refused, not stored as a question mark."""

import msgspec
import pytest

from sightline.platform.db import Database
from tests.imports.loading import base, counts, csv_lines, faults, load
from tests.workspace_file.files import apply, exported, new_slug, refusal


def json_file(slug: str, name: str) -> bytes:
    """A workspace file; the name stands as it is between quotes."""
    return (
        f'{{"workspace": {{"slug": "{slug}", "name": "A"}},\n"signals": [{{"key": "s", "name": "{name}"}}]}}'.encode()
    )


@pytest.mark.parametrize("name", [r"a\ud800b", r"a\uDC00b", r"\ud83d\ud83d\ude00", r"\\\ud83d", r"\ude00\ud83d"])
async def test_half_a_pair_in_a_file_is_a_fault(database: Database, name: str) -> None:
    found = await refusal(database, json_file(new_slug(), name))
    [(path, message)] = found.items()
    assert path == "signals[0].name"
    assert message.startswith("Has half of a surrogate pair")
    yaml = f'workspace: {{slug: {new_slug()}, name: "{name}"}}\n'.encode()
    assert await refusal(database, yaml)


@pytest.mark.parametrize(
    "name", [r"\ud83d\ude00", r"\\ud800", r"\\\\udc00", r"\uD83D\uDE00\\", r"\u0041\ud7ff\ue000", "😀?"]
)
async def test_whole_pairs_and_escaped_backslashes_are_kept(database: Database, name: str) -> None:
    slug = new_slug()
    await apply(database, json_file(slug, name))
    [signal] = (await exported(database, slug))["signals"]
    assert signal["name"] == msgspec.json.decode(f'"{name}"')


async def test_half_a_pair_makes_only_its_line_faulty(database: Database) -> None:
    slug = await base(database)
    lines = [
        b'{"key": "a", "name": "A\\ud800"}',
        b'{"key": "b", "name": "B\\ud800", "data": {"large": 12345678901234567890123}}',
        b'{"key": "c", "name": "C\\ud83d\\ude00"}',
    ]
    done = await load(database, slug, "signals", lines)
    assert (counts(done), {line for line, _ in faults(done)}) == ((1, 0, 0, 2), {1, 2})
    assert faults(done)[2, "name"].startswith("Has half of a surrogate pair")
    done = await load(database, slug, "signals", csv_lines(["key", "name", "data"], ["d", "D", '{"a": "\\ud800"}']))
    assert counts(done) == (0, 0, 0, 1)
