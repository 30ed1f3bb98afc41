"""Actors and their rights: roles of members, scopes of keys. Rooms take an Actor, never a key."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID


class Role(StrEnum):
    """Roles of members, from least to most; each includes those before it."""

    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"
    OWNER = "owner"

    def covers(self, needed: "Role") -> bool:
        return _ORDER.index(self) >= _ORDER.index(needed)


_ORDER = tuple(Role)


ActorKind = Literal["key", "portal_user", "job", "file", "operator"]


@dataclass(frozen=True, slots=True)
class Actor:
    """An API key, a portal user, a job, a workspace file or an operator, in one workspace.

    `role` is the role of the key's creator; None if the key has no creator or the creator is not an active member.
    """

    workspace_id: UUID
    kind: ActorKind
    id: str
    name: str = ""
    scopes: frozenset[str] = frozenset()
    role: Role | None = None
    member_id: UUID | None = None
    created_at: datetime | None = None
    expires_at: datetime | None = None

    def has_role(self, needed: Role) -> bool:
        """Whether the key's creator is an active member with that role or one that includes it."""
        return self.role is not None and self.role.covers(needed)
