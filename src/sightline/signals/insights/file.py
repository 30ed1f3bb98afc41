"""Insights in the workspace file."""

from typing import get_args

from sightline.platform.file_section import Link, Table
from sightline.platform.file_section import fields as of
from sightline.signals.insights.records import LONGEST_TITLE, InsightReviewState

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
)
