"""Creating an initiative. A clientRequestId creates one: the same request again returns it, another one is 409.

Specification: POST /initiatives; decisions: Initiatives.
"""

from hashlib import sha256

import msgspec

from sightline.initiatives import limits, queries
from sightline.initiatives.records import DEFAULT_PRIORITY, Initiative, NewInitiative
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx, retry_when_overtaken
from sightline.platform.errors import Conflict, PaymentRequired, RequestIdReused
from sightline.platform.wire import Expectation, Versioned, version_tag, versioned
from sightline.workspaces.changes import change_by, slot
from sightline.workspaces.numbers import take_number

_REPLAYED = ((b"idempotent-replayed", b"true"),)


async def create_initiative(
    db: Database, actor: Actor, new_initiative: NewInitiative, expect: Expectation
) -> Versioned[Initiative]:
    """Creates an initiative. A retry returns the one that the first request created, in its current state.

    Raises ValidationFailed for a repeated team, RequestIdReused, then ValidationFailed for an
    unknown team, NotFound for the product, PreconditionFailed, TrialExpired, LimitReached.
    """
    queries.ensure_unique(new_initiative.team_ids)
    about = {
        "workspace_id": actor.workspace_id,
        "id": new_initiative.client_request_id,
        "teams": new_initiative.team_ids,
        "product_id": new_initiative.product_id,
    }

    async def attempt() -> Versioned[Initiative] | None:
        async with db.autocommit() as tx:
            named = await tx.one(queries.FIND_NAMED, **about)
            if named["is_created"] and (created := await _find_created(tx, actor, new_initiative)) is not None:
                return created
            queries.refuse_missing(named)
            expect(None)
            number = await take_number(db, tx, actor.workspace_id, "initiative")
        try:
            async with db.transaction() as tx:
                if named["is_limited"]:
                    await limits.ensure_one_more(tx, actor.workspace_id)
                return await _add(tx.later(), actor, new_initiative, number)
        except PaymentRequired:
            async with db.autocommit() as tx:  # the same request may have created it and so reached the limit
                if (created := await _find_created(tx, actor, new_initiative)) is not None:
                    return created
            raise

    return await retry_when_overtaken(
        attempt, Conflict("The teams or the product of the request keep changing. Try again.")
    )


async def _add(tx: Tx, actor: Actor, new_initiative: NewInitiative, number: int) -> Versioned[Initiative] | None:
    """Returns None if another initiative has the id or the number."""
    row = await tx.row(
        queries.ADD_INITIATIVE,
        **change_by(actor),
        slot=slot(tx),
        id=new_initiative.client_request_id,
        number=number,
        name=new_initiative.name,
        description=new_initiative.description or "",
        priority=new_initiative.priority or DEFAULT_PRIORITY,
        product_id=new_initiative.product_id,
        team_ids=new_initiative.team_ids,
        request_hash=_request_hash(new_initiative),
    )
    return versioned(Initiative, row) if row else None


async def _find_created(tx: Tx, actor: Actor, new_initiative: NewInitiative) -> Versioned[Initiative] | None:
    """Returns the initiative of this request id, or None. Raises RequestIdReused if another request created it."""
    id = new_initiative.client_request_id
    row = await tx.row(queries.FIND_REQUESTED, workspace_id=actor.workspace_id, id=id)
    if row is None:
        return None
    *fields, version, stored = row
    if stored != _request_hash(new_initiative):
        raise RequestIdReused("This clientRequestId was used with another body.", field="clientRequestId")
    return Versioned(Initiative(*fields), version_tag(id, version), _REPLAYED)


def _request_hash(new_initiative: NewInitiative) -> bytes:
    """Returns the hash of the normalised request, with defaults filled in and teams in a fixed order."""
    normalised = [
        new_initiative.name,
        new_initiative.description or "",
        sorted(str(team) for team in new_initiative.team_ids),
        new_initiative.product_id,
        new_initiative.priority or DEFAULT_PRIORITY,
    ]
    return sha256(msgspec.json.encode(normalised)).digest()
