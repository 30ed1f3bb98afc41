"""Times of writing, kept plans, kept answers of every POST, words of a search, ratings in the order of changes."""

from sightline.migrations.runner import run_sql

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    run_sql(revision)
