"""The portal in the workspace file: its settings, users, votes and requests. Never its secret or its sessions."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sightline.ideas.vote_counts import count_votes_again
from sightline.platform.db import sql
from sightline.platform.file_parts.entries import Entry, Run, sound
from sightline.platform.file_parts.tables import FileRecord, KeyedRecord, Link, Links, Table
from sightline.platform.wire import Email, Moment, Name, Short, Word
from sightline.portal.portals.records import Host
from sightline.portal.portals.urls import is_safe_remote

Alias = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*\Z", max_length=63, examples=["acme-ideas"])]
Color = Annotated[str, Meta(pattern=r"^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})\Z", examples=["#00aa77"])]
Language = Annotated[str, Meta(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z", max_length=35, examples=["pt-BR"])]
Url = Annotated[str, Meta(max_length=2000)]


class PortalPart(FileRecord):
    """The settings; the lists of users, votes and requests are read record by record."""

    alias: Alias | None = None
    host: Host | None = None
    name: Name | None = None
    intro: Annotated[str, Meta(max_length=10_000)] | None = ""
    accent_color: Color | None = "#0a7"
    language: Language | None = "en"
    facets: Annotated[list[str], Meta(max_length=20)] | None = msgspec.field(default_factory=list)
    comments_enabled: bool | None = True
    requests_visible: bool | None = False
    remote_login_url: Url | None = None
    remote_logout_url: Url | None = None


_TAKEN = sql("""
    SELECT alias, host FROM portals
     WHERE workspace_id <> :workspace_id AND (alias = :alias OR host = :host)""")
_WORKSPACE = sql("SELECT slug, name FROM workspaces WHERE id = :workspace_id")
_GROUPS = sql("SELECT key FROM taxonomy_groups WHERE workspace_id = :workspace_id")


async def _check(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Names a portal like its workspace; refuses settings that cannot be stored.

    Users without any setting are voters of an import: they make no portal.
    """
    entry, row = entries[0], entries[0].row
    if entry.is_new and not entry.given and "portal.users" in run.given:
        entry.broken = True
    workspace: Any = await run.tx.row(_WORKSPACE, workspace_id=run.workspace_id)
    row["alias"], row["name"] = row["alias"] or workspace["slug"], row["name"] or workspace["name"]
    for name, url in (("remoteLoginUrl", row["remote_login_url"]), ("remoteLogoutUrl", row["remote_logout_url"])):
        if url and not is_safe_remote(url):
            run.refuse(entry, name, "Has to begin with https:// (http:// for this machine only)")
    await _check_facets(run, entry.given.get("facets") or [])
    alias, host = entry.given.get("alias"), entry.given.get("host")
    for taken in await run.tx.rows(_TAKEN, workspace_id=run.workspace_id, alias=alias, host=host):
        name = "alias" if taken["alias"] == alias else "host"
        run.refuse(entry, name, "Another workspace's portal has it. Choose another one")
    yield


PORTAL = Table(
    "portal", "portals", PortalPart, is_single=True, primary=("workspace_id",), order="created_at", rules=_check
)


async def _check_facets(run: Run, facets: list[str]) -> None:
    if not facets or ("taxonomy", "") in run.faulty_records:
        return
    groups = {row["key"] for row in await run.tx.rows(_GROUPS, workspace_id=run.workspace_id)}
    for index, key in enumerate(facets):
        if key not in groups:
            run.faults.add(f"portal.facets[{index}]", f"The taxonomy has no group {key!r}")


_ACCOUNTS = Links("accounts", "portal_user_accounts", owner="user_id", is_repeated=False)


class UserRecord(KeyedRecord):
    """A customer's user who has signed in to the portal."""

    subject: Word | None = None
    email: Email | UnsetType = UNSET
    first_name: Short | None = ""
    last_name: Short | None = ""
    last_seen_at: Moment | None = None
    accounts: Annotated[list[str] | None, _ACCOUNTS] = None


USERS = Table("portal.users", "portal_users", UserRecord, identities=(("subject",),))


class UserChoice(FileRecord):
    """One idea and one portal user."""

    idea: Annotated[Word | UnsetType, Link("ideas")] = UNSET
    user: Annotated[Word | UnsetType, Link("portal.users")] = UNSET


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
        logged=False,
        stamped=False,
        order="created_at, idea_id, user_id",
        rules=_rules,
    )


VOTES = _of_user("portal.votes", "portal_votes")
REQUESTS = _of_user("portal.requests", "portal_requests")
