"""Every quote of a run is an exact part of the text that was stored of its source."""

from collections.abc import Sequence

from sightline.intelligence.research import FramedQuote


def keep_exact(observations: Sequence[FramedQuote], text: str) -> list[FramedQuote]:
    """The observations whose quote is an exact part of the text, in order, each quote once."""
    kept: dict[str, FramedQuote] = {}
    for one in observations:
        if one.quote.strip() and one.quote in text:
            kept.setdefault(one.quote, one)
    return list(kept.values())
