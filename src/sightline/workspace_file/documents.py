"""Reads a workspace file: JSON of any size value by value; YAML of up to 16 MiB is first written as JSON."""

import codecs
import json
import math
import re
from collections.abc import Collection, Iterator
from io import BytesIO
from typing import Any, BinaryIO, NamedTuple

import yaml

from sightline.workspace_file.values import DECODER, Repeated

LARGEST_YAML = 16 * 1024 * 1024
LARGEST_VALUE = 256 * 1024 * 1024
_HEAD = 4096
_PIECE = 1024 * 1024
_NEAR = 16  # characters before the end of what is read in which an error may be the end itself
_SPACE = re.compile(r"[ \t\n\r]*")
_JSON_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*(?:[\"}]|\Z)|\[)")


class Unreadable(Exception):
    """The file is not JSON or YAML. `path`: where it stops, for example `ideas[7]`."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path


class Item(NamedTuple):
    """A value of the file: its path, and the list that it is an item of, None for a value that is no item.

    `place` is -1 for the list itself.
    """

    path: str
    list: str | None
    value: Any
    place: int = -1


def read_items(source: BinaryIO, lists: Collection[str]) -> Iterator[Item]:
    """Yields every value, in the order of the file; one of `lists` first as such, empty, then item by item.

    Raises Unreadable.
    """
    head = b""
    while len(head) < _HEAD and (piece := source.read(_HEAD)):
        head += piece
    if not _JSON_START.match(head):
        while len(head) <= LARGEST_YAML and (piece := source.read(_PIECE)):
            head += piece
        source, head = BytesIO(_json_of_yaml(head)), b""
    yield from JsonReader(source, lists, head).items()


class JsonReader:
    """The values of a JSON document, of which only one is in memory. `head`: what was read of the file already."""

    def __init__(self, file: BinaryIO, lists: Collection[str], head: bytes = b"") -> None:
        self.file = file
        self.lists = lists
        self.groups = {name.partition(".")[0] for name in lists if "." in name} - set(lists)
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self.text = ""
        self.at = 0
        self.line = 1
        self.where = ""
        self._head = head
        self._is_ended = False

    def items(self) -> Iterator[Item]:
        yield from self._object("")
        if self._peek():
            self._refuse("is not JSON: something follows its end")

    def _object(self, above: str) -> Iterator[Item]:
        """Yields the members of an object whose lists are read item by item; its other members as one value."""
        if self._peek() != "{":
            self._refuse("has to be a mapping, with `workspace` and lists")
        self.at += 1
        names: set[str] = set()
        found: dict[str, Any] = {}
        while self._peek() != "}":
            if names:
                self._take(",")
            name = self._value()
            if not isinstance(name, str) or name in names:
                self._refuse("is not JSON: expected a name that is not here yet")
            self._take(":")
            self.where = path = above + name
            names.add(name)
            if path in self.lists and self._peek() == "[":
                yield from self.list(path)
            elif path in self.groups and self._peek() == "{":
                yield from self._object(f"{path}.")
            elif above:
                found[name] = self._value()
            else:
                yield Item(path, None, self._value())
        self.at += 1
        if above:
            yield Item(above[:-1], None, found)

    def list(self, path: str) -> Iterator[Item]:
        """Yields the list, then its items. The next character has to be its bracket."""
        self._peek()
        yield Item(path, path, [])
        self.at += 1
        index = 0
        while self._peek() != "]":
            if index:
                self._take(",")
            self.where = f"{path}[{index}]"
            yield Item(self.where, path, self._value(), index)
            index += 1
        self.at += 1

    def _peek(self) -> str:
        """Returns the next character that is not white space, empty at the end."""
        while True:
            self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]  # matches an empty text
            if self.at < len(self.text) or not self._more():
                return self.text[self.at : self.at + 1]

    def _take(self, mark: str) -> None:
        if self._peek() != mark:
            self._refuse(f"is not JSON: expected {mark!r}")
        self.at += 1

    def _more(self) -> bool:
        """Reads at least as much as is left, so that a long value is not tried too often."""
        if self._is_ended:
            return False
        left = self.text[self.at :]
        if len(left) > LARGEST_VALUE:
            self._refuse(f"has a value of more than {LARGEST_VALUE // 1024 // 1024} MiB")
        self.line += self.text.count("\n", 0, self.at)
        data, self._head = self._head or self.file.read(max(_PIECE, len(left))), b""
        self._is_ended = not data
        try:
            self.text, self.at = left + self._decode.decode(data, not data), 0
        except UnicodeDecodeError:
            self._refuse("is not JSON: not UTF-8")
        return True

    def _value(self) -> Any:
        if not self._peek():
            self._refuse("ends early")
        while True:
            try:
                value, end = DECODER.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                may_go_on = error.msg.startswith("Unterminated") or error.pos >= len(self.text) - _NEAR
                if not (may_go_on and self._more()):
                    self._refuse(f"is not JSON: {error.msg}", error.pos)
            except RecursionError:
                self._refuse("is nested too deeply")
            except ValueError as error:
                self._refuse(f"has {error if isinstance(error, Repeated) else 'too large a number'}")
            else:
                if end < len(self.text) or not self._more():
                    self.at = end
                    return value

    def _refuse(self, problem: str, at: int | None = None) -> None:
        line = self.line + self.text.count("\n", 0, self.at if at is None else at)
        raise Unreadable(self.where, f"The file {problem}, in line {line}")


class _Loader(yaml.CSafeLoader):
    """The safe loader, with the plain words of YAML 1.2: `no` is a text, and so is a date. Refuses repeated names."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - as in the class above

    merged = 0

    def flatten_mapping(self, node: Any) -> None:
        """Replaces each `<<` by the names that it merges, each name once: merges of merges would multiply."""
        names = set()
        for name in (key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if name in names:
                raise yaml.constructor.ConstructorError(None, None, f"{name!r} is here twice", node.start_mark)
            names.add(name)
        merging = [value for key, value in node.value if key.tag == _MERGE]
        for value in merging:
            for one in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                self._prepare_to_merge(one)
        super().flatten_mapping(node)
        if merging:
            pairs = {key.value if isinstance(key, yaml.ScalarNode) else key: (key, value) for key, value in node.value}
            node.value = list(pairs.values())

    def _prepare_to_merge(self, node: Any) -> None:
        if isinstance(node, yaml.MappingNode):
            self.flatten_mapping(node)
            self.merged += 1 + len(node.value)
            if self.merged > _MOST_MERGED:
                raise Unreadable("", "The file has aliases that repeat too much")


_WORDS = {
    "bool": r"true|True|TRUE|false|False|FALSE",
    "null": r"~|null|Null|NULL|",
    "int": r"[-+]?[0-9]+",
    "float": r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?",
    "merge": r"<<",
}
for _name, _pattern in _WORDS.items():
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(rf"(?:{_pattern})\Z"), None)
_Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))
_Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))
_MANY_ON_A_LINE = re.compile(rb"(?:[-?:\[{]\s*){101}")
_LONGEST_REPEATED = 4  # times the largest file
_MERGE = "tag:yaml.org,2002:merge"
_MOST_MERGED = 1_000_000  # names


def _json_of_yaml(data: bytes) -> bytes:
    if len(data) > LARGEST_YAML:
        raise Unreadable("", f"The file is larger than {LARGEST_YAML // 1024 // 1024} MiB of YAML: use JSON")
    try:
        if _MANY_ON_A_LINE.search(data):
            raise RecursionError
        found = yaml.load(data.removeprefix(codecs.BOM_UTF8), Loader=_Loader)  # noqa: S506 - a safe loader
        if not isinstance(found, dict):
            raise Unreadable("", "The file has to be a mapping, with `workspace` and lists")
        if _length(found, {}) > _LONGEST_REPEATED * LARGEST_YAML:
            raise Unreadable("", "The file has aliases that repeat too much")
        return json.dumps(found).encode()
    except yaml.YAMLError as error:
        raise Unreadable("", f"The file is not YAML: {' '.join(str(error).split())[:300]}") from None
    except (RecursionError, TypeError, ValueError) as error:
        problem = "is nested too deeply, or has too large a number or a value that JSON has not"
        raise Unreadable("", f"The file {problem}: {str(error)[:100]}") from None


def _length(value: Any, known: dict[int, float]) -> float:
    """Returns about how many characters a value has with all that it repeats: endless if it has itself inside."""
    if not isinstance(value, dict | list):
        return len(value) if isinstance(value, str) else 1
    if id(value) not in known:
        known[id(value)] = math.inf
        inside = value if isinstance(value, list) else [*value, *value.values()]
        known[id(value)] = len(inside) + sum(_length(each, known) for each in inside)
    return known[id(value)]
