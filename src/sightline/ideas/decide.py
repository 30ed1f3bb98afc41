"""Decides what a write changes in an idea, without a database. Decision: docs/decisions/0033-one-writer-of-ideas.md.

Omitted fields stay. Which features stay is decided in `matching/chosen_features.py`.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sightline.catalog.taxonomy import Taxonomy
from sightline.ideas.classifications.assign import Assignment
from sightline.ideas.classifications.suggest import Suggestions, suggest, takes_long
from sightline.ideas.matching.chosen_features import matching_columns, needs_matching, select_features
from sightline.ideas.matching.selection import MATCHED, Selection
from sightline.ideas.proposal import Proposal, product_after
from sightline.ideas.queries import Stored
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.engine import DraftedQuestion
from sightline.platform.beside import run_beside

# A missing part of an identity is filled in, unless the idea was found by an alias; none is ever replaced.
_IDENTITY = ("source_key", "external_id", "integration_id")


class Facts(NamedTuple):
    """What was read and computed for a decision."""

    engine: EmbeddedEngine
    now: datetime
    product_id: UUID | None = None  # the product of the features that the proposal chooses
    matched: Selection | None = None  # the features for the new description, if any were looked for
    model_follows: bool = False  # whether a model reads new descriptions later
    taxonomy: Taxonomy = Taxonomy()  # for options suggested to a new idea
    taxonomy_id: UUID | None = None  # the version of the taxonomy to which the assignments belong
    assignments: Sequence[Assignment] = ()


class Outcome(NamedTuple):
    """What a write stores."""

    proposal: Proposal
    columns: dict[str, Any]  # those that differ; all of a new idea
    fields: list[str]  # the columns that the trail names
    feature_ids: list[UUID] | None  # None if they stay
    is_described: bool  # the description is new: unreviewed suggestions and untouched questions are replaced
    drafted: list[DraftedQuestion]  # added if the idea has no questions after that
    suggested: Suggestions  # added with a new idea
    assignments: Sequence[Assignment]
    is_due: bool  # a model reads the idea later


async def decide(stored: Stored | None, new: Proposal, facts: Facts) -> Outcome | None:
    """Returns what to store; None if the idea's product is not the one of the facts, or its features were not matched.

    Raises ValidationFailed if chosen features do not fit the new product.
    """
    if takes_long(facts.taxonomy, new.columns.get("description") or ""):
        return await run_beside(_decide, stored, new, facts)
    return _decide(stored, new, facts)


def _decide(stored: Stored | None, new: Proposal, facts: Facts) -> Outcome | None:
    if new.feature_ids and product_after(stored, new) != facts.product_id:
        return None
    selected = select_features(stored, new, facts.matched, facts.engine, facts.now)
    if selected is None and needs_matching(stored, new):
        return None
    text = new.columns.get("description")
    is_described = text is not None and (stored is None or text != stored["description"])
    columns = new.columns | matching_columns(stored, new, selected)
    if facts.assignments:
        columns["taxonomy_version_id"] = facts.taxonomy_id
    if stored is not None:
        columns = {column: value for column, value in columns.items() if _differs(stored, new, column, value)}
    fields = [column for column in columns if column not in MATCHED]
    if stored is None:
        columns["name_drafted"] = "name" not in columns
        if columns["name_drafted"]:
            columns["name"] = facts.engine.name_idea(columns["description"])
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


def _suggest(facts: Facts, text: str) -> Suggestions:
    return suggest(facts.engine, facts.taxonomy, text, {each.group_id for each in facts.assignments})
