"""Insights that are rejected, and quotes of signals that are deleted."""

from sightline.migrations.runner import run_sql

revision = "0005"
down_revision = "0003"


def upgrade() -> None:
    run_sql(revision)
