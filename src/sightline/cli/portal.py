"""`sightline portal`: how customers sign in to a workspace's portal."""

from typing import Annotated
from urllib.parse import urlsplit

import typer

from sightline.cli.options import InWorkspace, argument, option
from sightline.cli.output import note, print_columns
from sightline.cli.site import Site, site_command
from sightline.platform.server_secret import ServerSecret
from sightline.portal.addresses import Addresses, addresses_of
from sightline.portal.portals import configure as portals
from sightline.portal.portals.configure import SignIn
from sightline.portal.portals.records import Portal
from sightline.portal.sign_in import trial as trials


def _print(shown: Addresses) -> None:
    print_columns([("portal", f"{shown.portal_url}/"), ("callback", shown.callback_url), ("secret", shown.secret)])
    if shown.secret is None:
        note("The secret is the one there was; `sightline portal rotate-secret` makes a new one.")
    else:
        note("Keep the secret now, on the product's server only: it is not shown again.")


@site_command("portal configure", show=_print)
async def configure(
    site: Site,
    workspace: InWorkspace,
    remote_login_url: Annotated[str, option("Where people are sent to sign in.")],
    remote_logout_url: Annotated[str, option("Where they are sent to sign out.")],
    host: Annotated[str | None, option("A host name of the portal's own.")] = None,
) -> Addresses:
    """Switches portal sign-in on. Prints the secret the first time only; later the secret stays as it is."""
    sign_in = SignIn(remote_login_url, remote_logout_url, host)
    server_secret = ServerSecret(site.settings.server_secret())
    service_host = urlsplit(site.settings.address()).hostname
    async with site.transaction(workspace) as (tx, actor):
        portal, secret = await portals.configure(tx, actor, sign_in, server_secret, service_host)
    return _addresses(site, portal, secret)


@site_command("portal rotate-secret", show=_print)
async def rotate_secret(site: Site, workspace: InWorkspace) -> Addresses:
    """Makes a new secret. Tokens signed with the old one stop working at once."""
    server_secret = ServerSecret(site.settings.server_secret())
    async with site.transaction(workspace) as (tx, actor):
        portal, secret = await portals.rotate_secret(tx, actor, server_secret)
    return _addresses(site, portal, secret)


def _addresses(site: Site, portal: Portal, secret: str | None) -> Addresses:
    """Returns the addresses; notes that they are a guess if no public address is configured."""
    if site.settings.public_url is None:
        note("The addresses are a guess: set SIGHTLINE_PUBLIC_URL to the address at which browsers reach the service.")
    return addresses_of(portal, site.settings.address(), secret)


@site_command("portal test-token", show=lambda trial: typer.echo(trial.message), code=lambda trial: not trial.accepted)
async def try_token(
    site: Site,
    workspace: InWorkspace,
    token: Annotated[str, argument("JWT", "A token as the product signs it.")],
) -> trials.Trial:
    """Says whether a token is accepted, or which claim is wrong. The token is not used up."""
    secret = ServerSecret(site.settings.server_secret())
    async with site.transaction(workspace) as (tx, actor):
        return await trials.try_token(tx, actor.workspace_id, secret, token)
