"""Reads, checks and computes what a decision about an idea needs, before the idea is locked."""

from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

from msgspec import UNSET

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.catalog.products.named import unknown_product
from sightline.catalog.taxonomy import Taxonomy, find_taxonomy
from sightline.ideas.classifications.assign import Assignment, resolve
from sightline.ideas.classifications.records import NewClassification
from sightline.ideas.decide import Facts
from sightline.ideas.identity import refuse_two
from sightline.ideas.labels import unknown_status
from sightline.ideas.links import distinct
from sightline.ideas.matching import selection
from sightline.ideas.matching.chosen_features import can_match, needs_matching
from sightline.ideas.proposal import Proposal, product_after
from sightline.ideas.records import CHANGED_COLUMNS, NEW_COLUMNS, IdeaChanges, NewIdea
from sightline.ideas.status import promotion_reserved
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.model.usage import may_ask
from sightline.platform.beside import run_beside
from sightline.platform.db import Database, Row, Tx, sql
from sightline.platform.errors import Fault, NotFound, ValidationFailed

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
        matched = selection.Selection(product_id, "automatic", None, [])  # until a model has read the idea
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
    is_promotion = await _check_named(tx, workspace_id, stored, new, faults)
    refuse_two(found)
    if is_promotion and not (stored and stored["status"] == new.columns["status"]):
        raise promotion_reserved()
    return taxonomy.id, assignments


CHECK_NAMED = sql("""
SELECT (SELECT promotion FROM idea_statuses WHERE workspace_id = :workspace_id AND label = :status) AS is_promotion,
       EXISTS (SELECT FROM products WHERE workspace_id = :workspace_id AND id = :product_id) AS has_product,
       EXISTS (SELECT FROM integrations WHERE workspace_id = :workspace_id AND id = :integration_id) AS has_integration,
       ARRAY(SELECT unnest(:feature_ids::uuid[]) EXCEPT
             SELECT id FROM features
              WHERE workspace_id = :workspace_id AND product_id = :product_id AND id = ANY(:feature_ids)
            ) AS no_features,
       ARRAY(SELECT unnest(:insight_ids::uuid[]) EXCEPT
             SELECT id FROM insights WHERE workspace_id = :workspace_id AND id = ANY(:insight_ids)) AS no_insights,
       ARRAY(SELECT unnest(:account_ids::uuid[]) EXCEPT
             SELECT id FROM accounts WHERE workspace_id = :workspace_id AND id = ANY(:account_ids)) AS no_accounts""")


async def _check_named(tx: Tx, workspace_id: UUID, stored: Row | None, new: Proposal, earlier: list[Fault]) -> bool:
    """Checks all records that a proposal names in one statement; runs none if it names no records.

    Returns whether the status is the promotion label. Raises, in this order: ValidationFailed (with the `earlier`
    faults) for members of sets, UnknownStatus, NotFound for a single record, ValidationFailed for features that are
    not of the product.
    """
    columns, status = new.columns, new.columns.get("status")
    product_id = product_after(stored, new) if new.feature_ids or "product_id" in columns else None
    named = {
        "status": status,
        "product_id": product_id,
        "integration_id": columns.get("integration_id"),
        "feature_ids": new.feature_ids or (),
        "insight_ids": new.insight_ids or (),
        "account_ids": new.account_ids or (),
    }
    if not any(named.values()):
        if earlier:
            raise ValidationFailed(earlier)
        return False
    row = await tx.one(CHECK_NAMED, workspace_id=workspace_id, **named)
    faults = earlier + _unknown("insightIds", row["no_insights"]) + _unknown("accountIds", row["no_accounts"])
    if faults:
        raise ValidationFailed(faults)
    if status is not None and row["is_promotion"] is None:
        raise await unknown_status(tx, workspace_id, status)
    if product_id is not None and not row["has_product"]:
        raise unknown_product("productId")
    if named["integration_id"] is not None and not row["has_integration"]:
        raise NotFound("The workspace has no such integration.", field="integrationId")
    if row["no_features"]:
        shown = ", ".join(str(id) for id in row["no_features"][:5])
        raise ValidationFailed.of("featureIds", f"Not features of the idea's product: {shown}")
    return bool(row["is_promotion"])


def _unknown(path: str, ids: list[UUID]) -> list[Fault]:
    shown = ", ".join(str(id) for id in ids[:5])
    return [Fault(path, f"Not in this workspace: {shown}")] if ids else []


async def model_follows(tx: Tx, engine: EmbeddedEngine, workspace_id: UUID) -> bool:
    """Whether a model reads what is described now: there is one, and the workspace wants it and has budget left."""
    return engine.model_follows and await may_ask(tx, workspace_id)
