"""The material of a signal for an engine, and the insights it drafts, each with the places of its quotes."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from msgspec import Struct

Category = Literal["problem", "request", "praise", "question", "context"]
ReadAs = Literal["text", "conversation", "document", "review", "feedback"]


class Turn(NamedTuple):
    """The words of one speaker until the next one speaks."""

    speaker: str | None
    text: str


class SignalMaterial(Struct, frozen=True):
    """One piece of evidence: a text, or the turns of a conversation. `own_names` are people of the team, not customers.

    Positions count code points in `text`, or in the text of the named turn.
    """

    read_as: ReadAs = "text"
    text: str = ""
    turns: tuple[Turn, ...] = ()
    own_names: frozenset[str] = frozenset()

    @property
    def parts(self) -> list[tuple[int | None, Turn]]:
        """The turns with their numbers, or the text as one without a number."""
        return [*enumerate(self.turns)] or [(None, Turn(None, self.text))]

    def source_of(self, turn: int | None) -> str:
        """Returns the text of the turn, or the whole one."""
        return self.text if turn is None else self.turns[turn].text


class Quote(Struct, frozen=True):
    """An exact part of the material: `text` is the part from `start` up to `end`, of a turn if there are turns."""

    text: str
    start: int
    end: int
    turn: int | None = None
    speaker: str | None = None


class DraftInsight(Struct, frozen=True):
    """A short statement, its category, and the quotes it rests on: at least one, in the order of the material."""

    title: str
    category: Category
    quotes: list[Quote]


def check_quotes(material: SignalMaterial, found: Sequence[DraftInsight]) -> list[DraftInsight]:
    """Returns the findings with only exact quotes, without insights that have none."""
    held = [(one, [quote for quote in one.quotes if _stands(material, quote)]) for one in found]
    return [DraftInsight(one.title, one.category, quotes) for one, quotes in held if quotes]


def _stands(material: SignalMaterial, quote: Quote) -> bool:
    is_named = quote.turn is not None and 0 <= quote.turn < len(material.turns)
    if material.turns and not is_named:
        return False
    source = material.source_of(quote.turn if is_named else None)
    return 0 <= quote.start < quote.end and bool(quote.text) and source[quote.start : quote.end] == quote.text
