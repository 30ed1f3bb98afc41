"""What a request to a model says: its task, a file of `tasks`, and material as data, between random marks."""

import secrets
from collections.abc import Iterator
from importlib.resources import files


def fenced(name: str, text: str) -> str:
    """Returns the text between marks with a random number."""
    mark = f"data {name} {secrets.token_hex(8)}"
    return f"<{mark}>\n{text}\n</{mark}>"


def read_task(name: str, **values: object) -> str:
    """Returns the rules of all tasks and the task of that name, with the values in their places."""
    rules, task = (files(__package__).joinpath(f"tasks/{one}.txt").read_text().rstrip() for one in ("rules", name))
    return f"{rules}\n\n{task.format(**values)}"


def cut(text: str, longest: int) -> Iterator[tuple[int, int]]:
    """Yields the places of parts that end where a line or a word does."""
    start = 0
    while start < len(text):
        end = start + longest
        if end < len(text):
            breaks = (text.rfind(mark, start + longest // 2, end) for mark in ("\n", " "))
            end = next((place + 1 for place in breaks if place > 0), end)
        yield start, end
        start = end
