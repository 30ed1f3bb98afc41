"""Insights of a signal: statements that say the same are one."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from sightline.intelligence.embedded.headlines import capitalised, fitted, without_conjunctions
from sightline.intelligence.embedded.likeness import Statements, telling_words
from sightline.intelligence.embedded.signals.statements import Statement, find_statements
from sightline.intelligence.evidence import Category, DraftInsight, Quote, SignalMaterial

LONGEST_TITLE: Final = 120
MOST_INSIGHTS: Final = 200
MOST_QUOTES: Final = 10
_ALIKE: Final = 0.6
_RANK: Final[dict[Category, int]] = {"problem": 0, "request": 0, "praise": 1, "question": 2, "context": 3}


def extract_insights(material: SignalMaterial) -> list[DraftInsight]:
    """Returns insights in the order of their first quote: at most 200, the most frequent, with ten quotes each."""
    groups = _Groups()
    for statement in find_statements(material):
        groups.add(statement)
    by_weight = sorted(groups.found, key=lambda group: (-group.said, _RANK[group.category], group.place))
    kept = sorted(by_weight[:MOST_INSIGHTS], key=lambda group: group.place)
    return [DraftInsight(_title(group.quotes[0].text), group.category, group.quotes) for group in kept]


def _title(sentence: str) -> str:
    """Returns a readable statement: no conjunction at either end, a capital first, cut at the end of a clause."""
    words = without_conjunctions(sentence.split())
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

    def __init__(self) -> None:
        self.found: list[_Group] = []
        self._similar: dict[Category, Statements] = defaultdict(lambda: Statements(_ALIKE))
        self._equal: dict[tuple[Category, frozenset[str]], int] = {}

    def add(self, statement: Statement) -> None:
        words = telling_words(statement.quote.text)
        place = self._equal.get((statement.category, words))
        if place is None:
            place = self._similar[statement.category].find(words)
        if place is None:
            self._keep(statement, words)
            return
        group = self.found[place]
        group.said += 1
        if len(group.quotes) < MOST_QUOTES:
            group.quotes.append(statement.quote)

    def _keep(self, statement: Statement, words: frozenset[str]) -> None:
        place = len(self.found)
        self.found.append(_Group(place, statement.category, [statement.quote]))
        self._equal[statement.category, words] = place
        self._similar[statement.category].add(words, place)
