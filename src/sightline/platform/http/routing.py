"""Finds the operation of a request by its path and method."""

import re
from collections.abc import Awaitable, Iterable
from typing import Any

from starlette.types import ASGIApp

from sightline.platform.errors import MethodNotAllowed
from sightline.platform.http.endpoint import Endpoint

Shape = tuple[str, int]
Methods = dict[str, Endpoint]


class Api:
    """The operations below a prefix; `otherwise` answers all other requests.

    Tries only paths with the same first part and as many parts: `/ideas/search` before `/ideas/{ref}`. Starlette's
    Router tries all paths one after the other, 0.8 us each.
    """

    def __init__(self, prefix: str, endpoints: Iterable[Endpoint], otherwise: ASGIApp) -> None:
        self._prefix = f"{prefix}/"
        self._otherwise = otherwise
        self._paths: dict[Shape, dict[re.Pattern[str], Methods]] = {}
        for endpoint in sorted(endpoints, key=lambda endpoint: endpoint.operation.path.replace("{", "~")):
            path = endpoint.operation.path.removeprefix("/")
            pattern = re.compile(re.sub(r"\{\w+\}", "([^/]+)", path))
            methods = self._paths.setdefault(_shape(path), {}).setdefault(pattern, {})
            methods[endpoint.operation.method] = endpoint
            if endpoint.operation.is_read:
                methods["HEAD"] = endpoint

    def __call__(self, scope: Any, receive: Any, send: Any) -> Awaitable[None]:
        """Raises MethodNotAllowed."""
        if scope["type"] != "http" or not scope["path"].startswith(self._prefix):
            return self._otherwise(scope, receive, send)
        path = scope["path"][len(self._prefix) :]
        for pattern, methods in self._paths.get(_shape(path), {}).items():
            if (found := pattern.fullmatch(path)) is not None:
                if (endpoint := methods.get(scope["method"])) is None:
                    raise MethodNotAllowed(", ".join(sorted(methods)))
                scope["path_texts"] = found.groups()
                return endpoint(scope, receive, send)
        return self._otherwise(scope, receive, send)


def _shape(path: str) -> Shape:
    """The first part of a path, and the number of further ones."""
    return path.partition("/")[0], path.count("/")
