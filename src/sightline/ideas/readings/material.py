"""What a model is asked about an idea: what the embedded engine found, and nobody decided."""

import asyncio
from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from sightline.catalog.products.feature_maps import VersionedMap
from sightline.catalog.taxonomy import Group, find_taxonomy
from sightline.ideas.classifications.queries import find_values
from sightline.ideas.classifications.suggest import as_input, chosen_groups, list_groups
from sightline.ideas.questions.drafted import find_questions
from sightline.ideas.readings.claims import Claim, find_claimed
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.engine import MOST_QUESTIONS, FeatureText
from sightline.intelligence.model.ideas import IdeaMaterial
from sightline.platform.db import Database, Row, Tx, sql

MOST_FEATURES: Final = 60
MOST_OPTIONS: Final = 200


_FEATURES = sql("""
SELECT f.id, f.name, f.description
  FROM unnest(:ids::uuid[]) WITH ORDINALITY AS wanted (id, n)
  JOIN features f ON f.workspace_id = :workspace_id AND f.id = wanted.id
 ORDER BY wanted.n""")


async def find_features(tx: Tx, workspace_id: UUID, ids: Sequence[UUID]) -> list[FeatureText]:
    """Returns the features in the given order."""
    return [FeatureText(*row) for row in await tx.rows(_FEATURES, workspace_id=workspace_id, ids=ids)]


class Seen(NamedTuple):
    """An idea as it was read. `features` is None if no features are to be found.

    `groups` are those to ask about: without a chosen value, and with at most 200 options together.
    """

    claim: Claim
    idea: Row
    features: VersionedMap | None
    questions: list[Row]
    groups: list[Group]


async def see(tx: Tx, claim: Claim) -> Seen | None:
    """Reads the idea, without the features. Returns None if the claim no longer holds."""
    idea = await find_claimed(tx, claim)
    if idea is None:
        return None
    values = await find_values(tx, claim.workspace_id, [claim.idea_id])
    groups = list_groups(await find_taxonomy(tx, claim.workspace_id), chosen_groups(values.values()))
    questions = await find_questions(tx, claim.workspace_id, claim.idea_id)
    return Seen(claim, idea, None, questions, _bounded(groups))


def _bounded(groups: Sequence[Group]) -> list[Group]:
    """Returns the groups whose options fit, in order. No group is cut."""
    bounded = []
    left = MOST_OPTIONS
    for group in groups:
        if len(group.options) <= left:
            bounded.append(group)
            left -= len(group.options)
    return bounded


async def material_of(db: Database, engine: EmbeddedEngine, seen: Seen) -> IdeaMaterial:
    """Returns what the model is asked, with the 60 features that are closest by their words."""
    text = seen.idea["description"]
    features = []
    if seen.features is not None:
        ids = await asyncio.to_thread(engine.closest_features, text, seen.features.features, MOST_FEATURES)
        async with db.autocommit() as tx:
            features = await find_features(tx, seen.claim.workspace_id, ids)
    kept = [one["question"] for one in seen.questions if not one["is_untouched"]]
    is_engine_name = seen.idea["name_drafted"] and seen.idea["name"] == engine.name_idea(text)
    return IdeaMaterial(text, features, as_input(seen.groups), kept, max(0, MOST_QUESTIONS - len(kept)), is_engine_name)
