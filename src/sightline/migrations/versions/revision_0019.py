"""Aliases of ideas."""

from sightline.migrations.runner import run_sql

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    run_sql(revision)
