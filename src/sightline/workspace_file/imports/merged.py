"""Posts that another tool merged into others."""

from collections.abc import Iterable
from typing import Any

from sightline.platform.file_section import Faults
from sightline.workspace_file.lines import path_of
from sightline.workspace_file.reading import Line
from sightline.workspace_file.sections import all_tables
from sightline.workspace_file.values import check


def united(merged: Iterable[Line]) -> list[Line]:
    """Returns a line for each post that others were merged into: their words as evidence, old identities and voters.

    A post that was merged into a merged one goes to the last of the chain. Its line is that of the first merged post.
    """
    lines = {_identity(line): line for line in merged}
    found: dict[tuple[Any, str], Line] = {}
    for line in lines.values():
        target = _target(line, lines)
        words = {
            "key": f"merged-{line.given.get('externalId')}"[:255],
            "title": line.given.get("name") or str(line.given.get("description", ""))[:255],
            "description": line.given.get("description") or "",
            "origin": "import",
        }
        given: dict[str, Any] = {"sourceKey": target[0], "externalId": target[1], "evidence": [], "aliases": []}
        first = found.setdefault(target, Line(line.number, given, None))
        first.given["evidence"].append(words)
        first.given["aliases"].append(
            {"sourceKey": line.given.get("sourceKey"), "externalId": line.given["externalId"]}
        )
        found[target] = first._replace(voters=(*first.voters, *line.voters))
    record = all_tables()["ideas"].record
    return [line._replace(record=check(line.given, record, path_of(line.number), Faults())) for line in found.values()]


def _identity(line: Line) -> tuple[Any, str]:
    return line.given.get("sourceKey"), str(line.given.get("externalId"))


def _target(line: Line, merged: dict[tuple[Any, str], Line]) -> tuple[Any, str]:
    at, seen = line, set()
    while True:
        target = (at.given.get("sourceKey"), str(at.merged_into))
        if target not in merged or target in seen:
            return target
        seen.add(target)
        at = merged[target]
