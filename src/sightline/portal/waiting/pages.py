"""Keeping a form of a signed-out browser, showing it after the sign-in, and forgetting it once it is sent."""

import secrets

from sightline.platform.refs import parse_uuid
from sightline.portal.limits import network_of
from sightline.portal.sessions.queries import hash_of
from sightline.portal.visits import Visit
from sightline.portal.waiting import queries
from sightline.portal.waiting.records import SentForm

COOKIE = "waiting"  # the token that the browser gets with the first form that it leaves here
SECONDS = int(queries.LIFE.total_seconds())


async def keep(visit: Visit, form: SentForm) -> str | None:
    """Keeps the form for the sign-in. Returns the browser's token for its cookie, or None if the form is too large.

    Raises TooOften.
    """
    browser = visit.cookie(COOKIE) or secrets.token_urlsafe(32)
    network = network_of(visit.request.client.host if visit.request.client else "")
    visit.limit(lambda limits: limits.signed_out_forms, f"signed-out forms {network}")
    async with visit.db.transaction() as tx:
        is_kept = await queries.add_waiting(tx, visit.portal.workspace_id, browser, network, form)
    return browser if is_kept else None


async def find_waiting(visit: Visit) -> list[SentForm]:
    """Returns the forms to be shown to the person, who can send them now."""
    if not (browser := visit.cookie(COOKIE)):
        return []
    async with visit.db.autocommit() as tx:
        return await queries.list_waiting(tx, visit.portal.workspace_id, browser)


async def forget_sent(visit: Visit) -> None:
    """Forgets the form that the person has sent from the notice."""
    browser, id = visit.cookie(COOKIE), parse_uuid(visit.form.get("waiting", ""))
    if browser and id is not None:
        async with visit.db.autocommit() as tx:
            own = {"browser_hash": hash_of(browser), "id": id}
            await tx.run(queries.FORGET, workspace_id=visit.portal.workspace_id, **own)
