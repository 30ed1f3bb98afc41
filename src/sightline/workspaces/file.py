"""The workspace itself, its plan and its members in the workspace file."""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from sightline.platform.access import Role
from sightline.platform.db import Tx, sql
from sightline.platform.db.sql import assignments
from sightline.platform.file_parts.entries import Entry, Faults, Run
from sightline.platform.file_parts.tables import Converted, Extra, FileRecord, KeyedRecord, Part, Table
from sightline.platform.ids import derived_id
from sightline.platform.refs import parse_uuid
from sightline.platform.wire import Email, Moment, Name, Whole, shown_moment

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


class WorkspacePart(FileRecord, kw_only=True):
    """The workspace itself."""

    slug: Slug
    name: Name | UnsetType = UNSET
    plan: Annotated[PlanPart | UnsetType, Extra()] = UNSET
    settings: Annotated[SettingsPart, Converted(lambda given, find: given)] = msgspec.field(
        default_factory=SettingsPart
    )


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
    named = parse_uuid(given["id"]) if given.get("id") else None
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
_FIND_PLAN = sql("SELECT {plan} FROM plans WHERE workspace_id = :workspace_id", plan=", ".join(PLAN.values()))
_ADD_PLAN = sql("INSERT INTO plans (workspace_id) VALUES (:workspace_id) ON CONFLICT DO NOTHING")
_CHANGE_PLAN = "UPDATE plans SET {assignments} WHERE workspace_id = :workspace_id"


async def _store_plan(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Stores the plan beside the workspace."""
    entry = entries[0]
    if run.is_new:  # stored in spite of a fault, so that the rest of the file is checked
        entry.broken, entry.row["name"] = False, entry.row["name"] or entry.row["slug"]
    elif entry.is_new:
        run.refuse(entry, "", "The workspace has just been deleted. Apply the file again")
    before: dict[str, Any] = dict(await run.tx.row(_FIND_PLAN, workspace_id=run.workspace_id) or {})
    given = msgspec.structs.asdict(entry.record.plan) if entry.record.plan else {}
    changes = {column: value for column, value in given.items() if value is not UNSET}
    if differs := any(before.get(column, UNSET) != value for column, value in changes.items()):
        entry.changed |= set() if entry.is_new else {"plan"}
    yield
    if entry.is_new:
        await run.tx.run(_ADD_PLAN, workspace_id=run.workspace_id)
    if differs:
        change = sql(_CHANGE_PLAN, assignments=assignments(changes))
        await run.tx.run(change, workspace_id=run.workspace_id, **changes)


async def _show_plan(tx: Tx, workspace_id: UUID, rows: Sequence[Any]) -> list[dict[str, Any]]:
    plan: Any = await tx.row(_FIND_PLAN, workspace_id=workspace_id)
    ends = plan["trial_ends_at"]
    shown = {name: plan[column] for name, column in PLAN.items()} | {"trialEndsAt": ends and shown_moment(ends)}
    return [{"plan": shown}]


WORKSPACE = Table(
    "workspace",
    "workspaces",
    WorkspacePart,
    is_single=True,
    tenant="id",
    alias="slug",
    rules=_store_plan,
    show=_show_plan,
)


def _name_member(run: Run, entry: Entry) -> None:
    """Gives a new member without a name the first part of the address."""
    entry.row["name"] = entry.row["name"] or entry.row["email"].partition("@")[0]


class MemberRecord(KeyedRecord):
    """A person who uses the console. An address is unique in the workspace, in any letter case."""

    email: Email | UnsetType = UNSET
    name: Name | None = None
    role: Role = Role.VIEWER
    active: bool | None = True


MEMBERS = Table(
    "members", "members", MemberRecord, identities=(("email",),), folded="email", alias="email", complete=_name_member
)
