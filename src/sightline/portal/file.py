"""The portal in the workspace file: its settings, users, votes and requests. Never its secret or its sessions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sightline.ideas.vote_counts import count_votes_again
from sightline.platform.access import Actor
from sightline.platform.db import Tx, sql
from sightline.platform.db.sql import assignments, values
from sightline.platform.file_section import (
    Entry,
    FileRecord,
    KeyedRecord,
    Link,
    Links,
    Object,
    Part,
    Run,
    Section,
    Table,
    sound,
)
from sightline.platform.file_section.tables import Email, Name, Word
from sightline.platform.wire import Moment, shown_moment
from sightline.portal.portals.records import Host
from sightline.portal.portals.urls import is_safe_remote
from sightline.workspaces.changes import log_change

Alias = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*\Z", max_length=63, examples=["acme-ideas"])]
Color = Annotated[str, Meta(pattern=r"^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})\Z", examples=["#00aa77"])]
Language = Annotated[str, Meta(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z", max_length=35, examples=["pt-BR"])]
Url = Annotated[str, Meta(max_length=2000)]


class PortalPart(Part):
    """The settings; the lists of users, votes and requests are read record by record."""

    alias: Alias | UnsetType = UNSET
    host: Host | UnsetType | None = UNSET
    name: Name | UnsetType = UNSET
    intro: str | UnsetType = UNSET
    accent_color: Color | UnsetType = UNSET
    language: Language | UnsetType = UNSET
    facets: list[str] | UnsetType = UNSET
    comments_enabled: bool | UnsetType = UNSET
    requests_visible: bool | UnsetType = UNSET
    remote_login_url: Url | UnsetType | None = UNSET
    remote_logout_url: Url | UnsetType | None = UNSET
    created_at: Moment | UnsetType = UNSET
    updated_at: Moment | UnsetType = UNSET


COLUMNS = {field.encode_name: field.name for field in msgspec.structs.fields(PortalPart)}
_COLUMNS = ", ".join(COLUMNS.values())
_SHOW = sql("SELECT {columns} FROM portals WHERE workspace_id = :workspace_id", columns=_COLUMNS)
_SAVE = sql(
    """
    INSERT INTO portals (workspace_id, {columns}) VALUES (:workspace_id, {values})
    ON CONFLICT (workspace_id) DO UPDATE SET {assignments}""",
    columns=_COLUMNS,
    values=values(COLUMNS.values()),
    assignments=assignments(COLUMNS.values()),
)
_TAKEN = sql("""
    SELECT alias, host FROM portals
     WHERE workspace_id <> :workspace_id AND (alias = :alias OR host = :host)""")
_WORKSPACE = sql("SELECT slug, name FROM workspaces WHERE id = :workspace_id")
_GROUPS = sql("SELECT key FROM taxonomy_groups WHERE workspace_id = :workspace_id")


async def show_portal(tx: Tx, workspace_id: UUID) -> dict[str, Any] | None:
    """Returns the portal as the file shows it, or None if the workspace has none."""
    row = await tx.row(_SHOW, workspace_id=workspace_id)
    if row is None:
        return None
    shown = {name: row[column] for name, column in COLUMNS.items()}
    return shown | {name: shown_moment(shown[name]) for name in ("createdAt", "updatedAt")}


async def apply_portal(run: Run, given: dict[str, Any]) -> bool | None:
    """Stores the portal. Returns True when it was added, False when it changed, None when nothing did.

    Users without any setting are voters of an import: they make no portal.
    """
    changes = {name: value for name, value in given.items() if name in COLUMNS}
    before = await show_portal(run.tx, run.workspace_id)
    if before is None and not changes and "portal.users" in run.given:
        return None
    faults = run.faults.count
    await _check(run, changes)
    if run.faults.count > faults:
        return None
    after = (before or await _defaults(run)) | changes
    after["name"] = after["name"].strip()
    if before == after:
        return None
    if before is not None and "updatedAt" not in changes:
        after["updatedAt"] = shown_moment(run.tx.now)
    moments = {name: Moment.read(after[name]) for name in ("createdAt", "updatedAt")}
    row = {column: (after | moments)[name] for name, column in COLUMNS.items()}
    await run.tx.run(_SAVE, workspace_id=run.workspace_id, **row)
    actor = Actor(run.workspace_id, "file", run.actor_id)
    action = "created" if before is None else "updated"
    await log_change(run.tx, actor, "portal", run.workspace_id, None, action)
    return before is None


async def _defaults(run: Run) -> dict[str, Any]:
    workspace = await run.tx.row(_WORKSPACE, workspace_id=run.workspace_id) or {"slug": "", "name": ""}
    now = shown_moment(run.tx.now)
    return {
        "alias": workspace["slug"],
        "name": workspace["name"],
        "host": None,
        "intro": "",
        "accentColor": "#0a7",
        "language": "en",
        "facets": [],
        "commentsEnabled": True,
        "requestsVisible": False,
        "remoteLoginUrl": None,
        "remoteLogoutUrl": None,
        "createdAt": now,
        "updatedAt": now,
    }


async def _check(run: Run, changes: dict[str, Any]) -> None:
    """Adds a fault for each setting that cannot be stored; normalizes the times, and drops one that does not count."""
    for name in ("remoteLoginUrl", "remoteLogoutUrl"):
        if changes.get(name) and not is_safe_remote(changes[name]):
            run.faults.add(f"portal.{name}", "Has to begin with https:// (http:// for this machine only)")
    for name in ("createdAt", "updatedAt"):
        try:
            if (text := changes.pop(name, None)) is not None:
                moment = Moment.read(text)
                counts = moment if name == "createdAt" else run.written_at(moment)
                changes |= {name: shown_moment(counts)} if counts else {}
        except ValueError as error:
            run.faults.add(f"portal.{name}", str(error))
    await _check_facets(run, changes.get("facets", []))
    alias, host = changes.get("alias"), changes.get("host")
    for row in await run.tx.rows(_TAKEN, workspace_id=run.workspace_id, alias=alias, host=host):
        name = "alias" if row["alias"] == alias else "host"
        run.faults.add(f"portal.{name}", "Another workspace's portal has it. Choose another one")


async def _check_facets(run: Run, facets: list[str]) -> None:
    if not facets or ("taxonomy", "") in run.faulty_records:
        return
    groups = {row["key"] for row in await run.tx.rows(_GROUPS, workspace_id=run.workspace_id)}
    for index, key in enumerate(facets):
        if key not in groups:
            run.faults.add(f"portal.facets[{index}]", f"The taxonomy has no group {key!r}")


class UserRecord(KeyedRecord):
    """A customer's user who has signed in to the portal."""

    subject: Word | None = None
    email: Email | UnsetType = UNSET
    first_name: str | None = ""
    last_name: str | None = ""
    last_seen_at: Moment | None = None
    accounts: Annotated[list[str] | None, Links("accounts", "portal_user_accounts", "user_id", "account_id")] = None


USERS = Table("portal.users", "portal_users", UserRecord, kind="portal_user", identities=(("subject",),))


class UserChoice(FileRecord):
    """One idea and one portal user."""

    idea: Annotated[Word | UnsetType, Link("ideas")] = UNSET
    user: Annotated[Word | UnsetType, Link("portal.users")] = UNSET


@asynccontextmanager
async def _rules(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Gives votes and requests without a time the current one; counts the votes."""
    for entry in entries:
        entry.row["created_at"] = entry.row["created_at"] or run.tx.now
    yield
    ideas = [entry.row["idea_id"] for entry in sound(entries) if entry.is_new]
    if ideas:
        await count_votes_again(run.tx, run.workspace_id, ideas)


def _of_user(path: str, table: str) -> Table:
    """Returns a table in which each record names one idea and one portal user."""
    return Table(
        path,
        table,
        UserChoice,
        primary=("idea_id", "user_id"),
        stamped=False,
        order="created_at, idea_id, user_id",
        rules=_rules,
    )


SECTION = Section(
    tables=(
        USERS,
        _of_user("portal.votes", "portal_votes"),
        _of_user("portal.requests", "portal_requests"),
    ),
    objects=(Object("portal", PortalPart, apply_portal, show_portal),),
)
