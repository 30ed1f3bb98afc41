"""Creating an idea, or updating the one that its identity names. Specification: POST /ideas; decisions: Ideas."""

from typing import Any

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.catalog.taxonomy import Taxonomies
from sightline.ideas import queries, read
from sightline.ideas.classifications.assign import assign
from sightline.ideas.classifications.suggest import suggested_links
from sightline.ideas.identity_update import update_known
from sightline.ideas.links import distinct
from sightline.ideas.preparation import Preparation, prepare
from sightline.ideas.records import Idea, IdeaProvenance, NewIdea
from sightline.intelligence.engine import Engine
from sightline.platform.access import Actor
from sightline.platform.db import Database, Tx
from sightline.platform.db.database import Row
from sightline.platform.db.retries import retry_when_overtaken
from sightline.platform.errors import Conflict
from sightline.platform.ids import new_id
from sightline.platform.wire import Expectation, Versioned, expect_anything

# Named here, as an annotation of a function in a function is evaluated at each call: 6 us for this one.
_Written = Versioned[Idea] | None


async def create_idea(
    db: Database,
    maps: FeatureMaps,
    taxonomies: Taxonomies,
    actor: Actor,
    new_idea: NewIdea,
    expect: Expectation = expect_anything,
) -> Versioned[Idea]:
    """Raises ValidationFailed, UnknownStatus, NotFound, PreconditionFailed, IdentityConflict,
    PromotionReserved or SourceManaged.

    Concurrent requests with one identity create one idea: if another request created it first, this one updates it.
    """
    attempts = 0

    async def attempt() -> _Written:
        nonlocal attempts
        attempts += 1
        prepared = await prepare(db, maps, taxonomies, actor, new_idea, is_retry=attempts > 1)
        return await _write(db, maps.engine, actor, new_idea, prepared, expect)

    return await retry_when_overtaken(attempt, Conflict("The records that the idea names keep changing. Try again."))


async def _write(
    db: Database, engine: Engine, actor: Actor, new_idea: NewIdea, prepared: Preparation, expect: Expectation
) -> _Written:
    """Returns None if another request took the identity or changed the known idea since it was read."""
    if prepared.known is not None:
        async with db.transaction() as tx:
            return await update_known(tx, engine, actor, new_idea, prepared, expect)
    expect(None)
    if not prepared.assignments:
        async with db.autocommit() as tx:  # one statement, which commits on its own
            row = await _add(tx, engine, actor, new_idea, prepared)
            return read.versioned(row) if row else None
    async with db.transaction() as tx:
        row = await _add(tx, engine, actor, new_idea, prepared)
        if row is None:
            return None
        await assign(tx, actor.workspace_id, row["id"], prepared.assignments)
        return await read.with_classifications(tx, actor, row)


async def _add(tx: Tx, engine: Engine, actor: Actor, new_idea: NewIdea, prepared: Preparation) -> Row | None:
    idea: dict[str, Any] = {
        "id": new_id(),
        "number": prepared.number,
        "name": prepared.name,
        "description": new_idea.description,
        "status": new_idea.status,
        "product_id": new_idea.product_id,
        "integration_id": new_idea.integration_id,
        "source_key": new_idea.source_key,
        "external_id": new_idea.external_id,
        "created_source": "api",
        "provenance": IdeaProvenance("api", actor.id, new_idea.source_key, new_idea.external_id),
        "taxonomy_version_id": prepared.taxonomy_id,
        "portal_visible": bool(new_idea.portal_visible),
        "official_answer": new_idea.official_answer,
        "name_drafted": new_idea.name is None,
        "model_due_at": tx.now if prepared.model_follows else None,
    }
    links = {"insight_ids": distinct(new_idea.insight_ids), "account_ids": distinct(new_idea.account_ids)}
    links |= suggested_links(prepared.suggested)
    if prepared.outcome is not None:
        idea |= prepared.outcome.columns
        links["feature_ids"] = prepared.outcome.feature_ids
    validated = bool(new_idea.validate_insight_links)
    return await queries.add_idea(tx, actor, idea, prepared.drafted, links=links, validated=validated)
