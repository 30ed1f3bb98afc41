"""Columns that nothing reads go, or are left to the servers of the version before."""

from sightline.migrations.runner import run_sql

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    run_sql(revision)
