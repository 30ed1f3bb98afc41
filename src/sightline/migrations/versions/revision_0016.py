"""What tasks with a model took."""

from sightline.migrations.runner import run_sql

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    run_sql(revision)
