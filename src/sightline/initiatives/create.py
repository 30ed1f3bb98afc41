"""Creating an initiative, once per request id. Specification: POST /initiatives; decisions: Initiatives."""

from sightline.initiatives import limits, queries
from sightline.initiatives.records import DEFAULT_PRIORITY, Initiative, NewInitiative
from sightline.initiatives.request_id import find_created, request_hash
from sightline.initiatives.teams import ensure_unique
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx, retry_when_overtaken
from sightline.platform.errors import Conflict, PaymentRequired
from sightline.platform.wire import Expectation, Versioned, expect_anything
from sightline.workspaces.numbers import take_number


async def create_initiative(
    db: Database, actor: Actor, new_initiative: NewInitiative, expect: Expectation = expect_anything
) -> Versioned[Initiative]:
    """Creates an initiative. A retry returns the one that the first request created, in its current state.

    Raises ValidationFailed for a repeated team, RequestIdReused, then ValidationFailed for an
    unknown team, NotFound for the product, PreconditionFailed, TrialExpired, LimitReached.
    """
    ensure_unique(new_initiative.team_ids)
    id, team_ids, product_id = new_initiative.client_request_id, new_initiative.team_ids, new_initiative.product_id

    async def attempt() -> Versioned[Initiative] | None:
        async with db.autocommit() as tx:
            named = await queries.find_named(tx, actor.workspace_id, id, team_ids, product_id)
            if named["is_created"] and (created := await find_created(tx, actor, new_initiative)) is not None:
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
                if (created := await find_created(tx, actor, new_initiative)) is not None:
                    return created
            raise

    return await retry_when_overtaken(
        attempt, Conflict("The teams or the product of the request keep changing. Try again.")
    )


async def _add(tx: Tx, actor: Actor, new_initiative: NewInitiative, number: int) -> Versioned[Initiative] | None:
    return await queries.add_initiative(
        tx,
        actor,
        id=new_initiative.client_request_id,
        number=number,
        name=new_initiative.name,
        description=new_initiative.description or "",
        priority=new_initiative.priority or DEFAULT_PRIORITY,
        product_id=new_initiative.product_id,
        team_ids=new_initiative.team_ids,
        request_hash=request_hash(new_initiative),
    )
