"""The sentences of a plan: its objectives, made of its questions, and why it is so."""

import re
from collections.abc import Sequence
from typing import Final

from sightline.intelligence.plans import Definition

_ASKING: Final = r"(?:how|why|when|where|what|which|who|whom)"
_DO: Final = re.compile(rf"({_ASKING}\b(?:\s+[\w-]+){{0,4}}?)\s+do\s+(.+)", re.IGNORECASE | re.DOTALL)
_BE: Final = re.compile(
    rf"({_ASKING})\s+(is|are|was|were)\s+((?:the|a|an|our|your|their|its)\s.+)", re.IGNORECASE | re.DOTALL
)
_WHETHER: Final = re.compile(r"do\s+(.+)", re.IGNORECASE | re.DOTALL)
_SUBJECT: Final = re.compile(rf"{_ASKING}\b.+", re.IGNORECASE | re.DOTALL)
# A verb that another order of words would move: after the question word, or an auxiliary near it.
_MOVED: Final = re.compile(
    rf"{_ASKING}\s+(?:is|are|was|were)\b|.*\b(?:do|does|did|can|could|should|will|would|has|have|had|may|might|must)\b",
    re.IGNORECASE,
)
_MOST_ASKED: Final = 2  # questions of an objective
_MOST_NAMES: Final = 2


def indirect(question: str) -> str:
    """Returns "how shops pay" for "How do shops pay?"; empty if the question does not fit into a sentence."""
    text = question.strip().rstrip("?.! ")
    if text.isupper():
        return ""
    if found := _DO.fullmatch(text):
        return f"{_lowered(found[1])} {found[2]}"
    if found := _BE.fullmatch(text):
        return f"{_lowered(found[1])} {found[3]} {found[2].lower()}"
    if found := _WHETHER.fullmatch(text):
        return f"whether {found[1]}"
    return _lowered(text) if _SUBJECT.fullmatch(text) and not _MOVED.match(" ".join(text.split()[:4])) else ""


def objective(questions: Sequence[str], names: Sequence[str] = ()) -> str:
    """Returns what a section shall find out; the first `names` that it does not have are added."""
    asked = [one for one in map(indirect, questions[:_MOST_ASKED]) if one]
    others = [name for name in names if not any(name in question for question in questions)][:_MOST_NAMES]
    among = f" ({', '.join(others)})" if others else ""
    if asked and len(asked) == len(questions[:_MOST_ASKED]):
        return f"Find out {' and '.join(asked)}{among}."
    first = questions[0]
    return f"Answer “{first}” from public sources{among}." if first.endswith("?") else f"Find sources for: {first}"


def rationale(definition: Definition, product: str | None, suggested: Sequence[str], *, is_asked: bool) -> str:
    """Returns what the plan does and what it took from the question and the evidence, in one paragraph."""
    names = ", ".join(section.name for section in definition.sections)
    asked, each = ("one section", "It") if len(definition.sections) == 1 else ("these sections", "Each")
    target = definition.max_sources_per_section
    is_recent = definition.research_mode == "recent"
    dated = f"published in the last {definition.initial_lookback_days} days" if is_recent else "of any age"
    parts = [f"The words of the question ask for {asked}: {names}."]
    parts += [f"{each} looks for {target} sources {dated}{'' if is_recent else ', undated ones included'}."]
    if product:
        parts.append(f"It seems to be about {product}.")
    if suggested:
        parts.append(f"The question or your evidence names these competitors: {', '.join(suggested)}.")
    elif is_asked:
        parts.append("No competitor is named in the question or in your evidence; add those to look at.")
    return " ".join([*parts, "The embedded engine drafted this plan from words, so review it before you start it."])


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
