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
    "public_numbers": "workspaces",
    "record_counts": "workspaces",
    "changes": "workspaces",
    "idempotency_keys": "platform",  # the answer is kept by what answers, in the transaction that created
}
WRITTEN_BY_ALL = {
    "changes": "a statement that writes a record adds its line of the trail in the same breath",
    "record_counts": "likewise, for a row really inserted or deleted",
}
WRITES_ALL = {
    "workspace_file": "writes what the rooms' sections declare",
    "backup": "copies and restores whole tables",
    "bench": "fills a database of its own",
    "migrations": "makes the tables",
}
# Found by what names them before a workspace is known.
DIRECTORY = {
    "workspaces": "the list of workspaces itself",
    "members": "of several workspaces at once, for keys that are looked up",
    "api_keys": "a request brings a key and nothing else",
    "portals": "a request brings a host or an alias",
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
    for source in rooms():
        for line, text in source.statements():
            named = set(re.findall(r"\b(?:FROM|INTO|UPDATE|JOIN)\s+(\w+)", text))
            is_limited = "workspace_id" in text or "WHERE {where}" in text  # a Where begins with the workspace
            if not is_limited and NO_TABLE.search(text) and not named & DIRECTORY.keys():
                yield f"{source}:{line} {' '.join(text.split())[:90]}"


def test_every_statement_of_a_room_names_the_workspace() -> None:
    found = list(statements_without_a_workspace())
    assert not found, "\n".join([*found, "Begin the condition with `workspace_id = $1`: nothing may leak to others."])
