"""How a cell becomes a value: numbers, flags, dates, lists, JSON, text of HTML, and labels of the map."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import UNSET, inspect

from sightline.imports.lines import read_json
from sightline.imports.maps import month_names
from sightline.platform.markup import has_html, without_html

Read = Callable[[str], Any]  # returns the value of a cell, or raises ValueError with what is wrong

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]+([.,])[0-9]+", re.ASCII)
_THOUSANDS = re.compile(r"-?[0-9]{1,3}([., \u00a0'][0-9]{3})+", re.ASCII)
_WHOLE = re.compile(r"(-?[0-9]+)[.,]0+", re.ASCII)
_FLAGS = {"true": True, "false": False, "yes": True, "no": False}
_TEXT = (inspect.StrType, inspect.LiteralType, inspect.EnumType, inspect.AnyType, inspect.CustomType)
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_OFFSET = re.compile(r"[+-]\d\d:?\d\d$")
_HOST = re.compile(r"^(?:https?://)?(?:www\.)?([^/:?#\s]++)\S*+$")
_DOMAIN = re.compile(r"(?:(?!-)[\w-]{1,63}(?<!-)\.)+(?!-)[\w-]{2,63}(?<!-)")
_HOURS = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p", "%I:%M%p", "%I:%M:%S%p")
_TIMES = ("", *(gap + hour for gap in (" ", ", ") for hour in _HOURS))
_NAMED = ("%d.%m.%Y", "%d.%m.%y", "%d/%b/%y", "%d/%b/%Y", "%b %d, %Y", "%Y-%m-%d")
_ORDERS = {"month first": ("%m/%d/%Y", "%m/%d/%y", "%m-%d-%Y"), "day first": ("%d/%m/%Y", "%d/%m/%y", "%d-%m-%Y")}
_SHORT = {name.lower(): names[0] for names in month_names() for name in names}
_MONTH = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(_SHORT)})(?![^\W\d_])", re.IGNORECASE)
_BY_NAME = re.compile(r"^(\d{1,2})(?:er)?[ ./-]+([A-Z][a-z]{2})[ ./-]+(\d{2,4})(?!\d)")
_YEAR_FIRST = re.compile(r"^(\d{4})([/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_ORDERED = re.compile(r"\d{1,2}[/-]\d{1,2}[/-]")  # what means several days, unless the order is known


def alternatives(type: inspect.Type) -> list[inspect.Type]:
    """Returns the types of a field without null. A type with examples for the documentation counts as that type."""
    types = type.types if isinstance(type, inspect.UnionType) else (type,)
    plain: Iterator[inspect.Type] = (one.type if isinstance(one, inspect.Metadata) else one for one in types)
    return [one for one in plain if not isinstance(one, inspect.NoneType)]


def is_json_list(type: inspect.Type) -> bool:
    one = alternatives(type)[0]
    return isinstance(one, inspect.ListType) and not any(isinstance(i, _TEXT) for i in alternatives(one.item_type))


def reader_of(type: inspect.Type) -> Read:
    one = alternatives(type)[0]
    if isinstance(one, _TEXT):
        return keep
    if isinstance(one, inspect.IntType | inspect.FloatType):
        return _number_reader(is_whole=isinstance(one, inspect.IntType))
    if isinstance(one, inspect.ListType) and not is_json_list(type):
        return split_at(None)
    return _read_flag if isinstance(one, inspect.BoolType) else read_json


def keep(cell: str) -> Any:
    return cell


def _number_reader(*, is_whole: bool) -> Read:
    """Returns a reader of numbers. All numbers of a column have the decimal mark of the first one.

    A mark in a whole number stands between thousands, as in 1.204, or before nothing, as in 5,0.
    """
    mark = ""

    def read(cell: str) -> Any:
        """Other texts stay texts, which the check of the record refuses."""
        nonlocal mark
        text = cell.strip()
        if is_whole and _THOUSANDS.fullmatch(text):
            text = re.sub(r"[^-0-9]", "", text)
        elif is_whole and (found := _WHOLE.fullmatch(text)):
            text = found[1]
        if found := _DECIMAL.fullmatch(text):
            mark = mark or found[1]
            if found[1] != mark:
                raise ValueError(f"{text!r} has another decimal mark than the numbers above it")
            text = text.replace(",", ".")
        return read_json(text) if _NUMBER.fullmatch(text) else cell

    return read


def _read_flag(cell: str) -> Any:
    return _FLAGS.get(cell.strip().lower(), cell)


def split_at(separator: str | None) -> Read:
    """Returns a reader of lists of texts: JSON, or items between semicolons or the separator of the map."""

    def read(cell: str) -> Any:
        if cell.lstrip().startswith("["):
            return read_json(cell)
        return [item for part in cell.split(separator or ";") if (item := part.strip())]

    return read


def plain(cell: str) -> str:
    return without_html(cell) if has_html(cell) else cell


def after(change: Callable[[str], str], read: Read) -> Read:
    return lambda cell: read(change(cell))


def translated(read: Read, labels: Mapping[str, str]) -> Read:
    by_fold = {label.casefold(): ours for label, ours in labels.items()}

    def read_label(cell: str) -> Any:
        ours = labels.get(cell.strip(), by_fold.get(cell.strip().casefold(), cell))
        return read(ours) if ours else UNSET

    return read_label


def moment_reader(form: str | list[str] | None, zone: str | None, on_unzoned: Callable[[], object]) -> Read:
    """Returns a reader of dates, which gives them in ISO 8601 with an offset.

    Months have English, German or French names. `form`: of `datetime.strptime`, an order of day and month, or a list of
    these. Without one: ISO, then forms that can only mean one day, and those of the order that is usual in the zone.
    `on_unzoned` is called for a time without a zone if there is no `zone`.
    """
    place = ZoneInfo(zone or "UTC")
    usual = "" if zone is None else "month first" if zone.startswith(("America/", "US/")) else "day first"
    order = form if isinstance(form, str) and form in _ORDERS else usual
    given = [] if form is None or form == order else [form] if isinstance(form, str) else form
    forms = [day + hour for one in given for day in _ORDERS.get(one, ()) for hour in _TIMES]
    forms += [one.replace("%B", "%b") for one in given if one not in _ORDERS]
    named = [forms or [day + hour for day in _NAMED for hour in _TIMES]]
    days_of = [days for name, days in _ORDERS.items() if order in ("", name)]
    ordered = named if given else [[day + hour for day in days for hour in _TIMES] for days in days_of]

    def zoned(day: datetime) -> str:
        if day.tzinfo is None and zone is None and day.time() != time.min:
            on_unzoned()
        # A plain day stays that day, which is what pages show: midnight of the zone may be the day before in UTC.
        return (day if day.tzinfo else day.replace(tzinfo=UTC if day.time() == time.min else place)).isoformat()

    def read(cell: str) -> str:
        text = cell.strip()
        if not given:
            text = _YEAR_FIRST.sub(lambda day: f"{day[1]}-{day[3]:0>2}-{day[4]:0>2}", text)
            if _ISO.match(text):
                with suppress(ValueError):
                    return _read_iso(text, zoned)
        text = _MONTH.sub(lambda name: _SHORT[name[0].lower()], text)
        text = text if given else _BY_NAME.sub(r"\1/\2/\3", text)
        lists = ordered if _ORDERED.match(text) else named
        found = {day for forms in lists if (day := _parsed(text, forms)) is not None}
        if len(found) == 1:
            return zoned(found.pop())
        raise ValueError(f"{cell.strip()[:50]!r} {_why_unread(given, is_unclear=bool(found))}")

    return read


def _why_unread(given: Sequence[str], *, is_unclear: bool) -> str:
    if given:
        return f"is no date of the form {' or '.join(given)}, which the map gives"
    if is_unclear:
        return "may mean several days: give 'day first' or 'month first', its form or a zone in a map file"
    return "is no date that can be read: if it is one, give its form in a map file"


def _parsed(text: str, forms: list[str]) -> datetime | None:
    """Returns the date by the first form that fits, which becomes the first one: the next date is likely of it."""
    for form in forms:
        with suppress(ValueError, re.error):  # the latter for a form with a part twice, such as "%d.%d.%Y"
            found = datetime.strptime(text, form)
            forms.remove(form)
            forms.insert(0, form)
            return found
    return None


def read_host(cell: str) -> str:
    """Returns the domain of the address of a website or of an e-mail. Raises ValueError if it has none."""
    first = re.split(r"[,;]", cell)[0].strip().lower()
    host = _HOST.sub(r"\1", first).rpartition("@")[2]
    if host and not _DOMAIN.fullmatch(host):
        raise ValueError(f"{cell.strip()[:80]!r} is no domain, no website and no e-mail address")
    return host


def _read_iso(text: str, zoned: Callable[[datetime], str]) -> str:
    """Returns the text with an offset; a plain date counts as its midnight in UTC."""
    if text.endswith("Z"):
        return text
    if text.endswith(("UTC", "GMT")):
        return text[:-3].rstrip() + "Z"
    if found := _OFFSET.search(text, 10):
        return text[: found.start()].rstrip() + found[0]
    return zoned(datetime.fromisoformat(text))
