"""What `sightline doctor` says of the portals' secrets."""

from sightline.platform.checks import Check
from sightline.platform.db import Row, Tx, sql
from sightline.platform.server_secret import ServerSecret, WrongServerSecret

# Of all workspaces at once.
_SECRETS = sql("""
SELECT portals.workspace_id, portals.secret, workspaces.slug
FROM portals JOIN workspaces ON workspaces.id = portals.workspace_id
WHERE portals.workspace_id IS NOT NULL AND portals.secret IS NOT NULL
ORDER BY workspaces.slug""")


async def check_portals(tx: Tx, server_secret: str | None) -> list[Check]:
    """Fails when nobody can sign in to a portal, as its secret was stored with another server secret."""
    known = None if server_secret is None else ServerSecret(server_secret)
    unreadable = [row["slug"] for row in await tx.rows(_SECRETS) if not _is_readable(known, row)]
    message = (
        f"Nobody can sign in to the portal of {', '.join(unreadable)}: its secret was stored with another server "
        "secret. Give that one, or run `sightline portal rotate-secret` for each."
    )
    return [Check("portals", False, message)] if unreadable else []


def _is_readable(known: ServerSecret | None, row: Row) -> bool:
    try:
        return known is not None and bool(known.decrypt(row["workspace_id"], row["secret"]))
    except WrongServerSecret:
        return False
