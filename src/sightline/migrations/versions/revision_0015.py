"""The columns that revision 0014 replaced or no longer uses go."""

from sightline.migrations.runner import run_sql

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    run_sql(revision)
