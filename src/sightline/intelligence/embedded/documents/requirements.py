"""Requirements of a document: attached ideas, similar ones as one, with the findings about each."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final, NamedTuple

from sightline.intelligence.embedded.documents.findings import Finding, Findings, Meanings, distinct, meanings_of
from sightline.intelligence.embedded.documents.markdown import is_row
from sightline.intelligence.embedded.documents.roles import (
    Role,
    has_figure,
    read_sentences,
    role_of_statement,
    stands_alone,
)
from sightline.intelligence.embedded.likeness import MOST_COMPARED, Statements, are_alike, telling_words
from sightline.intelligence.embedded.sentences import split_sentences
from sightline.intelligence.embedded.signals.categories import is_ironic
from sightline.intelligence.material import AboutEvidence, AboutIdea, AboutInsight

_ALIKE_NAMES: Final = 0.5
_ALIKE_SENTENCES: Final = 0.75
ANSWERS: Final = 2  # words that a statement shares with what it is about
_OWN: Final = 0.5  # at least, what the words of the statement itself weigh: its ticket may be about another requirement
# Statements of customers that are shown for one requirement.
_MOST: Final = {Role.PROBLEM: 5, Role.TODAY: 1, Role.NEED: 2, Role.RISK: 4, Role.GOAL: 2, Role.MEASURE: 2}
# What the words that a statement shares with its requirement weigh, 2 for one that no other has, and how many times as
# much as those that it shares with another one: a lot and a little more, or some and much more.
_CLEAR: Final = ((2.5, 1.1), (1.0, 1.5))
_MOST_SENTENCES: Final = 12  # of one role
_MOST_WEIGHED: Final = 100  # signals of a finding, and findings of a signal


class Point(NamedTuple):
    """A sentence of an idea, and the statements of customers about the same."""

    text: str
    idea: AboutIdea
    voices: list[Finding]


@dataclass(eq=False)
class Requirement:
    """One or several similar ideas: the sentences by role, and the findings that are closest to it.

    `own`: findings that are linked, or validated, for no other requirement; their words alone decide about the others.
    `confirmed`: findings that people described, reviewed or linked as evidence, by what they are for. `voices`: others
    that are shown; what has words of a sentence of the idea stands with that sentence instead.
    """

    ideas: Sequence[AboutIdea]
    label: str = ""
    findings: list[Finding] = field(default_factory=list)
    own: set[Finding] = field(default_factory=set)
    points: dict[Role, list[Point]] = field(default_factory=lambda: defaultdict(list))
    confirmed: dict[Role, list[Finding]] = field(default_factory=lambda: defaultdict(list))
    voices: dict[Role, list[Finding]] = field(default_factory=lambda: defaultdict(list))

    @property
    def name(self) -> str:
        return self.ideas[0].name

    @property
    def public_ids(self) -> list[str]:
        return [idea.public_id for idea in self.ideas]

    @property
    def features(self) -> list[str]:
        return distinct(idea.features for idea in self.ideas)

    @property
    def votes(self) -> int:
        return sum(idea.votes for idea in self.ideas)

    @property
    def tables(self) -> list[AboutIdea]:
        return [idea for idea in self.ideas if any(map(is_row, idea.description.splitlines()))]

    def accounts_of(self, findings: Iterable[Finding]) -> list[str]:
        """Returns the customers that are linked to an idea, then the customers of these findings."""
        return distinct([*(idea.accounts for idea in self.ideas), *(finding.accounts for finding in findings)])

    @property
    def signals(self) -> list[str]:
        return distinct(finding.signals for finding in self.own)

    @cached_property
    def unsaid(self) -> list[AboutInsight | AboutEvidence]:
        """The records of the findings that are not shown."""
        answered = (point.voices for points in self.points.values() for point in points)
        shown = set(chain.from_iterable(chain(self.confirmed.values(), self.voices.values(), answered)))
        return [record for finding in self.findings if finding not in shown for record in finding.records]


def find_requirements(ideas: Sequence[AboutIdea], findings: Findings, said: Statements) -> list[Requirement]:
    """Groups near-identical ideas, the best supported first. `said` are statements that are not said again."""
    found = [Requirement(group) for group in _grouped(ideas)]
    for one, finding, is_own in _assigned(found, findings.problems) if findings.problems else ():
        one.findings.append(finding)
        if is_own:
            one.own.add(finding)
    found.sort(key=_order)
    for number, one in enumerate(found, 1):
        one.label = f"R{number}"
        _read(one, said)
    common = Counter(chain.from_iterable(_meanings_of(one) for one in found))
    named = Counter(chain.from_iterable(meanings_of(one.name) for one in found))
    for one in found:
        _select(one, said, _only(_meanings_of(one), common), _only(meanings_of(one.name), named))
    return found


def _order(one: Requirement) -> tuple[int, int, int, int, int]:
    ranks = [finding.rank for finding in one.findings]
    return -ranks.count(0), -ranks.count(1), -len(one.accounts_of(one.findings)), -len(ranks), -one.votes


def _assigned(requirements: list[Requirement], findings: list[Finding]) -> Iterator[tuple[Requirement, Finding, bool]]:
    """Yields each finding with its requirement, and whether it is linked to that one alone.

    If it is validated for some, only these count. Among several it is the one that it shares most words with, itself or
    by its signals. What shares little, or as much with two, is about none, unless somebody confirmed it.
    """
    firsts = [one.ideas[0] for one in requirements]
    meanings = [meanings_of(idea.name, *split_sentences(idea.description)) for idea in firsts]
    names = [meanings_of(idea.name) for idea in firsts]
    common = Counter(chain.from_iterable(meanings))
    places = {id: at for at, one in enumerate(requirements) for id in one.public_ids}
    by_signal: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        for signal in finding.signals:
            by_signal[signal].append(finding)

    def weight(finding: Finding, at: int) -> float:
        return sum(
            term.weight * (1 + (not found.isdisjoint(names[at]))) / min(common[meaning] for meaning in found)
            for term, found in finding.terms_of(meanings[at])
        )

    @lru_cache(maxsize=100_000)
    def weight_of_signal(signal: str, at: int) -> float:
        near = (one for one in by_signal[signal][:_MOST_WEIGHED] if not one.meanings.isdisjoint(meanings[at]))
        return sum(weight(finding, at) for finding in near)

    for finding in findings:
        linked = sorted({places[id] for id in finding.validated_for or finding.ideas if id in places})
        if len(linked) < 2:
            yield from ((requirements[at], finding, True) for at in linked)
            continue
        own = {at: weight(finding, at) for at in linked}
        signals = finding.signals[:_MOST_WEIGHED]
        near = {at: own[at] + sum(weight_of_signal(signal, at) for signal in signals) for at in linked}
        first, *others = sorted(linked, key=lambda at: -near[at])
        clear = (all(near[first] >= max(least, times * near[at]) for at in others) for least, times in _CLEAR)
        if (any(clear) and own[first] >= _OWN) or not finding.is_statement:
            yield requirements[first], finding, False


def _read(one: Requirement, said: Statements) -> None:
    """Sorts the sentences of the ideas by role, each once."""
    for idea in one.ideas:
        for text, role in read_sentences(idea.description):
            if len(one.points[role]) < _MOST_SENTENCES and is_new(text, said):
                one.points[role].append(Point(text, idea, []))


def _meanings_of(one: Requirement) -> Meanings:
    return meanings_of(one.name, *(point.text for points in one.points.values() for point in points))


def _only(meanings: Meanings, counts: Counter[int | str]) -> Meanings:
    """Returns the meanings that no other requirement has."""
    return frozenset(one for one in meanings if counts[one] == 1)


def _select(one: Requirement, said: Statements, rare: Meanings, names: Meanings) -> None:
    """Chooses what is shown of the findings: what people confirmed, and few of the other statements.

    A statement is shown if it is understood alone, means what it says, and shares two words with the ideas. A complaint
    with a figure needs one that is `rare`, the first complaint one of the `names`: words of this requirement alone. The
    first one that is linked to the ideas alone needs none. The best supported ones come first. A statement stands with
    the sentence of an idea that is for the same and has most of its words. A request in the words of the name is not
    shown: it stands below that.
    """
    for finding in one.findings:
        if not finding.is_statement:
            role = role_of_statement(finding.title, "request") if finding.is_request else Role.PROBLEM
            one.confirmed[role].append(finding)
    if not any(finding.is_statement for finding in one.findings):
        return
    named = telling_words(one.name)
    about = _meanings_of(one)
    names = frozenset(name for name in names if isinstance(name, str))
    statements = [(finding, finding.shared(about)) for finding in one.findings if finding.is_statement]
    statements.sort(key=lambda each: (-len(each[0].accounts), -each[1] - has_figure(each[0].said)))
    shown: Counter[Role] = Counter()
    for finding, shared in statements:
        category = finding.insights[0].category
        role = role_of_statement(finding.said, category)
        is_request = finding.is_request and role is not Role.RISK
        if is_request and (answer := _closest(finding, one.points[Role.NEED], ANSWERS)):
            answer.voices.append(finding)
            continue
        is_named = not is_request and finding.shared(names) > 0
        is_first = not shown[role] and (finding in one.own or finding.count(about) >= ANSWERS or is_named)
        is_extent = not is_request and has_figure(finding.said) and finding.shared(rare) > 0
        is_about = shared + is_extent >= ANSWERS + (category == "context") or role is Role.MEASURE or is_first
        is_heading = role is Role.NEED and are_alike(telling_words(finding.said), named, _ALIKE_SENTENCES)
        is_clear = is_about and not is_heading and stands_alone(finding.said) and not is_ironic(finding.said)
        if shown[role] < _MOST[role] and is_clear and is_new(finding.said, said):
            shown[role] += 1
            same = _closest(finding, one.points[role], max(ANSWERS, len(finding.terms) / 2 + 0.5))  # more than half
            (same.voices if same else one.voices[role]).append(finding)


def _closest(finding: Finding, points: Iterable[Point], least: float) -> Point | None:
    """Returns the sentence that shares most words with the finding, if these are enough."""
    shared = ((finding.count(meanings_of(point.text)), point) for point in points)
    answers, point = max(shared, key=lambda each: each[0], default=(0, None))
    return point if answers >= least else None


def is_new(text: str, said: Statements) -> bool:
    """Whether no earlier statement says the same. Keeps it."""
    words = telling_words(text)
    if said.find(words) is not None:
        return False
    said.add(words, 0)
    return True


def _grouped(ideas: Sequence[AboutIdea]) -> list[list[AboutIdea]]:
    """Returns groups in the order of their first idea. Compares names and first sentences of descriptions.

    For each of its words an idea is compared with the first 50 groups that have it.
    """
    groups: list[list[AboutIdea]] = []
    known: list[tuple[frozenset[str], frozenset[str]]] = []
    by_word: dict[str, list[int]] = defaultdict(list)
    for idea in ideas:
        name, begins = telling_words(idea.name), telling_words(next(iter(split_sentences(idea.description)), ""))
        near = {at for word in name | begins for at in by_word[word][:MOST_COMPARED]}
        for at in sorted(at for at in near if not name.isdisjoint(known[at][0])):  # few share a word of their names
            known_name, known_begins = known[at]
            if are_alike(name, known_name, _ALIKE_NAMES) and are_alike(begins, known_begins, _ALIKE_SENTENCES):
                groups[at].append(idea)
                break
        else:
            for word in name | begins:
                by_word[word].append(len(groups))
            groups.append([idea])
            known.append((name, begins))
    return groups
