"""How records get their ids."""

from uuid import UUID, uuid5

from asyncpg.pgproto.pgproto import UUID as StoredUUID
from uuid_utils import uuid7

__all__ = ["derived_id", "new_id"]

_NAMESPACE = UUID("6f0d5a6e-0c52-5d0e-9a53-5c1d8b2f7a10")


def new_id() -> UUID:
    """A UUIDv7: ids made one after another lie beside each other in every index."""
    return StoredUUID(uuid7().bytes)  # the database's own kind, as rows have it: 0.2 us instead of 0.6 us


def derived_id(*names: str | UUID) -> UUID:
    """The same id for the same names, on every machine: for records that are known by a key of their author's."""
    return uuid5(_NAMESPACE, "\x1f".join(str(name) for name in names))
