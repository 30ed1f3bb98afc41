"""The search texts of a section: names and topic first, then question by question, then more widely."""

from collections.abc import Iterator, Sequence
from typing import Final

from sightline.intelligence.embedded.research.terms import other_words, telling
from sightline.intelligence.plans import PlanSection

MOST_WORDS: Final = 8
MOST_TEXTS: Final = 8


def search_texts(section: PlanSection, round: int, tried: Sequence[str]) -> list[str]:
    """Returns at most eight texts that were not tried, of the round or else of a later one; there are three rounds."""
    known = {text.lower() for text in tried}
    for texts in (_directly, _by_question, _widely)[round:]:
        found = dict.fromkeys(" ".join(text.split()) for text in texts(section))
        if new := [text for text in found if text and text.lower() not in known][:MOST_TEXTS]:
            return new
    return []


def _directly(section: PlanSection) -> Iterator[str]:
    subject = _words(section, section.topic or " ".join(section.questions) or section.objective)
    where = f"{section.scope.geography} {section.scope.audience}"
    if section.competitors:
        for competitor in section.competitors:
            yield f"{_phrase(competitor.name)} {subject}"
    else:
        yield f"{subject} {where}"
        for question in section.questions:
            yield f"{_words(section, question)} {where}"
    for question in section.questions:
        yield from other_words(question, section.scope.languages)


def _by_question(section: PlanSection) -> Iterator[str]:
    names = [name for one in section.competitors for name in (one.name, *one.aliases)] or [section.scope.audience]
    for question in section.questions:
        for name in names:
            yield f"{_phrase(name) if section.competitors else name} {_words(section, question)}"


def _widely(section: PlanSection) -> Iterator[str]:
    for one in section.competitors:
        yield from (_phrase(name) for name in (one.name, *one.aliases))
    yield _words(section, f"{section.topic} {section.name}")
    yield _words(section, section.objective)
    yield from (_words(section, question) for question in section.questions)


def _words(section: PlanSection, text: str) -> str:
    words = telling(text, section.scope.languages)[:MOST_WORDS]
    return " ".join(word.lstrip("-") for word in words)  # with a minus, a search leaves the word out


def _phrase(name: str) -> str:
    plain = name.replace('"', " ").strip()
    return f'"{plain}"' if " " in plain else plain
