"""The window of a plan: sources since a day, or of any age."""

from collections.abc import Callable
from datetime import datetime

from msgspec.structs import replace

from sightline.intelligence.embedded.sentences import beginning
from sightline.intelligence.plans import LONGEST_LOOKBACK_DAYS, LONGEST_QUESTION, PlanDefinition
from sightline.sources.periods import find_period, without_period


def with_window(plan: PlanDefinition, since: datetime | None, now: datetime, *, is_baseline: bool) -> PlanDefinition:
    """Returns the plan for sources since a day, or of any age.

    since within 90 days          mode `recent` with that look-back
    since earlier, or a baseline  mode `baseline`; each question ends in "since 2026-01-31?"
    a baseline without since      mode `baseline`; questions lose an open period such as "in the last 30 days"
    neither                       the plan as it is

    Raises ValueError if `since` is today or later.
    """
    if since is None:
        return _baseline(plan, lambda question: _of_any_age(question, now)) if is_baseline else plan
    days = (now.date() - since.date()).days
    if days < 1:
        raise ValueError("name a day before today")
    if days <= LONGEST_LOOKBACK_DAYS and not is_baseline:
        return replace(plan, research_mode="recent", initial_lookback_days=days)
    return _baseline(plan, lambda question: f"{_bare(question)} since {since:%Y-%m-%d}?")


def _baseline(plan: PlanDefinition, change: Callable[[str], str]) -> PlanDefinition:
    sections = [replace(section, questions=[change(one) for one in section.questions]) for section in plan.sections]
    return replace(plan, research_mode="baseline", sections=sections)


def _of_any_age(question: str, now: datetime) -> str:
    """Returns the question without an open period; a closed one ("in 2024") is part of what is asked."""
    period = find_period(question, now)
    return f"{_bare(question)}?" if period and period.until is None else question


def _bare(question: str) -> str:
    """Returns the question without its period and its end, short enough for another period."""
    plain = " ".join(without_period(question).split()).rstrip("?. ")
    return beginning(plain, LONGEST_QUESTION - 20)
