"""The pages of signing in and out. Specification: Portal sign-in endpoints."""

import secrets
from uuid import UUID

from starlette.responses import RedirectResponse, Response

from sightline.platform.access import Actor
from sightline.platform.db import Database
from sightline.platform.db.retries import retry_when_overtaken
from sightline.platform.errors import Conflict
from sightline.platform.server_secret import WrongServerSecret
from sightline.portal.accounts.resolve import link_accounts
from sightline.portal.limits import network_of
from sightline.portal.portals.urls import with_query
from sightline.portal.problems import SignInNotSetUp, SignInRefused, TokenNotAccepted
from sightline.portal.sessions.queries import add_session, end_session
from sightline.portal.sign_in import states
from sightline.portal.sign_in.return_to import safe_path
from sightline.portal.sign_in.tokens import Claims, TokenRefused, read_token
from sightline.portal.sign_in.used_tokens import jti_hash, use_token
from sightline.portal.sign_in.users import find_or_add_user
from sightline.portal.visits import Visit
from sightline.portal.waiting import pages as waiting
from sightline.workspaces.changes import log_change


def require_sign_in(visit: Visit) -> str:
    """Returns the remote login URL. Raises SignInNotSetUp."""
    url = visit.portal.remote_login_url
    if visit.site.secret is None or visit.portal.secret is None or url is None:
        raise SignInNotSetUp
    return url


def go_to_sign_in(visit: Visit, return_to: str) -> Response:
    """Redirects to the customer's login with a new state. Raises SignInNotSetUp."""
    url, prefix, cookies = require_sign_in(visit), visit.place.cookies, visit.cookies
    state, now = secrets.token_urlsafe(24), visit.db.clock.now()
    response = RedirectResponse(with_query(url, state=state, return_to=return_to), 302)
    for name in states.surplus(prefix, cookies):
        visit.set_cookie(response, name, "", 0)
    value = states.cookie_value(visit.secret, prefix, state, now)
    visit.set_cookie(response, states.cookie_name(prefix, state), value, int(states.LIFE.total_seconds()))
    return response


async def receive_token(visit: Visit) -> Response:
    """Receives the callback. Limits count what is refused: a valid token is accepted whatever came before it.

    Raises SignInNotSetUp, SignInRefused, TokenNotAccepted, TooOften.
    """
    require_sign_in(visit)
    token, state = _read_callback(visit)
    try:
        session = await _accept(visit, token)
    except TokenRefused as refusal:
        visit.limit(lambda limits: limits.refused_tokens, state)
        raise TokenNotAccepted(refusal.message) from None
    await _end_session(visit)
    response = visit.go(safe_path(visit.request.query_params.get("return_to")), 302)
    visit.set_session(response, session)
    visit.set_cookie(response, states.cookie_name(visit.place.cookies, state), "", 0)
    return response


def _read_callback(visit: Visit) -> tuple[str, str]:
    """Returns the token and the state, which this browser has. Counts refusals by the address of the client."""
    try:
        token, state = _one(visit, "jwt"), _one(visit, "state")
        now = visit.db.clock.now()
        if not states.is_issued(visit.secret, visit.place.cookies, state, visit.cookies, now):
            raise SignInRefused("This browser did not get the state within the last 10 minutes.")
    except SignInRefused:
        client = visit.request.client
        visit.limit(lambda limits: limits.callbacks_without_state, network_of(client.host if client else ""))
        raise
    return token, state


def _one(visit: Visit, name: str) -> str:
    values = visit.request.query_params.getlist(name)
    if len(values) != 1 or not values[0]:
        raise SignInRefused(f"The address has to hold {name} exactly once.")
    return values[0]


async def _accept(visit: Visit, token: str) -> str:
    """Returns the token of a new session. Raises TokenRefused, SignInNotSetUp, TooOften.

    Only a signed token reaches the database, and one that is used again and again does so at most 20 times.
    """
    workspace_id = visit.portal.workspace_id
    try:
        secret = visit.secret.decrypt(workspace_id, visit.portal.secret or b"")
    except WrongServerSecret as error:
        raise SignInNotSetUp(str(error)) from None
    claims = read_token(token, secret, visit.db.clock.now())
    visit.limit(lambda limits: limits.uses_of_token, jti_hash(claims).hex())
    return await _start_session(visit.db, workspace_id, claims)


async def _start_session(db: Database, workspace_id: UUID, claims: Claims) -> str:
    """Returns the token of a new session. Of concurrent uses of one token, one succeeds.

    Raises TokenRefused if the `jti` was used before.
    """

    async def attempt() -> str:
        async with db.transaction() as tx:
            await use_token(tx, workspace_id, claims)
            user, is_new = await find_or_add_user(tx, workspace_id, claims)
            actor = Actor(workspace_id, "portal_user", str(user.id))
            if is_new:
                await log_change(tx, actor, "portal_user", user.id, None, "created")
            await link_accounts(tx, actor, user.id, claims)
            return await add_session(tx, workspace_id, user.id)

    return await retry_when_overtaken(attempt, Conflict("Another sign-in is changing the same person. Try again."))


async def sign_out(visit: Visit) -> Response:
    """Ends the session and redirects to the customer's logout."""
    await _end_session(visit)
    visit.session = None
    url = visit.portal.remote_logout_url
    response = RedirectResponse(url, 303) if url else visit.go("/")
    visit.set_cookie(response, "session", "", 0)
    visit.set_cookie(response, waiting.COOKIE, "", 0)  # the next person at this browser does not read it
    return response


async def end_after_logout(visit: Visit) -> Response:
    """Ends the session after a logout from the product, and redirects to the customer's login."""
    await _end_session(visit)
    response = go_to_sign_in(visit, "/")
    visit.set_cookie(response, "session", "", 0)
    return response


async def _end_session(visit: Visit) -> None:
    if token := visit.cookie("session"):
        async with visit.db.autocommit() as tx:
            await end_session(tx, visit.portal.workspace_id, token)
