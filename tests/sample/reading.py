"""How the tests look into a workspace."""

from collections.abc import Iterator
from typing import Any

Record = dict[str, Any]


def values(workspace: Record, path: str) -> list[Any]:
    """Everything at the end of a path such as `ideas.evidence.signal`, through all lists on the way."""
    found: list[Any] = [workspace]
    for name in path.split("."):
        stepped = [one[name] for one in found if name in one]
        found = [item for one in stepped for item in (one if isinstance(one, list) else [one])]
    return [one for one in found if one is not None]


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def wordings(signal: Record) -> list[str]:
    turns = signal.get("transcript", {}).get("turns", [])
    return [turn["text"] for turn in turns] or [signal["rawData"]["text"]]
