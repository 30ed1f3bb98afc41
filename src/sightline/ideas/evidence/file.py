"""Evidence of ideas in the workspace file."""

from typing import Annotated, cast

from msgspec import UNSET, UnsetType

from sightline.ideas.evidence.records import EvidenceOrigin, EvidenceRole
from sightline.platform.file_parts.extracts import EXTRACTS, Extract, hold_quoted
from sightline.platform.file_parts.tables import KeyedRecord, Link, Table
from sightline.platform.wire import Moment, Word
from sightline.signals.insights.records import Title


class EvidenceRecord(KeyedRecord):
    """Evidence for or against an idea."""

    title: Title | UnsetType = UNSET
    description: str | None = ""
    category: Word | None = cast("Word", "observation")
    extracts: Annotated[list[Extract] | None, EXTRACTS] = None
    signal: Annotated[Word | None, Link("signals")] = None
    role: EvidenceRole | None = "supports"
    origin: EvidenceOrigin | None = "manual"
    resolved_at: Moment | None = None
    resolution: str | None = None
    resolved_by: Annotated[Word | None, Link("members", "resolved_by")] = None
    dismissed_at: Moment | None = None


EVIDENCE = Table(
    "ideas.evidence", "idea_evidence", EvidenceRecord, parents=("idea_id",), versioned="version", rules=hold_quoted
)
