"""Operations on the evidence of an idea. Specification: Ideas."""

from sightline.ideas.evidence import add, review
from sightline.ideas.evidence.records import Evidence, EvidenceChanges, EvidenceFilters, NewEvidence
from sightline.platform.db import Window
from sightline.platform.http.operations import Call, operation
from sightline.platform.lists.paging import Paging
from sightline.platform.refs import IdeaRef, RecordId
from sightline.platform.scopes import Scope
from sightline.platform.wire import Page, Versioned

_EVIDENCE_READ = (Scope.SIGNAL_EVIDENCE_READ, Scope.SIGNALS_READ)


@operation(
    "GET",
    "/ideas/{ref}/evidence",
    scopes=[Scope.IDEAS_READ],
    any_of=_EVIDENCE_READ,
    paging=Paging(20, 50),
)
async def list_idea_evidence(call: Call, ref: IdeaRef, query: EvidenceFilters, window: Window) -> Page[Evidence]:
    """Lists the evidence linked to an idea itself, newest link first.

    Evidence of its insights and opportunities is not evidence of the idea.
    """
    async with call.db.autocommit() as tx:
        return await review.list_evidence(tx, call.actor, ref, query, window)


@operation(
    "POST",
    "/ideas/{ref}/evidence",
    scopes=[Scope.IDEAS_WRITE],
    status=201,
    example={
        "title": "Analysts copy tables by hand",
        "description": "Three of eight interviews spoke of it.",
        "category": "problem",
        "role": "supports",
    },
)
async def add_idea_evidence(call: Call, ref: IdeaRef, new_evidence: NewEvidence) -> Versioned[Evidence]:
    """Adds evidence to an idea, with quotes from signals.

    Each text of `extracts` has to be an exact part of its signal's text.
    """
    async with call.db.transaction() as tx:
        return await add.add_evidence(tx, call.actor, ref, new_evidence, call.expect)


@operation(
    "PATCH",
    "/ideas/{ref}/evidence/{evidence_id}",
    scopes=[Scope.IDEAS_WRITE],
    any_of=_EVIDENCE_READ,
    example={"role": "qualifies", "resolved": True, "resolution": "Answered by the export of last month."},
)
async def change_idea_evidence(
    call: Call, ref: IdeaRef, evidence_id: RecordId, changes: EvidenceChanges
) -> Versioned[Evidence]:
    """Sets the role of a piece of evidence, resolves it or dismisses it."""
    async with call.db.transaction() as tx:
        return await review.change_evidence(tx, call.actor, ref, evidence_id, changes, call.expect)
