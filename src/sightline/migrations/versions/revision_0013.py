"""Background jobs in a table of our own."""

from sightline.migrations.runner import run_sql

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    run_sql(revision)
