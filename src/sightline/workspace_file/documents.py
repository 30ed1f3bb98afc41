"""Reads a workspace file: JSON of any size value by value, YAML of up to 16 MiB as a whole."""

import codecs
import json
import re
import tempfile
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

import yaml

from sightline.workspace_file.values import DECODER, Members, read_members

LARGEST_YAML = 16 * 1024 * 1024
LARGEST_VALUE = 256 * 1024 * 1024
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
        self._yaml: dict[str, list[Item]] = {}
        self._starts: dict[str, int] = {}

    def close(self) -> None:
        self._file.close()

    def items(self) -> Iterator[Item]:
        """Yields every value, in the order of the file; a list also as such, empty, ahead of its items.

        Raises Unreadable.
        """
        self._file.seek(0)
        if not _JSON_START.match(self._file.read(4096)):
            for item in self._parts(_read_yaml(self._file), ""):
                self._yaml.setdefault(item.list or "", []).append(item)
                yield item
            return
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
            yield from islice(JsonReader(self._file, self.lists, self.groups).list(list), 1, None)
        yield from self._yaml.get(list, [])[1:]

    def _parts(self, found: dict[str, Any], above: str) -> Iterator[Item]:
        if isinstance(found, Members):
            yield Item(above[:-1], None, found)
        for name, value in found.items():
            path = f"{above}{name}"
            if path in self.groups and isinstance(value, dict):
                inside = {key: each for key, each in value.items() if f"{path}.{key}" in self.lists}
                yield from self._parts(inside, f"{path}.")
                yield Item(path, None, {key: each for key, each in value.items() if key not in inside})
            elif path in self.lists and isinstance(value, list):
                yield Item(path, path, [])
                yield from (Item(f"{path}[{index}]", path, each, index) for index, each in enumerate(value))
            else:
                yield Item(path, None, value)


class JsonReader:
    """The values of a JSON document, of which only one is in memory."""

    def __init__(self, file: BinaryIO, lists: Collection[str], groups: Collection[str]) -> None:
        self.file = file
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
                value, end = DECODER.raw_decode(self.text, self.at)
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


def _mapping(loader: Any, node: Any) -> dict[str, Any]:
    """Makes a mapping, in which own names count before merged ones, and a name that is given twice is noted."""
    names = [key.value for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
    loader.flatten_mapping(node)
    pairs = [(key.value, loader.construct_object(value, deep=True)) for key, value in node.value]
    if len(set(names)) < len(names):
        return read_members(pairs)
    return dict(pairs)


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
_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)
_MANY_ON_A_LINE = re.compile(rb"(?:[-?:\[{]\s*){101}")
_LONGEST_REPEATED = 4  # times the largest file


def _read_yaml(file: BinaryIO) -> dict[str, Any]:
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
        _YamlCheck().look(node)
        found: dict[str, Any] = loader.construct_document(node)
    except yaml.YAMLError as error:
        raise Unreadable("", f"The file is not YAML: {' '.join(str(error).split())[:300]}") from None
    except (RecursionError, ValueError) as error:
        raise Unreadable("", f"The file is nested too deeply or has too large a number: {str(error)[:100]}") from None
    finally:
        loader.dispose()
    return found


class _YamlCheck:
    """Finds names that are no words, and aliases that repeat more than a file could hold."""

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}

    def look(self, node: Any) -> int:
        """Returns the size of a node as it would be without aliases."""
        if (known := self._sizes.get(id(node))) is not None:
            return known
        self._sizes[id(node)] = 0  # a node inside itself
        if isinstance(node, yaml.ScalarNode):
            size = len(node.value) + 1
        elif isinstance(node, yaml.SequenceNode):
            size = 1 + sum(map(self.look, node.value))
        else:
            size = 1 + sum(self.look(key) + self.look(value) for key, value in node.value)
            if not all(isinstance(key, yaml.ScalarNode) for key, _ in node.value):
                line = node.start_mark.line + 1
                raise Unreadable("", f"The file has a name that is no plain word, in line {line}")
        if size > _LONGEST_REPEATED * LARGEST_YAML:
            raise Unreadable("", "The file has aliases that repeat too much")
        self._sizes[id(node)] = size
        return size
