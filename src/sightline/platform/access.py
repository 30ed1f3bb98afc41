"""Who acts: an API key, a portal user, a job, a workspace file. Rooms take an Actor, never a key."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal
from uuid import UUID

from sightline.platform.errors import CreatorNotAllowed, InsufficientScope


class Role(StrEnum):
    """Each role may do what those before it may."""

    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"
    OWNER = "owner"

    def covers(self, needed: "Role") -> bool:
        order = list(Role)
        return order.index(self) >= order.index(needed)


class Scope(StrEnum):
    """What an API key may be allowed. Specification: Authentication, API key; decisions: Signals."""

    IDEAS_READ = "ideas:read"
    IDEAS_WRITE = "ideas:write"
    IDEAS_DELETE = "ideas:delete"
    SIGNAL_EVIDENCE_READ = "signal-evidence:read"
    SIGNALS_READ = "signals:read"
    SIGNALS_WRITE = "signals:write"
    SIGNALS_DELETE = "signals:delete"
    INITIATIVES_READ = "initiatives:read"
    INITIATIVES_WRITE = "initiatives:write"
    RESEARCH_READ = "research:read"
    RESEARCH_RUN = "research:run"
    RESEARCH_MANAGE = "research:manage"
    STUDIES_READ = "studies:read"
    PRODUCTS_READ = "products:read"
    ACCOUNTS_READ = "accounts:read"
    INSIGHTS_READ = "insights:read"
    INSIGHTS_WRITE = "insights:write"
    OPPORTUNITIES_READ = "opportunities:read"


ActorKind = Literal["key", "portal_user", "job", "file", "operator"]


@dataclass(frozen=True, slots=True)
class Actor:
    """`role` is the role of the key's creator, None when there is none or the member is no longer active."""

    workspace_id: UUID
    kind: ActorKind
    id: str
    name: str = ""
    scopes: frozenset[str] = frozenset()
    role: Role | None = None
    member_id: UUID | None = None
    created_at: datetime | None = None
    expires_at: datetime | None = None

    def require_scopes(self, needed: frozenset[str], alternatives: tuple[frozenset[str], ...] = ()) -> None:
        """Raises InsufficientScope unless all of `needed`, and of each set of alternatives at least one, are held."""
        if needed <= self.scopes and all(some & self.scopes for some in alternatives):
            return
        wanted = sorted(needed) + [" or ".join(sorted(some)) for some in alternatives]
        raise InsufficientScope(f"The key needs the scope {', '.join(wanted)}.", requiredScopes=wanted)

    def require_role(self, needed: Role) -> None:
        """Raises CreatorNotAllowed unless the key's creator is still an active member with that role or more."""
        if self.role is None or not self.role.covers(needed):
            raise CreatorNotAllowed(
                f"The key's creator has to be an active member of the workspace, {needed} or above."
            )

    def require_writer(self) -> None:
        self.require_role(Role.EDITOR)
