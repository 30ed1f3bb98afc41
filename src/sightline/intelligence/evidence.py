"""What an engine reads of a signal, and what it finds there: statements, each with the places it was said at."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

Category = Literal["problem", "request", "praise", "question", "context"]
ReadAs = Literal["text", "conversation", "document", "review", "feedback"]


class Turn(NamedTuple):
    """What one speaker says at a time."""

    speaker: str | None
    text: str


class SignalMaterial(Struct, frozen=True):
    """One piece of evidence: a text, or the turns of a conversation. `own_names` speak for us, not for customers.

    Places are counted in code points: in `text`, or in the text of the turn that is named with them.
    """

    read_as: ReadAs = "text"
    text: str = ""
    turns: tuple[Turn, ...] = ()
    own_names: frozenset[str] = frozenset()


class Quote(Struct, frozen=True):
    """An exact part of the material: `text` is what stands from `start` up to `end`, in a turn where there are any."""

    text: str
    start: int
    end: int
    turn: int | None = None
    speaker: str | None = None


class DraftInsight(Struct, frozen=True):
    """A short statement, how it is meant, and the quotes it rests on: at least one, in the order of the material."""

    title: str
    category: Category
    quotes: list[Quote]


def check_quotes(material: SignalMaterial, found: Sequence[DraftInsight]) -> list[DraftInsight]:
    """What holds of an engine's findings: quotes that stand where they say, and insights that still rest on one."""
    held = [(one, [quote for quote in one.quotes if _stands(material, quote)]) for one in found]
    return [DraftInsight(one.title, one.category, quotes) for one, quotes in held if quotes]


def _stands(material: SignalMaterial, quote: Quote) -> bool:
    source = material.text
    if material.turns:
        if quote.turn is None or not 0 <= quote.turn < len(material.turns):
            return False
        source = material.turns[quote.turn].text
    return 0 <= quote.start < quote.end and bool(quote.text) and source[quote.start : quote.end] == quote.text
