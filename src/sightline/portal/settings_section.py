"""The settings of the portal in the workspace file."""

from ipaddress import ip_address
from typing import Annotated, Any
from urllib.parse import urlsplit
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.file_section import Run
from sightline.platform.file_section.fields import show_moment
from sightline.platform.wire import Moment
from sightline.workspaces.changes import log_change

Alias = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*\Z", max_length=63)]
Host = Annotated[str, Meta(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?\Z", max_length=253)]
Color = Annotated[str, Meta(pattern=r"^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})\Z")]
Language = Annotated[str, Meta(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z", max_length=35)]
Url = Annotated[str, Meta(max_length=2000)]


class PortalPart(Struct, forbid_unknown_fields=True, rename="camel"):
    """Lists inside of it are read record by record."""

    alias: Alias | UnsetType = UNSET
    host: Host | UnsetType | None = UNSET
    name: Annotated[str, Meta(min_length=1, max_length=255, pattern=r"\S")] | UnsetType = UNSET
    intro: str | UnsetType = UNSET
    accent_color: Color | UnsetType = UNSET
    language: Language | UnsetType = UNSET
    facets: list[str] | UnsetType = UNSET
    comments_enabled: bool | UnsetType = UNSET
    requests_visible: bool | UnsetType = UNSET
    remote_login_url: Url | UnsetType | None = UNSET
    remote_logout_url: Url | UnsetType | None = UNSET
    created_at: str | UnsetType = UNSET
    updated_at: str | UnsetType = UNSET
    users: UnsetType | None = UNSET
    votes: UnsetType | None = UNSET
    requests: UnsetType | None = UNSET


COLUMNS = {
    "alias": "alias",
    "host": "host",
    "name": "name",
    "intro": "intro",
    "accentColor": "accent_color",
    "language": "language",
    "facets": "facets",
    "commentsEnabled": "comments_enabled",
    "requestsVisible": "requests_visible",
    "remoteLoginUrl": "remote_login_url",
    "remoteLogoutUrl": "remote_logout_url",
    "createdAt": "created_at",
    "updatedAt": "updated_at",
}
_SHOW = f"SELECT {', '.join(COLUMNS.values())} FROM portals WHERE workspace_id = $1"  # noqa: S608 - constant names
_PLACES = ", ".join(f"${place}" for place in range(1, len(COLUMNS) + 2))
_SAVE = f"""
INSERT INTO portals (workspace_id, {", ".join(COLUMNS.values())}) VALUES ({_PLACES})
ON CONFLICT (workspace_id) DO UPDATE
   SET {", ".join(f"{column} = excluded.{column}" for column in COLUMNS.values())}"""  # noqa: S608 - constant names
_TAKEN = """
SELECT alias, host FROM portals WHERE workspace_id <> $1 AND (alias = $2 OR host = $3)"""
_WORKSPACE = "SELECT slug, name FROM workspaces WHERE id = $1"
_GROUPS = "SELECT key FROM taxonomy_groups WHERE workspace_id = $1"


async def show_portal(tx: Tx, workspace_id: UUID) -> dict[str, Any] | None:
    row = await tx.row(_SHOW, workspace_id)
    if row is None:
        return None
    shown = {name: row[column] for name, column in COLUMNS.items()}
    return shown | {name: show_moment(shown[name]) for name in ("createdAt", "updatedAt")}


async def apply_portal(run: Run, given: dict[str, Any]) -> bool | None:
    """True: added, False: changed, None: as it was."""
    wish = {name: value for name, value in given.items() if name in COLUMNS}
    before = await show_portal(run.tx, run.workspace_id)
    faults = run.faults.count
    await _check(run, wish)
    if run.faults.count > faults:
        return None
    after = (before or await _defaults(run, wish)) | wish
    after["name"] = after["name"].strip()
    if before == after:
        return None
    if before is not None and "updatedAt" not in wish:
        after["updatedAt"] = show_moment(run.tx.now)
    moments = {name: Moment.read(after[name]) for name in ("createdAt", "updatedAt")}
    await run.tx.run(_SAVE, run.workspace_id, *((after | moments)[name] for name in COLUMNS))
    actor = Actor(run.workspace_id, "file", run.actor_id)
    action = "created" if before is None else "updated"
    await log_change(run.tx, actor, "portal", run.workspace_id, None, action)
    return before is None


async def _defaults(run: Run, wish: dict[str, Any]) -> dict[str, Any]:
    row = await run.tx.row(_WORKSPACE, run.workspace_id)
    slug, name = row or ("", "")
    created = wish.get("createdAt") or show_moment(run.tx.now)
    looks: dict[str, Any] = {"host": None, "intro": "", "accentColor": "#0a7", "language": "en", "facets": []}
    switches = {"commentsEnabled": True, "requestsVisible": False, "remoteLoginUrl": None, "remoteLogoutUrl": None}
    return {"alias": slug, "name": name} | looks | switches | {"createdAt": created, "updatedAt": created}


async def _check(run: Run, wish: dict[str, Any]) -> None:
    for name in ("remoteLoginUrl", "remoteLogoutUrl"):
        if wish.get(name) and not _is_safe(wish[name]):
            run.faults.add(f"portal.{name}", "Has to begin with https:// (http:// for this machine only)")
    for name in ("createdAt", "updatedAt"):
        try:
            if name in wish:
                wish[name] = show_moment(Moment.read(wish[name]))
        except ValueError as error:
            run.faults.add(f"portal.{name}", str(error))
    groups = {row["key"] for row in await run.tx.rows(_GROUPS, run.workspace_id)} if wish.get("facets") else set()
    for index, key in enumerate(wish.get("facets", ())):
        if key not in groups and "taxonomy" not in run.notes["faulty"]:
            run.faults.add(f"portal.facets[{index}]", f"The taxonomy has no group {key!r}")
    for row in await run.tx.rows(_TAKEN, run.workspace_id, wish.get("alias"), wish.get("host")):
        name = "alias" if row["alias"] == wish.get("alias") else "host"
        run.faults.add(f"portal.{name}", "Another workspace's portal has it")


def _is_safe(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    if not host or any(letter.isspace() for letter in url):
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _is_this_machine(host))


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
