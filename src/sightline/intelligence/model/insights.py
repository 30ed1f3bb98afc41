"""Insights by a model: its statements, with quotes that are found in the signal."""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Final

from msgspec import Struct, structs

from sightline.intelligence.evidence import Category, DraftInsight, Quote, SignalMaterial, check_quotes
from sightline.intelligence.model.answers import MOST_COMPLAINTS, MOST_ITEMS, line
from sightline.intelligence.model.endpoint import Endpoint, Prompt
from sightline.intelligence.model.prompts import cut, fenced, read_task
from sightline.intelligence.model.quotes import has_words, invents, locate
from sightline.intelligence.model.session import ModelFailed, Session

TASK: Final = read_task("insights")

LONGEST_PART: Final = 24_000  # characters
LONGEST_TITLE: Final = 160
MOST_QUOTES: Final = 3
MOST_GIVEN_QUOTES: Final = 10  # of a point that are looked for


class FoundQuote(Struct, frozen=True):
    """A quote as the model gives it."""

    text: str
    turn: int | None = None


class FoundInsight(Struct):
    """A point as the model gives it."""

    title: str
    category: Category
    quotes: list[FoundQuote]


class FoundInsights(Struct):
    """The answer."""

    insights: list[FoundInsight]


async def extract_insights(endpoint: Endpoint, session: Session, material: SignalMaterial) -> list[DraftInsight]:
    """Raises ModelFailed, also if nothing that the model finds holds. Asks nothing about an empty signal."""
    found: dict[tuple[str, ...], DraftInsight] = {}
    is_wrong = False
    for part in _parts(material):
        prompt = Prompt(TASK, fenced("signal", "\n".join(map(_shown, part))))
        for draft in await endpoint.ask(session, prompt, FoundInsights, partial(_read, part)):
            if draft is None:
                is_wrong = True
            else:
                found.setdefault(tuple(quote.text for quote in draft.quotes), draft)
    if is_wrong and not found:
        raise ModelFailed("Nothing that the model found is in the signal.")
    return check_quotes(material, sorted(found.values(), key=lambda one: _order(one.quotes[0])))


def _parts(material: SignalMaterial) -> Iterator[list[Quote]]:
    part: list[Quote] = []
    size = 0
    for piece in _pieces(material):
        if part and size + len(piece.text) > LONGEST_PART:
            yield part
            part, size = [], 0
        part.append(piece)
        size += len(piece.text)
    if part:
        yield part


def _pieces(material: SignalMaterial) -> Iterator[Quote]:
    """The text or the turns of customers, long ones cut where a line or a word ends."""
    for number, turn in material.parts:
        if turn.speaker not in material.own_names:
            for start, end in cut(turn.text, LONGEST_PART):
                piece = turn.text[start:end]
                if piece.strip():
                    yield Quote(piece, start, end, number, turn.speaker)


def _shown(piece: Quote) -> str:
    if piece.turn is None:
        return piece.text
    return f"[{piece.turn}] {piece.speaker or 'somebody'}: {piece.text}"


def _read(part: Sequence[Quote], answer: FoundInsights) -> tuple[list[DraftInsight | None], str]:
    """Returns each point, or None where it does not hold, and what is wrong.

    A point needs a quote that is found, and a title that invents nothing.
    """
    find = cache(partial(_quote, part, "\n".join(piece.text for piece in part)))
    drafts: list[DraftInsight | None] = []
    missing: list[str] = []
    invented: list[str] = []
    for one in answer.insights[:MOST_ITEMS]:
        named = one.quotes[:MOST_GIVEN_QUOTES]
        quotes = sorted(dict.fromkeys(place for quote in named if (place := find(quote))), key=_order)
        missing += [quote.text[:200] for quote in named if find(quote) is None]
        if len(missing) > MOST_ITEMS:
            break
        title = line(one.title, LONGEST_TITLE)
        is_invented = invents(title, "\n".join(quote.text for quote in quotes))
        invented += [title] if is_invented else []
        holds = quotes and title and not is_invented
        drafts.append(DraftInsight(title, one.category, quotes[:MOST_QUOTES]) if holds else None)
    return drafts, _complaint(missing, invented)


def _complaint(missing: Sequence[str], invented: Sequence[str]) -> str:
    if missing:
        return "These quotes are not word for word in the signal: " + " | ".join(missing[:MOST_COMPLAINTS])
    if invented:
        return "These titles have figures or quoted words that are not in their quotes: " + " | ".join(
            invented[:MOST_COMPLAINTS]
        )
    return ""


def _quote(part: Sequence[Quote], whole: str, quote: FoundQuote) -> Quote | None:
    """Returns the quote in the turn that the model names, or else in another one. `whole` is the text of the part."""
    if not has_words(quote.text, whole):
        return None
    for piece in sorted(part, key=lambda piece: piece.turn != quote.turn):
        if place := locate(quote.text, piece.text):
            start, end = piece.start + place.start, piece.start + place.end
            return structs.replace(piece, text=piece.text[place.start : place.end], start=start, end=end)
    return None


def _order(quote: Quote) -> tuple[int, int]:
    return quote.turn or 0, quote.start
