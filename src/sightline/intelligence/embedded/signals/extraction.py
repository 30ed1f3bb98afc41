"""Insights of a signal: statements that say the same are one."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from sightline.intelligence.embedded.headlines import capitalised, fitted, without_conjunctions
from sightline.intelligence.embedded.likeness import are_alike, telling_words
from sightline.intelligence.embedded.signals.statements import Statement, find_statements
from sightline.intelligence.evidence import Category, DraftInsight, Quote, SignalMaterial

LONGEST_TITLE: Final = 120
MOST_INSIGHTS: Final = 200
MOST_QUOTES: Final = 10
_ALIKE: Final = 0.6
_MOST_COMPARED: Final = 50
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
    words: frozenset[str]
    quotes: list[Quote]
    said: int = 1


@dataclass
class _Groups:
    """Groups of similar statements, looked up by their words, so that each is compared with few others."""

    found: list[_Group] = field(default_factory=list)
    _by_word: dict[tuple[Category, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    _by_words: dict[tuple[Category, frozenset[str]], int] = field(default_factory=dict)

    def add(self, statement: Statement) -> None:
        words = telling_words(statement.quote.text)
        place = self._by_words.get((statement.category, words))
        if place is None:
            place = self._most_alike(statement.category, words)
        if place is not None:
            group = self.found[place]
            group.said += 1
            if len(group.quotes) < MOST_QUOTES:
                group.quotes.append(statement.quote)
            return
        self._keep(statement, words)

    def _most_alike(self, category: Category, words: frozenset[str]) -> int | None:
        """Returns the first similar group, searched by the rarer half of the words."""
        rarest = sorted(words, key=lambda word: (len(self._by_word.get((category, word), ())), word))
        for word in rarest[: len(rarest) // 2 + 1]:
            for place in self._by_word.get((category, word), ())[:_MOST_COMPARED]:
                if are_alike(words, self.found[place].words, _ALIKE):
                    return place
        return None

    def _keep(self, statement: Statement, words: frozenset[str]) -> None:
        place = len(self.found)
        self.found.append(_Group(place, statement.category, words, [statement.quote]))
        self._by_words[statement.category, words] = place
        for word in words:
            self._by_word[statement.category, word].append(place)
