"""Creating an idea from a customer's request. Decisions: Portal."""

from typing import NamedTuple
from uuid import UUID

from sightline.catalog.taxonomy import find_taxonomy
from sightline.ideas.decide import Facts, decide
from sightline.ideas.evidence.add import add_request_evidence
from sightline.ideas.preparation import model_follows
from sightline.ideas.proposal import Proposal
from sightline.ideas.records import IdeaProvenance
from sightline.ideas.store import add_idea
from sightline.intelligence.engine import Engine
from sightline.platform.access import Actor
from sightline.platform.db import Tx

CHANNEL = "portal"


class RequestedIdea(NamedTuple):
    """A request in its author's words; the text may be empty. `is_visible`: other customers see it immediately."""

    id: UUID
    number: int
    title: str
    text: str
    account_ids: list[UUID]
    is_visible: bool


async def add_requested_idea(tx: Tx, engine: Engine, actor: Actor, request: RequestedIdea) -> bool:
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
        "created_source": CHANNEL,
        "provenance": IdeaProvenance(CHANNEL),
    }
    if await add_idea(tx, actor, origin, outcome) is None:
        return False
    await add_request_evidence(tx, actor.workspace_id, request.id, request.title, request.text)
    return True
