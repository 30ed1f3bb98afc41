"""Documents in the workspace file: part of their initiative, with their earlier versions."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from sightline.initiatives.file import INITIATIVES as WITHOUT_DOCUMENTS
from sightline.initiatives.file import InitiativeRecord
from sightline.intelligence.material import DocumentType
from sightline.platform.db import sql
from sightline.platform.file_parts.entries import Entry, Run, sound
from sightline.platform.file_parts.tables import FileRecord, KeyedRecord, Part, Table
from sightline.platform.wire import Moment, Positive, Short

_KEEP_VERSIONS = sql("""
INSERT INTO document_versions (workspace_id, document_id, version, content, sources, writer, written_at)
SELECT workspace_id, id, version, content, sources, writer, updated_at
  FROM documents WHERE workspace_id = :workspace_id AND id = ANY(:ids)
ON CONFLICT DO NOTHING""")


async def _move_versions(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Raises the version of changed content, and keeps the previous content as an earlier version.

    Refuses a version that is not above the earlier ones.
    """
    for entry in sound(entries):
        if not entry.is_new and "version" not in entry.given:
            entry.row["version"] += entry.row["content"] != entry.stored["content"]
        earlier = [part.get("version", 0) for part in entry.given.get("earlier") or ()]
        if earlier and max(earlier) >= entry.row["version"]:
            run.refuse(entry, "version", "Has to be larger than those of the earlier versions")
    replaced = [one.id for one in sound(entries) if not one.is_new and one.row["version"] > one.stored["version"]]
    await run.tx.run(_KEEP_VERSIONS, workspace_id=run.workspace_id, ids=replaced)
    yield


class WriterPart(Part):
    """The engine that wrote a document."""

    name: Short
    version: Short


class EarlierRecord(FileRecord):
    """An earlier version of a document."""

    version: Positive | UnsetType = UNSET
    content: str | None = ""
    sources: list[Any] | None = msgspec.field(default_factory=list)
    writer: WriterPart | None = None
    written_at: Moment | UnsetType = UNSET


EARLIER = Table(
    "initiatives.documents.earlier",
    "document_versions",
    EarlierRecord,
    parents=("document_id",),
    logged=False,
    primary=("document_id", "version"),
    stamped=False,
    order="version",
)


class DocumentRecord(KeyedRecord):
    """A document of an initiative, of which there is one of each type."""

    type: DocumentType | UnsetType = UNSET
    version: Positive | None = 1
    content: str | None = ""
    sources: list[Any] | None = msgspec.field(default_factory=list)
    writer: WriterPart | None = None
    earlier: list[EarlierRecord] | None = None


DOCUMENTS = Table(
    "initiatives.documents",
    "documents",
    DocumentRecord,
    children=(EARLIER,),
    parents=("initiative_id",),
    identities=(("initiative_id", "type"),),
    order="type, id",
    rules=_move_versions,
)


class DocumentedInitiative(InitiativeRecord):
    """An initiative with its documents."""

    documents: list[DocumentRecord] | None = None


INITIATIVES = replace(WITHOUT_DOCUMENTS, record=DocumentedInitiative, children=(*WITHOUT_DOCUMENTS.children, DOCUMENTS))
