"""Answers that only quote: the closest passages of the findings, with their sources and dates."""

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from math import inf
from typing import Final, NamedTuple

from msgspec.structs import replace

from sightline.intelligence.embedded.research.passages import Asked, figures_in, read_questions
from sightline.intelligence.embedded.research.terms import folded, presence, stem, telling, wording
from sightline.intelligence.plans import PlanSection
from sightline.intelligence.research import Coverage, FindingText, QuestionAnswer, SectionAnswer, Spot
from sightline.sources.addresses import host_of
from sightline.sources.languages import code_of
from sightline.sources.periods import without_period

NO_ANSWER: Final = "No finding answers this."
MOST_PASSAGES: Final = 4
_MOST_UNNAMED: Final = 3
_AS_CLOSE: Final = 0.75  # of the first: a passage with another figure is another opinion, not one more passage
_AS_GOOD: Final = 0.85  # of the first: a passage with a newer figure comes before it
_SAME_TERMS: Final = 0.7  # of all that both have
_FEWEST_OWN: Final = 2  # terms of a passage all of which a later one has
_LONG_AGO: Final = timedelta(days=550)  # after which a figure of somebody else is an older one, not another opinion


class _Close(NamedTuple):
    """A passage that may answer, and the kinds of its figures and the terms that the question asks for.

    `terms` are the title's and the heading's too, `own` are the passage's alone.
    """

    strength: float
    finding: FindingText
    quote: str
    kinds: frozenset[str]
    terms: frozenset[str]
    own: frozenset[str]

    @property
    def day(self) -> float:
        return self.finding.published_at.timestamp() if self.finding.published_at else 0.0

    def has_other_figure(self, other: "_Close") -> bool:
        """Whether both have a figure of one kind, of about the same terms."""
        is_same = len(self.terms & other.terms) >= _SAME_TERMS * len(self.terms | other.terms)
        return is_same and self._has_other_of_kind(other)

    def _has_other_of_kind(self, other: "_Close") -> bool:
        return bool(self.kinds & other.kinds) and _plain(self.quote) != _plain(other.quote)

    def is_older(self, other: "_Close") -> bool:
        """Whether the other one has a later figure: of the same publisher, or long after.

        A later text of the publisher may also say of what else its figure is.
        """
        before, after = self.finding, other.finding
        is_same = before.publisher is not None and before.publisher == after.publisher
        is_more_exact = is_same and len(self.own) >= _FEWEST_OWN and self.own <= other.own
        if not (before.published_at and after.published_at and self._has_other_of_kind(other)):
            return False
        is_later = before.published_at + (timedelta() if is_same else _LONG_AGO) < after.published_at
        return is_later and (is_more_exact or self.has_other_figure(other))

    def differs(self, other: "_Close") -> bool:
        """Whether it is another opinion: of another source of about the same time, and about as close."""
        is_close = self.strength >= _AS_CLOSE * other.strength and self.finding.id != other.finding.id
        return is_close and self.has_other_figure(other) and not self.is_older(other)


def write_answer(section: PlanSection, findings: Sequence[FindingText], coverage: Coverage) -> SectionAnswer:
    """One answer per question, in order. Says in the summary what was covered and what is missing."""
    lacking = {stem(word) for word in coverage.unnamed}
    answers = [
        _answer(question, [] if asked.is_unnamed(lacking) else _closest(question, asked, findings), coverage)
        for question, asked in read_questions(section).items()
    ]
    return SectionAnswer(_summary(coverage), answers)


def _closest(question: str, asked: Asked, findings: Sequence[FindingText]) -> list[_Close]:
    """Returns the closest passage of each finding, the newest of the best first, and then further close ones."""
    found = {one.id: close for one in findings if (close := _closest_of(asked, one, one.spots.get(question, ())))}
    closest = sorted(_each_once(close[0] for close in found.values()), key=lambda one: -one.strength)
    closest = _newest_figure_first(closest)
    least = _AS_CLOSE * closest[0].strength if closest else 0.0
    said = {_plain(one.quote) for one in closest}
    more = (one for id in found for one in found[id][1:] if one.strength >= least and _plain(one.quote) not in said)
    return [*closest, *sorted(more, key=lambda one: -one.strength)][:MOST_PASSAGES]


def _each_once(closest: Iterable[_Close]) -> Iterable[_Close]:
    """Returns each quote once, as the source that said it first; the others are where it stands too."""
    found: dict[str, _Close] = {}
    for one in sorted(closest, key=lambda one: one.day or inf):
        first = found.setdefault(_plain(one.quote), one)
        if first is not one:
            also_in = (*first.finding.also_in, _publisher(one.finding))
            found[_plain(one.quote)] = first._replace(finding=first.finding._replace(also_in=also_in))
    return found.values()


def _newest_figure_first(closest: list[_Close]) -> list[_Close]:
    """Returns the same passages, first the newest of those with the best one's figure, as it replaces older ones."""
    for one in closest[1:]:
        is_newer = one.day > closest[0].day and one.strength >= _AS_GOOD * closest[0].strength
        if closest[0].is_older(one) or (is_newer and one.has_other_figure(closest[0])):
            closest = [one, *(other for other in closest if other is not one)]
    return closest


def _closest_of(asked: Asked, finding: FindingText, passages: Sequence[Spot]) -> list[_Close]:
    quotes = [one.quote for one in finding.observations]
    kinds = frozenset(wording().figures if "any" in asked.figures else asked.figures)

    def own(text: str) -> frozenset[str]:
        return frozenset(term.stem for term in asked.terms if presence(term, folded(text)))

    return [
        _Close(one.strength, finding, one.text, figures_in(one.text) & kinds, one.about, own(one.text))
        for one in passages
        if one.text in quotes
    ]


def _answer(question: str, closest: Sequence[_Close], coverage: Coverage) -> QuestionAnswer:
    if not closest:
        return QuestionAnswer(question, f"{NO_ANSWER} {_why_nothing(question, coverage)}", [])
    said = " ".join(_sentences(closest))
    return QuestionAnswer(question, said, list(dict.fromkeys(one.finding.id for one in closest)))


def _why_nothing(question: str, coverage: Coverage) -> str:
    """Returns why no source answers: it is not named, not said, or only outside the window."""
    says = wording().nothing
    unnamed = [word for word in telling(without_period(question)) if word in coverage.unnamed][:_MOST_UNNAMED]
    reason = "unread" if not coverage.read else "unnamed" if unnamed else "unsaid"
    words = " or ".join(f"“{_as_written(word, question)}”" for word in unnamed)
    why = says[reason].format(words=words, pages=_counted(coverage.read, "page"))
    if not coverage.older:
        return why
    verb, noun = "lies" if coverage.older == 1 else "lie", "other source" if coverage.periods else "older source"
    sources = f"{_counted(coverage.older, noun)} {verb}"
    return f"{why} {says['outside' if coverage.periods else 'older'].format(sources=sources)}"


def _as_written(word: str, question: str) -> str:
    """Returns a word in the letters of the question, such as `Oslo` for `oslo`."""
    found = re.search(rf"\b{re.escape(word)}\b", question, re.IGNORECASE)
    return found[0] if found else word


def _sentences(closest: Sequence[_Close]) -> Iterable[str]:
    """Yields a sentence for each passage: as the answer, as one that differs, as an older figure, or as one more."""
    first = closest[0]
    others = [one for one in closest[1:] if one.differs(first)]
    rest = [one for one in closest[1:] if one not in others]
    framed = [("differs" if others else "first", first), *(("other", one) for one in others)]
    framed += [("older" if one.is_older(first) else "more", one) for one in rest]
    last, frames = None, wording().answers
    for frame, one in framed:
        finding = one.finding
        said = frames["dated" if finding.published_at else "undated"]
        date = f"{finding.published_at:%Y-%m-%d}" if finding.published_at else ""
        also = f" (also in {', '.join(finding.also_in)})" if finding.also_in else ""
        form = frames["same" if finding.id == last else frame].format(said=said)
        yield form.format(who=_publisher(finding), date=date, also=also, quote=_plain(one.quote))
        last = finding.id


def _plain(quote: str) -> str:
    return " ".join(quote.split())


def _publisher(finding: FindingText) -> str:
    return finding.publisher or host_of(finding.url) or finding.title


def source_of(finding: FindingText) -> str:
    """Returns who says it, when, and where else it stands."""
    who = _publisher(finding)
    dated = f"{who}, {finding.published_at:%Y-%m-%d}" if finding.published_at else f"{who}, undated"
    return f"{dated}; also in {', '.join(finding.also_in)}" if finding.also_in else dated


def say_coverage(coverage: Coverage, said: str) -> str:
    """Returns what was covered, what there is to say of the answers if anything was found, and the warnings."""
    span = f"between {coverage.since:%Y-%m-%d} and {coverage.until:%Y-%m-%d}"
    dates = "older and undated ones included"
    if coverage.research_mode == "recent":
        dates = f"published {span}"
    elif coverage.periods:
        dates = f"undated ones and those of other periods left out ({' and '.join(coverage.periods)})"
    found = f"{coverage.found} of at most {_counted(coverage.target, 'source')} found, {dates}"
    found = f"{found}; {_counted(coverage.read, 'page')} read."
    return " ".join([found, *([said] if coverage.found and said else []), *coverage.warnings])


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _summary(coverage: Coverage) -> str:
    said = "The embedded engine quotes the closest passages; it does not judge whether they answer."
    if code_of(coverage.output_language) != "en":
        language = f"It does not write {coverage.output_language}: quotes keep their language."
        coverage = replace(coverage, warnings=(language, *coverage.warnings))
    return say_coverage(coverage, said)
