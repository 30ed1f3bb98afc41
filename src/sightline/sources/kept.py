"""What is kept in memory for a while, so that hosts are asked once."""

from time import monotonic
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """Values that are good for some seconds; of more than `most` the oldest is forgotten."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._values: dict[Key, tuple[Value, float]] = {}

    def find(self, key: Key) -> Value | None:
        value, until = self._values.get(key, (None, 0.0))
        return value if until >= monotonic() else None

    def keep(self, key: Key, value: Value) -> None:
        self._values.pop(key, None)
        self._values[key] = value, monotonic() + self._seconds
        if len(self._values) > self._most:
            del self._values[next(iter(self._values))]
