"""Ideas that wait for a model."""

from sightline.migrations.runner import run_sql

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    run_sql(revision)
