"""Reads, checks and computes what a decision about an idea needs, before the idea is locked."""

from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

from msgspec import UNSET

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.catalog.taxonomy import Taxonomy, find_taxonomy
from sightline.ideas.classifications.assign import Assignment, resolve
from sightline.ideas.classifications.records import NewClassification
from sightline.ideas.decide import Facts
from sightline.ideas.identity import refuse_two
from sightline.ideas.links import distinct
from sightline.ideas.matching import selection
from sightline.ideas.matching.chosen_features import can_match, needs_matching
from sightline.ideas.proposal import Proposal, product_after
from sightline.ideas.records import CHANGED_COLUMNS, NEW_COLUMNS, IdeaChanges, NewIdea
from sightline.ideas.references import check_named
from sightline.ideas.status import promotion_reserved
from sightline.intelligence.engine import Engine
from sightline.intelligence.model.usage import may_ask
from sightline.platform.beside import run_beside
from sightline.platform.db import Database, Row, Tx
from sightline.platform.errors import Fault

_FEW_GROUPS = 8


def propose(body: NewIdea | IdeaChanges) -> Proposal:
    """Returns the changes that a body asks for, without omitted fields: in a POST, null counts as omitted."""
    is_new = isinstance(body, NewIdea)
    columns, omitted = (NEW_COLUMNS, None) if is_new else (CHANGED_COLUMNS, UNSET)
    return Proposal(
        {column: value for column in columns if (value := getattr(body, column)) is not omitted},
        distinct(body.feature_ids),
        distinct(body.insight_ids),
        distinct(body.account_ids),
        validates=body.validate_insight_links is True,
        completes=is_new,
    )


async def prepare(  # noqa: PLR0913 - the request
    db: Database,
    maps: FeatureMaps,
    workspace_id: UUID,
    read: Callable[[Tx], Awaitable[Sequence[Row]]],
    new: Proposal,
    classifications: Sequence[NewClassification],
    *,
    is_retry: bool,
) -> tuple[Row | None, Facts]:
    """Checks a proposal and matches its features. `read` finds the ideas that the request names.

    Returns the idea as it was read, None for a new one, and the facts for a decision.
    Raises ValidationFailed, UnknownStatus, NotFound, IdentityConflict or PromotionReserved. A retry always matches
    what can be matched: other requests are changing the idea.
    """
    async with db.autocommit() as tx:
        found = await read(tx)
        stored = found[0] if found else None
        taxonomy_id, assignments = await _check(tx, workspace_id, found, new, classifications)
        follows = "description" in new.columns and await model_follows(tx, maps.engine, workspace_id)
        product_id = product_after(stored, new)
        matches = needs_matching(stored, new) or (is_retry and can_match(stored, new))
    features = await maps.find(db, workspace_id, product_id) if product_id and matches and not follows else None
    matched = None
    if features is not None:
        matched = await selection.match(maps.engine, db.clock, features, new.columns["description"])
    elif product_id and matches and follows:
        matched = selection.awaiting_model(product_id)
    facts = Facts(
        maps.engine,
        db.clock.now(),
        product_id,
        matched,
        follows,
        taxonomy_id=taxonomy_id,
        assignments=assignments,
    )
    return stored, facts


async def _check(
    tx: Tx, workspace_id: UUID, found: Sequence[Row], new: Proposal, classifications: Sequence[NewClassification]
) -> tuple[UUID | None, list[Assignment]]:
    """Checks what the proposal names. Returns the assignments, and the version of the taxonomy that they are of."""
    stored = found[0] if found else None
    faults: list[Fault] = []
    taxonomy = await find_taxonomy(tx, workspace_id) if classifications else Taxonomy()
    if len(classifications) > _FEW_GROUPS:  # each may name 1,000 options
        assignments = await run_beside(resolve, taxonomy, classifications, faults)
    else:
        assignments = resolve(taxonomy, classifications, faults)
    is_promotion = await check_named(tx, workspace_id, stored, new, faults)
    refuse_two(found)
    if is_promotion and not (stored and stored["status"] == new.columns["status"]):
        raise promotion_reserved()
    return taxonomy.id, assignments


async def model_follows(tx: Tx, engine: Engine, workspace_id: UUID) -> bool:
    """Whether a model reads what is described now: there is one, and the workspace wants it and has budget left."""
    return engine.model_follows and await may_ask(tx, workspace_id)
