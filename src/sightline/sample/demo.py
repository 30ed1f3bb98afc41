"""The sample workspace as the demonstration serves it: loaded once, with a key of its own at each start."""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from io import BytesIO
from typing import Any, NamedTuple

import msgspec

from sightline.platform import logs
from sightline.platform.access import Actor
from sightline.platform.db import Database
from sightline.platform.errors import NotFound
from sightline.platform.server_secret import ServerSecret
from sightline.portal.portals.configure import SignIn, configure, rotate_secret
from sightline.sample.workspace import load
from sightline.workspace_file import apply_file
from sightline.workspaces.keys.lifecycle import create_key, revoke_keys_named
from sightline.workspaces.keys.records import NewKey
from sightline.workspaces.tenants import find_workspace

KEY_NAME = "demo"


class Demo(NamedTuple):
    """What a start prints: the key, the portal's alias, and the secret that the customer's product gets."""

    key: str
    portal: str
    portal_secret: str | None


async def prepare_demo(db: Database, operator: Actor, product: str | None, server_secret: ServerSecret) -> Demo:
    """Loads the sample once, renews the key of its owner, and connects the portal with the product at that address.

    The previous key and the portal's previous secret stop working.
    """
    sample = load()
    owner = next(member["email"] for member in sample["members"] if member["role"] == "owner")
    await _load_once(db, sample)
    async with db.transaction() as tx:
        workspace = await find_workspace(tx, sample["workspace"]["slug"])
        actor, secret = replace(operator, workspace_id=workspace.id), None
        await revoke_keys_named(tx, actor, KEY_NAME)
        key = await create_key(tx, actor, NewKey(name=KEY_NAME, scopes=["all"], member=owner))
        if product is not None:
            await configure(tx, actor, SignIn(f"{product}/portal/enter", f"{product}/portal/left"), server_secret)
            _, secret = await rotate_secret(tx, actor, server_secret)
    return Demo(key.key, sample["portal"]["alias"], secret)


async def _load_once(db: Database, sample: dict[str, Any]) -> None:
    """Loads the sample unless it is there already: changes made to it are kept."""
    async with db.autocommit() as tx:
        with suppress(NotFound):
            await find_workspace(tx, sample["workspace"]["slug"])
            return
    logs.announce("Loading the sample workspace.")
    made = _until(db.clock.now(), sample)
    await apply_file(db, BytesIO(msgspec.json.encode(made)), actor_id=KEY_NAME)


def _until(now: datetime, part: Any) -> Any:
    """Leaves out each `updatedAt` after now, which is refused: the clock may be behind the sample."""
    if isinstance(part, list):
        return [_until(now, item) for item in part]
    if not isinstance(part, dict):
        return part
    return {
        name: _until(now, value)
        for name, value in part.items()
        if name != "updatedAt" or datetime.fromisoformat(value) <= now
    }
