"""How a cell becomes a value: numbers, flags, dates, lists, JSON, text of HTML, and labels of the map."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import UNSET, inspect

from sightline.platform.file_section.entries import Faults
from sightline.platform.markup import has_html, without_html
from sightline.workspace_file.values import read_json

Read = Callable[[str, str, Faults], Any]

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]+([.,])[0-9]+", re.ASCII)
_THOUSANDS = re.compile(r"-?[0-9]{1,3}([., \u00a0'][0-9]{3})+", re.ASCII)
_WHOLE = re.compile(r"(-?[0-9]+)[.,]0+", re.ASCII)
_FLAGS = {"true": True, "false": False, "yes": True, "no": False}
_TEXT = (inspect.StrType, inspect.LiteralType, inspect.EnumType, inspect.AnyType, inspect.CustomType)
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
_ORDERS = {"month first": ("%m/%d/%Y", "%m/%d/%y"), "day first": ("%d/%m/%Y", "%d/%m/%y", "%d-%m-%Y")}


def alternatives(type: inspect.Type) -> list[inspect.Type]:
    """Returns the types of a field without null. A type with examples for the documentation counts as that type."""
    types = type.types if isinstance(type, inspect.UnionType) else (type,)
    plain: Iterator[inspect.Type] = (one.type if isinstance(one, inspect.Metadata) else one for one in types)
    return [one for one in plain if not isinstance(one, inspect.NoneType)]


def is_json_list(type: inspect.Type) -> bool:
    one = alternatives(type)[0]
    return isinstance(one, inspect.ListType) and not _has_texts(one)


def _has_texts(type: inspect.ListType) -> bool:
    return any(isinstance(item, _TEXT) for item in alternatives(type.item_type))


def reader_of(type: inspect.Type) -> Read:
    one = alternatives(type)[0]
    if isinstance(one, _TEXT):
        return keep
    if isinstance(one, inspect.IntType | inspect.FloatType):
        return _number_reader(is_whole=isinstance(one, inspect.IntType))
    if isinstance(one, inspect.ListType):
        return split_at(None) if _has_texts(one) else _read_json
    return _read_flag if isinstance(one, inspect.BoolType) else _read_json


def keep(cell: str, path: str, faults: Faults) -> Any:
    return cell


def _number_reader(*, is_whole: bool) -> Read:
    """Returns a reader of numbers. All numbers of a column have the decimal mark of the first one.

    A mark in a whole number stands between thousands, as in 1.204, or before nothing, as in 5,0.
    """
    mark = ""

    def read(cell: str, path: str, faults: Faults) -> Any:
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
                faults.add(path, f"{text!r} has another decimal mark than the numbers above it")
                return None
            text = text.replace(",", ".")
        return read_json(text.encode(), path, faults) if _NUMBER.fullmatch(text) else cell

    return read


def _read_flag(cell: str, path: str, faults: Faults) -> Any:
    return _FLAGS.get(cell.strip().lower(), cell)


def split_at(separator: str | None) -> Read:
    """Returns a reader of lists of texts: JSON, or items between semicolons or the separator of the map."""

    def read(cell: str, path: str, faults: Faults) -> Any:
        if cell.lstrip().startswith("["):
            return _read_json(cell, path, faults)
        return [item for part in cell.split(separator or ";") if (item := part.strip())]

    return read


def _read_json(cell: str, path: str, faults: Faults) -> Any:
    return read_json(cell.strip().encode(), path, faults)


def plain(read: Read, *, always: bool) -> Read:
    def read_text(cell: str, path: str, faults: Faults) -> Any:
        return read(without_html(cell) if always or has_html(cell) else cell, path, faults)

    return read_text


def translated(read: Read, labels: Mapping[str, str]) -> Read:
    by_fold = {label.casefold(): ours for label, ours in labels.items()}

    def read_label(cell: str, path: str, faults: Faults) -> Any:
        ours = labels.get(cell.strip(), by_fold.get(cell.strip().casefold(), cell))
        return read(ours, path, faults) if ours else UNSET

    return read_label


def moment_reader(form: str | None, zone: str | None) -> Callable[[str], str]:
    """Returns a function that reads a date and returns it in ISO 8601, with an offset.

    `form`: of `datetime.strptime`. Without one: ISO, then forms that can only mean one day, and those of an order of
    day and month, which is given in place of a form or is usual in the zone. The function raises ValueError.
    """
    place = ZoneInfo(zone or "UTC")
    usual = "" if zone is None else "month first" if zone.startswith(("America/", "US/")) else "day first"
    order, form = (form, None) if form in _ORDERS else (usual, form)
    forms = [form] if form else [day + time for day in (*_ALWAYS, *_ORDERS.get(order, ())) for time in _TIMES]

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
        ways = "'day first' or 'month first', its form or a zone"
        raise ValueError(f"{text[:50]!r} may mean several days or none: give {ways} in a map file")

    return read


def _read_iso(text: str, place: ZoneInfo) -> str:
    """Returns the text with an offset; a plain date counts as its midnight in the zone."""
    if _UTC.search(text):
        return _UTC.sub("", text) + "Z"
    if _OFFSET.search(text[10:]):
        return text
    return datetime.fromisoformat(text).replace(tzinfo=place).isoformat()
