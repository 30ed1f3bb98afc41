"""Insights in the workspace file."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from msgspec import UNSET, UnsetType

from sightline.platform.file_section.entries import Entry, Run, sound
from sightline.platform.file_section.extracts import EXTRACTS, Extract
from sightline.platform.file_section.fields import Link, Links
from sightline.platform.file_section.records import KeyedRecord, Word
from sightline.platform.file_section.tables import Table
from sightline.signals.insights.records import InsightReviewState, Title
from sightline.signals.insights.same_words import Drafted, add_keys


@asynccontextmanager
async def _add_keys(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Lets processing find the statements that it made elsewhere."""
    yield
    rows = [entry.row for entry in sound(entries) if entry.is_new and entry.row["origin"] == "processing"]
    made = {row["id"]: Drafted(row["title"], row["category"], row["extracts"]) for row in rows}
    await add_keys(run.tx, run.workspace_id, made)


_ACCOUNTS = Links("accounts", "insight_accounts", "insight_id", "account_id", "account_ids")
_SIGNALS = Links("signals", "insight_signals", "insight_id", "signal_id", "signal_ids")


class InsightRecord(KeyedRecord):
    """A statement with the quotes that support it."""

    external_id: Word | None = None
    title: Title | UnsetType = UNSET
    description: str | None = ""
    category: Word | None = "observation"
    extracts: Annotated[list[Extract] | None, EXTRACTS] = None
    review_state: InsightReviewState | None = "unreviewed"
    merged_into: Annotated[Word | None, Link("insights", "merged_into", late=True)] = None
    origin: Word | None = "manual"
    accounts: Annotated[list[str] | None, _ACCOUNTS] = None
    signals: Annotated[list[str] | None, _SIGNALS] = None


INSIGHTS = Table(
    "insights",
    "insights",
    InsightRecord,
    kind="insight",
    identities=(("external_id",),),
    versioned="version",
    counted="insight",
    rules=_add_keys,
)
