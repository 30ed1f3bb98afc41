"""Posts that another tool merged: their words, old identities and votes go to the idea that has them now."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from sightline.imports.lines import path_of
from sightline.imports.reading import Batch, Line
from sightline.platform.db import Tx
from sightline.platform.file_parts.entries import Faults
from sightline.workspace_file import queries
from sightline.workspace_file.parts import TABLES
from sightline.workspace_file.values import check

Identity = tuple[Any, str]


def batches(merged: Sequence[Line], size: int = 1_000) -> Iterator[list[Line]]:
    """Yields merged posts. In a batch each is merged into another post, and none into a merged one."""
    posts = {identity(line): line for line in merged}
    rounds: list[dict[Identity, Line]] = []
    for line in posts.values():
        target = _target(line, posts)
        each = next((each for each in rounds if target not in each and len(each) < size), None)
        if each is None:
            rounds.append(each := {})
        each[target] = line._replace(merged_into=target[1])
    yield from (list(each.values()) for each in rounds)


def identity(line: Line) -> Identity:
    return line.given.get("sourceKey"), str(line.given.get("externalId"))


def _target(line: Line, posts: dict[Identity, Line]) -> Identity:
    """Returns the identity of the last post of a chain."""
    at, seen = line, set()
    while True:
        target = (at.given.get("sourceKey"), str(at.merged_into))
        if target not in posts or target in seen:
            return target
        seen.add(target)
        at = posts[target]


async def known_aliases(tx: Tx, workspace_id: UUID, lines: Sequence[Line]) -> set[Identity]:
    """Returns the identities of lines that are those of posts merged before."""
    unnamed = [line for line in lines if "id" not in line.given and not line.merged_into]
    named = [identity(line) for line in unnamed if line.given.get("sourceKey") and line.given.get("externalId")]
    if not named:
        return set()
    sets: dict[tuple[str, ...], Any] = {("source_key", "external_id"): named}
    rows = await queries.find_rows(tx, TABLES["ideas.aliases"], workspace_id, sets)
    return {(row["source_key"], row["external_id"]) for row in rows}


async def parts_of(tx: Tx, workspace_id: UUID, merged: Sequence[Line], coming: Mapping[Identity, set[str]]) -> Batch:
    """Returns the merged posts as parts of the ideas that have them now, and faults where there is no such idea.

    `coming`: the ideas that a dry run would have stored by now, and who voted for them.
    """
    targets = [(line.given.get("sourceKey"), str(line.merged_into)) for line in merged]
    found: dict[Identity, Any] = {}
    sets: dict[tuple[str, ...], Any] = {("source_key", "external_id"): targets}
    for path, column in (("ideas.aliases", "idea_id"), ("ideas", "id")):
        for row in await queries.find_rows(tx, TABLES[path], workspace_id, sets):
            found[row["source_key"], row["external_id"]] = row[column]
    batch = Batch()
    for line, target in zip(merged, targets, strict=True):
        given = _part(line)
        if target in found:
            given["id"] = str(found[target])
        elif target in coming:
            given |= {"sourceKey": target[0], "externalId": target[1], "description": "To be stored"}
        else:
            batch.faults.add(
                f"{path_of(line.number)}.mergedInto", f"There is no idea {target[1]!r}, and no line adds it"
            )
            batch.refuse_rows(line.number, line.further)
            continue
        record = check(given, TABLES["ideas"].record, path_of(line.number), Faults())
        voters = tuple(one for one in line.voters if one not in coming.get(target, ()))
        batch.lines.append(line._replace(given=given, record=record, voters=voters))
    return batch


def _part(line: Line) -> dict[str, Any]:
    given = line.given
    words = {
        "key": f"merged-{given.get('externalId')}"[:255],
        "title": given.get("name") or str(given.get("description", ""))[:255],
        "description": given.get("description") or "",
        "origin": "import",
    }
    words |= {"createdAt": given["createdAt"]} if "createdAt" in given else {}
    alias = {"sourceKey": given.get("sourceKey"), "externalId": given.get("externalId")}
    return {"evidence": [words], "aliases": [alias]}
