"""Findings of a document: insights and evidence that say the same are one, the best supported first."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, product
from typing import Final, NamedTuple

from sightline.intelligence.embedded.documents.roles import has_figure, stands_alone
from sightline.intelligence.embedded.headlines import without_conjunctions, without_greeting
from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.likeness import MOST_COMPARED, Statements, telling_words
from sightline.intelligence.embedded.meaning import Term, likeness, meaning_of
from sightline.intelligence.embedded.vocabulary import words_in
from sightline.intelligence.embedded.words import words_of
from sightline.intelligence.material import AboutEvidence, AboutInsight, Material, SourceQuote

Meanings = frozenset[int | str]

_ALIKE: Final = 0.6
_SAME: Final = 0.75
_AGAINST: Final = ("contradicts", "qualifies")
_MOST_NEAR: Final = 5  # insights whose meaning is compared with that of another
_UNCONFIRMED: Final = 3
_POINT: Final = re.compile(  # the number of a point, before its words
    r"\s*(?:\(?\d{1,2}[.)](?=\s)|(?:first|second|third|erste|zweite|dritte)(?:ly|ns)?[,:])\s*(?=\S)", re.IGNORECASE
)
_SHORTEST_PART: Final = 20  # a shorter quote inside another one may be a coincidence


@dataclass(eq=False)
class Finding:
    """A statement with everything that supports it: its insights and its evidence, the strongest one first.

    Derived values are cached: read them when the finding is complete.
    """

    insights: list[AboutInsight] = field(default_factory=list)
    evidence: list[AboutEvidence] = field(default_factory=list)

    @cached_property
    def records(self) -> Sequence[AboutInsight | AboutEvidence]:
        return [*self.insights, *self.evidence]

    @property
    def title(self) -> str:
        return self.records[0].title

    @cached_property
    def description(self) -> str:
        return next((record.description for record in self.records if record.description.strip()), "")

    @property
    def is_reviewed(self) -> bool:
        return any(insight.is_reviewed for insight in self.insights)

    @property
    def rank(self) -> int:
        """0 for reviewed insights, 1 for validated ones, 2 for directly linked evidence, 3 for the rest."""
        return 0 if self.is_reviewed else 1 if self.validated_for else 2 if self.evidence else _UNCONFIRMED

    @cached_property
    def validated_for(self) -> list[str]:
        return distinct(insight.validated_for for insight in self.insights)

    @cached_property
    def ideas(self) -> list[str]:
        return distinct([*(insight.ideas for insight in self.insights), *([each.idea] for each in self.evidence)])

    @cached_property
    def accounts(self) -> list[str]:
        """The customers of the finding, those with a quote first."""
        return distinct(each.accounts for each in (*self.quotes, *self.records))

    @cached_property
    def signals(self) -> list[str]:
        return distinct(record.signals for record in self.records)

    @cached_property
    def quotes(self) -> list[SourceQuote]:
        """Each quote once, without parts of other quotes; quotes of known customers come first.

        Among these, what is said most often comes first. A quote may be a part of the first 50 quotes of its signal.
        """
        quotes: dict[tuple[str | None, str], SourceQuote] = {}
        for quote in chain.from_iterable(record.quotes for record in self.records):
            if quote.text.strip():
                quotes.setdefault((quote.signal, _normal(quote.text)), quote)
        if len(quotes) < 2:
            return list(quotes.values())
        by_signal: dict[str | None, list[SourceQuote]] = defaultdict(list)
        for quote in quotes.values():
            by_signal[quote.signal].append(quote)
        known = ((one, by_signal[one.signal][:MOST_COMPARED]) for one in quotes.values())
        found = [one for one, others in known if not any(_is_part(one, other) for other in others if other is not one)]
        said = Counter(_normal(quote.text) for quote in found)
        found.sort(key=lambda one: -said[_normal(one.text)])
        return sorted(found, key=lambda one: (not one.accounts, one.signal is None, not stands_alone(one.text)))

    @cached_property
    def is_verbatim(self) -> bool:
        """Whether its title has the words of a quote."""
        return any(_normal(quote.text) == _normal(self.title) for quote in self.quotes)

    @cached_property
    def wordings(self) -> list[list[SourceQuote]]:
        """The quotes in other words than the title, those with the same words together."""
        same: dict[str, list[SourceQuote]] = defaultdict(list)
        for quote in self.quotes:
            same[_normal(quote.text)].append(quote)
        same.pop(_normal(self.title), None)
        return list(same.values())

    @cached_property
    def said(self) -> str:
        """The words of its first quote, without a number of a list, a greeting, and conjunctions at their ends."""
        return " ".join(without_conjunctions(without_greeting(_POINT.sub("", self.quotes[0].text).split())))

    @property
    def speakers(self) -> list[str]:
        """The customers of the records with the words of its first quote, or their signals."""
        words = _normal(self.quotes[0].text)
        records = self.records_of([quote for quote in self.quotes if _normal(quote.text) == words])
        return distinct(one.accounts for one in records) or distinct(one.signals for one in records)

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The words by which one sees what it is about, without numbers and times."""
        terms = meaning_of(self.said if self.quotes else self.title)
        return tuple(term for term in terms if not has_figure(term.text) and term.text not in words_in("calendar"))

    @cached_property
    def meanings(self) -> Meanings:
        return frozenset[int | str]().union(*(term.meanings for term in self.terms))

    def terms_of(self, meanings: Meanings) -> Iterator[tuple[Term, Meanings]]:
        """Yields its words with these meanings, only the first of several with the same, and the meanings of each."""
        seen: set[int | str] = set()
        for term in self.terms:
            if (found := term.meanings & meanings) and not found <= seen:
                seen |= found
                yield term, found

    def count(self, meanings: Meanings) -> int:
        """Returns how many of its words have one of these meanings."""
        return len(list(self.terms_of(meanings)))

    def shared(self, meanings: Meanings) -> int:
        """Returns how many of its words have one of these meanings, without words for any product."""
        return sum(term.weight == 1 for term, _ in self.terms_of(meanings))

    @property
    def others(self) -> list[AboutInsight | AboutEvidence]:
        """The records with another title, each title once."""
        titles = {_normal(record.title): record for record in reversed(self.records)}
        return [one for one in self.records if titles[_normal(one.title)] is one][1:]

    @property
    def is_request(self) -> bool:
        return bool(self.insights) and self.insights[0].category == "request"

    @cached_property
    def is_statement(self) -> bool:
        """Whether it is words of customers alone: its title begins a quote, and nobody described or confirmed it."""
        title = _normal(self.title)
        is_quoted = any(title and title in _normal(quote.text) for quote in self.quotes)
        return is_quoted and self.rank == _UNCONFIRMED and not self.description

    @staticmethod
    def speakers_of(quotes: Iterable[SourceQuote]) -> list[str]:
        """Returns the customers who said it, or signals without any."""
        return distinct(one.accounts or filter(None, [one.signal]) for one in quotes)

    def records_of(self, quotes: Sequence[SourceQuote]) -> list[AboutInsight | AboutEvidence]:
        """Returns the records with one of the quotes or a part of it."""
        return [record for record in self.records if any(_is_part(*pair) for pair in product(record.quotes, quotes))]


@keep_by_text(5_000)
def meanings_of(*texts: str) -> Meanings:
    if len(texts) > 1:  # a sentence stands in several texts
        return frozenset[int | str]().union(*map(meanings_of, texts))
    return frozenset[int | str]().union(*(term.meanings for text in texts for term in meaning_of(text)))


class Findings(NamedTuple):
    """The findings for the initiative (problems, requests, observations), praise, and the findings against it."""

    problems: list[Finding]
    praise: list[Finding]
    objections: list[Finding]

    @property
    def all(self) -> list[Finding]:
        return [*self.problems, *self.praise, *self.objections]


def find_findings(material: Material) -> Findings:
    """Groups insights and evidence: reviewed findings first, then validated ones, then by customers and signals.

    What nobody reviewed and says the same as a rejected insight is left out.
    """
    rejected = Statements(_SAME)
    for place, title in enumerate(material.rejected):
        rejected.add(telling_words(title), place)
    evidence = [each for each in material.evidence if rejected.find(telling_words(each.title)) is None]
    against = [each for each in evidence if each.role in _AGAINST]
    support = [each for each in evidence if each.role not in _AGAINST]
    contradicted = _Quoted(each for each in against if each.role == "contradicts")
    supported = _Quoted(support)
    insights: dict[str, list[AboutInsight]] = defaultdict(list)
    for insight in material.insights:
        if insight.is_reviewed or rejected.find(telling_words(insight.title)) is None:
            is_opposed = contradicted.find(insight) is not None and supported.find(insight) is None
            is_praise = insight.category == "praise"
            insights["opposed" if is_opposed else "praise" if is_praise else "problem"].append(insight)
    praised = _Quoted(insights["praise"])
    return Findings(
        problems=_grouped(insights["problem"], [each for each in support if praised.find(each) is None]),
        praise=_grouped(insights["praise"], [each for each in support if praised.find(each) is not None]),
        objections=_grouped(insights["opposed"], against),
    )


class _Quoted:
    """Quotes by signal, each with a place, to find other records with the same words."""

    def __init__(self, records: Iterable[AboutInsight | AboutEvidence] = ()) -> None:
        self._by_signal: dict[str | None, list[tuple[SourceQuote, int]]] = defaultdict(list)
        for record in records:
            self.add(record, 0)

    def add(self, record: AboutInsight | AboutEvidence, place: int) -> None:
        for quote in record.quotes:
            self._by_signal[quote.signal].append((quote, place))

    def find(self, record: AboutInsight | AboutEvidence) -> int | None:
        """Returns the place of the first record with one of the same quotes."""
        known = ((quote, *other) for quote in record.quotes for other in self._by_signal[quote.signal][:MOST_COMPARED])
        return next((at for one, other, at in known if _is_part(one, other) or _is_part(other, one)), None)


def _is_part(quote: SourceQuote, other: SourceQuote) -> bool:
    """Whether the quote repeats words of the other one, from the same signal."""
    text, whole = _normal(quote.text), _normal(other.text)
    return quote.signal == other.signal and (text == whole or (len(text) >= _SHORTEST_PART and text in whole))


@keep_by_text(20_000)
def _normal(text: str) -> str:
    return " ".join(words_of(text)) or text.strip()


def _grouped(insights: Sequence[AboutInsight], evidence: Sequence[AboutEvidence]) -> list[Finding]:
    groups = _Groups()
    for insight in sorted(insights, key=lambda one: _order(Finding([one]))):
        groups.add_insight(insight)
    for each in evidence:
        groups.add_evidence(each)
    return sorted(groups.found, key=_order)


def _order(finding: Finding) -> tuple[int, int, int, int]:
    """Returns the sort key: rank, then support."""
    return finding.rank, -len(finding.accounts), -len(finding.signals), -len(finding.quotes)


class _Groups:
    """Findings under construction, looked up by their words and signals."""

    def __init__(self) -> None:
        self.found: list[Finding] = []
        self._titles = Statements(_ALIKE)
        self._quoted = _Quoted()
        self._meant: list[tuple[int, tuple[Term, ...]]] = []
        self._by_meaning: dict[tuple[str, int | str], list[int]] = defaultdict(list)
        self._by_source: dict[str, set[int]] = defaultdict(set)  # insights by idea, and by signal

    def add_insight(self, insight: AboutInsight) -> None:
        place = self._place_of(insight.title, lambda: self._in_other_words(insight))
        self.found[place].insights.append(insight)
        self._quoted.add(insight, place)
        for meaning in meanings_of(insight.title):
            self._by_meaning[insight.category, meaning].append(len(self._meant))
        for source in chain(insight.ideas, insight.signals):
            self._by_source[source].add(len(self._meant))
        self._meant.append((place, meaning_of(insight.title)))

    def add_evidence(self, evidence: AboutEvidence) -> None:
        place = self._quoted.find(evidence)
        if place is None:
            place = self._place_of(evidence.title, lambda: self._of_same_source(evidence))
        self.found[place].evidence.append(evidence)
        self._quoted.add(evidence, place)

    def _place_of(self, title: str, otherwise: Callable[[], int | None]) -> int:
        """Returns the finding with a similar title, the one that `otherwise` finds, or a new one."""
        words = telling_words(title)
        place = self._titles.find(words)
        place = otherwise() if place is None else place
        if place is None:
            place = len(self.found)
            self.found.append(Finding())
            self._titles.add(words, place)
        return place

    def _in_other_words(self, insight: AboutInsight) -> int | None:
        """Returns the first finding with an insight of the same category that means much the same."""
        terms = meaning_of(insight.title)
        counts: Counter[int] = Counter()
        for meaning in meanings_of(insight.title):
            counts.update(self._by_meaning[insight.category, meaning][:MOST_COMPARED])
        nearest = sorted(counts, key=lambda at: (-counts[at], at))[:_MOST_NEAR]
        meant = (self._meant[at] for at in nearest if counts[at] > 1)
        return next((place for place, others in meant if likeness(terms, others)), None)

    def _of_same_source(self, evidence: AboutEvidence) -> int | None:
        """Returns the only finding with an insight of the same idea and signal; None if there are several."""
        of_idea = self._by_source[evidence.idea]
        found = {self._meant[at][0] for signal in evidence.signals for at in self._by_source[signal] & of_idea}
        return found.pop() if len(found) == 1 else None


def distinct(lists: Iterable[Iterable[str]]) -> list[str]:
    """Returns the names of all lists, each once."""
    return list(dict.fromkeys(chain.from_iterable(lists)))
