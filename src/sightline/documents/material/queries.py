"""The SQL of the material: an initiative, its ideas, and what is linked to them."""

from collections.abc import Iterable
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from sightline.ideas.vote_counts import votes_of
from sightline.intelligence.material import (
    AboutEvidence,
    AboutIdea,
    AboutInitiative,
    AboutInsight,
    AboutOpportunity,
    AboutQuestion,
    AboutRating,
    Material,
    SourceQuote,
)
from sightline.platform.db import Tx
from sightline.platform.db.database import Row
from sightline.platform.db.sql import sql
from sightline.platform.errors import NotFound

_FEATURES = """
       ARRAY(SELECT f.name FROM unnest(i.feature_ids) WITH ORDINALITY AS linked (id, n)
               JOIN features f ON f.workspace_id = :workspace_id AND f.id = linked.id ORDER BY linked.n)"""

# The initiative with its ideas, opportunities, ratings and questions: one round trip.
_ABOUT = sql(
    """
SELECT ROW(i.id, 'INITIATIVE-' || i.number, i.name, i.description, i.status, i.priority,
       (SELECT p.name FROM products p WHERE p.workspace_id = :workspace_id AND p.id = i.product_id),
       ARRAY(SELECT t.name FROM unnest(i.team_ids) WITH ORDINALITY AS assigned (id, n)
               JOIN teams t ON t.workspace_id = :workspace_id AND t.id = assigned.id ORDER BY assigned.n),
       {features}, to_char(i.start_date, 'YYYY-MM-DD'), to_char(i.finish_date, 'YYYY-MM-DD')) AS initiative,
       ARRAY(
           SELECT ROW(i.id, 'IDEA-' || i.number, i.name, i.description, i.status, {features},
                  ARRAY(SELECT a.name FROM unnest(i.account_ids) WITH ORDINALITY AS linked (id, n)
                          JOIN accounts a ON a.workspace_id = :workspace_id AND a.id = linked.id ORDER BY linked.n),
                  i.imported_vote_count + {votes})
             FROM ideas i WHERE i.workspace_id = :workspace_id AND i.initiative_id = :initiative_id
            ORDER BY i.number) AS ideas,
       ARRAY(
           SELECT ROW(o.id, o.name, o.description)
             FROM opportunities o
            WHERE o.workspace_id = :workspace_id AND o.id IN (
                   SELECT unnest(i.opportunity_ids) FROM ideas i
                    WHERE i.workspace_id = :workspace_id AND i.initiative_id = :initiative_id)
            ORDER BY o.created_at, o.id) AS opportunities,
       ARRAY(
           SELECT ROW(s.id, 'STUDY-' || s.number, s.name, f.metric, count(*), round(avg(f.rating)::numeric, 1)::text)
             FROM studies s JOIN study_feedback f ON f.workspace_id = :workspace_id AND f.study_id = s.id
            WHERE s.workspace_id = :workspace_id AND :initiative_id = ANY(s.initiative_ids)
            GROUP BY s.id, s.number, s.name, f.metric
            ORDER BY s.number, f.metric) AS ratings,
       ARRAY(
           SELECT ROW(id, asked_of, question, answer) FROM (
               SELECT q.id, 'INITIATIVE-' || i.number AS asked_of, q.question, nullif(btrim(q.answer), '') AS answer,
                      0 AS number, q.position, NULL::timestamptz AS created_at
                 FROM initiative_questions q
                WHERE q.workspace_id = :workspace_id AND q.initiative_id = :initiative_id AND NOT q.stale
               UNION ALL
               SELECT q.id, 'IDEA-' || i.number, q.question,
                      CASE WHEN q.status = 'answered' THEN nullif(btrim(q.answer), '') END, i.number, 0, q.created_at
                 FROM idea_questions q JOIN ideas i ON i.workspace_id = :workspace_id AND i.id = q.idea_id
                WHERE q.workspace_id = :workspace_id AND i.initiative_id = :initiative_id
                  AND q.status <> 'rejected') asked
            ORDER BY number, position, created_at, id) AS questions
  FROM initiatives i WHERE i.workspace_id = :workspace_id AND i.id = :initiative_id""",
    features=_FEATURES,
    votes=votes_of("i."),
)

# An insight that was merged is represented by the one it was merged into. Rejected ones are read to leave out what says
# the same.
_INSIGHTS = sql("""
WITH links AS (
    SELECT coalesce(n.merged_into, n.id) AS insight_id, i.number, bool_or(l.validated) AS validated
      FROM ideas i
      JOIN idea_insights l ON l.workspace_id = :workspace_id AND l.idea_id = i.id
      JOIN insights n ON n.workspace_id = :workspace_id AND n.id = l.insight_id
     WHERE i.workspace_id = :workspace_id AND i.initiative_id = :initiative_id
     GROUP BY 1, 2)
SELECT n.id, n.title, n.description, n.category, n.review_state IN ('accepted', 'edited') AS is_reviewed,
       n.review_state = 'rejected' AS is_rejected,
       ARRAY(SELECT 'IDEA-' || l.number FROM links l WHERE l.insight_id = n.id ORDER BY l.number) AS ideas,
       ARRAY(SELECT 'IDEA-' || l.number FROM links l
              WHERE l.insight_id = n.id AND l.validated ORDER BY l.number) AS validated_for,
       ARRAY(SELECT a.name FROM unnest(n.account_ids) WITH ORDINALITY AS linked (id, n)
               JOIN accounts a ON a.workspace_id = :workspace_id AND a.id = linked.id ORDER BY linked.n) AS accounts,
       n.signal_ids, n.extracts
  FROM insights n
 WHERE n.workspace_id = :workspace_id AND n.id IN (SELECT insight_id FROM links)
 ORDER BY n.created_at, n.id""")

_EVIDENCE = sql("""
SELECT e.id, 'IDEA-' || i.number AS idea, e.title, e.description, e.role, e.resolution, e.signal_id, e.extracts
  FROM idea_evidence e JOIN ideas i ON i.workspace_id = :workspace_id AND i.id = e.idea_id
 WHERE e.workspace_id = :workspace_id AND i.initiative_id = :initiative_id AND e.dismissed_at IS NULL
 ORDER BY i.number, e.created_at, e.id""")

_SIGNALS = sql("""
SELECT s.id, 'SIGNAL-' || s.number AS public_id,
       ARRAY(SELECT a.name FROM unnest(s.account_ids) WITH ORDINALITY AS linked (id, n)
               JOIN accounts a ON a.workspace_id = :workspace_id AND a.id = linked.id ORDER BY linked.n) AS accounts
  FROM signals s WHERE s.workspace_id = :workspace_id AND s.id = ANY(:ids)""")


class _Extract(msgspec.Struct, rename="camel"):
    text: str
    signal_id: UUID | None = None


class _Signal(NamedTuple):
    public_id: str
    accounts: list[str]


async def find_material(tx: Tx, workspace_id: UUID, initiative_id: UUID) -> Material:
    """Returns the whole material. `tx` is a snapshot, so that it is consistent. Raises NotFound."""
    about = {"workspace_id": workspace_id, "initiative_id": initiative_id}
    found = await tx.row(_ABOUT, **about)
    if found is None:
        raise NotFound
    insights = await tx.rows(_INSIGHTS, **about)
    evidence = await tx.rows(_EVIDENCE, **about)
    signals = await _find_signals(tx, workspace_id, [*insights, *evidence])
    return Material(
        AboutInitiative(*found["initiative"]),
        [AboutIdea(*row) for row in found["ideas"]],
        [_insight(row, signals) for row in insights if not row["is_rejected"]],
        [_evidence(row, signals) for row in evidence],
        [AboutOpportunity(*row) for row in found["opportunities"]],
        [AboutRating(*row) for row in found["ratings"]],
        [AboutQuestion(*row) for row in found["questions"]],
        [row["title"] for row in insights if row["is_rejected"]],
    )


def _insight(row: Row, signals: dict[UUID, _Signal]) -> AboutInsight:
    linked = _linked(row, signals)
    return AboutInsight(
        id=row["id"],
        title=row["title"],
        description=row["description"],
        category=row["category"],
        is_reviewed=row["is_reviewed"],
        ideas=row["ideas"],
        validated_for=row["validated_for"],
        accounts=_distinct(chain(row["accounts"], *(signal.accounts for signal in linked))),
        signals=[signal.public_id for signal in linked],
        quotes=_quotes(row, signals),
    )


def _evidence(row: Row, signals: dict[UUID, _Signal]) -> AboutEvidence:
    linked = _linked(row, signals)
    return AboutEvidence(
        id=row["id"],
        idea=row["idea"],
        title=row["title"],
        description=row["description"],
        role=row["role"],
        resolution=row["resolution"],
        accounts=_distinct(chain.from_iterable(signal.accounts for signal in linked)),
        signals=[signal.public_id for signal in linked],
        quotes=_quotes(row, signals),
    )


def _signal_ids(row: Row) -> list[UUID]:
    """Returns the signals that a row and its quotes name."""
    named = row["signal_ids"] if "signal_ids" in row else [row["signal_id"]]
    quoted = [each.signal_id for each in _extracts(row)]
    return list(dict.fromkeys(id for id in chain(named, quoted) if id is not None))


def _linked(row: Row, signals: dict[UUID, _Signal]) -> list[_Signal]:
    return [signals[id] for id in _signal_ids(row) if id in signals]


def _quotes(row: Row, signals: dict[UUID, _Signal]) -> list[SourceQuote]:
    found = ((each.text, signals.get(each.signal_id) if each.signal_id else None) for each in _extracts(row))
    return [SourceQuote(text, signal and signal.public_id, signal.accounts if signal else []) for text, signal in found]


def _extracts(row: Row) -> list[_Extract]:
    return msgspec.json.decode(row["extracts"], type=list[_Extract]) if row["extracts"] is not None else []


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


async def _find_signals(tx: Tx, workspace_id: UUID, rows: list[Row]) -> dict[UUID, _Signal]:
    """Returns the signals that insights and evidence name, each with its accounts."""
    ids = sorted({id for row in rows for id in _signal_ids(row)})
    found: list[Any] = await tx.rows(_SIGNALS, workspace_id=workspace_id, ids=ids) if ids else []
    return {row["id"]: _Signal(row["public_id"], row["accounts"]) for row in found}
