"""Commands of a page as a reader types them, and the output that the page shows.

A block marked `bash` is run; the `http`, `json` or `text` block after it is compared with its output. `...` stands for
anything: in a text, for the rest of a list, and for further members of an object, which has no others without it.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REST = "..."
_FENCED = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:^    .*\n|^\n)+", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """Some commands, and the output that the page shows. `form` is empty if it shows none."""

    place: str
    commands: str
    form: str = ""
    shown: str = ""

    def __str__(self) -> str:
        return self.place


def steps_of(page: Path) -> list[Step]:
    """Returns the fenced commands of a page, each with the output that follows it."""
    text = page.read_text()
    steps: list[Step] = []
    for found in _FENCED.finditer(text):
        form, content = found.groups()
        if form == "bash":
            steps.append(Step(f"{page.name}:{text.count(chr(10), 0, found.start()) + 2}", content))
        elif form in ("http", "json", "text"):
            assert steps, f"{page}: an answer before the first command"
            assert not steps[-1].form, f"{page}: a second answer after {steps[-1]}"
            steps[-1] = Step(steps[-1].place, steps[-1].commands, form, content)
    return steps


def indented_step(page: Path, heading: str) -> Step:
    """All indented lines below a heading of a page, as one step."""
    text = page.read_text()
    below = text.split(f"\n{heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line[4:] for found in _INDENTED.findall(below) for line in found.splitlines()]
    return Step(f"{page.name}, {heading.strip('# ')}", "\n".join(lines) + "\n")


def run_steps(steps: Sequence[Step], folder: Path, key: str, address: str) -> list[str]:
    """Returns the output of each step. All run in one shell, one after the other, with this key at this address."""
    script = ["set -u -o pipefail"]
    for number, step in enumerate(steps):
        commands = step.commands.replace("sl_...", key).replace("http://127.0.0.1:8000", address)
        (folder / f"{number}.bash").write_text(commands)
        script.append(f"source ./{number}.bash > {number}.out 2>&1 || echo 'ended with' $? >> {number}.out")
    (folder / "all.bash").write_text("\n".join(script) + "\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8", "no_proxy": "*"}
    subprocess.run(["bash", "all.bash"], cwd=folder, env=environment, check=False, timeout=300)
    outputs = [(folder / f"{number}.out").read_text() for number, _ in enumerate(steps)]
    return [output.replace(address, "http://127.0.0.1:8000") for output in outputs]


def differences(step: Step, output: str) -> list[str]:
    """Returns the differences between the output and the page."""
    if step.form == "json":
        return list(_compare(_read(step.shown), json.loads(output), "answer"))
    if step.form == "text":
        return list(_compare(step.shown.split(), output.split(), "lines"))
    if step.form == "http":
        return list(_compare_http(step.shown, output))
    return [] if "ended with" not in output else [output]


def _compare_http(shown: str, output: str) -> Iterator[str]:
    shown_head, _, shown_body = shown.partition("\n\n")
    head, _, body = output.replace("\r", "").partition("\n\n")
    status, *lines = head.splitlines()
    expected, *shown_headers = shown_head.splitlines()
    yield from _compare(expected, status, "status")
    headers = dict(_header(line) for line in lines)
    for name, value in map(_header, shown_headers):
        yield from _compare(value, headers.get(name, "(none)"), name)
    if shown_body.strip():
        yield from _compare(_read(shown_body), json.loads(body), "answer")


def _header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.lower(), value.strip()


def _read(shown: str) -> Any:
    """JSON in which `...` is an item, or a member, of its own."""
    in_objects = re.sub(r"(?<=[{,])(\s*)\.\.\.(?=\s*})", r'\1"...": null', shown)
    return json.loads(re.sub(r"(?<=[\[,])(\s*)\.\.\.(?=\s*[\],])", r'\1"..."', in_objects))


def _compare(shown: Any, real: Any, path: str) -> Iterator[str]:
    if isinstance(shown, dict) and isinstance(real, dict):
        yield from _compare_objects(shown, real, path)
    elif isinstance(shown, list) and isinstance(real, list):
        yield from _compare_lists(shown, real, path)
    elif isinstance(shown, str) and REST in shown and isinstance(real, str):
        if not re.fullmatch(".*".join(map(re.escape, shown.split(REST))), real, re.DOTALL):
            yield f"{path}: the page shows {shown!r}, it is {real!r}"
    elif shown != real:
        yield f"{path}: the page shows {shown!r}, it is {real!r}"


def _compare_objects(shown: dict[str, Any], real: dict[str, Any], path: str) -> Iterator[str]:
    for name in shown.keys() - {REST}:
        yield from _compare(shown[name], real.get(name, "(absent)"), f"{path}.{name}")
    if REST not in shown and (left := real.keys() - shown.keys()):
        yield f"{path}: the page does not show {sorted(left)}"


def _compare_lists(shown: list[Any], real: list[Any], path: str) -> Iterator[str]:
    is_open = shown[-1:] == [REST]
    items = shown[:-1] if is_open else shown
    if len(real) < len(items) or (len(real) > len(items) and not is_open):
        yield f"{path}: the page shows {len(items)} items, there are {len(real)}"
    for index, (one, other) in enumerate(zip(items, real, strict=False)):
        yield from _compare(one, other, f"{path}[{index}]")
