"""What is shown of workspaces and keys, and what may be wished for."""

from datetime import datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from sightline.platform.wire import Record, Timestamp

NAME_LENGTH = 255


class Workspace(Record):
    id: UUID
    slug: str
    name: str


class ApiKey(Record):
    """A key without its secret; `replaced_by` is the key that it was rolled into."""

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
    """A key at the only moment at which it is shown whole."""

    id: UUID
    key: str
    name: str
    scopes: list[str]
    member: str | None
    created_at: Timestamp
    expires_at: Timestamp | None


class NewKey(Struct, frozen=True):
    """A wish for a key: `scopes` may be `["all"]`, `member` is the e-mail address of its creator."""

    name: str
    scopes: list[str]
    member: str | None = None
    expires_at: datetime | None = None


class StoredKey(Struct, frozen=True):
    """What the guard has to know about a key; `role` is None unless its creator is an active member."""

    id: UUID
    workspace_id: UUID
    name: str
    secret_hash: bytes
    scopes: list[str]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    member_id: UUID | None
    role: str | None


class Credential(Record):
    id: UUID
    name: str
    scopes: list[str]
    created_at: Timestamp
    expires_at: Timestamp | None


class Allowance(Record):
    """How much of something is used; no `limit` means as much as is wanted."""

    used: int
    limit: int | None


class Plan(Record):
    initiatives: Allowance
    active_initiatives: Allowance
    ai_credits: Allowance
    trial_ends_at: Timestamp | None


class AuthContext(Record):
    """Which workspace a key opens, what the key may do, and what the workspace's plan allows."""

    workspace: Workspace
    credential: Credential
    plan: Plan


class AuditEntry(Record):
    """One write: who did what to which record. `actor_name` is the name of the key, where a key did it."""

    at: Timestamp
    kind: str
    record_id: UUID
    public_id: str | None
    action: str
    actor_kind: str
    actor_id: str | None
    actor_name: str | None
    detail: Any
