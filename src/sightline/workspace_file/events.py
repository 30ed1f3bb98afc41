"""A workspace file, JSON or YAML, as a stream of events.

Events are those of ijson: start_map, map_key, end_map, start_array, end_array, and scalars with their value.
YAML is read by its core schema: `no` and dates are texts. A key `<<` merges another mapping.
"""

import math
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import ijson
import yaml
from yaml._yaml import CParser  # the C parser, which yields events one by one
from yaml.reader import ReaderError

from sightline.workspace_file.surrogates import LoneSurrogate, SurrogateWatch, Watched

Event = tuple[str, Any]

REPEATED_EVENTS = 200_000
REPEATED_CHARACTERS = 64 * 1024 * 1024
_CHUNK = 64 * 1024
_START = re.compile(rb'\s*\{\s*(["}]|\Z)')
_WHOLE = re.compile(r"[-+]?[0-9]+", re.ASCII)
_LONGEST_WHOLE = 30
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_WORDS: dict[str, Event] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), ("null", None)),
    **dict.fromkeys(("true", "True", "TRUE"), ("boolean", True)),
    **dict.fromkeys(("false", "False", "FALSE"), ("boolean", False)),
}
_TAGS = {"str", "int", "float", "bool", "null", "map", "seq"}


class Merge:
    """The key by which a mapping merges another one."""


MERGE: Final = Merge()


class NotReadable(Exception):
    """The file is not JSON or YAML. `has_place`: the message has the place, so the path is not added."""

    def __init__(self, message: str, *, has_place: bool = False) -> None:
        super().__init__(message)
        self.has_place = has_place


class _Whole:
    """A file whose first bytes can be read ahead."""

    def __init__(self, source: BinaryIO) -> None:
        self.source = source
        self.head = b""

    def look(self) -> bytes:
        """Returns the first bytes that are not white space."""
        while not self.head.strip() and (more := self.source.read(_CHUNK)):
            self.head = self.head[-8:] + more if not self.head.strip() else self.head + more
        return self.head

    def read(self, size: int = -1) -> bytes:
        if not self.head:
            return self.source.read(size)
        size = len(self.head) if size < 0 else size
        taken, self.head = self.head[:size], self.head[size:]
        return taken


def read_events(source: BinaryIO) -> Iterator[Event]:
    """Yields events. Raises NotReadable if the file ends early or is malformed."""
    whole = _Whole(source)
    head = whole.look().removeprefix(b"\xef\xbb\xbf")
    return _json_events(whole) if _START.match(head[: _CHUNK // 2]) else _yaml_events(whole)


def _json_events(source: Any) -> Iterator[Event]:
    if source.head.startswith(b"\xef\xbb\xbf"):
        source.head = source.head[3:]
    return json_events(source)


def json_events(source: Any) -> Iterator[Event]:
    """Yields the events of JSON. `source`: bytes or a binary file. Raises NotReadable."""
    try:
        if isinstance(source, bytes):
            SurrogateWatch().look(source)
        # Without use_float an integer with thousands of digits crashes the process.
        watched = source if isinstance(source, bytes) else Watched(source)
        yield from ijson.basic_parse(watched, buf_size=_CHUNK, use_float=True)
    except LoneSurrogate as error:
        raise NotReadable(f"The file holds {error}", has_place=True) from None
    except (ijson.JSONError, ValueError, OverflowError, ArithmeticError) as error:
        raise NotReadable(f"The file is not JSON: {_one_line(error)}") from error


def _one_line(error: BaseException) -> str:
    problem = error.args[0] if error.args else ""
    text = problem.decode("utf-8", "replace") if isinstance(problem, bytes) else str(problem)
    return " ".join(text.split())[:200] or type(error).__name__


def _yaml_events(source: Any) -> Iterator[Event]:
    parser = CParser(source)
    try:
        yield from _Translation(parser).events()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" in line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise NotReadable(f"The file is not YAML: {error.problem or error.context}{where}") from error
    except (yaml.YAMLError, UnicodeError, ValueError) as error:
        raise NotReadable(f"The file is not YAML: {_reader_fault(error)}") from error
    finally:
        parser.dispose()


def _reader_fault(error: BaseException) -> str:
    if isinstance(error, ReaderError):
        return f"{error.reason} at byte {error.position + 1}"
    return _one_line(error)


class _Translation:
    """Translates the events of a YAML parser. Anchored parts are stored and repeated at their aliases."""

    def __init__(self, parser: CParser) -> None:
        self.parser = parser
        self.anchors: dict[str, list[Event]] = {}
        self.lengths: dict[str, int] = {}  # characters of the texts under each anchor
        self.recording: list[tuple[str, int, list[Event]]] = []
        self.open: list[bool | None] = []  # None in a list; in a mapping whether a key is next
        self.repeated = 0
        self.repeated_characters = 0
        self.remembered = 0
        self.documents = 0

    def events(self) -> Iterator[Event]:
        while (event := self.parser.get_event()) is not None:
            for translated in self._translate(event):
                self._remember(translated, event)
                self._end_recordings()
                yield translated

    def _remember(self, translated: Event, event: Any) -> None:
        for _, _, kept in self.recording:
            kept.append(translated)
        self.remembered += len(self.recording)
        if self.remembered > REPEATED_EVENTS:
            raise _fault("too much is under anchors", event)

    def _translate(self, event: Any) -> list[Event]:
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            return self._start(event)
        if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self.open.pop()
            self._after_value()
            return [("end_map" if isinstance(event, yaml.MappingEndEvent) else "end_array", None)]
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if isinstance(event, yaml.DocumentStartEvent):
            self._next_document(event)
        return []

    def _next_document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            raise _fault("there is a second document", event)

    def _scalar(self, event: Any) -> list[Event]:
        _check_tag(event)
        if self._key_is_next():
            if event.anchor:
                raise _fault("a key carries an anchor", event)
            self.open[-1] = False
            merges = event.value == "<<" and event.implicit[0]
            return [("map_key", MERGE if merges else event.value)]
        resolved = _resolve(event)
        self._record(event.anchor)
        self._after_value()
        return [resolved]

    def _start(self, event: Any) -> list[Event]:
        _check_tag(event)
        if self._key_is_next():
            raise _fault("a key is not a plain word", event)
        self._record(event.anchor)
        is_map = isinstance(event, yaml.MappingStartEvent)
        self.open.append(True if is_map else None)
        return [("start_map" if is_map else "start_array", None)]

    def _alias(self, event: Any) -> list[Event]:
        if self._key_is_next():
            raise _fault("a key is not a plain word", event)
        if event.anchor not in self.anchors:
            raise _fault(f"nothing before is named &{event.anchor}", event)
        repeated = self.anchors[event.anchor]
        self.repeated += len(repeated)
        self.repeated_characters += self.lengths[event.anchor]
        if self.repeated > REPEATED_EVENTS or self.repeated_characters > REPEATED_CHARACTERS:
            raise _fault("aliases repeat too much", event)
        self._after_value()
        return repeated

    def _key_is_next(self) -> bool:
        return bool(self.open) and self.open[-1] is True

    def _after_value(self) -> None:
        if self.open and self.open[-1] is False:
            self.open[-1] = True

    def _record(self, anchor: str | None) -> None:
        if anchor:
            self.recording.append((anchor, len(self.open), []))

    def _end_recordings(self) -> None:
        while self.recording and len(self.open) <= self.recording[-1][1]:
            anchor, _, kept = self.recording.pop()
            self.anchors[anchor] = kept
            self.lengths[anchor] = sum(len(value) for _, value in kept if isinstance(value, str))


def _check_tag(event: Any) -> None:
    tag = event.tag
    if tag and tag != "!" and tag.removeprefix("tag:yaml.org,2002:") not in _TAGS:
        raise _fault(f"the tag {tag} is not known", event)


def _resolve(event: Any) -> Event:
    value: str = event.value
    if not event.implicit[0] or event.tag == "!":
        return ("string", value) if not event.tag or event.tag.endswith((":str", "!")) else _plain(value)
    return _plain(value)


def _plain(value: str) -> Event:
    if (word := _WORDS.get(value)) is not None:
        return word
    if value[0] in "-+.0123456789":
        if _WHOLE.fullmatch(value):
            return "number", int(value) if len(value) <= _LONGEST_WHOLE else math.inf
        if _FLOAT.fullmatch(value):
            return "number", float(value)
    return "string", value


def _fault(problem: str, event: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
