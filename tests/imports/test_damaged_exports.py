"""Exports with damage: every line is read, refused or left out, or the file is refused."""

import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from random import Random

import pytest

from sightline.imports import ListReader
from sightline.imports.maps import map_of_tool
from sightline.platform.errors import ValidationFailed
from tests.imports.loading import opened

EXPORTS = Path(__file__).parent / "exports"
PIECES = (b'"', b"\n", b",", b";", b"\t", b"\0", b"\xff\xfe", b"{", b"[", b"]}", b"\xe9", b"<b>", b"9" * 20, b"null")
TOOLS = ("aha", "canny", "fider", "jira", "productboard", "uservoice", "zendesk")


def files() -> list[bytes]:
    """Returns every export, and Fider's backup as a ZIP."""
    found = [file.read_bytes() for file in sorted(EXPORTS.rglob("*.[cj]s*")) if file.parent.name != "fider-backup"]
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((EXPORTS / "unseen" / "fider-backup").iterdir()):
            archive.writestr(file.name, file.read_bytes())
    return [*found, packed.getvalue()]


def damaged(data: bytes, dice: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.randint(1, 8)):
        at = dice.randrange(len(changed) + 1)
        match dice.randrange(4):
            case 0:
                changed[at:at] = dice.choice(PIECES)
            case 1:
                del changed[at : at + dice.randint(1, 20)]
            case 2:
                changed[at : at + 1] = bytes([dice.randrange(256)])
            case _:
                changed[at:at] = changed[: dice.randint(1, 80)]
    return bytes(changed)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_damaged_export_is_read_or_refused(tool: str) -> None:
    dice, map = Random(tool), map_of_tool(tool)
    for data in files() * 5:
        reader = ListReader(map.kind or "ideas", opened(damaged(data, dice)), map=map)
        with suppress(ValidationFailed):
            batches = list(reader.batches())
            further = sum(len(line.further) for batch in batches for line in batch.lines)
            read = sum(len(batch.lines) + len(batch.faulty) + batch.left_out for batch in batches)
            assert read + further == sum(batch.count for batch in batches)
