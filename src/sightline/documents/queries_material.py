"""The SQL of what a document is written from: an initiative, and all that hangs on its ideas."""

from typing import Any
from uuid import UUID

import msgspec

from sightline.intelligence.material import (
    AboutEvidence,
    AboutIdea,
    AboutInitiative,
    AboutInsight,
    AboutQuestion,
    Material,
    Quote,
)
from sightline.platform.db import Tx
from sightline.platform.errors import NotFound

_INITIATIVE = """
SELECT i.id, 'INITIATIVE-' || i.number, i.name, i.description, i.status, i.priority,
       (SELECT p.name FROM products p WHERE p.workspace_id = $1 AND p.id = i.product_id),
       ARRAY(SELECT t.name FROM unnest(i.team_ids) WITH ORDINALITY AS assigned (id, n)
               JOIN teams t ON t.workspace_id = $1 AND t.id = assigned.id ORDER BY assigned.n),
       to_char(i.start_date, 'YYYY-MM-DD'), to_char(i.finish_date, 'YYYY-MM-DD')
  FROM initiatives i WHERE i.workspace_id = $1 AND i.id = $2"""

_IDEAS = """
SELECT i.id, 'IDEA-' || i.number, i.name, i.description, i.status,
       ARRAY(SELECT f.name FROM unnest(i.feature_ids) WITH ORDINALITY AS linked (id, n)
               JOIN features f ON f.workspace_id = $1 AND f.id = linked.id ORDER BY linked.n),
       ARRAY(SELECT a.name FROM unnest(i.account_ids) WITH ORDINALITY AS linked (id, n)
               JOIN accounts a ON a.workspace_id = $1 AND a.id = linked.id ORDER BY linked.n)
  FROM ideas i WHERE i.workspace_id = $1 AND i.initiative_id = $2 ORDER BY i.number"""

_INSIGHTS = """
SELECT n.id, n.title, n.description, n.category, n.extracts
  FROM insights n
 WHERE n.workspace_id = $1 AND n.id IN (
        SELECT l.insight_id FROM idea_insights l JOIN ideas i ON i.workspace_id = l.workspace_id AND i.id = l.idea_id
         WHERE l.workspace_id = $1 AND i.initiative_id = $2)
 ORDER BY n.created_at, n.id"""

_EVIDENCE = """
SELECT e.id, 'IDEA-' || i.number, e.title, e.description, e.role, e.extracts, e.resolution
  FROM idea_evidence e JOIN ideas i ON i.workspace_id = e.workspace_id AND i.id = e.idea_id
 WHERE e.workspace_id = $1 AND i.initiative_id = $2 AND e.dismissed_at IS NULL
 ORDER BY i.number, e.created_at, e.id"""

_QUESTIONS = """
SELECT q.id, 'INITIATIVE-' || i.number, q.question, nullif(btrim(q.answer), '')
  FROM initiative_questions q JOIN initiatives i ON i.workspace_id = q.workspace_id AND i.id = q.initiative_id
 WHERE q.workspace_id = $1 AND q.initiative_id = $2 ORDER BY q.position, q.id"""

_IDEA_QUESTIONS = """
SELECT q.id, 'IDEA-' || i.number, q.question, CASE WHEN q.status = 'answered' THEN nullif(btrim(q.answer), '') END
  FROM idea_questions q JOIN ideas i ON i.workspace_id = q.workspace_id AND i.id = q.idea_id
 WHERE q.workspace_id = $1 AND i.initiative_id = $2 AND q.status <> 'rejected'
 ORDER BY i.number, q.created_at, q.id"""

_SIGNALS = "SELECT id, 'SIGNAL-' || number FROM signals WHERE workspace_id = $1 AND id = ANY($2)"


class _Extract(msgspec.Struct, rename="camel"):
    text: str
    signal_id: UUID | None = None


async def gather(tx: Tx, workspace_id: UUID, initiative_id: UUID) -> Material:
    """All of it as it is at one moment: `tx` is a snapshot. Raises NotFound."""
    initiative = await tx.row(_INITIATIVE, workspace_id, initiative_id)
    if initiative is None:
        raise NotFound
    about = (workspace_id, initiative_id)
    ideas = [AboutIdea(*row) for row in await tx.rows(_IDEAS, *about)]
    insights = await tx.rows(_INSIGHTS, *about)
    evidence = await tx.rows(_EVIDENCE, *about)
    questions = [AboutQuestion(*row) for row in await tx.rows(_QUESTIONS, *about)]
    questions += [AboutQuestion(*row) for row in await tx.rows(_IDEA_QUESTIONS, *about)]
    extracts = {row["id"]: _extracts(row["extracts"]) for row in (*insights, *evidence)}
    signals = await _signals(tx, workspace_id, extracts)
    quotes = {id: [Quote(each.text, signals.get(each.signal_id)) for each in found] for id, found in extracts.items()}
    return Material(
        AboutInitiative(*initiative),
        ideas,
        [AboutInsight(row[0], row[1], row[2], row[3], quotes[row[0]]) for row in insights],
        [AboutEvidence(row[0], row[1], row[2], row[3], row[4], quotes[row[0]], row[6]) for row in evidence],
        questions,
    )


def _extracts(stored: Any) -> list[_Extract]:
    return msgspec.json.decode(stored, type=list[_Extract]) if stored is not None else []


async def _signals(tx: Tx, workspace_id: UUID, extracts: dict[UUID, list[_Extract]]) -> dict[UUID | None, str]:
    """The public ids of the signals that are quoted."""
    named = {each.signal_id for found in extracts.values() for each in found if each.signal_id is not None}
    rows = await tx.rows(_SIGNALS, workspace_id, sorted(named)) if named else []
    return {row[0]: row[1] for row in rows}
