"""Insights in the workspace file."""

from typing import get_args

from sightline.platform.file_section import Entry, Link, Run, Table
from sightline.platform.file_section import fields as of
from sightline.signals.insights.records import LONGEST_TITLE, InsightReviewState
from sightline.signals.insights.statements import Drafted, add_keys


async def _add_keys(run: Run, entries: list[Entry]) -> None:
    """Lets processing find the statements that it made elsewhere."""
    rows = [entry.row for entry in entries if entry.is_new and entry.row["origin"] == "processing"]
    made = {row["id"]: Drafted(row["title"], row["category"], row["extracts"]) for row in rows}
    await add_keys(run.tx, run.workspace_id, made)


INSIGHTS = Table(
    "insights",
    "insights",
    (
        of.word("externalId"),
        of.name("title", LONGEST_TITLE),
        of.text("description"),
        of.word("category", default="observation"),
        of.extracts(),
        of.choice("reviewState", *get_args(InsightReviewState), default="unreviewed"),
        of.reference("mergedInto", "insights", late=True).under("merged_into"),
        of.word("origin", default="manual"),
    ),
    kind="insight",
    links=(
        Link("accounts", "accounts", "insight_accounts", "insight_id", "account_id", "account_ids"),
        Link("signals", "signals", "insight_signals", "insight_id", "signal_id", "signal_ids"),
    ),
    identities=(("external_id",),),
    versioned="version",
    counted="insight",
    after=_add_keys,
)
