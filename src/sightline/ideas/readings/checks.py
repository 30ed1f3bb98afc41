"""What `sightline doctor` says of ideas that wait for a model."""

from datetime import timedelta
from typing import Final

from sightline.platform.checks import Check
from sightline.platform.db import Tx, sql

LATE: Final = timedelta(hours=1)

# Of all workspaces at once.
_LATE = sql("""
SELECT count(*) FROM ideas WHERE workspace_id IS NOT NULL AND model_due_at < :now::timestamptz - :late::interval""")


async def check_waiting(tx: Tx) -> list[Check]:
    """Warns when ideas have waited for over an hour; says nothing otherwise."""
    late = await tx.value(_LATE, late=LATE)
    message = f"{late} wait for a model for over an hour: does a worker run, and does the model answer?"
    return [Check("ideas", True, message, warning=True)] if late else []
