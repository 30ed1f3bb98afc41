"""Chosen features stay until others are chosen; matched ones follow the description and the product.

Decisions: featureMatching. Without a database: what was matched is passed in.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sightline.ideas.matching.selection import NONE, Selection, chosen, is_stale, quotes_only
from sightline.ideas.proposal import Proposal, product_after
from sightline.ideas.queries import Stored
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.platform.errors import ValidationFailed


def are_chosen(idea: Stored) -> bool:
    """Whether a person chose the idea's features, or chose none: nothing that is matched replaces them."""
    return bool(idea["feature_ownership"] == "manual")


def may_match(idea: Stored) -> bool:
    """Whether features are found for the idea: it has a product, and nobody chose features."""
    return idea["product_id"] is not None and not are_chosen(idea)


def can_match(stored: Stored | None, new: Proposal) -> bool:
    """Whether a request matches features: it has a description and chooses none, and nobody chose features before."""
    if "description" not in new.columns or new.feature_ids is not None or product_after(stored, new) is None:
        return False
    return stored is None or not are_chosen(stored)


def needs_matching(stored: Stored | None, new: Proposal) -> bool:
    """Whether a request has to match features: it can, and the idea is new, or its text or product changes.

    Also if the stored matching was made for another text or product.
    """
    if not can_match(stored, new):
        return False
    if stored is None or new.columns["description"] != stored["description"]:
        return True
    return product_after(stored, new) != stored["product_id"] or is_stale(stored)


def select_features(
    stored: Stored | None, new: Proposal, matched: Selection | None, engine: EmbeddedEngine, now: datetime
) -> Selection | None:
    """Returns the features after the write, None if they stay. `matched`: the ones found for the proposal.

    Raises ValidationFailed if chosen features do not fit the new product.
    """
    product_id = product_after(stored, new)
    if new.feature_ids is not None:
        return chosen(engine, product_id, new.feature_ids, now)
    if stored is not None and are_chosen(stored) and stored["product_id"] != product_id:
        if chosen_features_forbid_move(stored, stored["feature_ids"]):
            raise ValidationFailed.of("productId", "The manually chosen features are of another product")
        return chosen(engine, product_id, [], now)
    is_of_product = matched is not None and matched.product_id == product_id
    return matched if is_of_product and needs_matching(stored, new) else None


def matching_columns(stored: Stored | None, new: Proposal, selected: Selection | None) -> dict[str, Any]:
    """Returns the columns of the matching. One that quotes what the new description lacks is dropped."""
    if selected is None:
        text = new.columns.get("description")
        keeps = stored is None or text is None or quotes_only(text, stored["feature_matching"])
        return {} if keeps else NONE
    if stored is not None and are_chosen(stored) and stored["product_id"] == selected.product_id:
        return {} if stored["feature_matching"] is not None else selected.columns
    return selected.columns


def chosen_features_forbid_move(idea: Stored, feature_ids: Sequence[UUID]) -> bool:
    """Whether the idea has to stay in its product: a person chose `feature_ids`, which are features of it."""
    return are_chosen(idea) and bool(feature_ids)
