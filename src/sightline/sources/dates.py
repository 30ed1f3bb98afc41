"""When a page was published, from hints of known worth; never guessed.

Structured data of the page count when they agree. Otherwise two independent hints have to name the same day, give or
take one: the address, a time element, the text. All else is unknown.
"""

import re
from calendar import timegm
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from time import struct_time
from typing import Final, NamedTuple

from sightline.sources.pages import Published

_DAY: Final = timedelta(days=1)
_EARLIEST: Final = datetime(1995, 1, 1, tzinfo=UTC)
_IN_ADDRESS: Final = re.compile(r"/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?=[/._-]|$)")
_DATE_ONLY: Final = re.compile(r"\d{4}-?\d\d-?\d\d")


class Hint(NamedTuple):
    """A moment that something says, with the name of what says it."""

    source: str
    moment: datetime
    day_only: bool


def read_hint(source: str, text: str | None) -> Hint | None:
    """A date or moment in the form of ISO 8601 or of mail; without a zone it counts as UTC. None if it is none."""
    value = (text or "").strip()[:64]
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        try:
            moment = parsedate_to_datetime(value)
        except (ValueError, IndexError, TypeError, OverflowError):
            return None
    try:
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        return None
    if moment.year == 1:  # what some programs write for none
        return None
    return Hint(source, moment.replace(microsecond=0), bool(_DATE_ONLY.fullmatch(value)))


def moment_of(stamp: struct_time | None) -> datetime | None:
    """The moment of a date in UTC, as feeds have it. None without one, or for one after the year 9999."""
    try:
        return datetime.fromtimestamp(timegm(stamp), UTC) if stamp else None
    except (ValueError, OverflowError):
        return None


def hint_of_address(url: str | None) -> Hint | None:
    """The day in a path such as /2026/11/05/."""
    found = _IN_ADDRESS.search(url or "")
    return read_hint("url", f"{found[1]}-{found[2]:0>2}-{found[3]:0>2}") if found else None


def settle(
    structured: Sequence[Hint | None], others: Sequence[Hint | None], retrieved_at: datetime
) -> Published | None:
    """The date of publication, or None. Each of `others` has to be independent of the rest."""
    sure = _plausible(structured, retrieved_at)
    if sure and _agree(sure):
        best = next((one for one in sure if not one.day_only), sure[0])
        return Published(best.moment, "structured", best.source, best.day_only)
    hints = [*sure, *_plausible(others, retrieved_at)]
    for at, first in enumerate(hints):
        for second in hints[at + 1 :]:
            if first.source != second.source and _agree([first, second]):
                return Published(first.moment, "agreed", f"{first.source} and {second.source}", first.day_only)
    return None


def _plausible(hints: Iterable[Hint | None], retrieved_at: datetime) -> list[Hint]:
    """Returns the dates between 1995 and the day after the page was retrieved."""
    return [one for one in hints if one and one.moment >= _EARLIEST and one.moment - _DAY <= retrieved_at]


def _agree(hints: Sequence[Hint]) -> bool:
    moments = [one.moment for one in hints]
    return max(moments) - min(moments) <= _DAY
