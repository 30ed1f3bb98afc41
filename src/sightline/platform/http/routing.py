"""Finds the operation of a request by its path and method."""

import re
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from sightline.platform.errors import MethodNotAllowed
from sightline.platform.http.endpoint import Endpoint

App = Callable[[Any, Any, Any], Awaitable[None]]


@dataclass(slots=True)
class _Step:
    """A place in the paths: the steps below it by name, the one that takes any text, the operations that end here."""

    named: dict[str, "_Step"] = field(default_factory=dict)
    any: "_Step | None" = None
    methods: dict[str, Endpoint] = field(default_factory=dict)

    def find(self, path: list[str]) -> tuple[dict[str, Endpoint], list[str]] | None:
        """Returns the operations at a path below this place, by method, and the texts of the path's parameters."""
        if not path:
            return (self.methods, []) if self.methods else None
        text, *rest = path
        if (step := self.named.get(text)) is not None and (found := step.find(rest)) is not None:
            return found
        if self.any is None or not text or (found := self.any.find(rest)) is None:
            return None
        methods, texts = found
        return methods, [text, *texts]


class Api:
    """The operations below a prefix; what is not there is answered by `otherwise`.

    A name goes before a parameter in its place. Finding costs the same however many operations there are: Starlette's
    Router tries one route after the other, 0.8 us each.
    """

    def __init__(self, prefix: str, endpoints: Iterable[Endpoint], otherwise: App) -> None:
        self._prefix = f"{prefix}/"
        self._otherwise = otherwise
        self._root = _Step()
        for endpoint in endpoints:
            methods = self._end_of(endpoint.operation.path).methods
            methods[endpoint.operation.method] = endpoint
            if endpoint.operation.method == "GET":
                methods["HEAD"] = endpoint

    def _end_of(self, path: str) -> _Step:
        step = self._root
        for name in path.removeprefix("/").split("/"):
            if re.fullmatch(r"\{\w+\}", name):
                step.any = step.any or _Step()
                step = step.any
            else:
                step = step.named.setdefault(name, _Step())
        return step

    def __call__(self, scope: Any, receive: Any, send: Any) -> Awaitable[None]:
        """Raises MethodNotAllowed."""
        if scope["type"] != "http" or not scope["path"].startswith(self._prefix):
            return self._otherwise(scope, receive, send)
        found = self._root.find(scope["path"][len(self._prefix) :].split("/"))
        if found is None:
            return self._otherwise(scope, receive, send)
        methods, scope["path_texts"] = found
        endpoint = methods.get(scope["method"])
        if endpoint is None:
            raise MethodNotAllowed(", ".join(sorted(methods)))
        return endpoint(scope, receive, send)
