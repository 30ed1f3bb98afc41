"""Feeds: signals and study feedback at any length, under any filter."""

from sightline.migrations.runner import run_sql

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    run_sql(revision)
