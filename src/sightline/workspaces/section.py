"""The workspace itself, its plan and its members in the workspace file."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from sightline.platform.access import Actor, Role
from sightline.platform.db import Tx
from sightline.platform.file_section import Entry, Faults, Part, Run, Section, Table
from sightline.platform.file_section import fields as of
from sightline.platform.ids import derived_id
from sightline.platform.refs import parse_uuid
from sightline.platform.wire import Moment
from sightline.workspaces.changes import log_change

Limit = Annotated[int, Meta(ge=0, le=of.LARGEST)]
Slug = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*\Z", max_length=63)]


class PlanPart(Struct, forbid_unknown_fields=True, rename="camel"):
    """null limits mean: no limit."""

    initiative_limit: Limit | UnsetType | None = UNSET
    active_initiative_limit: Limit | UnsetType | None = UNSET
    trial_ends_at: str | UnsetType | None = UNSET
    ai_credits: Limit | UnsetType | None = UNSET
    ai_credits_used: Limit | UnsetType = UNSET
    research_policies: list[Literal["on_demand", "daily", "weekly"]] | UnsetType = UNSET
    managed_schedule: bool | UnsetType = UNSET


class WorkspacePart(Struct, forbid_unknown_fields=True, rename="camel"):
    slug: Slug
    id: str | UnsetType = UNSET
    name: Annotated[str, Meta(min_length=1, max_length=255, pattern=r"\S")] | UnsetType = UNSET
    plan: PlanPart | UnsetType = UNSET
    settings: dict[str, Any] | UnsetType = UNSET
    created_at: str | UnsetType | None = UNSET
    updated_at: str | UnsetType | None = UNSET


_FIND = "SELECT id, slug FROM workspaces WHERE slug = $1 OR id = $2"


async def open_workspace(tx: Tx, given: dict[str, Any], faults: Faults) -> tuple[UUID, bool]:
    """The id of the workspace that a file describes, and whether it is new. Creates nothing.

    Found by its slug. An id that belongs to another slug, and a slug that has another id, are faults.
    """
    named = parse_uuid(given["id"]) if "id" in given else None
    if "id" in given and named is None:
        faults.add("workspace.id", "Expected a UUID")
    slug = given["slug"]
    stored = {row["slug"]: row["id"] for row in await tx.rows(_FIND, slug, named)}
    id: UUID = stored.get(slug) or named or derived_id("workspace", slug)
    if named is not None and id != named:
        faults.add("workspace.id", f"The workspace {slug} has another id; leave the id out to keep that")
    for other in stored.keys() - {slug}:
        faults.add("workspace.id", f"Belongs to the workspace {other}; leave the id out to make a copy")
    return id, slug not in stored


_SHOW = """
SELECT w.id, w.slug, w.name, p.initiative_limit, p.active_initiative_limit, p.trial_ends_at, p.ai_credits,
       p.ai_credits_used, p.research_policies, p.managed_schedule, w.settings, w.created_at, w.updated_at
  FROM workspaces w JOIN plans p ON p.workspace_id = w.id WHERE w.id = $1"""
_ADD = "INSERT INTO workspaces (id, slug, name, created_at, updated_at) VALUES ($1, $2, $3, $4, $5)"
_ADD_PLAN = "INSERT INTO plans (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING"
_CHANGE = "UPDATE workspaces SET name = $2, settings = $3, created_at = $4, updated_at = $5 WHERE id = $1"
_CHANGE_PLAN = """
UPDATE plans SET initiative_limit = $2, active_initiative_limit = $3, trial_ends_at = $4, ai_credits = $5,
       ai_credits_used = $6, research_policies = $7, managed_schedule = $8 WHERE workspace_id = $1"""
PLAN = (
    "initiativeLimit",
    "activeInitiativeLimit",
    "trialEndsAt",
    "aiCredits",
    "aiCreditsUsed",
    "researchPolicies",
    "managedSchedule",
)


async def show_workspace(tx: Tx, workspace_id: UUID) -> dict[str, Any] | None:
    row = await tx.row(_SHOW, workspace_id)
    if row is None:
        return None
    plan = dict(zip(PLAN, row[3:10], strict=True)) | {"trialEndsAt": of.show_moment(row["trial_ends_at"])}
    head = {"id": str(row["id"]), "slug": row["slug"], "name": row["name"], "plan": plan}
    moments = {"createdAt": of.show_moment(row["created_at"]), "updatedAt": of.show_moment(row["updated_at"])}
    return head | {"settings": of.show_json(row["settings"])} | moments


async def apply_workspace(run: Run, given: dict[str, Any]) -> bool | None:
    """True: added, False: changed, None: as it was."""
    moments = _moments(run, given)
    if run.is_new and "name" not in given:
        run.faults.add("workspace.name", "Is needed for a new workspace")
    if run.is_new:
        await _add(run, given, moments)
    before = await show_workspace(run.tx, run.workspace_id)
    if before is None:
        run.faults.add("workspace", "The workspace went away meanwhile")
        return None
    changes = await _change(run, before, given, moments)
    if changes or run.is_new:
        actor = Actor(run.workspace_id, "file", run.actor_id)
        action = "created" if run.is_new else "updated"
        detail = {} if run.is_new else {"fields": changes}
        await log_change(run.tx, actor, "workspace", run.workspace_id, given["slug"], action, **detail)
    return True if run.is_new else False if changes else None


def _moments(run: Run, given: dict[str, Any]) -> dict[str, datetime | None]:
    """The moments that are given, by their place in the file."""
    plan = given.get("plan", {})
    wanted = {
        "createdAt": given.get("createdAt"),
        "updatedAt": given.get("updatedAt"),
        "plan.trialEndsAt": plan.get("trialEndsAt"),
    }
    found: dict[str, datetime | None] = {}
    for name, text in wanted.items():
        try:
            found[name] = None if text is None else Moment.read(text)
        except ValueError as error:
            run.faults.add(f"workspace.{name}", str(error))
            found[name] = None
    return found


async def _add(run: Run, given: dict[str, Any], moments: dict[str, datetime | None]) -> None:
    created = moments["createdAt"] or run.tx.now
    name = given.get("name", given["slug"]).strip()
    updated = moments["updatedAt"] or created
    await run.tx.run(_ADD, run.workspace_id, given["slug"], name, created, updated)
    await run.tx.run(_ADD_PLAN, run.workspace_id)


async def _change(
    run: Run, before: dict[str, Any], given: dict[str, Any], moments: dict[str, datetime | None]
) -> list[str]:
    """Stores what differs; the names of the fields that did."""
    wish = before | given | {"plan": before["plan"] | given.get("plan", {})}
    wish["name"] = wish["name"].strip()
    for name in ("createdAt", "updatedAt"):
        wish[name] = of.show_moment(moments[name]) or before[name]
    wish["plan"]["trialEndsAt"] = _trial_end(before, given, moments)
    changes = [name for name in ("name", "plan", "settings", "createdAt", "updatedAt") if wish[name] != before[name]]
    if not changes:
        return []
    updated = moments["updatedAt"] or (Moment.read(before["updatedAt"]) if run.is_new else run.tx.now)
    created = Moment.read(wish["createdAt"])
    await run.tx.run(_CHANGE, run.workspace_id, wish["name"], wish["settings"], created, updated)
    ends = wish["plan"]["trialEndsAt"]
    plan = wish["plan"] | {"trialEndsAt": ends and Moment.read(ends)}
    await run.tx.run(_CHANGE_PLAN, run.workspace_id, *(plan[name] for name in PLAN))
    return changes


def _trial_end(before: dict[str, Any], given: dict[str, Any], moments: dict[str, datetime | None]) -> str | None:
    if "trialEndsAt" in given.get("plan", {}):
        return of.show_moment(moments["plan.trialEndsAt"])
    kept: str | None = before["plan"]["trialEndsAt"]
    return kept


async def _name_members(run: Run, entries: list[Entry]) -> None:
    """A new member without a name is called by the first part of the address."""
    for entry in entries:
        if not entry.broken and entry.row["name"] is None:
            entry.row["name"] = entry.row["email"].partition("@")[0]


MEMBERS = Table(
    "members",
    "members",
    (
        of.address(),
        replace(of.name(), required=False),
        of.choice("role", *(role.value for role in Role), default="viewer"),
        of.flag("active", True),
    ),
    kind="member",
    identities=(("email",),),
    folded=frozenset({"email"}),
    alias="email",
    settle=_name_members,
)

SECTION = Section(
    tables=(MEMBERS,),
    parts=(Part("workspace", WorkspacePart, apply_workspace, show_workspace),),
)
