"""Statements of customers: sentences that matter, with the places they stand at."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from sightline.intelligence.embedded.sentences import find_sentences, says_something
from sightline.intelligence.embedded.signals.boilerplate import is_small_talk, without_boilerplate
from sightline.intelligence.embedded.signals.categories import category_of, is_question
from sightline.intelligence.embedded.signals.lines import Line, read_lines, source_of
from sightline.intelligence.embedded.vocabulary import word_set
from sightline.intelligence.evidence import Category, Quote, SignalMaterial

_OURS: Final = word_set("""
    agent support interviewer moderator host researcher facilitator csm sales presenter operator bot assistant
    supportmitarbeiter berater interviewerin moderatorin
""")
_FEWEST_QUESTIONS: Final = 3
_FEWEST_WORDS_ALONE: Final = 4
_FEWEST_CHARACTERS_ALONE: Final = 12


class Statement(NamedTuple):
    """One relevant sentence."""

    quote: Quote
    category: Category


def find_statements(material: SignalMaterial) -> list[Statement]:
    """Returns statements in the order of the material, without the team's words.

    A review, an answer to a survey or a short text in which no cue is known gives its first sentence, as context.
    """
    sentences = list(_sentences(material))
    ours = _own_side(material, sentences)
    theirs = [quote for quote in sentences if quote.speaker not in ours]
    found = [Statement(quote, category) for quote in theirs if (category := category_of(_flat(quote.text))) is not None]
    if found or material.read_as in ("conversation", "document"):
        return found
    return [Statement(quote, "context") for quote in theirs if _is_substantial(quote.text)][:1]


def _sentences(material: SignalMaterial) -> Iterator[Quote]:
    def text_of(line: Line) -> str:
        return source_of(material, line.turn)[line.start : line.end]

    for line in without_boilerplate(read_lines(material), text_of):
        text = text_of(line)
        for start, end in find_sentences(text):
            if not is_small_talk(text[start:end]):
                yield Quote(text[start:end], line.start + start, line.start + end, line.turn, line.speaker)


def _own_side(material: SignalMaterial, sentences: Sequence[Quote]) -> frozenset[str | None]:
    """Returns the speakers of the team: by name, by role, or, among several, those who mostly ask questions."""
    asked: dict[str, int] = defaultdict(int)
    said: dict[str, int] = defaultdict(int)
    for quote in sentences:
        if quote.speaker is not None:
            said[quote.speaker] += 1
            asked[quote.speaker] += is_question(quote.text)
    own = {name.casefold() for name in material.own_names}
    ours = {name for name in said if name.casefold() in own or _OURS.intersection(_words(name))}
    if ours or len(said) < 2:
        return frozenset(ours)
    asking = {name for name in said if asked[name] >= _FEWEST_QUESTIONS and 2 * asked[name] >= said[name]}
    return frozenset(asking) if len(asking) < len(said) else frozenset()


def _words(name: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in name.casefold()).split()


def _flat(sentence: str) -> str:
    return " ".join(sentence.split())


def _is_substantial(sentence: str) -> bool:
    enough = len(sentence.split()) >= _FEWEST_WORDS_ALONE or not sentence.isascii()
    return enough and len(sentence) >= _FEWEST_CHARACTERS_ALONE and says_something(sentence)
