"""The operation that matches an idea with features. Specification: Ideas."""

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.ideas.matching import match_features
from sightline.ideas.matching.match_features import MatchingStale
from sightline.ideas.matching.records import MatchingReceipt
from sightline.platform.http.operations import Call, operation
from sightline.platform.refs import IdeaRef
from sightline.platform.scopes import Scope


@operation(
    "POST",
    "/ideas/{ref}/match-features",
    scopes=[Scope.IDEAS_WRITE],
    status=201,
    refuses=[MatchingStale],
)
async def match_idea_features(call: Call, ref: IdeaRef) -> MatchingReceipt:
    """Matches an idea with the features of its product.

    Clear matches that rest on the idea's own words are applied, uncertain ones are suggestions; a manual selection,
    even an empty one, and an unchanged result stay.
    """
    return await match_features.match_features(call.db, call.tools[FeatureMaps], call.actor, ref, call.expect)
