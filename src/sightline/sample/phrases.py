"""The hand-written parts of composed records, read once from `phrases.yaml`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NUMBERS = 12  # how many values {n} and {many} take


@dataclass(frozen=True, slots=True)
class Trouble:
    """A report of customers about a feature: the subject, their words, and the lesson."""

    feature: str
    about: str
    said: str
    learned: str


@dataclass(frozen=True, slots=True)
class IdeaTemplate:
    """An idea for a feature."""

    feature: str
    opportunity: str
    theme: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Phrases:
    troubles: tuple[Trouble, ...]
    idea_templates: tuple[IdeaTemplate, ...]
    scenes: dict[str, list[str]]
    questions: tuple[dict[str, str], ...]
    remarks: dict[str, list[str]]
    parts: dict[str, list[str]]


def read_yaml(name: str) -> dict[str, Any]:
    """Returns a YAML file of this package."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    content: dict[str, Any] = yaml.load(text, Loader=loader)  # noqa: S506 - one of the two safe loaders
    return content


@cache
def phrases() -> Phrases:
    words = read_yaml("phrases.yaml")
    topics: list[dict[str, Any]] = words.pop("topics")
    return Phrases(
        troubles=tuple(Trouble(topic["feature"], **one) for topic in topics for one in topic["troubles"]),
        idea_templates=tuple(
            IdeaTemplate(topic["feature"], topic["opportunity"], topic["theme"], **one)
            for topic in topics
            for one in topic["ideas"]
        ),
        scenes=words.pop("scenes"),
        questions=tuple(words.pop("question_parts")),
        remarks=words.pop("remarks"),
        parts=words,
    )


def fill(text: str, number: int, weekdays: Sequence[str] = WEEKDAYS) -> str:
    """Returns the text with its placeholders filled; `number` is from 0 to NUMBERS - 1."""
    day = weekdays[number % len(weekdays)]
    return text.replace("{n}", str(3 + number)).replace("{many}", str(17 + 5 * number)).replace("{day}", day)
