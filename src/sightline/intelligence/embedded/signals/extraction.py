"""Insights of a signal: statements that say the same are one."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from sightline.intelligence.embedded.sentences import beginning
from sightline.intelligence.embedded.signals.statements import Statement, find_statements
from sightline.intelligence.embedded.vocabulary import STOP_WORDS
from sightline.intelligence.embedded.words import fold, words_of
from sightline.intelligence.evidence import Category, DraftInsight, Quote, SignalMaterial

LONGEST_TITLE: Final = 120
MOST_INSIGHTS: Final = 200
MOST_QUOTES: Final = 10
_ALIKE: Final = 0.6
_CONTAINED: Final = 0.85
_FEWEST_CONTAINED: Final = 4
_MOST_COMPARED: Final = 50
_RANK: Final[dict[Category, int]] = {"problem": 0, "request": 0, "praise": 1, "question": 2, "context": 3}


def extract_insights(material: SignalMaterial) -> list[DraftInsight]:
    """In the order in which they are said first. At most 200, those said most often, and ten quotes of each."""
    groups = _Groups()
    for statement in find_statements(material):
        groups.add(statement)
    by_weight = sorted(groups.found, key=lambda group: (-group.said, _RANK[group.category], group.place))
    kept = sorted(by_weight[:MOST_INSIGHTS], key=lambda group: group.place)
    return [DraftInsight(_title(group.quotes[0].text), group.category, group.quotes) for group in kept]


def _title(sentence: str) -> str:
    return beginning(" ".join(sentence.split()), LONGEST_TITLE)


@dataclass
class _Group:
    place: int
    category: Category
    words: frozenset[str]
    quotes: list[Quote]
    said: int = 1


@dataclass
class _Groups:
    """Statements put together. Looked up by their words, so that each is compared with few others only."""

    found: list[_Group] = field(default_factory=list)
    _by_word: dict[tuple[Category, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    _by_words: dict[tuple[Category, frozenset[str]], int] = field(default_factory=dict)

    def add(self, statement: Statement) -> None:
        words = frozenset(fold(word) for word in words_of(statement.quote.text) if word not in STOP_WORDS)
        words = words or frozenset(words_of(statement.quote.text)) or frozenset({statement.quote.text})
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
        """The first group that says the same, looked for under the rarer half of the words."""
        rarest = sorted(words, key=lambda word: (len(self._by_word.get((category, word), ())), word))
        for word in rarest[: len(rarest) // 2 + 1]:
            for place in self._by_word.get((category, word), ())[:_MOST_COMPARED]:
                if _are_alike(words, self.found[place].words):
                    return place
        return None

    def _keep(self, statement: Statement, words: frozenset[str]) -> None:
        place = len(self.found)
        self.found.append(_Group(place, statement.category, words, [statement.quote]))
        self._by_words[statement.category, words] = place
        for word in words:
            self._by_word[statement.category, word].append(place)


def _are_alike(words: frozenset[str], others: frozenset[str]) -> bool:
    """Six tenths of all words are common to both, or nearly all of the shorter statement stand in the longer."""
    common, shorter = len(words & others), min(len(words), len(others))
    return common >= _ALIKE * len(words | others) or (shorter >= _FEWEST_CONTAINED and common >= _CONTAINED * shorter)
