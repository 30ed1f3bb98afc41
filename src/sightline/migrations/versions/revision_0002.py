"""Background jobs: the queue's tables, and the finished jobs."""

from sightline.migrations.runner import run_sql

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    run_sql(revision)
