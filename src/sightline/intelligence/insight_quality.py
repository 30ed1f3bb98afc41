"""How well the embedded engine extracts insights, measured on tickets whose statements are labelled."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct

from sightline.intelligence.embedded.signals.extraction import extract_insights
from sightline.intelligence.evidence import Category, DraftInsight, ReadAs, SignalMaterial
from sightline.intelligence.marks import Kept, Output
from sightline.platform.errors import BadRequest
from sightline.platform.json_lines import read_json_lines

READ_AS: dict[str, ReadAs] = {"support_ticket": "text", "review": "review", "transcript": "conversation"}
_CATEGORIES: dict[str, Category] = {"problem": "problem", "wish": "request", "praise": "praise"}
_MOST_WRONG = 10


class Label(Struct, frozen=True):
    """A part of a ticket: the kind of statement that it is, or `none` for one that only looks like a statement."""

    quote: str
    kind: Literal["problem", "wish", "praise", "none"]
    statement: str | None = None


class Ticket(Struct, frozen=True):
    """A text with its labels."""

    id: str
    type: Literal["support_ticket", "review", "transcript"]
    text: str
    labels: tuple[Label, ...]
    account: str | None = None


class KindQuality(Struct, rename="camel"):
    """The quality of one kind. A share of nothing is null. `statements` are known ones, said in several tickets."""

    statements: int
    statements_found: float | None
    labels: int
    labels_found: float | None
    insights: int
    right: float | None


class InsightQuality(Struct, rename="camel"):
    """The quality of insights, which are problems, requests and praise. A share of nothing is null.

    An insight is about a label if both share over half of the shorter. It is right if the label has its kind.
    `wrong_kind` are about labels of another kind, `mixed` about several kinds or statements, `doubled` about what an
    earlier insight of the ticket is about, `traps` about labels of kind `none`, `unlabelled` about no label. `wrong`
    has up to ten of them.
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
    wrong: list[str]
    kept: Kept | None = None


class Judged(NamedTuple):
    """An insight and whether it is right; `labels` are the places of those of its kind that it is about."""

    insight: DraftInsight
    verdict: str
    labels: frozenset[int]


def read_tickets(folder: Path) -> list[Ticket]:
    """Reads `tickets.jsonl`. Raises BadRequest at the first line that is not right, and OSError."""
    path = folder / "tickets.jsonl"
    with path.open("rb") as lines:
        read = list(read_json_lines(str(path), lines, Ticket))
    for place, ticket in read:
        if missing := [label.quote for label in ticket.labels if label.quote not in ticket.text]:
            raise BadRequest(f"{place}: the text does not have {missing[0]!r}.")
    return [ticket for _, ticket in read]


def outputs_of(tickets: Sequence[Ticket]) -> list[Output]:
    """Returns each insight as readers see it."""
    return [
        Output(f"{ticket.id}-{number}", ticket.text, f"{insight.category}: {insight.title}")
        for ticket in tickets
        for number, insight in enumerate(_extract(ticket), 1)
    ]


def evaluate_insights(tickets: Sequence[Ticket]) -> InsightQuality:
    """Extracts insights of each ticket and compares them with its labels."""
    judged = [(ticket, one) for ticket in tickets for one in judge(ticket)]
    verdicts = Counter(one.verdict for _, one in judged)
    wrong = [f"{ticket.id}, {one.verdict}: {one.insight.title}" for ticket, one in judged if one.verdict != "right"]
    return InsightQuality(
        tickets=len(tickets),
        insights=len(judged),
        right=_share(verdicts["right"], len(judged)),
        wrong_kind=_share(verdicts["wrong kind"], len(judged)),
        mixed=_share(verdicts["mixed"], len(judged)),
        doubled=_share(verdicts["doubled"], len(judged)),
        traps=_share(verdicts["trap"], len(judged)),
        unlabelled=_share(verdicts["unlabelled"], len(judged)),
        kinds={kind: _quality_of(kind, tickets, judged) for kind in _CATEGORIES},
        wrong=wrong[:_MOST_WRONG],
    )


def _extract(ticket: Ticket) -> list[DraftInsight]:
    found = extract_insights(SignalMaterial(READ_AS[ticket.type], ticket.text))
    return [insight for insight in found if insight.category in _CATEGORIES.values()]


def judge(ticket: Ticket) -> Iterator[Judged]:
    """Yields the insights of the ticket, compared with its labels."""
    seen: set[int] = set()
    for insight in _extract(ticket):
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
        yield Judged(insight, verdict, own)


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
        statements_found=_share(len({label.statement for label in found.values()} & known), len(known)),
        labels=len(labels),
        labels_found=_share(len(found), len(labels)),
        insights=len(own),
        right=_share(sum(one.verdict == "right" for _, one in own), len(own)),
    )


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
