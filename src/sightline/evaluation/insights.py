"""How well the embedded engine extracts insights, measured on tickets whose statements are labelled."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from sightline.evaluation.marks import Output
from sightline.evaluation.worlds import Label, Measured, Quality, Ticket, read_tickets, share
from sightline.intelligence.embedded.signals.extraction import extract_insights
from sightline.intelligence.evidence import Category, DraftInsight, ReadAs, SignalMaterial

READ_AS: dict[str, ReadAs] = {"support_ticket": "text", "review": "review", "transcript": "conversation"}
_CATEGORIES: dict[str, Category] = {"problem": "problem", "wish": "request", "praise": "praise"}


class KindQuality(Struct, rename="camel"):
    """The quality of one kind. A share of nothing is null. `statements` are known ones, said in several tickets."""

    statements: int
    statements_found: float | None
    labels: int
    labels_found: float | None
    insights: int
    right: float | None


class InsightQuality(Quality):
    """The quality of insights, which are problems, requests and praise.

    An insight is about a label if both share over half of the shorter. It is right if the label has its kind.
    `wrong_kind` are about labels of another kind, `mixed` about several kinds or statements, `doubled` about what an
    earlier insight of the ticket is about, `traps` about labels of kind `none`, `unlabelled` about no label.
    """

    tickets: int
    insights: int
    right: float | None
    wrong_kind: float | None
    mixed: float | None
    doubled: float | None
    traps: float | None
    unlabelled: float | None
    kinds: dict[str, KindQuality]


class Judged(NamedTuple):
    """An insight and whether it is right; `labels` are places of labels of its kind that it is about."""

    id: str
    insight: DraftInsight
    verdict: str
    labels: frozenset[int]


def measure(folder: Path) -> Measured:
    """Extracts insights of each ticket and compares them with its labels."""
    tickets = read_tickets(folder)
    judged = [(ticket, one) for ticket in tickets for one in judge(ticket)]
    verdicts = Counter(one.verdict for _, one in judged)
    quality = InsightQuality(
        tickets=len(tickets),
        insights=len(judged),
        right=share(verdicts["right"], len(judged)),
        wrong_kind=share(verdicts["wrong kind"], len(judged)),
        mixed=share(verdicts["mixed"], len(judged)),
        doubled=share(verdicts["doubled"], len(judged)),
        traps=share(verdicts["trap"], len(judged)),
        unlabelled=share(verdicts["unlabelled"], len(judged)),
        kinds={kind: _quality_of(kind, tickets, judged) for kind in _CATEGORIES},
        wrong=[f"{ticket.id}, {one.verdict}: {one.insight.title}" for ticket, one in judged if one.verdict != "right"],
    )
    said = ((one.id, ticket.text, one.insight) for ticket, one in judged)
    return Measured(quality, [Output(id, text, f"{insight.category}: {insight.title}") for id, text, insight in said])


def judge(ticket: Ticket) -> Iterator[Judged]:
    """Yields the insights of the ticket, compared with its labels."""
    seen: set[int] = set()
    found = extract_insights(SignalMaterial(READ_AS[ticket.type], ticket.text))
    counted = (insight for insight in found if insight.category in _CATEGORIES.values())
    for number, insight in enumerate(counted, 1):
        about = {at for at, label in enumerate(ticket.labels) if _is_about(insight, label, ticket.text)}
        labels = [ticket.labels[at] for at in about]
        own = frozenset(at for at in about if _CATEGORIES.get(ticket.labels[at].kind) == insight.category)
        kinds = {label.kind for label in labels} - {"none"}
        if not own:
            verdict = "wrong kind" if kinds else "trap" if labels else "unlabelled"
        elif len(kinds) > 1 or len({label.statement for label in labels if label.statement}) > 1:
            verdict = "mixed"
        else:
            verdict = "doubled" if own <= seen else "right"
        seen |= own
        yield Judged(f"{ticket.id}-{number}", insight, verdict, own)


def _is_about(insight: DraftInsight, label: Label, text: str) -> bool:
    start = text.index(label.quote)
    end = start + len(label.quote)
    shared = ((min(end, one.end) - max(start, one.start), one.end - one.start) for one in insight.quotes)
    return any(2 * common > min(end - start, length) for common, length in shared)


def _quality_of(kind: str, tickets: Sequence[Ticket], judged: Sequence[tuple[Ticket, Judged]]) -> KindQuality:
    labels = [label for ticket in tickets for label in ticket.labels if label.kind == kind]
    own = [(ticket, one) for ticket, one in judged if one.insight.category == _CATEGORIES[kind]]
    found = {(ticket.id, at): ticket.labels[at] for ticket, one in own for at in one.labels}
    known = {label.statement for label in labels if label.statement}
    return KindQuality(
        statements=len(known),
        statements_found=share(len({label.statement for label in found.values()} & known), len(known)),
        labels=len(labels),
        labels_found=share(len(found), len(labels)),
        insights=len(own),
        right=share(sum(one.verdict == "right" for _, one in own), len(own)),
    )
