"""Insights in the workspace file."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, cast

from msgspec import UNSET, UnsetType

from sightline.platform.db import sql
from sightline.platform.file_parts.entries import Entry, Run, sound
from sightline.platform.file_parts.extracts import EXTRACTS, Extract, hold_quoted
from sightline.platform.file_parts.tables import KeyedRecord, Link, Links, Table
from sightline.platform.wire import Word
from sightline.signals.insights.records import InsightReviewState, Title
from sightline.signals.insights.same_words import Drafted, add_keys


async def _settle(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Holds quoted signals, and lets processing find the statements that it made elsewhere."""
    async with asynccontextmanager(hold_quoted)(run, entries):
        yield
    rows = [entry.row for entry in sound(entries) if entry.is_new and entry.row["origin"] == "processing"]
    made = {row["id"]: Drafted(row["title"], row["category"], row["extracts"]) for row in rows}
    await add_keys(run.tx, run.workspace_id, made)


# Waits for a merge of a target that has not ended.
_HOLD_TARGETS = sql("SELECT FROM insights WHERE workspace_id = :workspace_id AND id = ANY(:targets) FOR SHARE")
# In a dry run nothing of the file is stored, and `later` has what the file says of a target.
_FAULTY_MERGES = sql("""
WITH given AS (SELECT * FROM unnest(:ids::uuid[], :targets::uuid[]) AS given (id, target))
SELECT given.id,
       CASE WHEN given.target = given.id THEN 'An insight cannot be merged into itself'
            WHEN CASE WHEN later.id IS NULL THEN target.merged_into ELSE later.target END IS NOT NULL
                 OR target.review_state = 'merged'
            THEN 'That insight is itself merged into another one'
            WHEN EXISTS (SELECT FROM insights AS m
                          WHERE m.workspace_id = :workspace_id AND m.merged_into = given.id AND m.id <> ALL(:ids))
            THEN 'Other insights are merged into this one: merge them into the other one too'
       END AS fault
  FROM given
  LEFT JOIN given AS later ON later.id = given.target
  LEFT JOIN insights AS target ON target.workspace_id = :workspace_id AND target.id = given.target
 WHERE given.target IS NOT NULL""")


async def _check_merges(run: Run, entries: list[Entry]) -> None:
    """Refuses new merges into a merged insight, as the API does."""
    merged = [entry for entry in entries if "mergedInto" in entry.changed]
    targets = {entry.values["id"]: entry.values["merged_into"] for entry in merged}
    given = {"workspace_id": run.workspace_id, "targets": list(targets.values())}
    await run.tx.run(_HOLD_TARGETS, **given)
    rows = await run.tx.rows(_FAULTY_MERGES, **given, ids=list(targets))
    faults = {row["id"]: row["fault"] for row in rows}
    for entry in merged:
        if fault := faults.get(entry.values["id"]):
            run.refuse(entry, "mergedInto", fault)


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
    rules=_settle,
    check_late=_check_merges,
)
