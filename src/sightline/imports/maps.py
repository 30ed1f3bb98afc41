"""The map of an import: which columns fill which fields, and how their cells are read."""

from collections.abc import Container, Iterable
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import yaml
from msgspec import Struct

from sightline.platform.errors import Fault, ValidationFailed
from sightline.platform.faults import faults_in

_FOLDER = Path(__file__).parent
_LARGEST = 1024 * 1024


class Map(Struct, forbid_unknown_fields=True, kw_only=True):
    """`columns`: header to field, empty to leave it out. `values`: by field, their label to ours. `dates`: by field.

    `constants`: the same cell in every line. `html`: fields whose HTML becomes text. `lists`: by field, the separator.
    `wiki`: fields whose wiki markup of Jira becomes text. `empty`: what a cell has instead of nothing. `leave_out`: by
    field, the value of records that the tool has deleted.
    `required`: headers that CSV has to have. `tool`: whose functions prepare the rows; `kind`: what it exports;
    `tool_columns`: the columns of its export, of which several may fill a field.
    """

    columns: dict[str, str] = {}
    values: dict[str, dict[str, str]] = {}
    dates: dict[str, str | list[str]] = {}
    zone: str | None = None
    constants: dict[str, str] = {}
    ignore: list[str] = []
    html: list[str] = []
    lists: dict[str, str] = {}
    wiki: list[str] = []
    empty: str = ""
    leave_out: dict[str, str] = {}
    required: list[str] = []
    tool_columns: dict[str, str] = {}
    tool: str | None = None
    kind: str | None = None

    def missing(self, present: Container[str]) -> list[str]:
        """Returns the headers of the user's map that a file does not have. `present`: its headers, as `folded`."""
        return [name for name, field in self.columns.items() if field and folded(name) not in present]


def read_map(data: bytes, name: str) -> Map:
    """Reads the YAML of a map. Raises ValidationFailed."""
    if len(data) > _LARGEST:
        raise ValidationFailed([Fault(name, "Is larger than 1 MiB")])
    try:
        found: Any = yaml.load(data, Loader=yaml.CBaseLoader) or {}  # noqa: S506 - makes texts, lists and mappings only
        read = msgspec.convert(found, Map)
        ZoneInfo(read.zone or "UTC")
    except (yaml.YAMLError, RecursionError) as error:
        raise ValidationFailed([Fault(name, f"Is not YAML: {' '.join(str(error).split())[:300]}")]) from None
    except msgspec.ValidationError:
        raise ValidationFailed(
            [Fault(f"{name}: {one.path}", one.message) for one in faults_in(Map, found, "")]
        ) from None
    except (KeyError, ValueError, OSError):
        raise ValidationFailed([Fault(name, "The zone is unknown: give one such as Europe/Berlin")]) from None
    return read


def map_of_pairs(pairs: Iterable[str]) -> Map:
    """Reads `Title=name`, once for each column. Raises ValidationFailed."""
    columns = {}
    for pair in pairs:
        header, equals, field = pair.rpartition("=")
        if not equals or not header.strip():
            raise ValidationFailed([Fault("--map", f"{pair!r} is not COLUMN=FIELD")])
        columns[header.strip()] = field.strip()
    return Map(columns=columns, required=[header for header, field in columns.items() if field])


def map_of_tool(name: str) -> Map:
    found = read_map((_FOLDER / "tools" / f"{name}.yaml").read_bytes(), name)
    return msgspec.structs.replace(found, columns={}, tool_columns=found.columns)


def joined(map: Map, later: Map) -> Map:
    """Returns one map; what the later map says wins. Its labels of a field are added to the earlier ones."""
    found: dict[str, Any] = msgspec.structs.asdict(map)
    for name, value in msgspec.structs.asdict(later).items():
        before = found[name]
        if name == "values":
            found[name] = before | {field: _labels(before.get(field, {}), value[field]) for field in value}
        elif isinstance(value, dict | list):
            found[name] = before | value if isinstance(value, dict) else before + value
        else:
            found[name] = value or before
    return Map(**found)


def _labels(before: dict[str, str], later: dict[str, str]) -> dict[str, str]:
    """Adds labels. Case does not count."""
    given = {label.casefold() for label in later}
    return {label: ours for label, ours in before.items() if label.casefold() not in given} | later


@cache
def _names() -> dict[str, Any]:
    found: dict[str, Any] = yaml.load((_FOLDER / "names.yaml").read_bytes(), Loader=yaml.CBaseLoader)  # noqa: S506 - as above
    return found


def common_names(kind: str) -> dict[str, str]:
    """Returns the fields of a kind by the names that other tools give to them, as `folded` returns these."""
    return {folded(name): field for field, others in _names().get(kind, {}).items() for name in others}


def list_names(kind: str) -> set[str]:
    """Returns the names that other tools give to files of a kind, and to lists in JSON."""
    return set(_names()["lists"][kind])


def month_names() -> list[list[str]]:
    """Returns the names of the months, in full and shortened; first the one that `strptime` reads."""
    found: list[list[str]] = _names()["months"]
    return found


def folded(name: str) -> str:
    """Returns a header without case, spaces and underscores."""
    return "".join(name.casefold().replace("_", " ").split())
