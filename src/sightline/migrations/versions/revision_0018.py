"""Moments of writing, kept plans, and what came with them."""

from sightline.migrations.runner import run_sql

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    run_sql(revision)
