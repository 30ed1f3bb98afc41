"""What is shown of feature matching. Specification: match-features; decisions: featureMatching."""

from typing import Literal
from uuid import UUID

from sightline.intelligence.engine import FeatureMatch
from sightline.platform.wire import Record, Timestamp, decode_parts

FeatureOwnership = Literal["automatic", "manual"]
MatchingStatus = Literal["matched", "needs_review", "no_match", "no_features", "manual"]


class Matcher(Record):
    """The engine that matched."""

    name: str
    version: str


class FeatureMatching(Record):
    """The result of matching: `matches` are applied, `suggestions` wait for a review.

    `manual`: a person chose the features, and `matches` is empty; `no_features`: the product has none.
    """

    status: MatchingStatus
    product_id: UUID
    matches: list[FeatureMatch]
    suggestions: list[FeatureMatch]
    matched_at: Timestamp
    matcher: Matcher

    @property
    def features(self) -> list[UUID]:
        """The features that it names."""
        return [one.feature_id for one in (*self.matches, *self.suggestions)]


class MatchingReceipt(Record):
    """The features saved after matching, and the matching itself, which is null without a product."""

    idea_id: UUID
    idea_public_id: str
    feature_ids: list[UUID]
    feature_matching: FeatureMatching | None

    @property
    def quoted_ids(self) -> list[UUID]:
        matching = decode_parts(self).feature_matching
        return [self.idea_id, *(matching.features if matching else ())]
