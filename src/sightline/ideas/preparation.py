"""Reads, checks and computes everything that a POST of an idea needs before it writes."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from sightline.catalog.products.feature_maps import FeatureMaps, VersionedMap
from sightline.catalog.taxonomy import Taxonomies, Taxonomy, find_taxonomy
from sightline.ideas.classifications.assign import Assignment, resolve
from sightline.ideas.classifications.records import NewClassification
from sightline.ideas.classifications.suggest import Suggestions, suggest
from sightline.ideas.identity import find_known, refuse_two
from sightline.ideas.links import distinct
from sightline.ideas.matching import outcome
from sightline.ideas.matching.outcome import Outcome
from sightline.ideas.readings.due import model_follows
from sightline.ideas.records import NewIdea
from sightline.ideas.references import Named, check_named
from sightline.ideas.status import PromotionReserved
from sightline.intelligence.engine import DraftedQuestion
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx
from sightline.platform.db.database import Row
from sightline.platform.errors import Fault
from sightline.workspaces.numbers import take_idea_number


class Preparation(NamedTuple):
    """`known` is the stored idea that an identity names, `number` the number of a new idea.

    `outcome` is None if the features of the known idea stay. `suggested` is empty for a known idea: its suggestions
    are renewed under its lock. `model_follows`: a model reads later what is described now.
    """

    known: Row | None
    taxonomy_id: UUID | None
    assignments: list[Assignment]
    number: int
    name: str
    outcome: Outcome | None
    drafted: list[DraftedQuestion]
    suggested: Suggestions
    model_follows: bool


async def prepare(
    db: Database, maps: FeatureMaps, taxonomies: Taxonomies, actor: Actor, new_idea: NewIdea, *, is_retry: bool
) -> Preparation:
    """Prepares a POST. Raises ValidationFailed, UnknownStatus, NotFound, IdentityConflict or PromotionReserved.

    A retry always matches the features of a known idea: other requests are changing it.
    """
    faults: list[Fault] = []
    async with db.autocommit() as tx:
        found = await find_known(tx, actor.workspace_id, new_idea)
        known = found[0] if found else None
        taxonomy, assignments = await _classify(tx, actor, new_idea.classifications, faults)
        product_id = product_after(known, new_idea)
        is_promotion = await check_named(tx, actor.workspace_id, _named(new_idea, product_id), faults)
        refuse_two(found)
        if is_promotion and not (known and known["status"] == new_idea.status):
            raise PromotionReserved("That status is reserved for promotion. Send another one.", field="status")
        follows = await model_follows(tx, maps.engine, actor.workspace_id)
        features = awaited = None
        if product_id is not None and (wants_matching(known, new_idea) or (is_retry and may_match(known, new_idea))):
            if follows:
                awaited = product_id
            else:
                features = await maps.find(tx, actor.workspace_id, product_id)
        number, active = (0, Taxonomy()) if known else await _number(tx, taxonomies, actor.workspace_id)
    return Preparation(
        known,
        taxonomy.id if assignments else None,
        assignments,
        number,
        new_idea.name or (known["name"] if known else maps.engine.name_idea(new_idea.description)),
        await _match(db, maps, new_idea, known, features, awaited),
        maps.engine.ask_questions(new_idea.description),
        suggest(maps.engine, active, new_idea.description, {each.group_id for each in assignments}),
        follows,
    )


async def _number(tx: Tx, taxonomies: Taxonomies, workspace_id: UUID) -> tuple[int, Taxonomy]:
    """Returns the number of a new idea, and the taxonomy whose options are suggested."""
    number, version_id = await take_idea_number(tx, workspace_id)
    return number, await taxonomies.find(tx, workspace_id, version_id)


async def _classify(
    tx: Tx, actor: Actor, assignments: Sequence[NewClassification] | None, faults: list[Fault]
) -> tuple[Taxonomy, list[Assignment]]:
    if not assignments:
        return Taxonomy(), []
    taxonomy = await find_taxonomy(tx, actor.workspace_id)
    return taxonomy, resolve(taxonomy, assignments, faults)


def _named(new_idea: NewIdea, product_id: UUID | None) -> Named:
    return Named(
        new_idea.status,
        product_id,
        new_idea.integration_id,
        new_idea.feature_ids or (),
        new_idea.insight_ids or (),
        new_idea.account_ids or (),
    )


async def _match(
    db: Database,
    maps: FeatureMaps,
    new_idea: NewIdea,
    known: Row | None,
    features: VersionedMap | None,
    awaited: UUID | None,
) -> Outcome | None:
    """Matches the features, or leaves those of the product `awaited` to a model. Call it outside transactions."""
    product_id = product_after(known, new_idea)
    if new_idea.feature_ids is not None:
        return outcome.chosen(maps.engine, product_id, distinct(new_idea.feature_ids), db.clock.now())
    if awaited is not None:
        return outcome.awaiting_model(awaited)
    if features is not None:
        return await outcome.match(maps.engine, db.clock, features, new_idea.description)
    if moves_choice(known, new_idea):
        return outcome.chosen(maps.engine, product_id, [], db.clock.now())
    return None


def product_after(known: Row | None, new_idea: NewIdea) -> UUID | None:
    """Returns the product of the idea after the POST."""
    return new_idea.product_id or (known["product_id"] if known else None)


def may_match(known: Row | None, new_idea: NewIdea) -> bool:
    """Whether the features are matched: no features are supplied, and none of the known idea were chosen."""
    return new_idea.feature_ids is None and (known is None or known["feature_ownership"] == "automatic")


def wants_matching(known: Row | None, new_idea: NewIdea) -> bool:
    """Whether the features have to be matched: for a new idea, or if the stored matching is of another text."""
    product_id = product_after(known, new_idea)
    if product_id is None or not may_match(known, new_idea):
        return False
    if known is None or known["description"] != new_idea.description or known["product_id"] != product_id:
        return True
    return outcome.is_stale(known)


def moves_choice(known: Row | None, new_idea: NewIdea) -> bool:
    """Whether features were chosen and the product changes; only an empty choice fits both products."""
    if known is None or new_idea.feature_ids is not None or known["feature_ownership"] != "manual":
        return False
    return bool(known["product_id"] != product_after(known, new_idea))


def replaces_features(known: Row | None, new_idea: NewIdea) -> bool:
    """Whether an outcome of matching replaces that of the known idea."""
    return new_idea.feature_ids is not None or moves_choice(known, new_idea) or wants_matching(known, new_idea)
