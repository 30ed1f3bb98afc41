"""Creating an initiative, once per request id. Specification: POST /initiatives; decisions: Initiatives."""

from collections.abc import Sequence
from hashlib import sha256
from uuid import UUID

import asyncpg
import msgspec

from sightline.initiatives import limits, queries
from sightline.initiatives.records import Initiative, NewInitiative
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx
from sightline.platform.errors import Conflict, NotFound, PaymentRequired, ValidationFailed
from sightline.platform.wire import Expectation, Versioned, expect_anything
from sightline.workspaces.numbers import take_number

_ATTEMPTS = 4
_REPLAYED = ((b"idempotent-replayed", b"true"),)


class RequestIdReused(Conflict):
    """409: the request id came with another body before."""

    code = "REQUEST_ID_REUSED"


async def create_initiative(
    db: Database, actor: Actor, wish: NewInitiative, expect: Expectation = expect_anything
) -> Versioned[Initiative]:
    """A retry returns the same initiative as it is now, whatever else has changed meanwhile.

    Raises ValidationFailed for a repeated team, CreatorNotAllowed, RequestIdReused, then ValidationFailed for an
    unknown team, NotFound for the product, PreconditionFailed, TrialExpired, LimitReached.
    """
    refuse_repeated(wish.team_ids)
    actor.require_writer()
    for _ in range(_ATTEMPTS):
        async with db.read() as tx:
            if (made := await _find_made(tx, actor, wish)) is not None:
                return made
            await ensure_known(tx, actor.workspace_id, wish.team_ids, wish.product_id)
            expect(None)
            number = await take_number(tx, actor.workspace_id, "initiative")
        try:
            async with db.write() as tx:
                await limits.ensure_one_more(tx, actor.workspace_id)
                if (shown := await _add(tx.later(), actor, wish, number)) is not None:
                    return shown
        except asyncpg.ForeignKeyViolationError:
            continue
        except PaymentRequired:
            async with db.read() as tx:
                if (made := await _find_made(tx, actor, wish)) is not None:  # by the same request, just before
                    return made
            raise
    raise Conflict("The records that the initiative names keep changing. Try again.")


def refuse_repeated(ids: Sequence[UUID]) -> None:
    """Raises ValidationFailed."""
    if len(set(ids)) < len(ids):
        raise ValidationFailed.of("teamIds", "The same team twice")


async def _find_made(tx: Tx, actor: Actor, wish: NewInitiative) -> Versioned[Initiative] | None:
    """What this request id made before. Raises RequestIdReused."""
    requested = await queries.find_requested(tx, actor.workspace_id, wish.client_request_id)
    if requested is None:
        return None
    if requested.request_hash != request_hash(wish):
        raise RequestIdReused("This clientRequestId was used for another request.", field="clientRequestId")
    return Versioned(requested.shown.record, requested.shown.tag, _REPLAYED)


def request_hash(wish: NewInitiative) -> bytes:
    """Of what was asked for, not of how it was written: defaults filled in, the order of teams ignored."""
    teams = sorted(str(team) for team in wish.team_ids)
    asked = [wish.name, wish.description or "", teams, wish.product_id, wish.priority or "MEDIUM"]
    return sha256(msgspec.json.encode(asked)).digest()


async def ensure_known(tx: Tx, workspace_id: UUID, teams: Sequence[UUID], product_id: UUID | None) -> None:
    """Raises ValidationFailed for teams, NotFound for the product."""
    missing = await queries.find_missing(tx, workspace_id, teams, product_id)
    if missing.teams:
        shown = ", ".join(str(id) for id in missing.teams[:5])
        raise ValidationFailed.of("teamIds", f"Not in this workspace: {shown}")
    if not missing.has_product:
        raise NotFound("The workspace has no such product.", field="productId")


async def _add(tx: Tx, actor: Actor, wish: NewInitiative, number: int) -> Versioned[Initiative] | None:
    columns = (
        wish.client_request_id,
        number,
        wish.name,
        wish.description or "",
        wish.priority or "MEDIUM",
        wish.product_id,
        request_hash(wish),
        wish.team_ids,
    )
    return await queries.add_initiative(tx, actor, columns)
