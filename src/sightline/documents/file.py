"""Documents in the workspace file: part of their initiative, with their earlier versions."""

from typing import Any

from sightline.intelligence.material import DocumentType
from sightline.platform.db.sql import columns, sql, values
from sightline.platform.file_section import Entry, Field, Run, Table
from sightline.platform.file_section import fields as of

_VERSIONED = "version, content, sources, writer"
_KEEP_VERSION = sql(
    """
INSERT INTO document_versions (workspace_id, document_id, {columns}, written_at)
VALUES (:workspace_id, :document_id, {values}, :written_at) ON CONFLICT DO NOTHING""",
    columns=_VERSIONED,
    values=values(columns(_VERSIONED)),
)


async def _keep_versions(run: Run, entries: list[Entry]) -> None:
    """Keeps the previous content of a document as an earlier version."""
    replaced = [entry for entry in entries if not entry.is_new and entry.row["version"] > entry.stored["version"]]
    if replaced:
        await run.tx.run_many(_KEEP_VERSION, [_kept(run, entry) for entry in replaced])


def _kept(run: Run, entry: Entry) -> dict[str, Any]:
    stored = {name: entry.stored[name] for name in columns(_VERSIONED)}
    return {
        "workspace_id": run.workspace_id,
        "document_id": entry.id,
        **stored,
        "written_at": entry.stored["updated_at"],
    }


async def _settle(run: Run, entries: list[Entry]) -> None:
    """Raises the version of changed content; refuses a version that is not above the earlier ones."""
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
    (of.choice("type", *map(str, DocumentType)), of.whole("version", 1, least=1), *_CONTENT),
    kind="document",
    children=(EARLIER,),
    parents=(("initiative_id", "id"),),
    identities=(("initiative_id", "type"),),
    order="type, id",
    settle=_settle,
    after=_keep_versions,
)
