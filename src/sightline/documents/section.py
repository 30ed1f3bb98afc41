"""Documents in the workspace file: they stand inside of their initiative, with what they said before."""

from typing import Any

from sightline.platform.file_section import Entry, Field, Run, Table
from sightline.platform.file_section import fields as of

TYPES = ("INITIATIVE_BRIEF", "PRD", "TDD")


async def _settle(run: Run, entries: list[Entry]) -> None:
    """The order of earlier versions is their number; a document is newer than all of them."""
    for entry in entries:
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
)
