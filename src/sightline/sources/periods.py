"""The period that a question of research names: "in the last 30 days", "seit März", "from 2021 to 2023"."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

_DAYS: Final = {"day": 1, "week": 7, "month": 30, "quarter": 90, "year": 365}
_NUMBERS: Final = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "einen", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
)  # fmt: skip
_IN_ENGLISH: Final = {
    "tag": "day", "woche": "week", "monat": "month", "quartal": "quarter", "jahr": "year",
    "mär": "mar", "mai": "may", "okt": "oct", "dez": "dec",
}  # fmt: skip
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|januar|februar|märz|mai|juni|juli|oktober|dezember)"
)
_YEAR: Final = r"(?:19|20)\d\d"
# A day, a month, a day after the month, a year, and month and day after the year; at least a month or a year.
_DATE: Final = (
    rf"(?=(?:\d{{1,2}}\.? )?{_MONTH}\b|{_YEAR})(?:(\d{{1,2}})\.? )?(?:({_MONTH})\b\.?(?: (\d{{1,2}})(?!\d))?)?"
    rf"(?:(?:, | of | )?({_YEAR})(?:-(\d\d)(?:-(\d\d))?)?)?\b"
)
_SPAN: Final = re.compile(  # "the lamps last 3 days" names none
    rf"\b(?:(?:in|over|during|within|for|of|since)(?: the)?|the) (?:last|past|previous) "
    rf"(?:(\d{{1,3}}|{'|'.join(_NUMBERS)}) )?(day|week|month|quarter|year)s?\b"
    r"|\b(?:last|past|previous) (week|month|quarter|year)\b"
    rf"|\b(?:(?:in|seit) den|(?:während )?der) (?:letzten|vergangenen) (?:(\d{{1,3}}|{'|'.join(_NUMBERS)}) )?"
    r"(tag|woche|monat|quartal|jahr)(?:en?|n)\b"
    r"|\b(?:im |in der |seit (?:dem |der )?)?(?:letzte|vergangene)[mnrs]? (woche|monat|quartal|jahr)\b",
    re.IGNORECASE,
)
_THIS: Final = re.compile(
    r"\b(?:(?:in|during|of) )?(?:this (week|month|quarter|year)|diese[mnrs]? (woche|monat|quartal|jahr))\b",
    re.IGNORECASE,
)
_SINCE: Final = re.compile(rf"\b(?:since|after|seit|nach)(?: dem)? {_DATE}", re.IGNORECASE)
_BETWEEN: Final = re.compile(
    rf"\b(?:between|from|zwischen|von|vom)(?: dem)? {_DATE} (?:and|to|until|und|bis)(?: dem| zum)? {_DATE}",
    re.IGNORECASE,
)
_WITHIN: Final = re.compile(rf"\b(?:in|during|of|im|von|aus) (?:the year |jahre? )?{_DATE}", re.IGNORECASE)
_PUBLISHED_LATER: Final = timedelta(days=365)  # reports on a closed period come after it

_Parts = tuple[str | None, ...]


class Period(NamedTuple):
    """A period of days, as the question words it. `until` is None where it is open."""

    words: str
    since: datetime
    until: datetime | None = None

    def is_published(self, moment: datetime) -> bool:
        """Whether a source of this date may report on the period: dated in it, or in the year after a closed one."""
        return self.since <= moment and (self.until is None or moment < self.until + _PUBLISHED_LATER)


def find_period(question: str, now: datetime) -> Period | None:
    """Returns the first period that the question names, None if it names none or one in the future.

    A month without a year is the latest one that has begun.
    """
    text = " ".join(question.split())
    if found := _BETWEEN.search(text):
        to = found.groups()[6:]
        last = _day(to, now)
        first, end = last and _day(found.groups()[:6], last), _end(to, now)
        return Period(found[0], first, end) if first and end and first < end else None
    if found := _SINCE.search(text):
        first = _day(found.groups(), now)
        return Period(found[0], first) if first and first <= now else None
    if found := _SPAN.search(text):
        return Period(found[0], now - timedelta(days=_days(found)))
    if found := _THIS.search(text):
        return Period(found[0], _first_day_of(_in_english(found[1] or found[2]), now))
    if found := _WITHIN.search(text):
        first, end = _day(found.groups(), now), _end(found.groups(), now)
        return Period(found[0], first, end) if first and end and first <= now else None
    return None


def without_period(question: str) -> str:
    """Returns the question without the words of its period."""
    for pattern in (_BETWEEN, _SINCE, _SPAN, _THIS, _WITHIN):
        question = pattern.sub(" ", question)
    return question


def _days(found: re.Match[str]) -> int:
    number, unit = (found[1] or found[4] or "1").lower(), next(filter(None, found.group(2, 3, 5, 6)))
    count = int(number) if number.isdigit() else _NUMBERS.index(number) % 12 + 1
    return count * _DAYS[_in_english(unit)]


def _in_english(word: str) -> str:
    return _IN_ENGLISH.get(word.lower(), word.lower())


def _first_day_of(unit: str, now: datetime) -> datetime:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "week":
        return today - timedelta(days=today.weekday())
    month = {"month": today.month, "quarter": today.month - (today.month - 1) % 3, "year": 1}[unit]
    return today.replace(month=month, day=1)


def _day(parts: _Parts, latest: datetime) -> datetime | None:
    """Returns the first day of a date; without a year the latest one that is not after `latest`."""
    day, month, day_after, year, month_number, day_number = parts
    number = _MONTHS.index(_in_english(month[:3])) + 1 if month else int(month_number or 1)
    try:
        first = datetime(int(year or latest.year), number, int(day or day_after or day_number or 1), tzinfo=UTC)
        return first if year or first <= latest else first.replace(year=first.year - 1)
    except ValueError:
        return None


def _end(parts: _Parts, latest: datetime) -> datetime | None:
    """Returns the day after the last one of a day, a month or a year."""
    first = _day(parts, latest)
    day, month, day_after, _, month_number, day_number = parts
    if first is None or day or day_after or day_number:
        return first and first + timedelta(days=1)
    if month or month_number:
        return (first + timedelta(days=31)).replace(day=1)
    return first.replace(year=first.year + 1)
