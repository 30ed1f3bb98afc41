"""Insights in the workspace file."""

from collections.abc import AsyncIterator
from typing import Annotated, cast

from msgspec import UNSET, UnsetType

from sightline.platform.file_section.entries import Entry, Run, sound
from sightline.platform.file_section.extracts import EXTRACTS, Extract
from sightline.platform.file_section.tables import KeyedRecord, Link, Links, Table
from sightline.platform.wire import Word
from sightline.signals.insights.records import InsightReviewState, Title
from sightline.signals.insights.same_words import Drafted, add_keys


async def _add_keys(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Lets processing find the statements that it made elsewhere."""
    yield
    rows = [entry.row for entry in sound(entries) if entry.is_new and entry.row["origin"] == "processing"]
    made = {row["id"]: Drafted(row["title"], row["category"], row["extracts"]) for row in rows}
    await add_keys(run.tx, run.workspace_id, made)


class InsightRecord(KeyedRecord):
    """A statement with the quotes that support it."""

    external_id: Word | None = None
    title: Title | UnsetType = UNSET
    description: str | None = ""
    category: Word | None = cast("Word", "observation")
    extracts: Annotated[list[Extract] | None, EXTRACTS] = None
    review_state: InsightReviewState | None = "unreviewed"
    merged_into: Annotated[Word | None, Link("insights", "merged_into", late=True)] = None
    origin: Word | None = cast("Word", "manual")
    accounts: Annotated[list[str] | None, Links("accounts", "insight_accounts")] = None
    signals: Annotated[list[str] | None, Links("signals", "insight_signals")] = None


INSIGHTS = Table(
    "insights",
    "insights",
    InsightRecord,
    identities=(("external_id",),),
    versioned="version",
    counted=True,
    rules=_add_keys,
)
