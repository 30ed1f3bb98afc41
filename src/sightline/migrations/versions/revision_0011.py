"""Stored responses name their record, and are deleted with it."""

from sightline.migrations.runner import run_sql

revision = "0011"
down_revision = "0005"


def upgrade() -> None:
    run_sql(revision)
