"""The period that a question of research names: "in the last 30 days", "since 2024", "in 2023", "from 2021 to 2023"."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

_DAYS: Final = {"day": 1, "week": 7, "month": 30, "quarter": 90, "year": 365}
_NUMBERS: Final = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10, "twelve": 12}
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_ANY_MONTH: Final = "|".join(_MONTHS)
_DATE: Final = rf"(?:(\d{{1,2}}) )?(?:({_ANY_MONTH}) )?((?:19|20)\d\d)(?:-(\d\d)(?:-(\d\d))?)?\b"
_SPAN: Final = re.compile(
    rf"\b(?:last|past|previous)\s+(?:(\d{{1,3}}|{'|'.join(_NUMBERS)})\s+)?(day|week|month|quarter|year)s?\b",
    re.IGNORECASE,
)
_SINCE: Final = re.compile(rf"\b(?:since|after) {_DATE}", re.IGNORECASE)
_BETWEEN: Final = re.compile(rf"\b(?:between|from) {_DATE} (?:and|to|until) {_DATE}", re.IGNORECASE)
_WITHIN: Final = re.compile(rf"\b(?:in|during|of) (?:the year )?{_DATE}", re.IGNORECASE)
_PUBLISHED_LATER: Final = timedelta(days=365)  # reports on a closed period come after it


class Period(NamedTuple):
    """A period of days, as the question words it. `until` is None where it is open."""

    words: str
    since: datetime
    until: datetime | None = None

    def is_published(self, moment: datetime) -> bool:
        """Whether a source of this date may report on the period: dated in it, or in the year after a closed one."""
        return self.since <= moment and (self.until is None or moment < self.until + _PUBLISHED_LATER)


def find_period(question: str, now: datetime) -> Period | None:
    """Returns the first period that the question names, None if it names none or one in the future."""
    text = " ".join(question.split())
    if found := _BETWEEN.search(text):
        first, last = _day(found.groups()[:5]), _end(found.groups()[5:])
        return Period(found[0], first, last) if first and last and first < last else None
    if found := _SINCE.search(text):
        first = _day(found.groups())
        return Period(found[0], first) if first and first <= now else None
    if found := _SPAN.search(text):
        return Period(found[0], now - timedelta(days=_days(found)))
    if found := _WITHIN.search(text):
        first, last = _day(found.groups()), _end(found.groups())
        return Period(found[0], first, last) if first and last and first <= now else None
    return None


def without_period(question: str) -> str:
    """Returns the question without the words of its period."""
    for pattern in (_BETWEEN, _SINCE, _SPAN, _WITHIN):
        question = pattern.sub(" ", question)
    return question


def _days(found: re.Match[str]) -> int:
    count = _NUMBERS.get(found[1].lower()) or int(found[1]) if found[1] else 1
    return count * _DAYS[found[2].lower()]


def _day(parts: tuple[str | None, ...]) -> datetime | None:
    day, month, year, month_number, day_number = parts
    number = _MONTHS.index(month.lower()) + 1 if month else int(month_number or 1)
    try:
        return datetime(int(year or 0), number, int(day or day_number or 1), tzinfo=UTC)
    except ValueError:
        return None


def _end(parts: tuple[str | None, ...]) -> datetime | None:
    """Returns the day after the last one of a day, a month or a year."""
    first = _day(parts)
    day, month, _, month_number, day_number = parts
    if first is None or day or day_number:
        return first and first + timedelta(days=1)
    if month or month_number:
        return (first + timedelta(days=31)).replace(day=1)
    return first.replace(year=first.year + 1)
