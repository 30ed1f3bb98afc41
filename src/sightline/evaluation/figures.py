"""The figures of a measurement, line by line."""

from collections.abc import Iterator

from msgspec import Struct, structs


def figures(quality: Struct, of: str = "") -> Iterator[tuple[str, object]]:
    """Yields a line for each figure, such as "problem: labels found" and "80.0%", and for each example of a list."""
    for field, value in structs.asdict(quality).items():
        name = of + field.replace("_", " ")
        if isinstance(value, Struct):
            yield from figures(value, f"{name}: ")
        elif isinstance(value, dict):
            for key, each in value.items():
                yield from figures(each, f"{key}: ")
        elif isinstance(value, list) and field != "curve":
            yield from ((name, _shown(one)) for one in value)
        elif not isinstance(value, list):
            yield name, value if field == "milliseconds" else _shown(value)


def _shown(value: object) -> object:
    return f"{value:.1%}" if isinstance(value, float) else value
