"""Reads a workspace file: JSON of any size value by value; YAML of up to 16 MiB is first written as JSON."""

import codecs
import json
import re
import tempfile
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

import yaml

from sightline.workspace_file.values import DECODER, Members, read_members

LARGEST_YAML = 16 * 1024 * 1024
LARGEST_VALUE = 256 * 1024 * 1024
_PIECE = 1024 * 1024
_NEAR = 16  # characters before the end of what is read in which an error may be the end itself
_FAST_DECODER = json.JSONDecoder()  # does not look for names that are given twice
_SPACE = re.compile(r"[ \t\n\r]*")
_JSON_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*(?:[\"}]|\Z)|\[)")


class Unreadable(Exception):
    """The file is not JSON or YAML. `path`: where it stops, for example `ideas[7]`."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path


class Item(NamedTuple):
    """A value of the file: its path, the list that it is an item of, and the length of its text if that is known.

    `list` is None for a value that is no item. `place` is -1 for the list itself.
    """

    path: str
    list: str | None
    value: Any
    place: int = -1
    size: int = 0


class Document:
    """A file that can be read several times. `lists`: the lists that are read item by item."""

    def __init__(self, source: BinaryIO, lists: Collection[str]) -> None:
        self.lists = lists
        self.groups = {name.partition(".")[0] for name in lists if "." in name} - set(lists)
        self._file: Any = tempfile.TemporaryFile(prefix="sightline-")  # noqa: SIM115 - see close()
        while piece := source.read(_PIECE):
            self._file.write(piece)
        self._starts: dict[str, int] = {}

    def close(self) -> None:
        self._file.close()

    def items(self) -> Iterator[Item]:
        """Yields every value, in the order of the file; a list also as such, empty, ahead of its items.

        Raises Unreadable.
        """
        self._file.seek(0)
        if not _JSON_START.match(self._file.read(4096)):
            text = _json_of_yaml(self._file)
            self._file.seek(0)
            self._file.truncate()
            self._file.write(text.encode())
        self._file.seek(0)
        found = JsonReader(self._file, self.lists, self.groups)
        for item in found.items():
            if item.list and item.place < 0:
                self._starts[item.list] = found.offset()
            yield item

    def records(self, list: str) -> Iterator[Item]:
        """Yields the items of a list. Call it after `items`."""
        if list in self._starts:
            self._file.seek(self._starts[list])
            found = JsonReader(self._file, self.lists, self.groups, _FAST_DECODER)
            yield from islice(found.list(list), 1, None)


class JsonReader:
    """The values of a JSON document, of which only one is in memory."""

    def __init__(
        self, file: BinaryIO, lists: Collection[str], groups: Collection[str], decoder: json.JSONDecoder = DECODER
    ) -> None:
        self.file = file
        self.decoder = decoder
        self.lists = lists
        self.groups = groups
        self.text = ""
        self.at = 0
        self.size = 0
        self.line = 1
        self.where = ""
        self._is_ended = False
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()

    def items(self) -> Iterator[Item]:
        yield from self._object("")
        if self._peek():
            self._refuse("is not JSON: something follows its end")

    def _object(self, above: str) -> Iterator[Item]:
        """Yields the members of an object whose lists are read item by item; its other members as one value."""
        if self._peek() != "{":
            self._refuse("has to be a mapping, with `workspace` and lists")
        self.at += 1
        pairs: list[tuple[str, Any]] = []
        seen: list[tuple[str, Any]] = []
        while self._peek() != "}":
            if seen:
                self._take(",")
            name = self._value()
            if not isinstance(name, str):
                self._refuse("is not JSON: expected a name")
            self._take(":")
            self.where = path = above + name
            seen.append((name, None))
            if path in self.lists and self._peek() == "[":
                yield from self.list(path)
            elif path in self.groups and self._peek() == "{":
                yield from self._object(f"{path}.")
            elif above:
                pairs.append((name, self._value()))
            else:
                yield Item(path, None, self._value())
        self.at += 1
        if isinstance(twice := read_members(seen), Members):
            yield Item(above[:-1], None, twice)
        if above:
            yield Item(above[:-1], None, read_members(pairs))

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
            value = self._value()
            yield Item(self.where, path, value, index, self.size)
            index += 1
        self.at += 1

    def offset(self) -> int:
        """Returns how many bytes of the file stand before the next character."""
        unread = len(self.text[self.at :].encode()) + len(self._decode.getstate()[0])
        return int(self.file.tell()) - unread

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
        data = self.file.read(max(_PIECE, len(left)))
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
                value, end = self.decoder.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                may_go_on = error.msg.startswith("Unterminated") or error.pos >= len(self.text) - _NEAR
                if not (may_go_on and self._more()):
                    self._refuse(f"is not JSON: {error.msg}", error.pos)
            except RecursionError:
                self._refuse("is nested too deeply")
            except ValueError:
                self._refuse("has too large a number")
            else:
                if end < len(self.text) or not self._more():
                    self.size, self.at = end - self.at, end
                    return value

    def _refuse(self, problem: str, at: int | None = None) -> None:
        line = self.line + self.text.count("\n", 0, self.at if at is None else at)
        raise Unreadable(self.where, f"The file {problem}, in line {line}")


class _Loader(yaml.CSafeLoader):
    """The safe loader, with the plain words of YAML 1.2: `no` is a text, and so is a date."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - as in the class above


_WORDS = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("merge", r"<<", "<"),
)
for _name, _pattern, _first in _WORDS:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(rf"(?:{_pattern})\Z"), list(_first))
_Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))
_Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))
_MERGE = "tag:yaml.org,2002:merge"
_MANY_ON_A_LINE = re.compile(rb"(?:[-?:\[{]\s*){101}")
_LONGEST_REPEATED = 4  # times the largest file


def _json_of_yaml(file: BinaryIO) -> str:
    file.seek(0)
    data = file.read(LARGEST_YAML + 1)
    if len(data) > LARGEST_YAML:
        raise Unreadable("", f"The file is larger than {LARGEST_YAML // 1024 // 1024} MiB of YAML: use JSON")
    if _MANY_ON_A_LINE.search(data):
        raise Unreadable("", "The file is nested too deeply")
    loader = _Loader(data.removeprefix(codecs.BOM_UTF8))
    try:
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            raise Unreadable("", "The file has to be a mapping, with `workspace` and lists")
        return _Json(loader).text(node)
    except yaml.YAMLError as error:
        raise Unreadable("", f"The file is not YAML: {' '.join(str(error).split())[:300]}") from None
    except (RecursionError, TypeError, ValueError) as error:
        problem = "is nested too deeply, or has too large a number or a value that JSON has not"
        raise Unreadable("", f"The file {problem}: {str(error)[:100]}") from None
    finally:
        loader.dispose()


class _Json:
    """Writes nodes of YAML as JSON: what is repeated by an alias once, and a name as often as it is given."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader
        self._known: dict[int, str] = {}

    def text(self, node: Any) -> str:
        if id(node) not in self._known:
            self._known[id(node)] = "null"  # a node inside itself
            self._known[id(node)] = self._write(node)
        return self._known[id(node)]

    def _write(self, node: Any) -> str:
        if isinstance(node, yaml.ScalarNode):
            return json.dumps(self.loader.construct_object(node))
        if isinstance(node, yaml.SequenceNode):
            return self._joined("[", map(self.text, node.value), "]")
        if not all(isinstance(key, yaml.ScalarNode) for key, _ in node.value):
            raise Unreadable("", f"The file has a name that is no plain word, in line {node.start_mark.line + 1}")
        own = {key.value for key, _ in node.value}
        given = len([key for key, _ in node.value if key.tag != _MERGE])
        self.loader.flatten_mapping(node)
        merged = {
            key.value: (key, value) for key, value in node.value[: len(node.value) - given] if key.value not in own
        }
        pairs = [*merged.values(), *node.value[len(node.value) - given :]]
        return self._joined("{", (f"{json.dumps(key.value)}: {self.text(value)}" for key, value in pairs), "}")

    def _joined(self, start: str, parts: Iterable[str], end: str) -> str:
        found = list(parts)
        if sum(map(len, found)) > _LONGEST_REPEATED * LARGEST_YAML:
            raise Unreadable("", "The file has aliases that repeat too much")
        return f"{start}{', '.join(found)}{end}"
