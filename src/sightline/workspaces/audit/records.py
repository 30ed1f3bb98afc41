"""The entries of the trail."""

from typing import Any
from uuid import UUID

from sightline.platform.wire import Record, Timestamp


class AuditEntry(Record):
    """One write: the actor, the action and the record. `actor_name` is the name of the key, if the actor is one."""

    at: Timestamp
    kind: str
    record_id: UUID
    public_id: str | None
    action: str
    actor_kind: str
    actor_id: str | None
    actor_name: str | None
    detail: Any
