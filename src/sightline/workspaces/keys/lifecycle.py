"""Creates, lists, revokes and rolls API keys. Only a hash of a key is stored; the key itself is shown once."""

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from msgspec import structs

from sightline.platform.access import Actor, Role
from sightline.platform.db import Row, Tx
from sightline.platform.errors import Conflict, NotFound, ValidationFailed
from sightline.platform.ids import new_id
from sightline.platform.refs import parse_uuid
from sightline.platform.scopes import Scope
from sightline.workspaces.keys import queries
from sightline.workspaces.keys.records import NAME_LENGTH, ApiKey, CreatedKey, NewKey
from sightline.workspaces.keys.tokens import make_token, parse_token
from sightline.workspaces.queries import find_member

ALL_SCOPES = "all"
LONGEST_OVERLAP = timedelta(days=90)


class KeyNotUsable(Conflict):
    """409: the key is revoked, expired or already rolled."""

    code = "KEY_NOT_USABLE"


async def create_key(tx: Tx, actor: Actor, new_key: NewKey) -> CreatedKey:
    """Creates a key of the actor's workspace. Raises ValidationFailed.

    Name 1-255 characters; at least one known scope, or `all`; the creator is an active owner or admin; an expiry is
    in the future.
    """
    checked = structs.replace(new_key, name=_checked_name(new_key.name), scopes=_checked_scopes(new_key.scopes))
    if new_key.expires_at is not None and new_key.expires_at <= tx.now:
        raise ValidationFailed.of("expires", "Is in the past. Give a time in the future.")
    return await _add_key(tx, actor, checked, await _find_creator(tx, actor.workspace_id, new_key.member))


async def list_keys(tx: Tx, workspace_id: UUID) -> list[ApiKey]:
    """Returns all keys, newest first, with revoked and expired ones."""
    return await queries.list_keys(tx, workspace_id)


async def revoke_key(tx: Tx, actor: Actor, key: str) -> ApiKey:
    """Revokes a key now; leaves a revoked one unchanged. Raises NotFound."""
    found = await find_key(tx, key)
    await queries.revoke_keys(tx, actor, [found.id])
    return await find_key(tx, key)


async def revoke_keys_named(tx: Tx, actor: Actor, name: str) -> int:
    """Revokes all keys of the actor's workspace with this name. Returns how many."""
    ids = await queries.find_valid_keys_named(tx, actor.workspace_id, name)
    return await queries.revoke_keys(tx, actor, ids)


async def roll_key(tx: Tx, actor: Actor, key: str, overlap: timedelta) -> CreatedKey:
    """Creates a key with the name, scopes, creator and lifetime of the old one, which expires after the overlap.

    Without overlap the old one is revoked now. Raises NotFound, KeyNotUsable, and ValidationFailed for an overlap that
    is negative or longer than 90 days.
    """
    if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
        raise ValidationFailed.of("overlap", "Give 0 to 2160 hours.")
    shown = await find_key(tx, key)
    old = await queries.lock_key(tx, shown.id)
    shown = await find_key(tx, key)
    _refuse_unusable(shown, old, tx.now)
    lifetime = None if old["expires_at"] is None else tx.now + (old["expires_at"] - old["created_at"])
    owner = replace(actor, workspace_id=old["workspace_id"])
    new_key = NewKey(shown.name, shown.scopes, shown.member, lifetime)
    created = await _add_key(tx, owner, new_key, old["member_id"])
    await queries.replace_key(tx, owner, shown.id, created.id, tx.now + overlap)
    if not overlap:
        await queries.revoke_keys(tx, owner, [shown.id])
    return created


async def find_key(tx: Tx, key: str) -> ApiKey:
    """Finds a key by its id, by the part of the key between the underscores, or by the whole key. Raises NotFound."""
    token = parse_token(key)
    found = await queries.find_key(tx, parse_uuid(key), token.id if token else key)
    if found is None:
        raise NotFound("There is no such key.")
    return found


def _refuse_unusable(shown: ApiKey, old: Row, now: datetime) -> None:
    if shown.replaced_by is not None:
        raise KeyNotUsable(f"The key is rolled already, into {shown.replaced_by}.")
    if old["revoked_at"] is not None:
        raise KeyNotUsable("The key is revoked; create a new one.")
    if old["expires_at"] is not None and old["expires_at"] <= now:
        raise KeyNotUsable("The key has expired; create a new one.")


def _checked_name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= NAME_LENGTH or not name.isprintable():
        raise ValidationFailed.of("name", f"Give 1 to {NAME_LENGTH} printable characters.")
    return name


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
    moments = await queries.add_key(tx, actor, id, token, new_key, member_id)
    return CreatedKey(id, token.text, new_key.name, new_key.scopes, new_key.member, *moments)
