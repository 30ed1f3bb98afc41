"""Pages beside the API: addresses that answer GET and HEAD without a key."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from sightline.platform.errors import MethodNotAllowed


class PublicPage:
    """One address, named for logs and metrics. A probe is logged only if it fails."""

    def __init__(self, name: str, answer: Callable[[Request], Awaitable[Response]], *, is_probe: bool = False) -> None:
        self._name = name
        self._answer = answer
        self.is_probe = is_probe

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Raises MethodNotAllowed."""
        scope["operation"] = self._name
        scope["is_probe"] = self.is_probe
        if scope["method"] not in ("GET", "HEAD"):
            raise MethodNotAllowed("GET, HEAD")
        response = await self._answer(Request(scope))
        await response(scope, receive, send)
