"""Reviewing insights: accept one, word it better, or merge it into another."""

from typing import Any
from uuid import UUID

from asyncpg import DeadlockDetectedError, ForeignKeyViolationError
from msgspec import UNSET

from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx
from sightline.platform.errors import Conflict, NotFound, ValidationFailed
from sightline.platform.wire import Expectation, Versioned, expect_anything, version_tag
from sightline.signals import queries_insights as queries
from sightline.signals.queries_insights import Stored
from sightline.signals.records_insights import Extract, Insight, InsightChanges

_ATTEMPTS = 8
_WORDING = ("title", "description", "category")


class InsightMerged(Conflict):
    """409: another insight stands for this one; extra `mergedIntoId`."""

    code = "INSIGHT_MERGED"


async def change_insight(
    db: Database, actor: Actor, id: UUID, wish: InsightChanges, expect: Expectation = expect_anything
) -> Versioned[Insight]:
    """Raises ValidationFailed, NotFound, CreatorNotAllowed, PreconditionFailed, InsightMerged.

    Tries again when it meets others who link the same records, or remove them.
    """
    given = _given(wish)
    for _ in range(_ATTEMPTS):
        try:
            async with db.write() as tx:
                if wish.merged_into_id is UNSET:
                    await _edit(tx, actor, id, given, expect)
                else:
                    await _merge(tx, actor, id, wish.merged_into_id, expect)
                return await queries.find_insight(tx, actor.workspace_id, id)
        except (DeadlockDetectedError, ForeignKeyViolationError):
            continue
    raise Conflict("What the insight is linked with keeps changing. Try again.")


def _given(wish: InsightChanges) -> dict[str, Any]:
    """The columns that the wish names. Raises ValidationFailed when it asks for nothing, or for two things."""
    given = {name: value for name in (*_WORDING, "review_state") if (value := getattr(wish, name)) is not UNSET}
    if not given and wish.merged_into_id is UNSET:
        raise ValidationFailed.of("", "Send at least one field")
    if given and wish.merged_into_id is not UNSET:
        raise ValidationFailed.of("mergedIntoId", "Send no other field with it")
    return given


async def _edit(tx: Tx, actor: Actor, id: UUID, given: dict[str, Any], expect: Expectation) -> None:
    """Nothing is written, and no date moves, when nothing is another than before."""
    was = _found(await queries.lock_insights(tx, actor.workspace_id, id), id)
    _admit(actor, was, expect)
    if was.is_merged:
        raise _merged(was)
    becomes = was._replace(**given)
    if "review_state" not in given and _differing(_WORDING, was, becomes):
        becomes = becomes._replace(review_state="edited")
    if fields := _differing((*_WORDING, "review_state"), was, becomes):
        await queries.change_insight(tx.later(), actor, becomes, fields)


async def _merge(tx: Tx, actor: Actor, id: UUID, target_id: UUID, expect: Expectation) -> None:
    """The target gathers links and quotes. Nothing changes where the insight was merged into it before."""
    found = await queries.lock_insights(tx, actor.workspace_id, id, target_id)
    tx = tx.later()
    was = _found(found, id)
    target = _target(was, found.get(target_id))
    _admit(actor, was, expect)
    if was.merged_into == target.id:
        return
    if was.is_merged:
        raise _merged(was)
    await queries.merge_insights(tx, actor, was.id, target.id)
    gathered = target._replace(extracts=_gathered(target.extracts, was.extracts))
    await queries.change_insight(tx, actor, gathered, ["extracts", "signals", "accounts"])


def _found(found: dict[UUID, Stored], id: UUID) -> Stored:
    if id not in found:
        raise NotFound
    return found[id]


def _target(was: Stored, target: Stored | None) -> Stored:
    if target is None:
        raise ValidationFailed.of("mergedIntoId", "The workspace has no such insight")
    if target.id == was.id:
        raise ValidationFailed.of("mergedIntoId", "An insight cannot be merged into itself")
    if target.is_merged:
        raise ValidationFailed.of("mergedIntoId", "That insight is merged into another itself")
    return target


def _admit(actor: Actor, was: Stored, expect: Expectation) -> None:
    actor.require_writer()
    expect(version_tag(was.id, was.version))


def _merged(was: Stored) -> InsightMerged:
    return InsightMerged("Another insight stands for this one: change that one.", mergedIntoId=was.merged_into)


def _differing(fields: tuple[str, ...], was: Stored, becomes: Stored) -> list[str]:
    return [name for name in fields if getattr(becomes, name) != getattr(was, name)]


def _gathered(own: list[Extract] | None, others: list[Extract] | None) -> list[Extract] | None:
    """Its own quotes, then those of the other that it has not."""
    if others is None:
        return own
    return (own or []) + [extract for extract in others if extract not in (own or [])]
