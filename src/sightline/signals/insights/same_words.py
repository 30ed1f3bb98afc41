"""Joins statements that several signals make into one insight.

`insight_keys` leads from a statement to its insight. The key is `statement_hash`: the category and the words, without
case, punctuation, and thanks at the end, so "CSV export is slow." and "csv export is slow, thanks" have one insight.
Processing a signal adds its quotes to that insight. Processing it again replaces them, and deleting it removes them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Row, Tx, sql
from sightline.platform.ids import new_id
from sightline.workspaces.bulk import log_changes

# Writers that link several insights with several signals, or unlink them, would wait for each other in a circle.
_LOCK = sql("SELECT pg_advisory_xact_lock(hashtextextended('sightline insights ' || :workspace_id::uuid, 0))")

# The quotes of the signal, and of other signals, among the extracts of an insight.
_OWN = "jsonb_path_query_array(extracts, '$[*] ? (@.signalId == $id)', jsonb_build_object('id', :signal_id::uuid))"
_OTHERS = (
    "jsonb_path_query_array(extracts, '$[*] ? (!(@.signalId == $id))', jsonb_build_object('id', :signal_id::uuid))"
)

_QUOTED = {"fields": ["extracts", "signals", "accounts"]}

# Whether processing must not change or remove an insight: it has another origin, was accepted, edited or merged, is
# linked with an idea, or is what another one was merged into. For a FROM item that is named `insights`.
_IS_KEPT = """
    origin <> 'processing' OR review_state IN ('accepted', 'edited', 'merged')
    OR EXISTS (SELECT FROM idea_insights AS l WHERE l.workspace_id = :workspace_id AND l.insight_id = insights.id)
    OR EXISTS (SELECT FROM insights AS m WHERE m.workspace_id = :workspace_id AND m.merged_into = insights.id)"""

# FOR UPDATE waits for requests that link one of these insights with an idea, so that _FIND sees their links.
_LOCK_QUOTING = sql("""
SELECT id FROM insights
 WHERE workspace_id = :workspace_id AND id IN (
       SELECT insight_id FROM insight_signals WHERE workspace_id = :workspace_id AND signal_id = :signal_id
       UNION SELECT id FROM insights
              WHERE workspace_id = :workspace_id AND extracts IS NOT NULL
                AND jsonb_path_query_array(extracts, '$[*]."signalId"') @> jsonb_build_array(:signal_id::uuid))
 ORDER BY id FOR UPDATE""")
_FIND = sql(f"""
SELECT id, coalesce(merged_into, id) AS owner_id, {_OWN} AS extracts, origin = 'processing' AS is_processed,
       review_state = 'unreviewed' AND NOT ({_IS_KEPT}) AS is_replaceable
  FROM insights WHERE workspace_id = :workspace_id AND id = ANY(:ids) ORDER BY id""")

_DRAFTED = """
       unnest(:ids::uuid[], :titles::text[], :categories::text[], :extracts::text[])
       WITH ORDINALITY AS drafted (id, title, category, extracts, n)"""
_HASH = "statement_hash(drafted.category, drafted.title, drafted.extracts::jsonb)"
_ADD_KEYS = sql(f"""
INSERT INTO insight_keys (workspace_id, hash, insight_id)
SELECT :workspace_id, {_HASH} AS hash, drafted.id FROM {_DRAFTED} ORDER BY hash, drafted.n
ON CONFLICT DO NOTHING""")
_FIND_OWNERS = sql(f"""
SELECT drafted.id, coalesce(owner.merged_into, keys.insight_id) AS owner_id
  FROM {_DRAFTED}
  JOIN insight_keys AS keys ON keys.workspace_id = :workspace_id AND keys.hash = {_HASH}
  LEFT JOIN insights AS owner ON owner.workspace_id = :workspace_id AND owner.id = keys.insight_id
 ORDER BY drafted.n""")
_ADD = sql(f"""
INSERT INTO insights (workspace_id, id, title, category, extracts, origin, signal_ids, account_ids, created_at,
                      updated_at)
SELECT :workspace_id, drafted.id, drafted.title, drafted.category, drafted.extracts::jsonb, 'processing',
       ARRAY[:signal_id::uuid], :account_ids, :now, :now
  FROM {_DRAFTED} ORDER BY drafted.id""")
_JOIN = sql(f"""
UPDATE insights AS joined
   SET extracts = coalesce({_OTHERS}, '[]') || found.quotes::jsonb, updated_at = :now, version = version + 1
  FROM unnest(:ids::uuid[], :extracts::text[]) AS found (id, quotes)
 WHERE joined.workspace_id = :workspace_id AND joined.id = found.id
   AND ({_OWN} IS DISTINCT FROM found.quotes::jsonb
        OR NOT joined.signal_ids @> ARRAY[:signal_id::uuid] OR NOT joined.account_ids @> :account_ids::uuid[])
RETURNING joined.id""")
_LINK_SIGNAL = sql("""
INSERT INTO insight_signals (workspace_id, insight_id, signal_id)
SELECT :workspace_id, insight, :signal_id FROM unnest(:ids::uuid[]) AS insight ORDER BY insight
ON CONFLICT DO NOTHING""")
_LINK_ACCOUNTS = sql("""
INSERT INTO insight_accounts (workspace_id, insight_id, account_id)
SELECT :workspace_id, insight, account.id
  FROM unnest(:ids::uuid[]) AS insight
 CROSS JOIN (SELECT l.account_id AS id, l.link FROM signal_accounts AS l
              WHERE l.workspace_id = :workspace_id AND l.signal_id = :signal_id) AS account
 ORDER BY insight, account.link
ON CONFLICT DO NOTHING RETURNING insight_id""")

_UNQUOTE = sql(f"""
UPDATE insights
   SET extracts = nullif({_OTHERS}, '[]'), updated_at = :now, version = version + 1
 WHERE workspace_id = :workspace_id AND id = ANY(:ids)
RETURNING id""")
_UNLINK_SIGNAL = sql("""
DELETE FROM insight_signals WHERE workspace_id = :workspace_id AND signal_id = :signal_id AND insight_id = ANY(:ids)""")
# Insights of processing lose the signal's accounts that no other signal of the insight has.
_UNLINK_ACCOUNTS = sql("""
DELETE FROM insight_accounts AS l
 WHERE workspace_id = :workspace_id AND insight_id = ANY(:ids)
   AND account_id IN (SELECT account_id FROM signal_accounts
                       WHERE workspace_id = :workspace_id AND signal_id = :signal_id)
   AND EXISTS (SELECT FROM insights AS i
                WHERE i.workspace_id = :workspace_id AND i.id = l.insight_id AND i.origin = 'processing')
   AND NOT EXISTS (SELECT FROM insight_signals AS o
                     JOIN signal_accounts AS a ON a.workspace_id = :workspace_id AND a.signal_id = o.signal_id
                    WHERE o.workspace_id = :workspace_id AND o.insight_id = l.insight_id AND o.signal_id <> :signal_id
                      AND a.account_id = l.account_id)""")
# The insights that processing made of a signal follow its accounts.
_LOCK_MADE = sql("""
SELECT id FROM insights
 WHERE workspace_id = :workspace_id AND origin = 'processing' AND id IN (
       SELECT insight_id FROM insight_signals WHERE workspace_id = :workspace_id AND signal_id = :signal_id)
 ORDER BY id FOR UPDATE""")
_UNLINK_LOST = sql("""
DELETE FROM insight_accounts AS l
 WHERE workspace_id = :workspace_id AND insight_id = ANY(:ids) AND account_id = ANY(:lost)
   AND NOT EXISTS (SELECT FROM insight_signals AS o
                     JOIN signal_accounts AS a ON a.workspace_id = :workspace_id AND a.signal_id = o.signal_id
                    WHERE o.workspace_id = :workspace_id AND o.insight_id = l.insight_id
                      AND a.account_id = l.account_id)
RETURNING insight_id""")
_DATE = sql("""
UPDATE insights SET updated_at = :now, version = version + 1 WHERE workspace_id = :workspace_id AND id = ANY(:ids)""")
_IS_GONE = f"id = ANY(:ids) AND extracts IS NULL AND signal_ids = '{{}}' AND NOT ({_IS_KEPT})"
_KEEP_REJECTED = sql(f"""
UPDATE insight_keys SET insight_id = NULL
 WHERE workspace_id = :workspace_id AND insight_id IN (
       SELECT id FROM insights WHERE workspace_id = :workspace_id AND review_state = 'rejected' AND {_IS_GONE})""")
_REMOVE = sql("DELETE FROM insights WHERE workspace_id = :workspace_id AND {is_gone} RETURNING id", is_gone=_IS_GONE)


class Drafted(NamedTuple):
    """A statement that processing found in a signal, with its quotes as they are stored."""

    title: str
    category: str
    extracts: list[dict[str, Any]]


class Replaced(NamedTuple):
    """How many insights were added, got other quotes, signals or accounts, and were removed."""

    added: int
    joined: int
    removed: int


Extracts = dict[UUID, list[dict[str, Any]]]


async def lock_statements(tx: Tx, workspace_id: UUID) -> None:
    """Waits for others that link or unlink insights of the workspace. Call it before other locks."""
    await tx.run(_LOCK, workspace_id=workspace_id)


async def replace_quotes(
    tx: Tx, actor: Actor, signal_id: UUID, accounts: list[UUID], drafted: Sequence[Drafted]
) -> Replaced:
    """Replaces the statements of a signal by the ones found now. The same statements change nothing.

    Insights that a person reviewed or linked keep their quotes if nothing is found for them. Call it with the
    statements and the signal locked.
    """
    before = await _find_quoting(tx, actor.workspace_id, signal_id)
    joined, unknown = _split_by_kept_insight(before, drafted)
    added = await _find_owners(tx, actor.workspace_id, unknown, joined)
    left = [row["id"] for row in before if row["is_replaceable"] and row["id"] not in joined]
    removed = await _remove_quotes(tx, actor, signal_id, left)
    await _add(tx, actor, signal_id, accounts, added)
    changed = await _join(tx, actor, signal_id, accounts, joined)
    await tx.run(_LINK_SIGNAL, workspace_id=actor.workspace_id, signal_id=signal_id, ids=[*added, *joined])
    await tx.run(_LINK_ACCOUNTS, workspace_id=actor.workspace_id, signal_id=signal_id, ids=[*added, *joined])
    return Replaced(len(added), changed, removed)


async def remove_quotes_of(tx: Tx, actor: Actor, signal_id: UUID) -> int:
    """Removes the quotes of a signal, and insights that have none left. Returns how many insights were removed.

    Leaves insights that are kept (see `_IS_KEPT`), and the keys of rejected ones. Call it with the statements and the
    signal locked.
    """
    before = await _find_quoting(tx, actor.workspace_id, signal_id)
    return await _remove_quotes(tx, actor, signal_id, [row["id"] for row in before])


async def follow_accounts(tx: Tx, actor: Actor, signal_id: UUID, lost: Sequence[UUID]) -> None:
    """Links the insights of processing with the accounts of their signal, and unlinks `lost` accounts from them.

    A lost account stays linked if another signal of the insight has it.
    Call it with the statements and the signal locked.
    """
    of_signal = {"workspace_id": actor.workspace_id, "signal_id": signal_id}
    ids = [row["id"] for row in await tx.rows(_LOCK_MADE, **of_signal)]
    rows = await tx.rows(_UNLINK_LOST, workspace_id=actor.workspace_id, ids=ids, lost=lost)
    rows += await tx.rows(_LINK_ACCOUNTS, **of_signal, ids=ids)
    changed = sorted({row["insight_id"] for row in rows})
    await tx.run(_DATE, workspace_id=actor.workspace_id, ids=changed)
    await log_changes(tx, actor, "insight", "updated", [(id, None, {"fields": ["accounts"]}) for id in changed])


async def _find_quoting(tx: Tx, workspace_id: UUID, signal_id: UUID) -> list[Row]:
    """Returns the insights that quote the signal or are linked with it, locked."""
    ids = [row["id"] for row in await tx.rows(_LOCK_QUOTING, workspace_id=workspace_id, signal_id=signal_id)]
    return await tx.rows(_FIND, workspace_id=workspace_id, signal_id=signal_id, ids=ids) if ids else []


def _split_by_kept_insight(before: Sequence[Row], drafted: Sequence[Drafted]) -> tuple[Extracts, list[Drafted]]:
    """Returns quotes by the id of their insight, and the statements that have no insight yet.

    A statement belongs to an insight that is kept or was reviewed if both have a quote of this signal with the same
    text, however the engine words the statement now. The id is that of the target if the insight was merged. Leaves
    out statements of insights of another origin, which keep their quotes as they are.
    """
    kept = [row for row in before if not row["is_replaceable"]]
    owners = {each["text"]: row for row in kept for each in msgspec.json.decode(row["extracts"] or "[]")}
    joined: Extracts = defaultdict(list)
    unknown = []
    for one in drafted:
        owner = next((owners[each["text"]] for each in one.extracts if each["text"] in owners), None)
        if owner is None:
            unknown.append(one)
        elif owner["is_processed"]:
            _extend(joined[owner["owner_id"]], one)
    return joined, unknown


def _extend(extracts: list[dict[str, Any]], one: Drafted) -> None:
    extracts += [each for each in one.extracts if each not in extracts]


async def _find_owners(tx: Tx, workspace_id: UUID, drafted: Sequence[Drafted], joined: Extracts) -> dict[UUID, Drafted]:
    """Adds the quotes of known statements to `joined`. Returns the new insights; leaves out rejected statements."""
    made = {new_id(): one for one in drafted}
    await add_keys(tx, workspace_id, made)
    added: dict[UUID, Drafted] = {}
    for row in await tx.rows(_FIND_OWNERS, workspace_id=workspace_id, **_as_columns(made)):
        one, owner_id = made[row["id"]], row["owner_id"]
        if owner_id in made:
            _extend(added.setdefault(owner_id, Drafted(made[owner_id].title, one.category, [])).extracts, one)
        elif owner_id is not None:
            _extend(joined[owner_id], one)
    return added


async def add_keys(tx: Tx, workspace_id: UUID, drafted: Mapping[UUID, Drafted]) -> None:
    """Gives each of these insights the key of its words, unless another one has it."""
    await tx.run(_ADD_KEYS, workspace_id=workspace_id, **_as_columns(drafted))


def _as_columns(drafted: Mapping[UUID, Drafted]) -> dict[str, list[Any]]:
    return {
        "ids": list(drafted),
        "titles": [one.title for one in drafted.values()],
        "categories": [one.category for one in drafted.values()],
        "extracts": _encoded(one.extracts for one in drafted.values()),
    }


def _encoded(extracts: Iterable[list[dict[str, Any]]]) -> list[str]:
    return [msgspec.json.encode(each).decode() for each in extracts]


async def _add(tx: Tx, actor: Actor, signal_id: UUID, accounts: list[UUID], added: Mapping[UUID, Drafted]) -> None:
    values = _as_columns(added) | {"signal_id": signal_id, "account_ids": accounts}
    await tx.run(_ADD, workspace_id=actor.workspace_id, **values)
    await log_changes(tx, actor, "insight", "created", [(id, None, {}) for id in added])


async def _join(tx: Tx, actor: Actor, signal_id: UUID, accounts: list[UUID], joined: Extracts) -> int:
    """Returns how many insights get other quotes, or another signal or account."""
    values = {"ids": list(joined), "extracts": _encoded(joined.values()), "account_ids": accounts}
    rows = await tx.rows(_JOIN, workspace_id=actor.workspace_id, signal_id=signal_id, **values)
    await log_changes(tx, actor, "insight", "updated", [(row["id"], None, _QUOTED) for row in rows])
    return len(rows)


async def _remove_quotes(tx: Tx, actor: Actor, signal_id: UUID, ids: list[UUID]) -> int:
    if not ids:
        return 0
    of_signal: dict[str, Any] = {"workspace_id": actor.workspace_id, "signal_id": signal_id, "ids": ids}
    changed = {row["id"] for row in await tx.rows(_UNQUOTE, **of_signal)}
    await tx.run(_UNLINK_ACCOUNTS, **of_signal)
    await tx.run(_UNLINK_SIGNAL, **of_signal)
    await tx.run(_KEEP_REJECTED, workspace_id=actor.workspace_id, ids=ids)
    removed = [row["id"] for row in await tx.rows(_REMOVE, workspace_id=actor.workspace_id, ids=ids)]
    await log_changes(tx, actor, "insight", "updated", [(id, None, _QUOTED) for id in changed.difference(removed)])
    await log_changes(tx, actor, "insight", "deleted", [(id, None, {}) for id in removed])
    return len(removed)
