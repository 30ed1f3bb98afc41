"""Signals in the workspace file, with insights and opportunities."""

from collections.abc import Sequence
from typing import Annotated, Any, get_args
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from sightline.platform.db import Tx, sql
from sightline.platform.file_section import Entry, Field, Link, Run, Section, Table
from sightline.platform.file_section import fields as of
from sightline.platform.file_section.entries import Linked
from sightline.platform.file_section.tables import Showing
from sightline.signals.file_content import TranscriptPart, settle_raw, show_raw, write_raw
from sightline.signals.insights.file import INSIGHTS
from sightline.signals.opportunities.file import OPPORTUNITIES
from sightline.signals.records import (
    AnalysisProfile,
    EvidenceKind,
    ProcessorType,
    SignalContext,
    SignalStatus,
    SignalType,
)

Slug = Annotated[str, Meta(pattern=r"^[a-z0-9]+([_-][a-z0-9]+)*\Z", max_length=255, examples=["help_desk"])]


class SourcePart(Struct, forbid_unknown_fields=True):
    type: Annotated[str, Meta(min_length=1, max_length=255)] | UnsetType = UNSET
    external_data: dict[str, Any] | UnsetType = UNSET


class SourceLink(Struct, forbid_unknown_fields=True):
    name: str
    url: str
    type: str = "link"
    primary: bool = False


def _store_links(value: Sequence[dict[str, Any]], lookup: of.Lookup) -> list[dict[str, Any]]:
    """Stores each link with all four of its members."""
    return [msgspec.to_builtins(msgspec.convert(link, SourceLink)) for link in value]


async def _settle(run: Run, entries: list[Entry]) -> None:
    _settle_sources(entries)
    await _settle_accounts(run, entries)
    for entry in entries:
        if not entry.broken and (entry.is_new or entry.row["status"] != entry.stored["status"]):
            waits = entry.row["status"] in ("pending", "processing")
            entry.row["process_after"] = run.tx.now if waits else None
    await settle_raw(run, entries)


def _settle_sources(entries: Sequence[Entry]) -> None:
    """Splits `source` into two columns. Type and label default to the provider's."""
    for entry in entries:
        source = entry.given.get("source") or {}
        if "type" in source:
            entry.row["source_type"] = source["type"]
        if "external_data" in source:
            entry.row["external_data"] = source["external_data"]
        if entry.is_new and not entry.broken:
            provider = entry.row["provider_type"]
            entry.row["source_type"] = entry.row["source_type"] or provider
            entry.row["source_label"] = entry.row["source_label"] or provider.replace("_", " ").capitalize()


_ACCOUNTS = sql("""
SELECT l.signal_id, l.account_id
  FROM unnest(:ids::uuid[]) AS w (id)
 CROSS JOIN LATERAL (
       SELECT * FROM signal_accounts WHERE workspace_id = :workspace_id AND signal_id = w.id OFFSET 0) AS l
 ORDER BY l.link""")


async def _settle_accounts(run: Run, entries: Sequence[Entry]) -> None:
    """Adds the primary account to the accounts."""
    moving = [e for e in entries if not e.broken and ("account" in e.given or "accounts" in e.given)]
    silent = [entry.id for entry in moving if "accounts" not in entry.links and not entry.is_new]
    stored: dict[UUID, list[Linked]] = {}
    for row in await run.tx.rows(_ACCOUNTS, workspace_id=run.workspace_id, ids=silent) if silent else ():
        stored.setdefault(row["signal_id"], []).append(Linked(row["account_id"], False))
    for entry in moving:
        accounts = entry.links.get("accounts", stored.get(entry.id, []))
        primary = entry.row["account_id"]
        if primary is not None and primary not in [linked.id for linked in accounts]:
            accounts = [Linked(primary, False), *accounts]
        entry.links["accounts"] = accounts


async def _show(tx: Tx, workspace_id: UUID, rows: Sequence[Any]) -> Showing:
    show_big = await show_raw(tx, workspace_id, rows)

    def show(row: Any) -> dict[str, Any]:
        source = {"type": row["source_type"], "external_data": of.show_json(row["external_data"])}
        return {"source": source} | show_big(row)

    return show


_HIDDEN = (
    Field("source", "source_type", str, ""),
    Field("externalData", "external_data", dict, {}, json=True),
    Field("transcript", "transcript", dict, None, True, json=True),
    Field("processAfter", "process_after", str, None, True),
)

SIGNALS = Table(
    "signals",
    "signals",
    (
        of.name(),
        of.choice("signalType", *get_args(SignalType), nullable=True),
        of.choice("context", *get_args(SignalContext), default="other"),
        of.choice("processorType", *get_args(ProcessorType), default="text"),
        Field("providerType", "provider_type", Slug, "api"),
        of.choice("evidenceKind", *get_args(EvidenceKind), default="note"),
        of.choice("analysisProfile", *get_args(AnalysisProfile), default="customer_evidence"),
        of.choice("status", *get_args(SignalStatus), default="processed"),
        of.word("sourceKey"),
        of.word("externalId"),
        of.reference("integration", "integrations"),
        of.text("origin", nullable=True),
        of.text("sourceLabel"),
        Field("sourceLinks", "source_links", list[SourceLink], [], store=_store_links, show=of.show_json, json=True),
        of.json("data", default={}),
        of.json("import", dict[str, Any]),
        of.text("failure", nullable=True),
        of.reference("account", "accounts"),
    ),
    kind="signal",
    links=(
        Link("accounts", "accounts", "signal_accounts", "signal_id", "account_id", "account_ids"),
        Link(
            "initiatives",
            "initiatives",
            "signal_initiatives",
            "signal_id",
            "initiative_id",
            item="initiative",
            flag="accepted",
            late=True,
        ),
        Link("studies", "studies", "signal_studies", "signal_id", "study_id", late=True),
    ),
    identities=(("source_key", "external_id"), ("origin",)),
    versioned="version",
    numbered="signal",
    counted="signal",
    order="number",
    hidden=_HIDDEN,
    extra=(
        ("source", SourcePart),
        ("transcript", TranscriptPart),
        ("rawData", dict[str, Any]),
    ),
    batch=100,
    settle=_settle,
    after=write_raw,
    show=_show,
)

SECTION = Section(tables=(SIGNALS, INSIGHTS, OPPORTUNITIES))
