"""Small files of JSON Lines that people write by hand."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from sightline.platform.errors import BadRequest

Read = TypeVar("Read")


def read_json_lines(name: str, lines: Iterable[bytes], kind: type[Read]) -> Iterator[tuple[str, Read]]:
    """Yields the object of each line with its place, such as "texts.jsonl, line 3"; blank lines are skipped.

    Raises BadRequest at the first line that is not of the type.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        try:
            read = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadRequest(f"{place}: {error}") from None
        yield place, read
