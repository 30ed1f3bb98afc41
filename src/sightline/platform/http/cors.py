"""Pages of other origins: which may call the API, and what their browsers may send and read."""

from collections.abc import Sequence
from typing import Any

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware

from sightline.platform.errors import BadRequest

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


class PreflightRefused(BadRequest):
    """400: pages of this origin may not send such a request."""

    code = "PREFLIGHT_REFUSED"


class Cors:
    """Starlette's CORS, with a problem for a preflight that is refused."""

    def __init__(self, app: Any, origins: Sequence[str], sent: Sequence[str], seen: Sequence[str]) -> None:
        self._app = app
        self._cors = CORSMiddleware(app, origins, _METHODS, sent, expose_headers=seen)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Raises PreflightRefused."""
        if isinstance(scope.get("refusal"), PreflightRefused):  # its problem is sent
            await self._app(scope, receive, send)
            return
        if scope["type"] == "http" and scope["method"] == "OPTIONS":
            self._refuse_preflight(Headers(scope=scope))
        await self._cors(scope, receive, send)

    def _refuse_preflight(self, headers: Headers) -> None:
        if "origin" in headers and "access-control-request-method" in headers:
            response = self._cors.preflight_response(headers)
            if response.status_code >= 400:
                raise PreflightRefused(f"{bytes(response.body).decode()}.")
