"""How a cell becomes a value: numbers, flags, dates, lists, JSON, text of HTML, and labels of the map."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, time, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.parser import parser, parserinfo
from msgspec import UNSET, inspect

from sightline.platform.file_section.entries import Faults
from sightline.platform.markup import has_html, without_html
from sightline.workspace_file.imports.maps import month_names
from sightline.workspace_file.values import read_json

Read = Callable[[str], Any]  # returns the value of a cell, or raises ValueError with what is wrong

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]+([.,])[0-9]+", re.ASCII)
_THOUSANDS = re.compile(r"-?[0-9]{1,3}([., \u00a0'][0-9]{3})+", re.ASCII)
_WHOLE = re.compile(r"(-?[0-9]+)[.,]0+", re.ASCII)
_FLAGS = {"true": True, "false": False, "yes": True, "no": False}
_TEXT = (inspect.StrType, inspect.LiteralType, inspect.EnumType, inspect.AnyType, inspect.CustomType)
_HOST = re.compile(r"^(?:https?://)?(?:www\.)?([^/:?#\s]+)\S*$")
_DOMAIN = re.compile(r"(?:(?!-)[\w-]{1,63}(?<!-)\.)+(?!-)[\w-]{2,63}(?<!-)")
_ORDERS = {"day first": (True,), "month first": (False,), "": (True, False)}  # and what says that the day is first
_DAY_FIRST = re.compile(r"\d{1,2}\.\d{1,2}\.")
_YEAR_FIRST = re.compile(r"\d{4}")
_WHOLE_DATE = re.compile(r"\d+([./-])\d+\1\d+")
_BASES = (datetime(1904, 1, 1), datetime(2008, 2, 2))  # a date that lacks a part is another one with each


# The names of months in English and German, and what may stand between the parts of a date.
_WORDS = {"MONTHS": list(map(tuple, month_names())), "JUMP": [" ", ".", ",", ";", "-", "/", "'", "at", "um"]}
_PARSER = parser(type("_Words", (parserinfo,), _WORDS)())
_SHORT = {name.lower(): names[0] for names in month_names() for name in names}
_MONTH = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(_SHORT)})(?![^\W\d_])", re.IGNORECASE)


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
    return _read_flag if isinstance(one, inspect.BoolType) else _read_json


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
        return _read_json(text) if _NUMBER.fullmatch(text) else cell

    return read


def _read_flag(cell: str) -> Any:
    return _FLAGS.get(cell.strip().lower(), cell)


def split_at(separator: str | None) -> Read:
    """Returns a reader of lists of texts: JSON, or items between semicolons or the separator of the map."""

    def read(cell: str) -> Any:
        if cell.lstrip().startswith("["):
            return _read_json(cell)
        return [item for part in cell.split(separator or ";") if (item := part.strip())]

    return read


def _read_json(cell: str) -> Any:
    faults = Faults()
    value = read_json(cell.strip().encode(), "", faults)
    if faults.count:
        raise ValueError(faults.shown[0].message)
    return value


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
    """Returns a reader of dates, which gives them in ISO 8601 with an offset. Months have English or German names.

    `form`: of `datetime.strptime`, or several, or the order of day and month, which may be usual in the zone too.
    Without one a date is read that can only mean one day. `on_unzoned` is called for a time without a zone if there is
    no `zone`.
    """
    place = ZoneInfo(zone or "UTC")
    usual = "" if zone is None else "month first" if zone.startswith(("America/", "US/")) else "day first"
    order = form if isinstance(form, str) and form in _ORDERS else usual
    forms = [] if form is None or form == order else [form] if isinstance(form, str) else form

    def read(cell: str) -> str:
        text = cell.strip()
        found = _dates_of_forms(text, forms) if forms else _dates(text, order)
        if len(found) != 1 and forms:
            raise ValueError(f"{text[:50]!r} is no date of the form {' or '.join(forms)}, which the map gives")
        if len(found) != 1:
            ways = "'day first' or 'month first', its form or a zone"
            raise ValueError(f"{text[:50]!r} may mean several days or none: give {ways} in a map file")
        day = found.pop()
        if day.tzinfo is None and zone is None and day.time() != time.min:
            on_unzoned()
        return (day if day.tzinfo else day.replace(tzinfo=place)).isoformat()

    return read


def _dates_of_forms(text: str, forms: Sequence[str]) -> set[datetime]:
    text = _MONTH.sub(lambda name: _SHORT[name[0].lower()], text)
    for form in forms:
        with suppress(ValueError):
            return {datetime.strptime(text, form.replace("%B", "%b"))}
    return set()


def _dates(text: str, order: str) -> set[datetime]:
    """Returns what the text may mean."""
    with suppress(ValueError):
        return {datetime.fromisoformat(text)}
    bases = _BASES[:1] if _WHOLE_DATE.match(text) else _BASES
    firsts = [False] if _YEAR_FIRST.match(text) else [True] if _DAY_FIRST.match(text) else _ORDERS[order]
    try:
        return {_PARSER.parse(text, default=base, dayfirst=first, tzinfos=_zone) for first in firsts for base in bases}
    except (ValueError, OverflowError):
        return set()


def _zone(name: str | None, offset: int | None) -> timezone | None:
    if name and offset is None:
        raise ValueError("A zone is given by its offset")
    return None if offset is None else timezone(timedelta(seconds=offset))


def read_host(cell: str) -> str:
    """Returns the domain of the address of a website or of an e-mail. Raises ValueError if it has none."""
    first = re.split(r"[,;]", cell)[0].strip().lower()
    host = _HOST.sub(r"\1", first).rpartition("@")[2]
    if host and not _DOMAIN.fullmatch(host):
        raise ValueError(f"{cell.strip()[:80]!r} is no domain, no website and no e-mail address")
    return host
