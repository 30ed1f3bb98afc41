"""Creating an idea from a customer's request. Decisions: Portal."""

from typing import Any, NamedTuple
from uuid import UUID

from sightline.catalog.taxonomy import find_taxonomy
from sightline.ideas import queries
from sightline.ideas.classifications.suggest import suggest, suggested_links
from sightline.ideas.evidence.portal import add_request_evidence
from sightline.ideas.readings.due import model_follows
from sightline.ideas.records import IdeaProvenance
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
    description = request.text or request.title
    idea: dict[str, Any] = {
        "id": request.id,
        "number": request.number,
        "name": request.title,
        "description": description,
        "created_source": CHANNEL,
        "provenance": IdeaProvenance(CHANNEL),
        "portal_visible": request.is_visible,
        "model_due_at": tx.now if await model_follows(tx, engine, actor.workspace_id) else None,
    }
    suggested = suggest(engine, await find_taxonomy(tx, actor.workspace_id), description)
    links = {"account_ids": request.account_ids} | suggested_links(suggested)
    if await queries.add_idea(tx, actor, idea, engine.ask_questions(description), links=links) is None:
        return False
    await add_request_evidence(tx, actor.workspace_id, request.id, request.title, request.text)
    return True
