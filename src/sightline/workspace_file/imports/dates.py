"""Dates of other tools, as ISO 8601."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from zoneinfo import ZoneInfo

_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_OFFSET = re.compile(r"(Z|[+-]\d\d:?\d\d)$")
_UTC = re.compile(r"\s*(UTC|GMT)$")
_TIMES = (
    "",
    " %H:%M",
    " %H:%M:%S",
    " %I:%M %p",
    " %I:%M:%S %p",
    ", %H:%M",
    ", %H:%M:%S",
    ", %I:%M %p",
    ", %I:%M:%S %p",
)
_ALWAYS = ("%d.%m.%Y", "%d.%m.%y", "%d/%b/%y", "%d/%b/%Y", "%d %b %Y", "%b %d, %Y", "%B %d, %Y", "%Y/%m/%d")
_MONTH_FIRST = ("%m/%d/%Y", "%m/%d/%y")
_DAY_FIRST = ("%d/%m/%Y", "%d/%m/%y", "%d-%m-%Y")


def moment_reader(form: str | None, zone: str | None) -> Callable[[str], str]:
    """Returns a function that reads a date and returns it in ISO 8601, with an offset.

    `form`: of `datetime.strptime`. Without one: ISO, then forms that can only mean one day, and with a zone also those
    that are usual there. The function raises ValueError.
    """
    place = ZoneInfo(zone or "UTC")
    days = (*_ALWAYS, *(() if zone is None else _MONTH_FIRST if zone.startswith(("America/", "US/")) else _DAY_FIRST))
    forms = [form] if form else [day + time for day in days for time in _TIMES]

    def read(text: str) -> str:
        nonlocal forms
        text = text.strip()
        if form is None and _ISO.match(text):
            with suppress(ValueError):
                return _read_iso(text, place)
        for each in forms:
            try:
                found = datetime.strptime(text, each)
            except ValueError:
                continue
            forms = [each, *(one for one in forms if one != each)]  # the next one is likely of this form
            return (found if found.tzinfo else found.replace(tzinfo=place)).isoformat()
        if form:
            raise ValueError(f"{text[:50]!r} is no date of the form {form}, which the map gives")
        raise ValueError(f"{text[:50]!r} may mean several days or none: give its form or a zone in a map file")

    return read


def _read_iso(text: str, place: ZoneInfo) -> str:
    """Returns the text with an offset; a plain date counts as its midnight in the zone."""
    if _UTC.search(text):
        return _UTC.sub("", text) + "Z"
    if _OFFSET.search(text[10:]):
        return text
    return datetime.fromisoformat(text).replace(tzinfo=place).isoformat()
