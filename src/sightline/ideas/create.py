"""Creating an idea, or updating the one that its identity names. Specification: POST /ideas; decisions: Ideas."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import asyncpg

from sightline.catalog.feature_maps import FeatureMaps
from sightline.catalog.taxonomy import Taxonomy, find_taxonomy
from sightline.ideas import classifications, detail, identity, matching, queries_create
from sightline.ideas.classifications import Assignment
from sightline.ideas.matching import Outcome
from sightline.ideas.records import ClassificationAssignment, Idea, NewIdea, Provenance
from sightline.ideas.references import Named, find_named
from sightline.ideas.status import PromotionReserved
from sightline.intelligence.engine import DraftedQuestion
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx
from sightline.platform.db.database import Row
from sightline.platform.errors import Conflict, Fault
from sightline.platform.ids import new_id
from sightline.platform.wire import Expectation, Versioned, expect_anything
from sightline.workspaces.numbers import take_number

_ATTEMPTS = 8
_OVERTAKEN = (asyncpg.ForeignKeyViolationError, asyncpg.UniqueViolationError, asyncpg.DeadlockDetectedError)


class Preparation(NamedTuple):
    """What was looked up before anything is written."""

    known: Row | None
    named: Named
    taxonomy: Taxonomy
    assignments: list[Assignment]
    number: int
    name: str
    outcome: Outcome
    drafted: list[DraftedQuestion]


async def create_idea(
    db: Database, maps: FeatureMaps, actor: Actor, wish: NewIdea, expect: Expectation = expect_anything
) -> Versioned[Idea]:
    """Raises ValidationFailed, UnknownStatus, NotFound, CreatorNotAllowed, PreconditionFailed, IdentityConflict,
    PromotionReserved or SourceManaged.

    Concurrent creators of one identity make one idea: who comes second finds it and updates it. So it does when
    what was looked up has changed before it could be written.
    """
    for attempt in range(_ATTEMPTS):
        prepared = await _prepare(db, maps, actor, wish, is_again=attempt > 0)
        try:
            shown = await _write(db, actor, wish, prepared, expect)
        except _OVERTAKEN:
            continue
        if shown is not None:
            return shown
    raise Conflict("The records that the idea names keep changing. Try again.")


async def _prepare(db: Database, maps: FeatureMaps, actor: Actor, wish: NewIdea, *, is_again: bool) -> Preparation:
    """Everything that is refused is refused here or under the lock of an update; the order is that of the decisions.

    Again: whatever others did to a known idea meanwhile, its features are matched, in case that they are needed.
    """
    faults: list[Fault] = []
    async with db.read() as tx:
        found = await identity.find_known(tx, actor.workspace_id, wish)
        known = found[0] if found else None
        taxonomy, assignments = await _classify(tx, actor, wish.classifications, faults)
        product_id = wish.product_id or (known["product_id"] if known else None)
        named = await find_named(tx, actor.workspace_id, wish, product_id, faults)
        actor.require_writer()
        identity.refuse_two(found)
        if named.is_promotion and not (known and known["status"] == wish.status):
            raise PromotionReserved("That status is reserved for promotion.", field="status")
        features = None
        if product_id is not None and identity.wants_matching(known, wish, product_id, is_likely=is_again):
            features = await maps.find(tx, actor.workspace_id, product_id)
        number = 0 if known else await take_number(tx, actor.workspace_id, "idea")
    name = wish.name or (known["name"] if known else maps.engine.name_idea(wish.description))
    if wish.feature_ids is not None:
        outcome = matching.chosen(maps.engine, product_id, _distinct(wish.feature_ids), db.clock.now())
    elif features is not None:
        outcome = await matching.match(maps.engine, db.clock, features, wish.description)
    elif identity.takes_choice_along(known, product_id):
        outcome = matching.chosen(maps.engine, product_id, [], db.clock.now())
    else:
        outcome = matching.unmatched()
    drafted = maps.engine.ask_questions(wish.description)
    return Preparation(known, named, taxonomy, assignments, number, name, outcome, drafted)


async def _classify(
    tx: Tx, actor: Actor, wanted: Sequence[ClassificationAssignment] | None, faults: list[Fault]
) -> tuple[Taxonomy, list[Assignment]]:
    if not wanted:
        return Taxonomy(), []
    taxonomy = await find_taxonomy(tx, actor.workspace_id)
    return taxonomy, classifications.resolve(taxonomy, wanted, faults)


async def _write(
    db: Database, actor: Actor, wish: NewIdea, prepared: Preparation, expect: Expectation
) -> Versioned[Idea] | None:
    """None when the identity was taken, or the known idea changed, since it was looked up."""
    if prepared.known is not None:
        async with db.write() as tx:
            return await identity.update_known(tx, actor, wish, prepared, expect)
    expect(None)
    if not prepared.assignments:
        async with db.read() as tx:  # one statement, which commits by itself
            row = await _add(tx, actor, wish, prepared)
            return detail.versioned(row) if row else None
    async with db.write() as tx:
        row = await _add(tx, actor, wish, prepared)
        if row is None:
            return None
        await classifications.assign(tx, actor.workspace_id, row["id"], prepared.assignments)
        return await detail.with_classifications(tx, actor, row)


async def _add(tx: Tx, actor: Actor, wish: NewIdea, prepared: Preparation) -> Row | None:
    outcome = prepared.outcome
    columns = (
        new_id(),
        prepared.number,
        prepared.name,
        wish.description,
        wish.status,
        wish.product_id,
        wish.integration_id,
        wish.source_key,
        wish.external_id,
        "api",
        Provenance("api", actor.id, wish.source_key, wish.external_id),
        outcome.ownership,
        outcome.matching,
        outcome.key,
        prepared.taxonomy.id if prepared.assignments else None,
    )
    insights, accounts = _distinct(wish.insight_ids), _distinct(wish.account_ids)
    validated = bool(wish.validate_insight_links)
    return await queries_create.add_idea(
        tx, actor, columns, outcome.feature_ids, insights, accounts, prepared.drafted, validated=validated
    )


def _distinct(ids: Sequence[UUID] | None) -> list[UUID]:
    return list(dict.fromkeys(ids or ()))
