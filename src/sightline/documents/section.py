"""Documents in the workspace file: they stand inside of their initiative, with what they said before."""

from typing import Any

from sightline.platform.file_section import Entry, Field, Run, Table
from sightline.platform.file_section import fields as of

TYPES = ("INITIATIVE_BRIEF", "PRD", "TDD")


_KEEP = """
INSERT INTO document_versions (workspace_id, document_id, version, content, sources, writer, written_at)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING"""


async def _keep_what_was(run: Run, entries: list[Entry]) -> None:
    """What a document said before becomes one of its earlier versions."""
    moved = [entry for entry in entries if not entry.is_new and entry.row["version"] > entry.stored["version"]]
    columns = ("version", "content", "sources", "writer", "updated_at")
    if moved:
        rows = [(run.workspace_id, entry.id, *(entry.stored[column] for column in columns)) for entry in moved]
        await run.tx.run_many(_KEEP, rows)


async def _settle(run: Run, entries: list[Entry]) -> None:
    """Another content is another version. A document is newer than all of its earlier versions."""
    for entry in entries:
        if not entry.broken and not entry.is_new and "version" not in entry.given:
            entry.row["version"] += entry.row["content"] != entry.stored["content"]
        earlier = [part.get("version", 0) for part in entry.given.get("earlier") or ()]
        if not entry.broken and earlier and max(earlier) >= entry.row["version"]:
            run.refuse(entry, "version", "Has to be larger than those of the earlier versions")


_CONTENT: tuple[Field, ...] = (
    of.text("content"),
    of.json("sources", list[Any], default=[]),
    of.json("writer", dict[str, Any]),
)

EARLIER = Table(
    "initiatives.documents.earlier",
    "document_versions",
    (
        Field("version", "version", of.whole("version", 1, least=1).type, required=True),
        *_CONTENT,
        of.moment("writtenAt", required=True),
    ),
    parents=(("document_id", "id"),),
    primary=("document_id", "version"),
    keyed=False,
    stamped=False,
    order="version",
)
DOCUMENTS = Table(
    "initiatives.documents",
    "documents",
    (of.choice("type", *TYPES), of.whole("version", 1, least=1), *_CONTENT),
    kind="document",
    children=(EARLIER,),
    parents=(("initiative_id", "id"),),
    identities=(("initiative_id", "type"),),
    order="type, id",
    settle=_settle,
    after=_keep_what_was,
)
