"""The SQL of a pending generation with its material: an initiative, its ideas, and what is linked to them."""

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple
from uuid import UUID

import msgspec

from sightline.ideas.vote_counts import votes_of
from sightline.intelligence.material import (
    LONGEST_DESCRIPTION,
    AboutEvidence,
    AboutIdea,
    AboutInitiative,
    AboutInsight,
    AboutOpportunity,
    AboutQuestion,
    AboutStudy,
    DocumentType,
    Material,
    SourceQuote,
)
from sightline.platform.db import Tx
from sightline.platform.db.database import Row
from sightline.platform.db.sql import sql


def _names(table: str, ids: str) -> str:
    """Returns the SQL of an array: the names of the records with these ids, in the order of the ids."""
    return f"""
       ARRAY(SELECT named.name FROM unnest({ids}) WITH ORDINALITY AS linked (id, n)
               JOIN {table} AS named ON named.workspace_id = :workspace_id AND named.id = linked.id
              ORDER BY linked.n)"""


# One statement: what it reads is consistent, in one round trip. A new connection of the driver cannot read uuid[]
# within a row, so ids of signals are texts. An insight that was merged is represented by the one it was merged into.
# Rejected ones are read to leave out what says the same. The generation is found by its key: the index of pending ones
# is small for the planner, but has all that a workspace has asked for.
_FIND = sql(
    """
WITH generation AS (
    SELECT type, requests, initiative_id, status
      FROM document_generations WHERE workspace_id = :workspace_id AND id = :id),
attached AS (
    SELECT i.id, i.number, i.name, left(i.description, {most}) AS description, i.status, i.feature_ids, i.account_ids,
           i.opportunity_ids, i.imported_vote_count + {votes} AS votes
      FROM ideas i
     WHERE i.workspace_id = :workspace_id AND i.initiative_id = (SELECT initiative_id FROM generation)),
links AS (
    SELECT coalesce(n.merged_into, n.id) AS insight_id, i.number, bool_or(l.validated) AS validated
      FROM attached i
      JOIN idea_insights l ON l.workspace_id = :workspace_id AND l.idea_id = i.id
      JOIN insights n ON n.workspace_id = :workspace_id AND n.id = l.insight_id
     GROUP BY 1, 2),
heard AS (
    SELECT n.id, n.title, n.description, n.category, n.review_state, l.ideas, l.validated_for, n.account_ids,
           n.signal_ids, n.extracts, n.created_at
      FROM (SELECT insight_id, array_agg('IDEA-' || number ORDER BY number) AS ideas,
                   array_agg('IDEA-' || number ORDER BY number) FILTER (WHERE validated) AS validated_for
              FROM links GROUP BY insight_id) AS l
      JOIN insights n ON n.workspace_id = :workspace_id AND n.id = l.insight_id),
evidence AS (
    SELECT e.*, i.number FROM attached i
      JOIN idea_evidence e ON e.workspace_id = :workspace_id AND e.idea_id = i.id AND e.dismissed_at IS NULL),
quoted AS (
    SELECT (quote ->> 'signalId')::uuid AS signal_id
      FROM (SELECT extracts FROM heard UNION ALL SELECT extracts FROM evidence) AS every,
           jsonb_array_elements(extracts) AS quote),
accepted AS (
    SELECT signal_id FROM signal_initiatives
     WHERE workspace_id = :workspace_id AND initiative_id = (SELECT initiative_id FROM generation) AND accepted)
SELECT generation.type, generation.requests,
       ROW(i.id, 'INITIATIVE-' || i.number, i.name, i.description, i.status, i.priority,
           (SELECT p.name FROM products p WHERE p.workspace_id = :workspace_id AND p.id = i.product_id),
           {teams}, {features}, to_char(i.start_date, 'YYYY-MM-DD'), to_char(i.finish_date, 'YYYY-MM-DD')
       ) AS initiative,
       ARRAY(
           SELECT ROW(i.id, 'IDEA-' || i.number, i.name, i.description, i.status, {features}, {accounts}, i.votes)
             FROM attached i ORDER BY i.number) AS ideas,
       ARRAY(
           SELECT ROW(i.id, i.title, i.description, i.category, i.review_state, i.ideas,
                      coalesce(i.validated_for, '{{}}'), {accounts}, i.signal_ids::text[], i.extracts)
             FROM heard i ORDER BY i.created_at, i.id) AS insights,
       ARRAY(
           SELECT ROW(e.id, 'IDEA-' || e.number, e.title, e.description, e.role, e.resolution, ARRAY[e.signal_id::text],
                      e.extracts)
             FROM evidence e ORDER BY e.number, e.created_at, e.id) AS evidence,
       ARRAY(
           SELECT ROW(i.id::text, i.id IN (SELECT signal_id FROM accepted), 'SIGNAL-' || i.number, {accounts})
             FROM signals i
            WHERE i.workspace_id = :workspace_id AND i.id IN (
                   SELECT unnest(signal_ids) FROM heard UNION SELECT signal_id FROM evidence
                    UNION SELECT signal_id FROM quoted UNION SELECT signal_id FROM accepted)
            ORDER BY i.number) AS signals,
       ARRAY(
           SELECT ROW(o.id, o.name, o.description)
             FROM opportunities o
            WHERE o.workspace_id = :workspace_id AND o.id IN (SELECT unnest(opportunity_ids) FROM attached)
            ORDER BY o.created_at, o.id) AS opportunities,
       ARRAY(
           SELECT ROW(s.id, 'STUDY-' || s.number, s.name, f.metric, count(*), round(avg(f.rating)::numeric, 1)::text)
             FROM studies s JOIN study_feedback f ON f.workspace_id = :workspace_id AND f.study_id = s.id
            WHERE s.workspace_id = :workspace_id AND i.id = ANY(s.initiative_ids)
            GROUP BY s.id, s.number, s.name, f.metric
            ORDER BY s.number, f.metric) AS ratings,
       ARRAY(
           SELECT ROW(id, asked_of, question, answer) FROM (
               SELECT q.id, 'INITIATIVE-' || i.number AS asked_of, q.question, nullif(btrim(q.answer), '') AS answer,
                      0 AS number, q.position, NULL::timestamptz AS created_at
                 FROM initiative_questions q
                WHERE q.workspace_id = :workspace_id AND q.initiative_id = i.id AND NOT q.stale
               UNION ALL
               SELECT q.id, 'IDEA-' || a.number, q.question,
                      CASE WHEN q.status = 'answered' THEN nullif(btrim(q.answer), '') END, a.number, 0, q.created_at
                 FROM attached a JOIN idea_questions q ON q.workspace_id = :workspace_id AND q.idea_id = a.id
                WHERE q.status <> 'rejected') AS asked
            ORDER BY number, position, created_at, id) AS questions
  FROM generation
  JOIN initiatives i ON i.workspace_id = :workspace_id AND i.id = generation.initiative_id
 WHERE generation.status = 'pending'""",
    most=str(LONGEST_DESCRIPTION + 1),  # the engine sees that there is more
    teams=_names("teams", "i.team_ids"),
    features=_names("features", "i.feature_ids"),
    accounts=_names("accounts", "i.account_ids"),
    votes=votes_of("i."),
)


class Pending(NamedTuple):
    """A pending generation. `requests` counts the requests that it answers."""

    id: UUID
    type: DocumentType
    requests: int


class _Signal(NamedTuple):
    public_id: str
    accounts: list[str]


class _Extract(msgspec.Struct, rename="camel"):
    text: str
    signal_id: str | None = None


async def find_requested(tx: Tx, workspace_id: UUID, id: UUID) -> tuple[Pending, Material] | None:
    """Returns a generation with its material, or None if it is completed, failed, or deleted with its initiative."""
    found = await tx.row(_FIND, workspace_id=workspace_id, id=id)
    if found is None:
        return None
    signals = {id: _Signal(*about) for id, _, *about in found["signals"]}
    rejected = [title for _, title, _, _, state, *_ in found["insights"] if state == "rejected"]
    material = Material(
        AboutInitiative(*found["initiative"]),
        [AboutIdea(*row) for row in found["ideas"]],
        [_insight(row, signals) for row in found["insights"] if row[4] != "rejected"],
        [_evidence(row, signals) for row in found["evidence"]],
        [AboutOpportunity(*row) for row in found["opportunities"]],
        [AboutStudy(*row) for row in found["ratings"]],
        [AboutQuestion(*row) for row in found["questions"]],
        rejected,
        [signals[id] for id, is_accepted, *_ in found["signals"] if is_accepted],
    )
    return Pending(id, DocumentType(found["type"]), found["requests"]), material


def _insight(row: Row, signals: dict[str, _Signal]) -> AboutInsight:
    id, title, description, category, state, ideas, validated_for, accounts, signal_ids, extracts = row
    linked, quotes = _linked(signal_ids, extracts, signals)
    accounts = _distinct(chain(accounts, *(signal.accounts for signal in linked)))
    is_reviewed, public_ids = state in ("accepted", "edited"), [signal.public_id for signal in linked]
    return AboutInsight(
        id, title, description, category, is_reviewed, ideas, validated_for, accounts, public_ids, quotes
    )


def _evidence(row: Row, signals: dict[str, _Signal]) -> AboutEvidence:
    id, idea, title, description, role, resolution, signal_ids, extracts = row
    linked, quotes = _linked(signal_ids, extracts, signals)
    accounts = _distinct(chain.from_iterable(signal.accounts for signal in linked))
    public_ids = [signal.public_id for signal in linked]
    return AboutEvidence(id, idea, title, description, role, resolution, accounts, public_ids, quotes)


def _linked(
    ids: list[str | None], extracts: msgspec.Raw | None, signals: dict[str, _Signal]
) -> tuple[list[_Signal], list[SourceQuote]]:
    """Returns the signals that a record and its quotes name, and the quotes."""
    quoted = msgspec.json.decode(extracts, type=list[_Extract]) if extracts is not None else []
    named = dict.fromkeys([*ids, *(one.signal_id for one in quoted)])
    linked = [signals[id] for id in named if id in signals]
    found = ((one.text, signals.get(one.signal_id) if one.signal_id else None) for one in quoted)
    return linked, [SourceQuote(text, *signal) if signal else SourceQuote(text, None, []) for text, signal in found]


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
