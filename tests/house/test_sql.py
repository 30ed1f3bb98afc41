"""SQL: only the owning room writes a table, and every statement of a room names the workspace."""

import re
from collections.abc import Iterator

from tests.house.sources import ROOMS, SRC, rooms, sources

_CREATE = re.compile(r"^CREATE (?:UNLOGGED )?TABLE (\w+)", re.MULTILINE)

# Tables that a migration creates beside those of another room, as they refer to them; or on the floor.
OWNED_ELSEWHERE = {
    "idea_comments": "ideas",  # refers to portal users, which come later
    "signal_initiatives": "signals",  # refers to initiatives, which come later
    "signal_studies": "signals",  # refers to studies, which come later
}
WRITTEN_BY_ALL = {
    "changes": "a statement that writes a record adds its line of the trail in the same breath",
    "record_counts": "likewise, for a row really inserted or deleted",
}
WRITES_ALL = {
    "workspace_file": "writes what the rooms' parts declare",
    "backup": "copies and restores whole tables",
    "migrations": "makes the tables",
}
# Found by what names them before a workspace is known.
DIRECTORY = {
    "workspaces": "the list of workspaces itself",
    "members": "of several workspaces at once, for keys that are looked up",
    "api_keys": "a request brings a key and nothing else",
    "portals": "a request brings a host or an alias",
}
# Found by a key's token or id, before the workspace is known.
BEFORE_A_WORKSPACE = {
    "src/sightline/portal/sessions/queries.py",
    "src/sightline/workspaces/guard/lookups.py",
    "src/sightline/workspaces/guard/usage.py",
    "src/sightline/workspaces/keys/lifecycle.py",
}
_READ = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)")
_OUTER = re.compile(r"\bworkspace_id\s*=\s*\w+\.workspace_id\b|\bUSING\s*\(\s*workspace_id\b")
_INNERMOST = re.compile(r"\([^()]*\)")
# Statements of another database, which holds nothing of a workspace.
ELSEWHERE = {
    "src/sightline/sources/library/index.py": "an index in SQLite of the saved pages, which all workspaces share"
}
NO_TABLE = re.compile(r"\b(?:FROM|INTO|UPDATE|JOIN)\b")


def owners() -> dict[str, str]:
    """A file of a migration that is not named after a room is the floor's."""
    found: dict[str, str] = {}
    for file in sorted((SRC / "migrations/sql").glob("*/*.sql")):
        room = file.stem.partition("_")[2]
        found |= dict.fromkeys(_CREATE.findall(file.read_text()), room if room in ROOMS else "platform")
    return found | OWNED_ELSEWHERE


def foreign_writes() -> Iterator[str]:
    owner = owners()
    for source in sources("src/sightline"):
        if source.package in WRITES_ALL:
            continue
        for line, table in source.written_tables():
            if table in owner and table not in WRITTEN_BY_ALL and owner[table] != source.package:
                yield f"{source}:{line} writes {table}, which is {owner[table]}'s"


def test_only_the_owning_room_writes_a_table() -> None:
    found = list(foreign_writes())
    assert not found, "\n".join([*found, "Let the owner offer a function, or a piece of SQL, and use that."])


def statements_without_a_workspace() -> Iterator[str]:
    for source in (one for one in rooms() if str(one) not in ELSEWHERE):
        for line, text in source.statements():
            named = set(re.findall(r"\b(?:FROM|INTO|UPDATE|JOIN)\s+(\w+)", text))
            # A Where begins with the workspace, and so do the rows of a page.
            is_limited = "workspace_id" in text or "WHERE {where}" in text or "FROM ({rows})" in text
            if not is_limited and NO_TABLE.search(text) and not named & DIRECTORY.keys():
                yield f"{source}:{line} {' '.join(text.split())[:90]}"


def test_every_statement_of_a_room_names_the_workspace() -> None:
    found = list(statements_without_a_workspace())
    assert not found, "\n".join([*found, "Begin the condition with `workspace_id = :workspace_id`."])


def subqueries(text: str) -> Iterator[str]:
    """Each `(SELECT ...)` of a text, without those inside it."""
    while found := _INNERMOST.search(text):
        inside = found[0][1:-1]
        if inside.lstrip().startswith("SELECT"):
            yield inside
        text = f"{text[: found.start()]} {text[found.end() :]}"


def test_subqueries_are_found_from_the_inside() -> None:
    text = "SELECT a, (SELECT b FROM x WHERE id IN (SELECT c FROM y)) FROM z WHERE f(d)"
    assert [" ".join(one.split()) for one in subqueries(text)] == ["SELECT c FROM y", "SELECT b FROM x WHERE id IN"]


def subqueries_without_a_workspace() -> Iterator[str]:
    tables = owners().keys() - DIRECTORY.keys()
    for source in rooms():
        for line, text in source.strings:
            for inside in subqueries(text):
                is_limited = ":workspace_id" in inside or "{where}" in inside  # a Where begins with the workspace
                if not is_limited and tables & set(_READ.findall(inside)):
                    yield f"{source}:{line} {' '.join(inside.split())[:90]}"


def test_every_subquery_names_the_workspace_itself() -> None:
    found = list(subqueries_without_a_workspace())
    assert not found, "\n".join([*found, "Write `workspace_id = :workspace_id` into the subquery."])


def test_no_row_is_found_through_the_workspace_of_another() -> None:
    """The planner, and a router in front of several databases, can only use the value itself."""
    found = [
        f"{source}:{line} {outer[0]}"
        for source in rooms()
        if str(source) not in BEFORE_A_WORKSPACE
        for line, text in source.strings
        for outer in _OUTER.finditer(text)
    ]
    assert not found, "\n".join([*found, "Compare with `:workspace_id`."])
