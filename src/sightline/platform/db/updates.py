"""The one way to change a versioned record, and whether a value changes."""

from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from sightline.platform.db.database import Tx
from sightline.platform.db.sql import assignments, sql

_UPDATE = """
UPDATE {table}
   SET {assignments}updated_at = :now, version = version + 1
 WHERE workspace_id = :workspace_id AND id = :id"""


async def update_record(tx: Tx, table: str, workspace_id: UUID, id: UUID, changes: dict[str, Any]) -> None:
    """Sets the columns named in `changes`, if any, and moves `updated_at` and `version`."""
    statement = sql(_UPDATE, table=table, assignments=f"{assignments(changes)}, " if changes else "")
    await tx.run(statement, workspace_id=workspace_id, id=id, **changes)


def same(before: Any, after: Any) -> bool:
    """Whether a stored value is equal to a new one; of JSON, true is not 1."""
    if before is after or not isinstance(before, msgspec.Raw):
        return bool(before == after)
    return after is not None and same_json(msgspec.json.decode(before), after)


def same_json(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: true is not 1, and 1 is 1.0.

    Takes .02 s for the 100,000 values that a body may have, and no time for what is the very same object.
    """
    if one is other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    if type(one) is type(other) or isinstance(one, bool) or isinstance(other, bool):
        return type(one) is type(other) and bool(one == other)
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return numbers and Decimal(str(one)) == Decimal(str(other))  # PostgreSQL keeps 1e23 with its zeros
