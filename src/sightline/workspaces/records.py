"""Workspaces, their plans, and the context of a key."""

from uuid import UUID

from sightline.platform.wire import Record, Timestamp


class Workspace(Record):
    id: UUID
    slug: str
    name: str


class Credential(Record):
    id: UUID
    name: str
    scopes: list[str]
    created_at: Timestamp
    expires_at: Timestamp | None


class Allowance(Record):
    """How much of a limit is used. A `limit` of null means no limit."""

    used: int
    limit: int | None


class WorkspacePlan(Record):
    initiatives: Allowance
    active_initiatives: Allowance
    ai_credits: Allowance
    trial_ends_at: Timestamp | None


class AuthContext(Record):
    """The workspace of a key, the key's scopes, and the limits of the workspace's plan."""

    workspace: Workspace
    credential: Credential
    plan: WorkspacePlan
