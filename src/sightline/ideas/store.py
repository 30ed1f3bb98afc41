"""Stores what a write changes in an idea. Every change of an idea goes through here; `decide.py` says what changes."""

from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from sightline.ideas.classifications.assign import assign
from sightline.ideas.classifications.suggest import renew_suggestions, suggested_links
from sightline.ideas.decide import Outcome
from sightline.ideas.labels import INITIAL_LABEL
from sightline.ideas.links import ACCOUNTS, FEATURES, INSIGHTS, add_links, replace_links
from sightline.ideas.queries import IDEA, Stored, find_idea
from sightline.ideas.questions.drafted import add_drafted, drafted_values, insert_drafted, remove_drafted
from sightline.ideas.records import NEW_COLUMNS
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.platform.access import Actor
from sightline.platform.db import Row, Statement, Tx, sql
from sightline.platform.db.horizon import MOMENT
from sightline.platform.db.sql import assignments, columns, values
from sightline.platform.refs import IdeaRef
from sightline.workspaces.changes import add_changes, change_by, count_rows, log_change, slot

# The columns of a new idea besides the status, which is the first label if omitted.
_NEW = tuple(column for column in NEW_COLUMNS if column != "status") + columns(
    "id, number, created_source, provenance, feature_ownership, feature_matching, matched_key, taxonomy_version_id, "
    "name_drafted, model_due_at"
)
_SETS = ("feature_ids", "insight_ids", "account_ids")
_OMITTED: dict[str, Any] = {
    **dict.fromkeys((*_NEW, "status")),
    "feature_ownership": "automatic",
    "portal_visible": False,
}

_ADD = """
WITH added AS (
    INSERT INTO ideas (workspace_id, {columns}, status, created_at, updated_at)
    SELECT :workspace_id, {values},
           coalesce(:status, {initial_label}), moment, moment
      FROM (SELECT {moment} AS moment) AS written
     WHERE :status::text IS NULL
        OR EXISTS (SELECT FROM idea_statuses WHERE workspace_id = :workspace_id AND label = :status)
    ON CONFLICT DO NOTHING
    RETURNING *, 'IDEA-' || number AS public_id),
drafted AS ({drafted}),
logged AS ({logged}),
counted AS ({counted}){links}
SELECT {idea} FROM added"""

_LINKS = """,
with_features AS (
    INSERT INTO idea_features (workspace_id, idea_id, feature_id)
    SELECT :workspace_id, added.id, link.id
      FROM added, unnest(:feature_ids::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n),
with_insights AS (
    INSERT INTO idea_insights (workspace_id, idea_id, insight_id, validated)
    SELECT :workspace_id, added.id, link.id, :validated
      FROM added, unnest(:insight_ids::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n),
with_accounts AS (
    INSERT INTO idea_accounts (workspace_id, idea_id, account_id)
    SELECT :workspace_id, added.id, link.id
      FROM added, unnest(:account_ids::uuid[]) WITH ORDINALITY AS link (id, n) ORDER BY n),
with_suggestions AS (
    INSERT INTO idea_classifications
           (workspace_id, idea_id, group_id, option_ids, review_state, origin, updated_at)
    SELECT :workspace_id, added.id, link.group_id, array_agg(link.id ORDER BY link.n), 'unreviewed', 'suggested',
           added.updated_at
      FROM added, unnest(:suggested_group_ids::uuid[], :suggested_ids::uuid[])
                  WITH ORDINALITY AS link (group_id, id, n)
     GROUP BY added.id, added.updated_at, link.group_id)"""

_PIECES = {
    "initial_label": INITIAL_LABEL,
    "moment": MOMENT,
    "drafted": insert_drafted("added"),
    "logged": add_changes("idea", "created", "added"),
    "counted": count_rows("idea", 1, "added"),
    "idea": IDEA,
}


def _add_with(names: tuple[str, ...], linked: str) -> Statement:
    return sql(_ADD, columns=", ".join(names), values=values(names), links=linked, **_PIECES)


ADD_IDEA = _add_with(_NEW, "")
ADD_IDEA_WITH_LINKS = _add_with(_NEW + _SETS, _LINKS)


async def add_idea(tx: Tx, actor: Actor, origin: dict[str, Any], outcome: Outcome) -> Row | None:
    """Adds an idea with its links, questions, suggested options, change and count in one statement.

    `origin`: id, number, created_source and provenance. The caller stores the assignments. Returns the columns of
    IDEA, or None if another idea has one of its identities, or its label was removed meanwhile.
    """
    new = outcome.proposal
    idea = _OMITTED | origin | outcome.columns | change_by(actor) | drafted_values(outcome.drafted) | {"slot": slot(tx)}
    idea["model_due_at"] = tx.now if outcome.is_due else None
    if not (outcome.feature_ids or new.insight_ids or new.account_ids or outcome.suggested):
        return await tx.row(ADD_IDEA, **idea)
    idea |= suggested_links(outcome.suggested) | {
        "feature_ids": outcome.feature_ids or [],
        "insight_ids": new.insight_ids or [],
        "account_ids": new.account_ids or [],
    }
    return await tx.row(ADD_IDEA_WITH_LINKS, **idea, validated=new.validates)


async def change_idea(tx: Tx, engine: EmbeddedEngine, actor: Actor, stored: Stored, outcome: Outcome) -> Row:
    """Stores an outcome. The caller holds the idea's lock. Returns the columns of IDEA.

    Leaves version and `updated_at` alone if nothing changed.
    """
    fields = outcome.fields + await _change_sets(tx, actor, stored["id"], outcome)
    if outcome.is_described:
        await renew_suggestions(tx, engine, actor.workspace_id, stored["id"], outcome.columns["description"])
        await remove_drafted(tx, actor.workspace_id, [stored["id"]])
    if outcome.drafted:
        await add_drafted(tx, actor.workspace_id, stored["id"], outcome.drafted)
    due = {"model_due_at": tx.now, "model_attempts": 0} if outcome.is_due else {}
    if not fields and not outcome.columns:
        if due:
            await set_due(tx, actor.workspace_id, stored["id"], tx.now)
        return await find_idea(tx, actor.workspace_id, IdeaRef(id=stored["id"]))
    row = await change_columns(tx, actor, stored["id"], outcome.columns | due, "updated", fields=fields)
    if "status" in outcome.columns:
        detail = moved(stored["status"], outcome.columns["status"])
        await log_change(tx, actor, "idea", stored["id"], stored["public_id"], "status_changed", **detail)
    return row


def moved(before: str, after: str) -> dict[str, str]:
    """Returns the detail of a change of the status."""
    return {"from": before, "to": str(after)}


async def _change_sets(tx: Tx, actor: Actor, id: UUID, outcome: Outcome) -> list[str]:
    """Returns the names of the sets that changed."""
    idea, new = (actor.workspace_id, id), outcome.proposal
    changed = {"classifications": await assign(tx, *idea, outcome.assignments)}
    set_links = add_links if new.completes else replace_links
    if outcome.feature_ids is not None:
        changed["features"] = await replace_links(tx, FEATURES, idea, outcome.feature_ids)
    if new.insight_ids is not None:
        changed["insights"] = await set_links(tx, INSIGHTS, idea, new.insight_ids, validated=new.validates)
    if new.account_ids is not None:
        changed["accounts"] = await set_links(tx, ACCOUNTS, idea, new.account_ids)
    return [name for name, count in changed.items() if count]


_CHANGE = """
WITH changed AS (
    UPDATE ideas SET {assignments}updated_at = {moment}, version = version + 1
     WHERE workspace_id = :workspace_id AND id = :id {condition}
    RETURNING {columns}, 'IDEA-' || number AS public_id),
logged AS ({logged})
SELECT {shown} FROM changed"""


@lru_cache(maxsize=256)
def changing(columns: tuple[str, ...], action: str, condition: str = "", *, is_shown: bool = True) -> Statement:
    """Returns the statement that sets columns of an idea, moves its version, and logs `action` with `:detail`.

    It returns the columns of IDEA, or only the id.
    """
    return sql(
        _CHANGE,
        assignments="".join(f"{assignment}, " for assignment in [assignments(columns)] if assignment),
        moment=MOMENT,
        condition=condition,
        logged=add_changes("idea", action, "changed", at="updated_at", detail=":detail::jsonb"),
        columns="*" if is_shown else "id, updated_at",
        shown=IDEA if is_shown else "id",
    )


async def change_columns(tx: Tx, actor: Actor, id: UUID, columns: dict[str, Any], action: str, **detail: Any) -> Row:
    """Sets columns of an idea that the caller has locked, and logs it. Returns the columns of IDEA."""
    return await tx.one(changing((*columns,), action), **change_by(actor), **columns, id=id, detail=detail)


SET_DUE = sql("""
UPDATE ideas SET model_due_at = :model_due_at, model_attempts = :model_attempts
 WHERE workspace_id = :workspace_id AND id = :id""")


async def set_due(tx: Tx, workspace_id: UUID, id: UUID, due_at: datetime | None, attempts: int = 0) -> None:
    """Sets when a model reads the idea, which does not count as a change. The caller holds its lock.

    A reading that started before is dropped.
    """
    await tx.run(SET_DUE, workspace_id=workspace_id, id=id, model_due_at=due_at, model_attempts=attempts)
