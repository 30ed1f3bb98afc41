"""Around every request: its id, its line in the log, its place in the metrics, and the last net for faults of ours."""

import re
from collections.abc import Iterable
from os import urandom
from time import perf_counter
from typing import Any

import structlog
from prometheus_client import Counter, Histogram

from sightline.platform import logs
from sightline.platform.errors import NotFound, Refusal
from sightline.platform.http.problems import failure, problem

_SANE_ID = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
_REQUESTS = Counter("sightline_http_requests", "Answered requests.", ["operation", "status"])
_SECONDS = Histogram(
    "sightline_http_request_seconds",
    "Time to answer, in seconds.",
    ["operation"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


class Server:
    """The outermost application."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._log = structlog.get_logger().bind()  # as logs are configured now
        self._log_request = logs.straight("info", "request")
        self._counters: dict[tuple[str, int], Any] = {}
        self._seconds: dict[str, Any] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = perf_counter()
        scope["request_id"] = request_id = _request_id(scope["headers"])
        named = (b"x-request-id", request_id.encode())
        status = 0

        async def send_named(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), named]
            await send(message)

        try:
            await self._app(scope, receive, send_named)
        except Exception as error:
            if not isinstance(error, Refusal):
                scope["failure"] = error
            if status == 0:
                answer = problem(error, request_id) if isinstance(error, Refusal) else failure(request_id)
                answer[1].extend(scope.get("limits", ()))
                await _send(answer, scope, send_named)
        finally:
            self._tell(scope, status, perf_counter() - started)

    def _tell(self, scope: Any, status: int, seconds: float) -> None:
        operation = scope.get("operation", "other")
        self._count(operation, status, seconds)
        fields = {
            "method": scope["method"],
            "path": scope["path"],
            "operation": operation,
            "status": status,
            "ms": round(seconds * 1000, 2),
            "request_id": scope["request_id"],
        }
        if (actor := scope.get("actor")) is not None:
            fields["workspace"] = actor.workspace_id
            fields["key"] = actor.id
        if (error := scope.get("failure")) is not None:
            self._log.error("request failed", **fields, exc_info=error)
        elif scope.get("is_probe") and status < 400:
            self._log.debug("request", **fields)
        else:
            self._log_request(fields)

    def _count(self, operation: str, status: int, seconds: float) -> None:
        counter = self._counters.get((operation, status))
        if counter is None:
            counter = self._counters[operation, status] = _REQUESTS.labels(operation, status)
            self._seconds[operation] = _SECONDS.labels(operation)
        counter.inc()
        self._seconds[operation].observe(seconds)


def _request_id(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The caller's, where it is sane."""
    for name, value in headers:
        if name == b"x-request-id":
            if _SANE_ID.fullmatch(value):
                return value.decode()
            break
    return urandom(16).hex()


async def refuse_unknown_path(scope: Any, receive: Any, send: Any) -> None:
    """The answer where no route is."""
    if scope["type"] == "http":
        await _send(problem(NotFound("There is nothing at this address."), scope["request_id"]), scope, send)


async def _send(answer: Any, scope: Any, send: Any) -> None:
    status, headers, body = answer
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
