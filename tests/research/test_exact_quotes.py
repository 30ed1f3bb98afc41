"""Quotes of researchers count only if they are exact parts of the page."""

from sightline.intelligence.research import FramedQuote
from sightline.research.runs.exact_quotes import keep_exact

TEXT = "Estimates are sent by text message. Most shops answer within an hour."


def test_exact_quotes_stay_in_order_and_once() -> None:
    first, second = FramedQuote("a", "Most shops answer"), FramedQuote("b", "Estimates are sent")
    assert keep_exact([first, second, FramedQuote("c", "Most shops answer")], TEXT) == [first, second]


def test_what_does_not_stand_in_the_text_is_dropped() -> None:
    changed = ["most shops answer", "Estimates  are sent", "Estimates were sent", "", " "]
    assert keep_exact([FramedQuote("a", quote) for quote in changed], TEXT) == []
