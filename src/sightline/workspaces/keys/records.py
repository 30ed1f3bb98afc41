"""API keys: shown, created and stored."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from sightline.platform.wire import Record, Timestamp


class ApiKey(Record):
    """A key without its secret. `replaced_by` is the key that replaced it when it was rolled."""

    id: UUID
    token_id: str
    name: str
    scopes: list[str]
    member: str | None
    created_at: Timestamp
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    last_used_at: Timestamp | None
    replaced_by: UUID | None


class CreatedKey(Record):
    """A key with its secret, which is shown once."""

    id: UUID
    key: str
    name: str
    scopes: list[str]
    member: str | None
    created_at: Timestamp
    expires_at: Timestamp | None


class NewKey(Struct, frozen=True):
    """A key to create. `scopes` may be `["all"]`; `member` is the e-mail address of its creator."""

    name: str
    scopes: list[str]
    member: str | None = None
    expires_at: datetime | None = None


class StoredKey(Struct, frozen=True):
    """A stored key, to check requests. `role` is None unless its creator is an active member.

    `is_used`: the time of a last use is stored.
    """

    id: UUID
    workspace_id: UUID
    name: str
    secret_hash: bytes
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    member_id: UUID | None
    is_used: bool
    role: str | None
