"""The heading of a document that a question belongs to, by the words of the question."""

import re
from enum import StrEnum
from typing import Final


class Topic(StrEnum):
    """The subjects of questions; BEHAVIOUR is everything that the others are not."""

    MEASURES = "measures"
    GOALS = "goals"
    NON_GOALS = "non-goals"
    DATA = "data"
    CONSTRAINTS = "constraints"
    ROLLOUT = "rollout"
    SCALE = "scale"
    BEHAVIOUR = "behaviour"


_WORDS: Final = {
    Topic.MEASURES: r"measures?|measured|metrics?|kpis?|which figure|target|success(?:ful)?|worth (?:it|the)",
    Topic.GOALS: r"goals?|aim|outcome|achieved?|purpose",
    Topic.NON_GOALS: r"out of scope|leave out|left out of|exclude[sd]?|not (?:a )?part of|non-goals?",
    Topic.DATA: (
        r"privacy|gdpr|personal(?:ly)?|identit(?:y|ies)|passport|anonym\w*|retention|consent"
        r"|traced? to a person|do we (?:keep|store)|how long (?:are|is|do|does|will) .*\b(?:kept|stored|keep|store)"
    ),
    Topic.CONSTRAINTS: (
        r"law|legal\w*|complian\w*|regulat\w*|works? councils?|contract\w*|budget|deadline|certif\w*|accessib\w*"
        r"|constraints?|by when|which rules"
    ),
    Topic.ROLLOUT: r"roll(?:ed)? ?out|launch|pilot|beta|migrat\w*|go live|announced?|training|who (?:pays|prints)",
    Topic.SCALE: r"how (?:many|much|large|big|fast|far|old|often)|largest|performance|load",
}
_PATTERNS: Final = {topic: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for topic, words in _WORDS.items()}


def topic_of(question: str) -> Topic:
    """Returns the first topic whose words the question has."""
    return next((topic for topic, words in _PATTERNS.items() if words.search(question)), Topic.BEHAVIOUR)
