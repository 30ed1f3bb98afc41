"""Creates, lists, revokes and rolls API keys. Only a hash of a key is stored; the key itself is shown once."""

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from msgspec import structs

from sightline.platform.access import Actor, Role
from sightline.platform.db import Row, Tx, sql
from sightline.platform.errors import Conflict, NotFound, ValidationFailed
from sightline.platform.ids import new_id
from sightline.platform.refs import parse_uuid
from sightline.platform.scopes import Scope
from sightline.workspaces.changes import add_changes, change_by
from sightline.workspaces.keys.records import ApiKey, CreatedKey, NewKey
from sightline.workspaces.keys.tokens import make_token, parse_token
from sightline.workspaces.tenants import checked_name, find_member

ALL_SCOPES = "all"
LONGEST_OVERLAP = timedelta(days=90)

_KEYS = """
    SELECT k.id, k.token_id, k.name, k.scopes, m.email, iso(k.created_at), iso(k.expires_at), iso(k.revoked_at),
           iso(k.last_used_at), k.replaced_by
      FROM api_keys k
      LEFT JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id"""
_LIST = sql("{keys} WHERE k.workspace_id = :workspace_id ORDER BY k.created_at DESC, k.id DESC", keys=_KEYS)
_FIND = sql("{keys} WHERE k.id = :id OR k.token_id = :token_id", keys=_KEYS)
_LOCK = sql("""
    SELECT workspace_id, member_id, created_at, expires_at, revoked_at
      FROM api_keys WHERE id = :id FOR NO KEY UPDATE""")
_ADD = sql(
    """
    WITH added AS (
        INSERT INTO api_keys (workspace_id, id, token_id, secret_hash, member_id, name, scopes, created_at, expires_at)
        VALUES (:workspace_id, :id, :token_id, :secret_hash, :member_id, :name, :scopes, :now, :expires_at)
        RETURNING id, created_at, expires_at
    ), logged AS ({log})
    SELECT iso(created_at), iso(expires_at) FROM added""",
    log=add_changes("api_key", "created", "added", public_id="NULL", detail=":detail::jsonb"),
)
_REVOKE = sql(
    """
    WITH revoked AS (
        UPDATE api_keys SET revoked_at = :now WHERE id = ANY(:ids) AND revoked_at IS NULL
        RETURNING workspace_id, id, name
    )
    {log}""",
    log=add_changes(
        "api_key",
        "revoked",
        "revoked",
        workspace_id="workspace_id",
        change_id="gen_random_uuid()",
        public_id="NULL",
        detail="jsonb_build_object('name', name)",
    ),
)
_FIND_VALID_NAMED = sql(
    "SELECT id FROM api_keys WHERE workspace_id = :workspace_id AND name = :name AND revoked_at IS NULL"
)
_REPLACE = sql(
    """
    WITH replaced AS (
        UPDATE api_keys SET replaced_by = :replaced_by, expires_at = least(expires_at, :ends)
         WHERE workspace_id = :workspace_id AND id = :id RETURNING id
    )
    {log}""",
    log=add_changes(
        "api_key",
        "rolled",
        "replaced",
        public_id="NULL",
        detail="jsonb_build_object('replacedBy', :replaced_by::uuid)",
    ),
)


class KeyNotUsable(Conflict):
    """409: the key is revoked, expired or already rolled."""

    code = "KEY_NOT_USABLE"


async def create_key(tx: Tx, actor: Actor, new_key: NewKey) -> CreatedKey:
    """Creates a key of the actor's workspace. Raises ValidationFailed.

    Name 1-255 characters; at least one known scope, or `all`; the creator is an active owner or admin; an expiry is
    in the future.
    """
    checked = structs.replace(new_key, name=checked_name(new_key.name), scopes=_checked_scopes(new_key.scopes))
    if new_key.expires_at is not None and new_key.expires_at <= tx.now:
        raise ValidationFailed.of("expires", "Is in the past. Give a time in the future.")
    return await _add_key(tx, actor, checked, await _find_creator(tx, actor.workspace_id, new_key.member))


async def list_keys(tx: Tx, workspace_id: UUID) -> list[ApiKey]:
    """Returns all keys, newest first, with revoked and expired ones."""
    return [ApiKey(*row) for row in await tx.rows(_LIST, workspace_id=workspace_id)]


async def revoke_key(tx: Tx, actor: Actor, key: str) -> ApiKey:
    """Revokes a key now; leaves a revoked one unchanged. Raises NotFound."""
    found = await find_key(tx, key)
    await _revoke(tx, actor, [found.id])
    return await find_key(tx, key)


async def revoke_keys_named(tx: Tx, actor: Actor, name: str) -> int:
    """Revokes all keys of the actor's workspace with this name. Returns how many."""
    rows = await tx.rows(_FIND_VALID_NAMED, workspace_id=actor.workspace_id, name=name)
    return await _revoke(tx, actor, [row["id"] for row in rows])


async def _revoke(tx: Tx, actor: Actor, ids: list[UUID]) -> int:
    """Revokes keys. Returns how many were not revoked before."""
    return await tx.run(_REVOKE, ids=ids, actor_kind=actor.kind, actor_id=actor.id)


async def roll_key(tx: Tx, actor: Actor, key: str, overlap: timedelta) -> CreatedKey:
    """Creates a key with the name, scopes, creator and lifetime of the old one, which expires after the overlap.

    Without overlap the old one is revoked now. Raises NotFound, KeyNotUsable, and ValidationFailed for an overlap that
    is negative or longer than 90 days.
    """
    if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
        raise ValidationFailed.of("overlap", "Give 0 to 2160 hours.")
    shown = await find_key(tx, key)
    old = await tx.found(_LOCK, id=shown.id)
    shown = await find_key(tx, key)
    _refuse_unusable(shown, old, tx.now)
    lifetime = None if old["expires_at"] is None else tx.now + (old["expires_at"] - old["created_at"])
    owner = replace(actor, workspace_id=old["workspace_id"])
    new_key = NewKey(shown.name, shown.scopes, shown.member, lifetime)
    created = await _add_key(tx, owner, new_key, old["member_id"])
    await tx.run(_REPLACE, **change_by(owner), id=shown.id, replaced_by=created.id, ends=tx.now + overlap)
    if not overlap:
        await _revoke(tx, owner, [shown.id])
    return created


async def find_key(tx: Tx, key: str) -> ApiKey:
    """Finds a key by its id, by the part of the key between the underscores, or by the whole key. Raises NotFound."""
    token = parse_token(key)
    row = await tx.row(_FIND, id=parse_uuid(key), token_id=token.id if token else key)
    if row is None:
        raise NotFound("There is no such key.")
    return ApiKey(*row)


def _refuse_unusable(shown: ApiKey, old: Row, now: datetime) -> None:
    if shown.replaced_by is not None:
        raise KeyNotUsable(f"The key is rolled already, into {shown.replaced_by}.")
    if old["revoked_at"] is not None:
        raise KeyNotUsable("The key is revoked; create a new one.")
    if old["expires_at"] is not None and old["expires_at"] <= now:
        raise KeyNotUsable("The key has expired; create a new one.")


def _checked_scopes(scopes: list[str]) -> list[str]:
    """Returns the scopes in the order of their declaration, each once."""
    if scopes == [ALL_SCOPES]:
        return [scope.value for scope in Scope]
    known = {scope.value for scope in Scope}
    unknown = sorted(set(scopes) - known)
    if unknown or not scopes:
        problem = f"Unknown: {', '.join(unknown)}." if unknown else "At least one is needed."
        allowed = [*sorted(known), ALL_SCOPES]
        raise ValidationFailed.of("scopes", f"{problem} Known are {', '.join(allowed)}.", allowed=allowed)
    return [scope.value for scope in Scope if scope.value in scopes]


async def _find_creator(tx: Tx, workspace_id: UUID, email: str | None) -> UUID | None:
    if email is None:
        return None
    found = await find_member(tx, workspace_id, email)
    if found is None:
        raise ValidationFailed.of("member", f"{email} is not a member of the workspace.")
    id, role, is_active = found
    if not is_active:
        raise ValidationFailed.of("member", f"{email} is no longer active.")
    if not role.covers(Role.ADMIN):
        raise ValidationFailed.of("member", f"{email} is {role}; only an owner or admin can create keys.")
    return id


async def _add_key(tx: Tx, actor: Actor, new_key: NewKey, member_id: UUID | None) -> CreatedKey:
    id, token = new_id(), make_token()
    row = await tx.one(
        _ADD,
        **change_by(actor),
        id=id,
        token_id=token.id,
        secret_hash=token.digest,
        member_id=member_id,
        name=new_key.name,
        scopes=new_key.scopes,
        expires_at=new_key.expires_at,
        detail={"name": new_key.name, "scopes": new_key.scopes},
    )
    return CreatedKey(id, token.text, new_key.name, new_key.scopes, new_key.member, *row)
