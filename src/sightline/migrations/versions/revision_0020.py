"""Study feedback in the order of its changes."""

from sightline.migrations.runner import run_sql

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    run_sql(revision)
