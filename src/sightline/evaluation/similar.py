"""How well similar requests and insights are offered, measured on pairs that are labelled as the same."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from sightline.evaluation.insights import judge
from sightline.evaluation.marks import Output
from sightline.evaluation.worlds import Measured, Quality, Ticket, read_json, read_tickets, share
from sightline.intelligence.embedded.meaning import OF_INSIGHTS, OF_REQUESTS, closest
from sightline.intelligence.embedded.words import words_of


class _Quote(Struct, frozen=True):
    ticket: str
    quote: str


class _Requests(Struct):
    a: str
    b: str


class _Statements(Struct, frozen=True):
    same: tuple[tuple[_Quote, _Quote], ...] = ()


class _Ideas(Struct, frozen=True):
    same: tuple[_Requests, ...] = ()
    different: tuple[_Requests, ...] = ()


class _Pairs(Struct):
    """The file `duplicates.json`. A world may have pairs of one kind alone."""

    statements: _Statements = _Statements()
    ideas: _Ideas = _Ideas()


class _Insight(NamedTuple):
    title: str
    category: str
    statements: set[str]
    quotes: set[_Quote]


class Offer(NamedTuple):
    """A text that is offered for another. `is_right`: the labels say that they are the same."""

    output: Output
    is_right: bool


class OfferQuality(Struct, rename="camel"):
    """The quality of offers of one kind. A share of nothing is null. `pairs` are labelled as the same."""

    offered: int
    right: float | None
    pairs: int
    pairs_offered: float | None


class SimilarQuality(Quality):
    """The quality of offers of similar requests and insights."""

    requests: OfferQuality
    insights: OfferQuality


def measure(folder: Path) -> Measured:
    """Asks for each request and insight of `duplicates.json` and `tickets.jsonl` which others are similar."""
    pairs = read_json(folder / "duplicates.json", _Pairs)
    made, requests = _of_requests(pairs.ideas)
    of_insights, insights = _of_insights(read_tickets(folder), pairs.statements)
    made += of_insights
    wrong = [f"{one.output.about} / {one.output.output}" for one in made if not one.is_right]
    quality = SimilarQuality(requests=requests, insights=insights, wrong=wrong)
    return Measured(quality, [one.output for one in made])


def _of_requests(ideas: _Ideas) -> tuple[list[Offer], OfferQuality]:
    """Asks for each text of the pairs; all are in one pool."""
    same = {frozenset((pair.a, pair.b)) for pair in ideas.same}
    pool = list(dict.fromkeys(text for pair in (*ideas.same, *ideas.different) for text in (pair.a, pair.b)))
    made = []
    for number, text in enumerate(pool, 1):
        offered = closest(text, ((other, other) for other in pool if other != text), OF_REQUESTS)
        outputs = (Output(f"request-{number}-{n}", text, one) for n, one in enumerate(offered, 1))
        made += [Offer(output, {text, output.output} in same) for output in outputs]
    found = same & {frozenset((one.output.about, one.output.output)) for one in made}
    return made, _quality(made, len(same), len(found))


def _of_insights(tickets: Sequence[Ticket], statements: _Statements) -> tuple[list[Offer], OfferQuality]:
    """Asks for each insight of the tickets. A pair is found if an insight has both quotes, or is offered for the other.

    Insights are right offers if they are about one labelled statement.
    """
    insights = list(_insights(tickets))
    made, offered = [], set()
    for number, one in enumerate(insights):
        others = [(at, it.title) for at, it in enumerate(insights) if at != number and it.category == one.category]
        found = closest(one.title, others, OF_INSIGHTS)
        offered |= {(number, at) for at in (number, *found)}
        for n, other in enumerate((insights[at] for at in found), 1):
            is_right = not one.statements.isdisjoint(other.statements)
            made.append(Offer(Output(f"insight-{number + 1}-{n}", one.title, other.title), is_right))
    by_quote = [(at, quote) for at, one in enumerate(insights) for quote in one.quotes]
    places = [[{at for at, each in by_quote if each == quote} for quote in pair] for pair in statements.same]
    are_found = (any((a, b) in offered or (b, a) in offered for a in one for b in other) for one, other in places)
    return made, _quality(made, len(statements.same), sum(are_found))


def _insights(tickets: Sequence[Ticket]) -> Iterator[_Insight]:
    """Yields the insights of all tickets. Those with the same words are one."""
    known: dict[tuple[str, ...], _Insight] = {}
    for ticket in tickets:
        for judged in judge(ticket):
            insight = judged.insight
            key = (insight.category, *words_of(insight.title))
            one = known.setdefault(key, _Insight(insight.title, insight.category, set(), set()))
            labels = [ticket.labels[at] for at in judged.labels]
            one.statements.update(label.statement for label in labels if label.statement)
            one.quotes.update(_Quote(ticket.id, label.quote) for label in labels)
    yield from known.values()


def _quality(made: Sequence[Offer], pairs: int, found: int) -> OfferQuality:
    right = sum(one.is_right for one in made)
    return OfferQuality(len(made), share(right, len(made)), pairs, share(found, pairs))
