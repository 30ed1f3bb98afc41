"""Creating an idea, or updating the one that its identity names, and creating one of a customer's request.

Specification: POST /ideas; decisions: Ideas, Portal.
"""

from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.catalog.taxonomy import find_taxonomy, find_version
from sightline.ideas import read
from sightline.ideas.classifications.assign import assign
from sightline.ideas.decide import Facts, decide
from sightline.ideas.evidence.add import add_request_evidence
from sightline.ideas.identity import find_known, refuse_two, without_alias
from sightline.ideas.preparation import model_follows, prepare, propose
from sightline.ideas.proposal import Proposal
from sightline.ideas.records import Idea, IdeaProvenance, NewIdea
from sightline.ideas.status import refuse_managed_status
from sightline.ideas.store import add_idea, change_idea
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx, retry_when_overtaken
from sightline.platform.errors import Conflict
from sightline.platform.ids import new_id
from sightline.platform.wire import Expectation, Versioned, version_tag
from sightline.workspaces.numbers import take_idea_number

# Named here, as an annotation of a function in a function is evaluated at each call: 6 us for this one.
_Written = Versioned[Idea] | None


async def create_idea(
    db: Database, maps: FeatureMaps, actor: Actor, new_idea: NewIdea, expect: Expectation
) -> Versioned[Idea]:
    """Raises ValidationFailed, UnknownStatus, NotFound, PreconditionFailed, IdentityConflict,
    PromotionReserved or SourceManaged.

    Concurrent requests with one identity create one idea: if another request created it first, this one updates it.
    """
    proposal = propose(new_idea)
    find = partial(find_known, workspace_id=actor.workspace_id, new_idea=new_idea)
    attempts = 0

    async def attempt() -> _Written:
        nonlocal attempts
        attempts += 1
        stored, facts = await prepare(
            db, maps, actor.workspace_id, find, proposal, new_idea.classifications or (), is_retry=attempts > 1
        )
        if stored is None:
            expect(None)
            return await _add(db, actor, proposal, facts)
        async with db.transaction() as tx:
            return await _update(tx, actor, new_idea, proposal, facts, expect)

    return await retry_when_overtaken(attempt, Conflict("The records that the idea names keep changing. Try again."))


async def _add(db: Database, actor: Actor, new: Proposal, facts: Facts) -> _Written:
    """Returns None if another request took the identity."""
    async with db.autocommit(writes=True) as tx:
        number, stored = await take_idea_number(db, tx, actor.workspace_id)
        taxonomy = await find_version(tx, actor.workspace_id, stored)
    outcome = await decide(None, new, facts._replace(taxonomy=taxonomy))  # may wait: no connection is held meanwhile
    if outcome is None:
        return None
    origin: dict[str, Any] = {
        "id": new_id(),
        "number": number,
        "created_source": "api",
        "provenance": IdeaProvenance("api", actor.id, new.columns.get("source_key"), new.columns.get("external_id")),
    }
    if not outcome.assignments:  # one statement, which commits on its own
        async with db.autocommit(writes=True) as tx:
            row = await add_idea(tx, actor, origin, outcome)
            return read.versioned(row) if row else None
    async with db.transaction() as tx:
        row = await add_idea(tx, actor, origin, outcome)
        if row is None:
            return None
        await assign(tx, actor.workspace_id, row["id"], outcome.assignments)
        return await read.with_classifications(tx, actor, row)


async def _update(
    tx: Tx, actor: Actor, new_idea: NewIdea, new: Proposal, facts: Facts, expect: Expectation
) -> _Written:
    """Updates the known idea under its lock. Returns None if it was deleted, or its features have to be matched."""
    found = await find_known(tx, actor.workspace_id, new_idea, lock=True)
    tx = tx.later()
    refuse_two(found)
    if not found:
        return None
    current = found[0]
    expect(version_tag(current["id"], current["version"]))
    await refuse_managed_status(tx, actor.workspace_id, current, new.columns)
    outcome = await decide(current, await without_alias(tx, actor.workspace_id, current, new), facts)
    if outcome is None:
        return None
    row = await change_idea(tx, facts.engine, actor, current, outcome)
    return await read.with_classifications(tx, actor, row) if outcome.assignments else read.versioned(row)


class RequestedIdea(NamedTuple):
    """A customer's request in their words; the text may be empty. `is_visible`: others see it immediately."""

    id: UUID
    number: int
    title: str
    text: str
    account_ids: list[UUID]
    is_visible: bool


async def add_requested_idea(tx: Tx, engine: EmbeddedEngine, actor: Actor, request: RequestedIdea) -> bool:
    """Adds the idea, and the author's words as its evidence. Returns False if there is an idea with this id."""
    new = Proposal(
        {
            "name": request.title,
            "description": request.text or request.title,
            "portal_visible": request.is_visible,
        },
        account_ids=request.account_ids,
        completes=True,
    )
    taxonomy = await find_taxonomy(tx, actor.workspace_id)
    follows = await model_follows(tx, engine, actor.workspace_id)
    outcome = await decide(None, new, Facts(engine, tx.now, model_follows=follows, taxonomy=taxonomy))
    assert outcome is not None  # noqa: S101 - without a product nothing is matched
    origin = {
        "id": request.id,
        "number": request.number,
        "created_source": "portal",
        "provenance": IdeaProvenance("portal"),
    }
    if await add_idea(tx, actor, origin, outcome) is None:
        return False
    await add_request_evidence(tx, actor.workspace_id, request.id, request.title, request.text)
    return True
