"""`sightline init`: a real, empty workspace."""

from typing import Annotated, Any

from sightline.catalog.default_statuses import add_default_statuses
from sightline.cli.options import option
from sightline.cli.output import note, print_columns
from sightline.cli.site import Site, operator, site_command
from sightline.workspaces.keys.lifecycle import create_key
from sightline.workspaces.keys.records import NewKey
from sightline.workspaces.tenants import create_workspace


def _print(shown: dict[str, Any]) -> None:
    workspace = shown["workspace"]
    print_columns(
        [("workspace", workspace.slug), ("id", workspace.id), ("owner", shown["owner"]), ("key", shown["key"])]
    )
    note("Keep the key now: it is not shown again.")


@site_command("init", show=_print, is_first_use=True)
async def init(
    site: Site,
    slug: Annotated[str, option("Short name: lower-case letters, digits, hyphens.")],
    name: Annotated[str, option("Full name.")],
    owner: Annotated[str, option("The owner's e-mail address.")],
) -> dict[str, Any]:
    """Creates an empty workspace with its owner. Prints an API key with all scopes, once."""
    async with site.db.transaction() as tx:
        workspace = await create_workspace(tx, operator(), slug, name, owner)
        await add_default_statuses(tx, workspace.id, provisional=True)
        key = await create_key(tx, operator(workspace.id), NewKey(name="init", scopes=["all"], member=owner))
    return {"workspace": workspace, "owner": owner, "keyId": key.id, "key": key.key, "scopes": key.scopes}
