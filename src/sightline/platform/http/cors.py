"""Pages of other origins: which may call the API, and what their browsers may send and read."""

from typing import Any

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response

from sightline.platform.errors import BadRequest


class PreflightRefused(BadRequest):
    """400: pages of this origin may not send such a request."""

    code = "PREFLIGHT_REFUSED"


class Cors(CORSMiddleware):
    """Starlette's CORS, with a problem for a preflight that is refused."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Raises PreflightRefused."""
        is_refused = isinstance(scope.get("refusal"), PreflightRefused)  # then its problem is sent
        await (self.app if is_refused else super().__call__)(scope, receive, send)

    def preflight_response(self, request_headers: Headers) -> Response:
        """Raises PreflightRefused."""
        response = super().preflight_response(request_headers)
        if response.status_code >= 400:
            raise PreflightRefused(f"{bytes(response.body).decode()}.")
        return response
