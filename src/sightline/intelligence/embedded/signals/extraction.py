"""Insights of a signal: the sentences of customers that matter; several that say the same are one."""

from collections import defaultdict
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
from sightline.intelligence.embedded.signals.lines import Line, read_lines, source_of
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


def extract_insights(material: SignalMaterial) -> list[DraftInsight]:
    """Returns insights in the order of their first quote: at most 200, the most frequent, with ten quotes each."""
    groups = _Groups(material)
    for quote, category in _find_statements(material):
        groups.add(quote, category)
    by_weight = sorted(groups.found, key=lambda group: (-group.said, _RANK[group.category], group.place))
    kept = sorted(by_weight[:MOST_INSIGHTS], key=lambda group: group.place)
    return [DraftInsight(_title(group.quotes[0].text), group.category, group.quotes) for group in kept]


def _title(sentence: str) -> str:
    """Returns a readable statement without greeting or conjunctions at its ends, cut at the end of a clause."""
    words = without_conjunctions(without_greeting(sentence.split()))
    whole = " ".join(words)
    return capitalised(whole if len(whole) <= LONGEST_TITLE else fitted(words, LONGEST_TITLE))


@dataclass
class _Group:
    place: int
    category: Category
    quotes: list[Quote]
    said: int = 1


class _Groups:
    """Groups of similar statements of one category."""

    def __init__(self, material: SignalMaterial) -> None:
        self.material = material
        self.found: list[_Group] = []
        self._similar: dict[Category, Statements] = defaultdict(lambda: Statements(_ALIKE))
        self._last: tuple[Quote, Category, int] | None = None
        self._equal: dict[tuple[Category, frozenset[str]], int] = {}

    def add(self, quote: Quote, category: Category) -> None:
        words = telling_words(quote.text)
        place = self._continued(quote, category)
        if place is None:
            place = self._equal.get((category, words))
        if place is None:
            place = self._similar[category].find(words)
        if place is None:
            place = self._keep(quote, category, words)
        else:
            self._join(self.found[place], quote)
        self._last = quote, category, place

    def _continued(self, quote: Quote, category: Category) -> int | None:
        """Returns the place of the statement right before if this one goes on about it: "It happens daily."."""
        if self._last is None:
            return None
        last, meant, place = self._last
        between = source_of(self.material, quote.turn)[last.end : quote.start]
        is_next = last.turn == quote.turn and category == meant and between in _BREAKS
        return place if is_next and words_of(quote.text)[0] in _CONTINUING else None

    def _join(self, group: _Group, quote: Quote) -> None:
        group.said += 1
        if len(group.quotes) < MOST_QUOTES:
            group.quotes.append(quote)

    def _keep(self, quote: Quote, category: Category, words: frozenset[str]) -> int:
        place = len(self.found)
        self.found.append(_Group(place, category, [quote]))
        self._equal[category, words] = place
        self._similar[category].add(words, place)
        return place


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
        source = source_of(material, each.turn)
        if found and before and before.turn == each.turn and source[before.end : each.start] in _BREAKS:
            quote, category = found[0]
            if quote == each and not stands_alone(each.text):
                found = [(structs.replace(each, text=source[before.start : each.end], start=before.start), category)]
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
    def text_of(line: Line) -> str:
        return source_of(material, line.turn)[line.start : line.end]

    for line in without_boilerplate(read_lines(material), text_of):
        text = text_of(line)
        for start, end in find_sentences(text):
            if not is_small_talk(text[start:end]):
                yield Quote(text[start:end], line.start + start, line.start + end, line.turn, line.speaker)


def _own_side(material: SignalMaterial, sentences: Sequence[Quote]) -> frozenset[str | None]:
    """Returns the speakers of the team: by name, by role, or else speakers who mostly ask questions."""
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


def _is_substantial(sentence: str) -> bool:
    enough = len(sentence.split()) >= _FEWEST_WORDS_ALONE or not sentence.isascii()
    return enough and len(sentence) >= _FEWEST_CHARACTERS_ALONE and says_something(sentence)
