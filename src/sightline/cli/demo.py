"""`sightline demo`: the sample workspace, served."""

from typing import TYPE_CHECKING, Any

import typer

from sightline.cli.options import Command, DataDir, Host, Port

if TYPE_CHECKING:
    from sightline.platform.db import Database
    from sightline.settings import Settings

KEY_NAME = "demo"


def register(app: typer.Typer) -> None:
    app.command("demo", cls=Command)(demo)


def demo(host: Host = None, port: Port = None, data_dir: DataDir = None) -> None:
    """Loads the sample workspace into an embedded database and serves it, with a fresh key at each start."""
    import asyncio

    from sightline.cli.data import read_settings
    from sightline.cli.output import note
    from sightline.cli.serving import serve

    settings = read_settings(data_dir, host=host, port=port).embedded()
    made: dict[str, str] = {}

    def prepare(url: str) -> None:
        made.update(asyncio.run(_prepare(settings, url)))

    def say_ready(served: int) -> None:
        address = settings.address(served)
        note(f"Sightline serves on {address} (stop with Ctrl+C).")
        for line in _welcome(address, made["key"], made["portal"]):
            typer.echo(line)

    raise typer.Exit(serve(settings, prepare=prepare, say_ready=say_ready))


def _welcome(address: str, key: str, portal: str) -> list[str]:
    api = f"{address}/api/external/v1"
    return [
        f"key     {key}",
        f"api     {api}",
        f"docs    {address}/docs",
        f"portal  {address}/portal/{portal}/",
        f'try     curl -s "{api}/ideas?limit=3" -H "Authorization: Bearer {key}"',
    ]


async def _prepare(settings: "Settings", url: str) -> dict[str, str]:
    """The key and the portal's alias."""
    from sightline.platform.clock import Clock
    from sightline.platform.db import Database
    from sightline.sample.compose import load

    sample = load()
    db = await Database.connect(url, size=2, clock=Clock(settings.clock_offset))
    try:
        await _load_once(db, sample)
        return {"key": await _renew_key(db, sample), "portal": sample["portal"]["alias"]}
    finally:
        await db.close()


async def _load_once(db: "Database", sample: dict[str, Any]) -> None:
    """Unless it is there: what somebody changed in it stays."""
    from io import BytesIO

    import msgspec

    from sightline.cli.output import note
    from sightline.sample.compose import compose
    from sightline.workspace_file import apply_file
    from sightline.workspaces.queries import find_workspace

    async with db.read() as tx:
        if await find_workspace(tx, sample["workspace"]["slug"]):
            return
    note("Loading the sample workspace.")
    await apply_file(db, BytesIO(msgspec.json.encode(compose(sample))), actor_id=KEY_NAME)


async def _renew_key(db: "Database", sample: dict[str, Any]) -> str:
    """A key of the sample's owner; the one before stops working."""
    from sightline.cli.data import operator
    from sightline.workspaces.keys import create_key, revoke_keys_named
    from sightline.workspaces.records import NewKey
    from sightline.workspaces.tenants import find_workspace

    owner = next(member["email"] for member in sample["members"] if member["role"] == "owner")
    async with db.write() as tx:
        actor = operator((await find_workspace(tx, sample["workspace"]["slug"])).id)
        await revoke_keys_named(tx, actor, KEY_NAME)
        return (await create_key(tx, actor, NewKey(name=KEY_NAME, scopes=["all"], member=owner))).key
