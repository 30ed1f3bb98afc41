"""Insights of a signal: the sentences of customers that matter; several that say the same are one."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from msgspec import structs

from sightline.intelligence.embedded.documents.roles import stands_alone
from sightline.intelligence.embedded.headlines import capitalised, fitted, without_conjunctions, without_greeting
from sightline.intelligence.embedded.likeness import Statements, telling_words
from sightline.intelligence.embedded.sentences import find_sentences, says_something
from sightline.intelligence.embedded.signals.boilerplate import is_small_talk, without_boilerplate
from sightline.intelligence.embedded.signals.categories import is_question, read_statements
from sightline.intelligence.embedded.signals.lines import read_lines
from sightline.intelligence.embedded.vocabulary import words_in
from sightline.intelligence.embedded.words import words_of
from sightline.intelligence.evidence import Category, DraftInsight, Quote, SignalMaterial

LONGEST_TITLE: Final = 120
MOST_INSIGHTS: Final = 200
MOST_QUOTES: Final = 10
_ALIKE: Final = 0.6
_RANK: Final[dict[Category, int]] = {"problem": 0, "request": 0, "praise": 1, "question": 2, "context": 3}
_CONTINUING: Final = words_in("continuing")
_BREAKS: Final = (" ", "  ")  # between sentences of a line
_OURS: Final = words_in("own_team")
_FEWEST_QUESTIONS: Final = 3
_FEWEST_WORDS_ALONE: Final = 4
_FEWEST_CHARACTERS_ALONE: Final = 12
_WORD: Final = re.compile(r"[^\W_]+")


def extract_insights(material: SignalMaterial) -> list[DraftInsight]:
    """Returns insights in the order of their first quote: at most 200, the most frequent, with ten quotes each."""
    groups = _grouped(material)
    by_weight = sorted(range(len(groups)), key=lambda at: (-groups[at].said, _RANK[groups[at].category]))
    kept = [groups[at] for at in sorted(by_weight[:MOST_INSIGHTS])]
    return [DraftInsight(_title(group.quotes[0].text), group.category, group.quotes) for group in kept]


def _title(sentence: str) -> str:
    """Returns a readable statement without greeting or conjunctions at its ends, cut at the end of a clause."""
    words = without_conjunctions(without_greeting(sentence.split()))
    whole = " ".join(words)
    return capitalised(whole if len(whole) <= LONGEST_TITLE else fitted(words, LONGEST_TITLE))


@dataclass
class _Group:
    category: Category
    quotes: list[Quote]
    said: int = 0


def _grouped(material: SignalMaterial) -> list[_Group]:
    """Groups similar statements of one category. One that goes on about the one before stays with it."""
    found: list[_Group] = []
    similar: dict[Category, Statements] = defaultdict(lambda: Statements(_ALIKE))
    group: _Group | None = None
    before: Quote | None = None
    for quote, category in _find_statements(material):
        goes_on = _follows(material, quote, before) and words_of(quote.text)[0] in _CONTINUING  # "It happens daily."
        if group is None or group.category != category or not goes_on:
            words = telling_words(quote.text)
            place = similar[category].find(words)
            if place is None:
                place = len(found)
                similar[category].add(words, place)
                found.append(_Group(category, []))
            group = found[place]
        group.said += 1
        if len(group.quotes) < MOST_QUOTES:
            group.quotes.append(quote)
        before = quote
    return found


def _follows(material: SignalMaterial, quote: Quote, before: Quote | None) -> bool:
    """Whether the quote is right after the other one, in its line."""
    if before is None or before.turn != quote.turn:
        return False
    return material.source_of(quote.turn)[before.end : quote.start] in _BREAKS


def _find_statements(material: SignalMaterial) -> list[tuple[Quote, Category]]:
    """Returns statements in the order of the material, without the team's words and without questions about usage.

    What customers do is reported only from conversations and documents. A review or an answer to a survey in which no
    cue is known gives its first sentence, as context.
    """
    sentences = list(_sentences(material))
    ours = _own_side(material, sentences)
    theirs = [quote for quote in sentences if quote.speaker not in ours]
    with_context = material.read_as in ("conversation", "document")
    left_out: set[Category] = {"question"} if with_context else {"question", "context"}
    found = list(_statements(material, theirs, left_out))
    if found or with_context or material.read_as == "text":
        return found
    alone = [quote for quote in theirs if _is_substantial(quote.text) and not is_question(quote.text)]
    return [(quote, "context") for quote in alone[:1]]


def _statements(
    material: SignalMaterial, sentences: Sequence[Quote], left_out: Collection[Category]
) -> Iterator[tuple[Quote, Category]]:
    """Yields the statements, each with the sentence before it if it cannot be understood without and that is none."""
    before: Quote | None = None
    for each in sentences:
        found = [one for one in _read(each) if one[1] not in left_out]
        if (
            before
            and found
            and found[0][0] == each
            and _follows(material, each, before)
            and not stands_alone(each.text)
        ):
            text = material.source_of(each.turn)[before.start : each.end]
            found = [(structs.replace(each, text=text, start=before.start), found[0][1])]
        yield from found
        before = each if not found and _is_substantial(each.text) and not is_question(each.text) else None


def _read(sentence: Quote) -> Iterator[tuple[Quote, Category]]:
    """Yields the statements of a sentence: itself, or the parts around a "but"."""
    end = 0
    for text, category in read_statements(sentence.text):
        start = sentence.text.index(text, end)
        end = start + len(text)
        yield structs.replace(sentence, text=text, start=sentence.start + start, end=sentence.start + end), category


def _sentences(material: SignalMaterial) -> Iterator[Quote]:
    for line in without_boilerplate(read_lines(material)):
        for start, end in find_sentences(line.text):
            if not is_small_talk(line.text[start:end]):
                yield Quote(line.text[start:end], line.start + start, line.start + end, line.turn, line.speaker)


def _own_side(material: SignalMaterial, sentences: Sequence[Quote]) -> frozenset[str | None]:
    """Returns the speakers of the team: by name, by role, or else speakers who mostly ask questions."""
    named = [quote for quote in sentences if quote.speaker is not None]
    said = Counter(quote.speaker or "" for quote in named)
    asked = Counter(quote.speaker for quote in named if is_question(quote.text))
    own = {name.casefold() for name in material.own_names}
    ours = {name for name in said if name.casefold() in own or _OURS.intersection(_WORD.findall(name.casefold()))}
    if ours or len(said) < 2:
        return frozenset(ours)
    asking = {name for name in said if asked[name] >= _FEWEST_QUESTIONS and 2 * asked[name] >= said[name]}
    return frozenset(asking) if len(asking) < len(said) else frozenset()


def _is_substantial(sentence: str) -> bool:
    enough = len(sentence.split()) >= _FEWEST_WORDS_ALONE or not sentence.isascii()
    return enough and len(sentence) >= _FEWEST_CHARACTERS_ALONE and says_something(sentence)
