"""Adding evidence to an idea, with exact quotes from signals. Decisions: Evidence."""

from typing import Any
from uuid import UUID

from sightline.ideas.evidence.queries import find_evidence
from sightline.ideas.evidence.records import Evidence, NewEvidence, NewExtract
from sightline.ideas.queries import hold_id
from sightline.platform.access import Actor
from sightline.platform.db import Tx, by_reference, sql
from sightline.platform.errors import Fault, ValidationFailed
from sightline.platform.ids import new_id
from sightline.platform.refs import IdeaRef, SignalRef
from sightline.platform.wire import Expectation, Versioned
from sightline.signals.insights.records import Extract
from sightline.signals.material import TEXT_NAMES
from sightline.workspaces.changes import log_change

# The content of a signal: its text, under any name it is sent with, or the turns of its transcript. The signal cannot
# be deleted before the transaction ends.
_FIND_QUOTED = by_reference("""
SELECT s.id,
       EXISTS (
         SELECT FROM (VALUES (r.raw), (s.data)) AS held (fields), unnest(:names::text[]) AS name
          WHERE jsonb_typeof(held.fields -> name) = 'string' AND strpos(held.fields ->> name, :quote) > 0)
    OR EXISTS (
         SELECT FROM jsonb_path_query(r.raw, '$.transcript.turns[*]') AS turn
          WHERE strpos(turn ->> 'text', :quote) > 0) AS is_quoted
  FROM signals AS s LEFT JOIN signal_raw AS r ON r.workspace_id = :workspace_id AND r.signal_id = s.id
 WHERE s.workspace_id = :workspace_id AND s.{ref} = :ref
   FOR KEY SHARE OF s""")
_ADD = sql("""
INSERT INTO idea_evidence (workspace_id, id, idea_id, title, description, category, extracts, signal_id, role, origin,
                           created_at, updated_at)
VALUES (:workspace_id, :id, :idea_id, :title, :description, :category, :extracts, :signal_id, :role, :origin,
        :now, :now)""")


async def add_evidence(
    tx: Tx, actor: Actor, ref: IdeaRef, new_evidence: NewEvidence, expect: Expectation
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
    await _add(tx, actor.workspace_id, idea.id, id, evidence)
    await log_change(tx, actor, "idea_evidence", id, None, "created", ideaId=str(idea.id))
    return await find_evidence(tx, actor.workspace_id, idea.id, id)


async def _find_extracts(tx: Tx, actor: Actor, extracts: list[NewExtract]) -> list[Extract]:
    """Returns the extracts with the ids of their signals."""
    faults: list[Fault] = []
    checked: list[Extract] = []
    for n, extract in enumerate(extracts):
        signal = SignalRef.parse(extract.signal_id)
        named = {"workspace_id": actor.workspace_id, "ref": signal.value}
        found = await tx.row(_FIND_QUOTED[signal.column], **named, quote=extract.text, names=TEXT_NAMES)
        if found is None:
            faults.append(Fault(f"extracts[{n}].signalId", f"Not in this workspace: {extract.signal_id}"))
            continue
        checked.append(Extract(extract.text, found["id"]))
        if not found["is_quoted"]:
            faults.append(Fault(f"extracts[{n}].text", "Not an exact part of the signal's text"))
    if faults:
        raise ValidationFailed(faults)
    return checked


async def _add(tx: Tx, workspace_id: UUID, idea_id: UUID, id: UUID, evidence: dict[str, Any]) -> None:
    """Adds evidence from title, description, category, extracts, signal_id, role and origin."""
    await tx.run(_ADD, **evidence, workspace_id=workspace_id, idea_id=idea_id, id=id)


async def add_request_evidence(tx: Tx, workspace_id: UUID, idea_id: UUID, title: str, text: str) -> None:
    """Adds the words of a customer's request to the idea created from it, as sent; the text may be empty."""
    evidence = {
        "title": title,
        "description": text,
        "category": "request",
        "role": "supports",
        "origin": "portal",
        "extracts": [{"text": text or title, "signalId": None}],
        "signal_id": None,
    }
    await _add(tx, workspace_id, idea_id, new_id(), evidence)
