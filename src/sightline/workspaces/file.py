"""The workspace itself, its plan and its members in the workspace file."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from sightline.platform.access import Actor, Role
from sightline.platform.db import Tx, sql
from sightline.platform.db.sql import assignments
from sightline.platform.file_section import Entry, Faults, KeyedRecord, Object, Part, Run, Section, Table, sound
from sightline.platform.file_section.tables import Email, Name, Whole
from sightline.platform.ids import derived_id
from sightline.platform.refs import parse_uuid
from sightline.platform.wire import Id, Moment, shown_moment
from sightline.workspaces.changes import log_change

Bound = Annotated[float, Meta(ge=0)]
Slug = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*\Z", max_length=63, examples=["acme-tools"])]


class PlanPart(Part):
    """The plan of the workspace. A limit of null means no limit."""

    initiative_limit: Whole | UnsetType | None = UNSET
    active_initiative_limit: Whole | UnsetType | None = UNSET
    trial_ends_at: Moment | UnsetType | None = UNSET
    ai_credits: Whole | UnsetType | None = UNSET
    ai_credits_used: Whole | UnsetType = UNSET
    research_policies: list[Literal["on_demand", "daily", "weekly"]] | UnsetType = UNSET
    managed_schedule: bool | UnsetType = UNSET


class SettingsPart(Struct, rename="camel"):
    """The settings of the workspace that are read; others are stored as they are. A bound of null means no bound."""

    engine: Literal["embedded", "model"] | UnsetType | None = UNSET
    model_requests_per_day: Bound | UnsetType | None = UNSET
    model_tokens_per_day: Bound | UnsetType | None = UNSET
    model_seconds_per_day: Bound | UnsetType | None = UNSET


class WorkspacePart(Part):
    """The workspace itself."""

    slug: Slug
    id: Id | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    plan: PlanPart | UnsetType = UNSET
    settings: SettingsPart | UnsetType = UNSET
    created_at: Moment | UnsetType | None = UNSET
    updated_at: Moment | UnsetType | None = UNSET


_FIND = sql("SELECT id, slug FROM workspaces WHERE slug = :slug OR id = :id")
_IS_UNTOUCHED = sql("""
    SELECT NOT EXISTS (
        SELECT FROM changes WHERE workspace_id = :workspace_id AND kind NOT IN ('workspace', 'member', 'api_key'))""")
_KEEP_ID = "The workspace {slug} has another id; leave the id out to keep that"
_REPLACE = (
    "There is an empty workspace {slug} with another id, as `sightline init` creates it. To put this file in its place"
    " run `sightline workspace delete {slug} --yes` and then `sightline workspace apply FILE`"
)


async def open_workspace(tx: Tx, given: dict[str, Any], faults: Faults) -> tuple[UUID, bool]:
    """Returns the id of the workspace that a file describes, and whether it is new. Creates nothing.

    The workspace is found by its slug. An id of another slug, and a slug with another id, are faults.
    """
    named = parse_uuid(given["id"]) if "id" in given else None
    slug = given["slug"]
    stored = {row["slug"]: row["id"] for row in await tx.rows(_FIND, slug=slug, id=named)}
    id: UUID = stored.get(slug) or named or derived_id("workspace", slug)
    if named is not None and id != named:
        is_untouched = await tx.value(_IS_UNTOUCHED, workspace_id=id)
        faults.add("workspace.id", (_REPLACE if is_untouched else _KEEP_ID).format(slug=slug))
    for other in stored.keys() - {slug}:
        faults.add("workspace.id", f"Belongs to the workspace {other}; leave the id out to make a copy")
    return id, slug not in stored


PLAN = {field.encode_name: field.name for field in msgspec.structs.fields(PlanPart)}  # by member the column
_FIND_WHOLE = sql(
    """
    SELECT w.id, w.slug, w.name, {plan}, w.settings, w.created_at, w.updated_at
      FROM workspaces w JOIN plans p ON p.workspace_id = w.id WHERE w.id = :workspace_id""",
    plan=", ".join(f"p.{column}" for column in PLAN.values()),
)
_ADD = sql("""
    INSERT INTO workspaces (id, slug, name, created_at, updated_at)
    VALUES (:workspace_id, :slug, :name, :created_at, :updated_at)""")
_ADD_PLAN = sql("INSERT INTO plans (workspace_id) VALUES (:workspace_id) ON CONFLICT DO NOTHING")
_CHANGE = sql("""
    UPDATE workspaces SET name = :name, settings = :settings, created_at = :created_at, updated_at = :updated_at
     WHERE id = :workspace_id""")
_CHANGE_PLAN = sql(
    "UPDATE plans SET {assignments} WHERE workspace_id = :workspace_id", assignments=assignments(PLAN.values())
)


def _show(moment: datetime | None) -> str | None:
    return shown_moment(moment) if moment else None


async def show_workspace(tx: Tx, workspace_id: UUID) -> dict[str, Any] | None:
    """Returns the workspace as the file shows it, or None if it does not exist."""
    row = await tx.row(_FIND_WHOLE, workspace_id=workspace_id)
    if row is None:
        return None
    plan = {name: row[column] for name, column in PLAN.items()}
    return {
        "id": str(row["id"]),
        "slug": row["slug"],
        "name": row["name"],
        "plan": plan | {"trialEndsAt": _show(row["trial_ends_at"])},
        "settings": msgspec.json.decode(row["settings"]),
        "createdAt": _show(row["created_at"]),
        "updatedAt": _show(row["updated_at"]),
    }


async def apply_workspace(run: Run, given: dict[str, Any]) -> bool | None:
    """Stores the workspace. Returns True if it was added, False if it changed, None if nothing changed."""
    moments = _moments(run, given)
    if run.is_new and "name" not in given:
        run.faults.add("workspace.name", "Is needed for a new workspace")
    if run.is_new:
        await _add(run, given, moments)
    before = await show_workspace(run.tx, run.workspace_id)
    if before is None:
        run.faults.add("workspace", "The workspace has just been deleted. Apply the file again")
        return None
    changes = await _change(run, before, given, moments)
    if changes or run.is_new:
        actor = Actor(run.workspace_id, "file", run.actor_id)
        action = "created" if run.is_new else "updated"
        detail = {} if run.is_new else {"fields": changes}
        await log_change(run.tx, actor, "workspace", run.workspace_id, given["slug"], action, **detail)
    return True if run.is_new else False if changes else None


def _moments(run: Run, given: dict[str, Any]) -> dict[str, datetime | None]:
    """Returns the times in the file by their path in `workspace`; None for an omitted or ignored time."""
    texts = {
        "createdAt": given.get("createdAt"),
        "updatedAt": given.get("updatedAt"),
        "plan.trialEndsAt": given.get("plan", {}).get("trialEndsAt"),
    }
    moments: dict[str, datetime | None] = dict.fromkeys(texts)
    for name, text in texts.items():
        try:
            moment = None if text is None else Moment.read(text)
            moments[name] = run.written_at(moment) if moment and name == "updatedAt" else moment
        except ValueError as error:
            run.faults.add(f"workspace.{name}", str(error))
    return moments


async def _add(run: Run, given: dict[str, Any], moments: dict[str, datetime | None]) -> None:
    await run.tx.run(
        _ADD,
        workspace_id=run.workspace_id,
        slug=given["slug"],
        name=given.get("name", given["slug"]).strip(),
        created_at=moments["createdAt"] or run.tx.now,
        updated_at=moments["updatedAt"] or run.tx.now,
    )
    await run.tx.run(_ADD_PLAN, workspace_id=run.workspace_id)


async def _change(
    run: Run, before: dict[str, Any], given: dict[str, Any], moments: dict[str, datetime | None]
) -> list[str]:
    """Stores the fields that differ. Returns their names."""
    after = before | given | {"plan": before["plan"] | given.get("plan", {})}
    after["name"] = after["name"].strip()
    for name in ("createdAt", "updatedAt"):
        after[name] = _show(moments[name]) or before[name]
    if "trialEndsAt" in given.get("plan", {}):
        after["plan"]["trialEndsAt"] = _show(moments["plan.trialEndsAt"])
    changes = [name for name in ("name", "plan", "settings", "createdAt", "updatedAt") if after[name] != before[name]]
    if not changes:
        return []
    await run.tx.run(
        _CHANGE,
        workspace_id=run.workspace_id,
        name=after["name"],
        settings=after["settings"],
        created_at=Moment.read(after["createdAt"]),
        updated_at=moments["updatedAt"] or (Moment.read(before["updatedAt"]) if run.is_new else run.tx.now),
    )
    ends = after["plan"]["trialEndsAt"]
    plan = after["plan"] | {"trialEndsAt": ends and Moment.read(ends)}
    row = {column: plan[name] for name, column in PLAN.items()}
    await run.tx.run(_CHANGE_PLAN, workspace_id=run.workspace_id, **row)
    return changes


@asynccontextmanager
async def _name_members(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Gives a new member without a name the first part of the address."""
    for entry in sound(entries):
        entry.row["name"] = entry.row["name"] or entry.row["email"].partition("@")[0]
    yield


class MemberRecord(KeyedRecord):
    """A person who uses the console. An address is unique in the workspace, in any letter case."""

    email: Email | UnsetType = UNSET
    name: Name | None = None
    role: Role = Role.VIEWER
    active: bool | None = True


MEMBERS = Table(
    "members",
    "members",
    MemberRecord,
    kind="member",
    identities=(("email",),),
    folded=frozenset({"email"}),
    alias="email",
    rules=_name_members,
)

SECTION = Section(
    tables=(MEMBERS,),
    objects=(Object("workspace", WorkspacePart, apply_workspace, show_workspace),),
)
