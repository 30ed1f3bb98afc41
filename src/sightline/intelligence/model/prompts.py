"""What a request to a model says: its task, a file of `tasks`, and material as data, between random marks."""

import secrets
from importlib.resources import files


def fenced(name: str, text: str) -> str:
    """Returns the text between marks with a random number."""
    mark = f"data {name} {secrets.token_hex(8)}"
    return f"<{mark}>\n{text}\n</{mark}>"


def read_task(name: str, **values: object) -> str:
    """Returns the rules of all tasks and the task of that name, with the values in their places."""
    rules, task = (files(__package__).joinpath(f"tasks/{one}.txt").read_text().rstrip() for one in ("rules", name))
    return f"{rules}\n\n{task.format(**values)}"
