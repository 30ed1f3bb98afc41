"""The portal's list by votes."""

from sightline.migrations.runner import run_sql

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    run_sql(revision)
