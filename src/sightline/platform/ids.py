"""The ids of records."""

from uuid import UUID, uuid5

from asyncpg.pgproto.pgproto import UUID as StoredUUID
from uuid_utils import uuid7

_NAMESPACE = UUID("6f0d5a6e-0c52-5d0e-9a53-5c1d8b2f7a10")


def new_id() -> UUID:
    """Returns a UUIDv7: ids created one after another are adjacent in every index."""
    return StoredUUID(uuid7().bytes)  # the driver's own type, as in rows: 0.2 us instead of 0.6 us


def derived_id(*names: str | UUID) -> UUID:
    """Returns the same id for the same names on every machine, for records that their author names by a key."""
    return uuid5(_NAMESPACE, "\x1f".join(str(name) for name in names))
