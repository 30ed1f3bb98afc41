"""Composes records from events, with one record in memory at a time."""

import math
from collections.abc import Iterator
from typing import Any, Protocol

from sightline.platform.file_section import Faults
from sightline.platform.wire import DEEPEST
from sightline.workspace_file.events import MERGE, Event, NotReadable

_INT64 = 2**63


class Sink(Protocol):
    """Receives the parts of a file as they are read."""

    lists: frozenset[str]

    def knows(self, name: str) -> bool: ...

    def begin(self, list: str) -> None: ...

    def record(self, list: str, path: str, index: int, parent: int, value: Any) -> None: ...

    def part(self, name: str, value: Any) -> None: ...


class _Nothing:
    """A sink without lists."""

    lists: frozenset[str] = frozenset()

    def knows(self, name: str) -> bool:
        return False

    def begin(self, list: str) -> None: ...

    def record(self, list: str, path: str, index: int, parent: int, value: Any) -> None: ...

    def part(self, name: str, value: Any) -> None: ...


def compose_value(events: Iterator[Event], path: str, faults: Faults, level: int = 1) -> Any:
    """Reads a single value. `level`: the level of the value in its record, which is level 1. Raises NotReadable."""
    composer = Composer(events, _Nothing(), faults)
    value = composer.value(path, level)
    for _ in events:
        raise NotReadable("The file continues after its end.")
    return value


class Composer:
    """Reads a whole file once. Items of the sink's lists are passed on one by one, other parts whole."""

    def __init__(self, events: Iterator[Event], sink: Sink, faults: Faults) -> None:
        self.events = events
        self.sink = sink
        self.faults = faults
        self.counts: dict[str, int] = {}
        self.where = ""  # the current record, for faults of the file's format

    def read(self) -> None:
        """Reads the file. Raises NotReadable."""
        event, _ = next(self.events, ("null", None))
        if event != "start_map":
            raise NotReadable("The file has to be a mapping with `workspace` in it.")
        seen: set[str] = set()
        while (key := self._next_key()) is not None:
            self._note_repeated(key, seen, "")
            self.where = key
            self._member(key)
        self.where = ""
        for _ in self.events:
            raise NotReadable("Something follows after the end of the file's mapping.")

    def _member(self, key: str) -> None:
        event, value = self._next()
        if not self.sink.knows(key):
            self._pass_over(event, key)
            self.faults.add(key, "Unknown field")
        elif event == "start_array" and key in self.sink.lists:
            self._records(key, key, -1)
        elif event == "start_map" and any(name.startswith(f"{key}.") for name in self.sink.lists):
            self.sink.part(key, self._holder(key, key, -1))
        else:
            self.sink.part(key, self._value(event, value, key, 1))

    def _pass_over(self, event: str, path: str) -> None:
        depth = 0
        while True:
            depth += {"start_map": 1, "start_array": 1, "end_map": -1, "end_array": -1}.get(event, 0)
            _check_depth(path, depth)
            if depth == 0:
                return
            event, _ = self._next()

    def _records(self, list: str, path: str, parent: int) -> None:
        holds_lists = any(name.startswith(f"{list}.") for name in self.sink.lists)
        start = self.counts.get(list, 0)
        self.sink.begin(list)
        while (found := self._next())[0] != "end_array":
            index = self.counts.get(list, 0)
            self.counts[list] = index + 1
            here = self.where = f"{path}[{index - start}]"
            if holds_lists and found[0] == "start_map":
                value: Any = self._holder(list, here, index)
            else:
                value = self._value(*found, here, 1)
            self.sink.record(list, here, index, parent, value)

    def _holder(self, list: str, path: str, index: int) -> dict[str, Any]:
        """Reads a mapping. Members that are lists of records go to the sink."""
        members: dict[str, Any] = {}
        seen: set[str] = set()
        while (key := self._next_key()) is not None:
            self._note_repeated(key, seen, path)
            event, value = self._next()
            if event == "start_array" and f"{list}.{key}" in self.sink.lists:
                self._records(f"{list}.{key}", f"{path}.{key}", index)
            else:
                members[key] = self._value(event, value, f"{path}.{key}", 2)
        return members

    def _next(self) -> Event:
        try:
            return next(self.events)
        except StopIteration:
            raise NotReadable("The file ends too early.") from None

    def _next_key(self) -> str | None:
        event, key = self._next()
        if event == "end_map":
            return None
        if key is MERGE:
            raise NotReadable("A merge key `<<` is allowed only inside records.")
        return str(key)

    def _note_repeated(self, key: str, seen: set[str], path: str) -> None:
        if key in seen:
            self.faults.add(f"{path}.{key}" if path else key, "Is here twice")
        seen.add(key)

    def value(self, path: str, level: int) -> Any:
        """Returns the next value."""
        return self._value(*self._next(), path, level)

    def _value(self, event: str, value: Any, path: str, depth: int) -> Any:
        if event == "start_map":
            return self._map(path, depth)
        if event == "start_array":
            return self._array(path, depth)
        if event == "number":
            return self._number(value, path)
        if event == "string" and "\x00" in value:
            self.faults.add(path, "A text must not hold NUL")
            return value.replace("\x00", "?")  # not empty, as an empty text could be a second fault
        return value

    def _number(self, value: Any, path: str) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            self.faults.add(path, "The number is too large")
            return 0
        if isinstance(value, int) and not -_INT64 <= value < _INT64:
            self.faults.add(path, "The number is too large")
            return 0
        return value

    def _map(self, path: str, depth: int) -> dict[str, Any]:
        _check_depth(path, depth)
        members: dict[Any, Any] = {}
        while (found := self._next())[0] != "end_map":
            key = found[1]
            if key in members or (isinstance(key, str) and "\x00" in key):
                self.faults.add(f"{path}.{key}", "Is here twice" if key in members else "Holds NUL")
            below = "<<" if key is MERGE else key
            event, value = self._next()
            if event == "string" and "\x00" not in value:
                members[key] = value
            else:
                members[key] = self._value(event, value, f"{path}.{below}", depth + 1)
        return self._merged(members, path) if MERGE in members else members

    def _array(self, path: str, depth: int) -> list[Any]:
        _check_depth(path, depth)
        items: list[Any] = []
        while (found := self._next())[0] != "end_array":
            items.append(self._value(*found, f"{path}[{len(items)}]", depth + 1))
        return items

    def _merged(self, members: dict[Any, Any], path: str) -> dict[str, Any]:
        taken = members.pop(MERGE)
        merged: dict[str, Any] = {}
        for part in taken if isinstance(taken, list) else [taken]:
            if not isinstance(part, dict):
                self.faults.add(f"{path}.<<", "Has to name a mapping")
                continue
            for key, value in part.items():
                merged.setdefault(key, value)
        return merged | members


def _check_depth(path: str, depth: int) -> None:
    if depth > DEEPEST:
        raise NotReadable(f"The file is nested too deeply: more than {DEEPEST} levels at {path[:200]}.")
