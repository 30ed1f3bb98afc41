"""Pages beside the API: addresses that answer GET and HEAD without a key."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sightline.platform.errors import MethodNotAllowed

PROBES = ("healthz", "metrics", "readyz")  # are logged only if they fail


class PublicPage:
    """One address, named for logs and metrics."""

    def __init__(self, name: str, answer: Callable[[Request], Awaitable[Response]]) -> None:
        self._name = name
        self._answer = answer

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Raises MethodNotAllowed."""
        scope["operation"] = self._name
        if scope["method"] not in ("GET", "HEAD"):
            raise MethodNotAllowed("GET, HEAD")
        response = await self._answer(Request(scope))
        await response(scope, receive, send)
