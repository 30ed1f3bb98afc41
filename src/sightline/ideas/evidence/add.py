"""Adding evidence to an idea, with exact quotes from signals. Decisions: Evidence."""

from sightline.ideas.evidence import queries
from sightline.ideas.evidence.records import Evidence, NewEvidence, NewExtract
from sightline.ideas.queries import hold_id
from sightline.platform.access import Actor
from sightline.platform.db import Tx
from sightline.platform.errors import Fault, ValidationFailed
from sightline.platform.ids import new_id
from sightline.platform.refs import IdeaRef, SignalRef
from sightline.platform.wire import Expectation, Versioned, expect_anything
from sightline.signals.insights.records import Extract
from sightline.workspaces.changes import log_change


async def add_evidence(
    tx: Tx, actor: Actor, ref: IdeaRef, new_evidence: NewEvidence, expect: Expectation = expect_anything
) -> Versioned[Evidence]:
    """Adds evidence. Raises NotFound, PreconditionFailed, and ValidationFailed for a text that is not in its signal."""
    idea = await hold_id(tx, actor.workspace_id, ref)
    extracts = await _find_extracts(tx, actor, new_evidence.extracts or [])
    expect(None)
    id = new_id()
    evidence = {
        "title": new_evidence.title,
        "description": new_evidence.description or "",
        "category": new_evidence.category or "observation",
        "role": new_evidence.role or "supports",
        "origin": "manual",
        "extracts": extracts or None,
        "signal_id": extracts[0].signal_id if extracts else None,
    }
    await queries.add_evidence(tx, actor.workspace_id, idea.id, id, evidence)
    await log_change(tx, actor, "idea_evidence", id, None, "created", ideaId=str(idea.id))
    return await queries.find_evidence(tx, actor.workspace_id, idea.id, id)


async def _find_extracts(tx: Tx, actor: Actor, extracts: list[NewExtract]) -> list[Extract]:
    """Returns the extracts with the ids of their signals."""
    faults: list[Fault] = []
    checked: list[Extract] = []
    for n, extract in enumerate(extracts):
        signal = SignalRef.parse(extract.signal_id)
        found = await queries.find_quoted(tx, actor.workspace_id, signal, extract.text)
        if found is None:
            faults.append(Fault(f"extracts[{n}].signalId", f"Not in this workspace: {extract.signal_id}"))
            continue
        signal_id, is_quoted = found
        checked.append(Extract(extract.text, signal_id))
        if not is_quoted:
            faults.append(Fault(f"extracts[{n}].text", "Not an exact part of the signal's text"))
    if faults:
        raise ValidationFailed(faults)
    return checked
