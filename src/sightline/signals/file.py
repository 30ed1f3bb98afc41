"""Signals in the workspace file."""

from typing import Annotated, Any, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sightline.intelligence.embedded.naming import name_idea
from sightline.platform.file_parts.entries import Entry, Linked, Run
from sightline.platform.file_parts.tables import Extra, KeyedRecord, Link, Links, Part, Table
from sightline.platform.wire import Line, Name, Word
from sightline.signals.file_content import TranscriptPart, show_content, store_content
from sightline.signals.material import material_of, name_of
from sightline.signals.records import (
    AnalysisProfile,
    EvidenceKind,
    ProcessorType,
    SignalContext,
    SignalStatus,
    SignalType,
    Slug,
    label_of,
)


class SourcePart(Part, rename=None):
    type: Annotated[str, Meta(min_length=1, max_length=255)] | UnsetType = UNSET
    external_data: dict[str, Any] | UnsetType = UNSET


class SourceLinkPart(Part):
    name: Line
    url: Line
    type: Line = "link"
    primary: bool = False


def _complete(run: Run, entry: Entry) -> None:
    """Splits `source` into two columns. Type and label default to the provider's. Adds the primary account.

    A new signal without a name is named by its content.
    """
    row, source = entry.row, entry.given.get("source") or {}
    if row["name"] is None:
        row["name"] = _content_name(entry) if entry.is_new else entry.stored["name"]
    if row["name"] is None:
        run.refuse(entry, "name", "Is needed for a new record without a text")
    row["source_type"] = source.get("type", row["source_type"])
    row["external_data"] = source.get("external_data", row["external_data"])
    if entry.is_new:
        row["source_type"] = row["source_type"] or row["provider_type"]
        row["source_label"] = row["source_label"] or label_of(row["provider_type"])
    if "account" in entry.given or "accounts" in entry.given:
        stored = [] if entry.is_new else [Linked(id) for id in entry.stored["account_ids"]]
        accounts, primary = entry.links.get("accounts", stored), entry.row["account_id"]
        is_added = primary is not None and primary not in [linked.id for linked in accounts]
        entry.links["accounts"] = [Linked(primary), *accounts] if is_added else accounts


def _content_name(entry: Entry) -> str | None:
    raw, data = entry.given.get("rawData") or {}, entry.given.get("data") or {}
    transcript = {"transcript": entry.given["transcript"]} if entry.given.get("transcript") else {}
    return name_of(material_of("text", raw | transcript, data), name_idea)


_INITIATIVES = Links("initiatives", "signal_initiatives", "accepted", late=True, is_repeated=False)
_STUDIES = Links("studies", "signal_studies", late=True, is_repeated=False)


class InitiativeLink(Part):
    """An initiative, and whether the signal is accepted as its evidence."""

    initiative: str
    accepted: bool | UnsetType = UNSET


class SignalRecord(KeyedRecord):
    """An imported piece of evidence. A new one without a name is named by its text or its speakers."""

    name: Name | None = None
    signal_type: SignalType | None = None
    context: SignalContext | None = "other"
    processor_type: ProcessorType | None = "text"
    provider_type: Slug | None = cast("Slug", "api")
    evidence_kind: EvidenceKind | None = "note"
    analysis_profile: AnalysisProfile | None = "customer_evidence"
    status: SignalStatus | None = "processed"
    source_key: Word | None = None
    external_id: Word | None = None
    integration: Annotated[Word | None, Link("integrations")] = None
    origin: str | None = None
    source_label: Line | None = ""
    source_links: Annotated[list[SourceLinkPart], Meta(max_length=100)] | None = msgspec.field(default_factory=list)
    data: dict[str, Any] | None = msgspec.field(default_factory=dict)
    import_: dict[str, Any] | None = msgspec.field(default=None, name="import")
    failure: Line | None = None
    account: Annotated[Word | None, Link("accounts")] = None
    accounts: Annotated[list[str] | None, Links("accounts", "signal_accounts")] = None
    initiatives: Annotated[list[str | InitiativeLink] | None, _INITIATIVES] = None
    studies: Annotated[list[str] | None, _STUDIES] = None
    source: Annotated[SourcePart | None, Extra()] = None
    transcript: Annotated[TranscriptPart | None, Extra()] = None
    raw_data: Annotated[dict[str, Any] | None, Extra()] = None


SIGNALS = Table(
    "signals",
    "signals",
    SignalRecord,
    identities=(("source_key", "external_id"), ("origin",)),
    versioned="version",
    numbered=True,
    counted=True,
    hidden={"source_type": "", "external_data": {}, "transcript": None, "process_after": None},
    batch=100,
    complete=_complete,
    rules=store_content,
    show=show_content,
)
