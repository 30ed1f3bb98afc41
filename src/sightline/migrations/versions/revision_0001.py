"""The data model of the first release."""

from sightline.migrations.runner import run_sql

revision = "0001"
down_revision = None


def upgrade() -> None:
    run_sql(revision)
