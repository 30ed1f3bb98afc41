"""Decides what a write changes in an idea, without a database. Decision: docs/decisions/0033-one-writer-of-ideas.md.

Omitted fields stay. Which features stay is decided with `matching/selection.py`.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sightline.catalog.taxonomy import Taxonomy
from sightline.ideas.classifications.assign import Assignment
from sightline.ideas.classifications.suggest import Suggestions, suggest
from sightline.ideas.matching import selection
from sightline.ideas.matching.selection import (
    MATCHED,
    NONE,
    Selection,
    are_chosen,
    is_stale,
    quotes_only,
    stays_in_product,
)
from sightline.ideas.queries import Stored
from sightline.intelligence.engine import DraftedQuestion, Engine
from sightline.platform.errors import ValidationFailed

# A missing part of an identity is filled in, unless the idea was found by an alias; none is ever replaced.
_IDENTITY = ("source_key", "external_id", "integration_id")


class Proposal(NamedTuple):
    """What a request asks of an idea. Columns that are left out stay, and so do sets that are None.

    `completes`: a POST. It adds to the sets of insights and accounts, which a PATCH replaces, and asks questions of an
    idea that has none. `validates`: the insights become validated; a validated one is never demoted.
    """

    columns: dict[str, Any]
    feature_ids: list[UUID] | None = None
    insight_ids: list[UUID] | None = None
    account_ids: list[UUID] | None = None
    validates: bool = False
    completes: bool = False

    @property
    def needs_facts(self) -> bool:
        """Whether a PATCH names other records, or has a description, whose features are matched."""
        return "description" in self.columns or bool(self.feature_ids or self.insight_ids or self.account_ids)


class Facts(NamedTuple):
    """What was read and computed for a decision.

    `product_id`: the product to which the chosen features of the proposal were found to belong. `matched`: features of
    a product for the description of the proposal; None if none were looked for.
    `taxonomy`: of a new idea, for suggested options. `taxonomy_id`: the version of the `assignments`.
    """

    engine: Engine
    now: datetime
    product_id: UUID | None = None
    matched: Selection | None = None
    model_follows: bool = False
    taxonomy: Taxonomy = Taxonomy()
    taxonomy_id: UUID | None = None
    assignments: Sequence[Assignment] = ()


class Outcome(NamedTuple):
    """What a write stores: the columns that differ (all of a new idea), and the sets that may differ.

    `fields`: the names of the columns that the trail has. `is_described`: the untouched questions and suggestions of
    the old description go. `drafted`: for an idea that has no questions then. `suggested`: only for a new idea.
    """

    proposal: Proposal
    columns: dict[str, Any]
    fields: list[str]
    feature_ids: list[UUID] | None
    is_described: bool
    drafted: list[DraftedQuestion]
    suggested: Suggestions
    assignments: Sequence[Assignment]
    is_due: bool


def decide(stored: Stored | None, new: Proposal, facts: Facts) -> Outcome | None:
    """Returns what to store; None if the idea's product is not the one of the facts, or its features were not matched.

    Raises ValidationFailed if chosen features do not fit the new product.
    """
    if new.feature_ids and product_after(stored, new) != facts.product_id:
        return None
    selected = _select(stored, new, facts)
    if selected is None and wants_matching(stored, new):
        return None
    text = new.columns.get("description")
    is_described = text is not None and (stored is None or text != stored["description"])
    columns = new.columns | _matching_columns(stored, new, selected)
    if facts.assignments:
        columns["taxonomy_version_id"] = facts.taxonomy_id
    if stored is not None:
        columns = {column: value for column, value in columns.items() if _differs(stored, new, column, value)}
    fields = [column for column in columns if column not in MATCHED]
    if stored is None:
        columns["name_drafted"] = "name" not in columns
        columns.setdefault("name", facts.engine.name_idea(columns["description"]))
    elif "name" in columns:
        columns["name_drafted"] = False
    return Outcome(
        new,
        columns,
        fields,
        selected.feature_ids if selected else None,
        is_described,
        facts.engine.ask_questions(text) if text and (is_described or new.completes) else [],
        _suggest(facts, text) if text and stored is None else {},
        facts.assignments,
        facts.model_follows and (is_described or (selected is not None and selected.awaits_model)),
    )


def _differs(stored: Stored, new: Proposal, column: str, value: Any) -> bool:
    if column in _IDENTITY and (stored[column] is not None or stored["external_id"] != new.columns.get("external_id")):
        return False
    return bool(value != stored[column])


def product_after(stored: Stored | None, new: Proposal) -> UUID | None:
    """Returns the product of the idea after the write."""
    return new.columns.get("product_id") or (stored["product_id"] if stored else None)


def can_match(stored: Stored | None, new: Proposal) -> bool:
    """Whether a request matches features: it has a description and chooses none, and nobody chose features before."""
    if "description" not in new.columns or new.feature_ids is not None or product_after(stored, new) is None:
        return False
    return stored is None or not are_chosen(stored)


def wants_matching(stored: Stored | None, new: Proposal) -> bool:
    """Whether the features have to be matched: the idea is new, or its matching is of another text or product."""
    if not can_match(stored, new):
        return False
    if stored is None or new.columns["description"] != stored["description"]:
        return True
    return product_after(stored, new) != stored["product_id"] or is_stale(stored)


def _select(stored: Stored | None, new: Proposal, facts: Facts) -> Selection | None:
    """Returns the features after the write, None if they stay."""
    product_id = product_after(stored, new)
    if new.feature_ids is not None:
        return selection.chosen(facts.engine, product_id, new.feature_ids, facts.now)
    if stored is not None and are_chosen(stored) and stored["product_id"] != product_id:
        if stays_in_product(stored, stored["feature_ids"]):
            raise ValidationFailed.of("productId", "The manually chosen features are of another product")
        return selection.chosen(facts.engine, product_id, [], facts.now)
    is_of_product = facts.matched is not None and facts.matched.product_id == product_id
    return facts.matched if is_of_product and wants_matching(stored, new) else None


def _matching_columns(stored: Stored | None, new: Proposal, selected: Selection | None) -> dict[str, Any]:
    """Returns the columns of the matching. One that quotes what the new description lacks is dropped."""
    if selected is None:
        text = new.columns.get("description")
        keeps = stored is None or text is None or quotes_only(text, stored["feature_matching"])
        return {} if keeps else NONE
    if stored is not None and are_chosen(stored) and stored["product_id"] == selected.product_id:
        return {} if stored["feature_matching"] is not None else selected.columns
    return selected.columns


def _suggest(facts: Facts, text: str) -> Suggestions:
    return suggest(facts.engine, facts.taxonomy, text, {each.group_id for each in facts.assignments})
