"""Around every request: its id, its client, its line in the log and in the metrics, an answer for every failure."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from random import getrandbits
from time import perf_counter
from typing import Any
from urllib.parse import unquote

import structlog
from prometheus_client import Counter, Histogram
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp

from sightline.platform import logs
from sightline.platform.db.database import first_line
from sightline.platform.errors import Refusal, Unauthorized
from sightline.platform.http.problems import Headers, as_refusal, problem
from sightline.platform.http.proxies import TrustedProxies, client_of
from sightline.platform.http.public_pages import PROBES

_REVALIDATE = (b"cache-control", b"private, no-cache")
_NOT_KEPT = (b"cache-control", b"private, no-store")
_NOT_GUESSED = (b"x-content-type-options", b"nosniff")
_SANE_ID = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
_REQUESTS = Counter("sightline_http_requests", "Answered requests.", ["operation", "status"])
_SECONDS = Histogram(
    "sightline_http_request_seconds",
    "Time to answer, in seconds.",
    ["operation"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
# By operation and status, and by operation; to find one by labels() costs 1 us.
request_counter = cache(_REQUESTS.labels)
_histogram = cache(_SECONDS.labels)
TRACEBACK_SECONDS = 60.0


class Server:
    """The outermost application: names, counts and logs every request, and turns errors into problems.

    `wrap` adds what every answer passes, also a problem: compression and headers for browsers.
    """

    def __init__(self, app: ASGIApp, wrap: Callable[[ASGIApp], ASGIApp], proxies: TrustedProxies) -> None:
        self._app = wrap(app)
        self._wrap = wrap
        self._proxies = proxies
        self._log = structlog.get_logger().bind()  # as logs are configured now
        self._log_request = logs.straight("info", "request")
        self._traced: dict[type[Exception], float] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = perf_counter()
        if b"%2" in scope["raw_path"]:
            scope["path"] = _path_of(scope["raw_path"])
        headers = scope["headers_by_name"] = _by_name(scope["headers"])
        self._proxies.apply(scope)
        scope["request_id"] = request_id = _request_id(headers.get(b"x-request-id"))
        status = 0

        async def send_completed(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _completed(message.get("headers", ()), request_id, scope.get("limits"))
            await send(message)

        try:
            await self._app(scope, receive, send_completed)
        except ClientDisconnect:
            pass
        except Exception as error:
            refusal = _refusal_of(error, scope)
            if status == 0:
                await self._wrap(problem(refusal, request_id))(scope, receive, send_completed)
        finally:
            self._record(scope, status, perf_counter() - started)
            for name in ("refusal", "failure"):
                _forget_frames(scope.get(name))

    def _record(self, scope: Any, status: int, seconds: float) -> None:
        """Counts and logs a request that has ended; one that the connection refused has its status from there."""
        if status == 0 and (refusal := scope.get("refusal")) is not None:
            status = refusal.status
        operation = scope.get("operation", "other")
        request_counter(operation, status).inc()
        _histogram(operation).observe(seconds)
        fields = {
            "method": scope["method"],
            "path": scope["path"],
            "operation": operation,
            "status": status,
            "ms": round(seconds * 1000, 2),
            "request_id": scope["request_id"],
            "client": client_of(scope),
        }
        if (actor := scope.get("actor")) is not None:
            fields |= {"workspace": actor.workspace_id, "key": actor.id}
        if (refusal := scope.get("refusal")) is not None:
            fields["code"] = refusal.code
            if isinstance(refusal, Unauthorized) and refusal.key is not None:
                fields["key"] = refusal.key
        if (reason := scope.get("reason")) is not None:
            fields["reason"] = reason
        if (error := scope.get("failure")) is not None:
            self._log_failure(fields, error, is_refused=refusal is not None)
        elif operation in PROBES and status < 400:
            self._log.debug("request", **fields)
        else:
            self._log_request(fields)

    def _log_failure(self, fields: dict[str, Any], error: Exception, *, is_refused: bool) -> None:
        """One line with the reason; the traceback too, but of refused requests once a minute for each kind of error."""
        fields["reason"] = f"{type(error).__name__}: {first_line(error)}"[:300]
        if is_refused and perf_counter() < self._traced.get(type(error), 0.0):
            self._log.error("request failed", **fields)
            return
        self._traced[type(error)] = perf_counter() + TRACEBACK_SECONDS
        self._log.error("request failed", **fields, exc_info=error)


def _forget_frames(error: BaseException | None) -> None:
    """Lets go of what the frames hold that an exception passed, such as a body: a local name there may hold it too.

    Such a circle would stay until the collector looks at the oldest objects, which is seldom.
    """
    while error is not None:
        error.__traceback__ = None
        error = error.__context__


def _refusal_of(error: Exception, scope: Any) -> Refusal:
    """The refusal to answer with; for a fault of ours it says nothing but the id under which the fault is logged."""
    refusal = as_refusal(error, is_read=scope["method"] in ("GET", "HEAD"))
    if refusal is not error:
        scope["failure"] = error
    if refusal is None:
        return Refusal("Something went wrong on our side. The request id finds it in the log.")
    scope["refusal"] = refusal
    return refusal


def _by_name(headers: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """The values of a repeated header are joined by commas: two keys are then no valid key."""
    found: dict[bytes, bytes] = {}
    for name, value in headers:
        found[name] = b"%s, %s" % (found[name], value) if name in found else value
    return found


def _path_of(raw_path: bytes) -> str:
    """Returns the decoded path. An encoded slash stays encoded: it is part of a reference and separates nothing."""
    return unquote(re.sub("%2f", "%252F", raw_path.decode("ascii"), flags=re.IGNORECASE))


def _completed(headers: Iterable[tuple[bytes, bytes]], request_id: str, limits: Headers | None) -> Headers:
    """Adds X-Request-Id, rate limits, and unless present Cache-Control and X-Content-Type-Options."""
    found = list(headers)
    names = dict(found)
    if b"cache-control" not in names:
        found.append(_REVALIDATE if b"etag" in names else _NOT_KEPT)
    if b"x-content-type-options" not in names:
        found.append(_NOT_GUESSED)
    if limits:
        found += limits
    found.append((b"x-request-id", request_id.encode()))
    return found


def _request_id(sent: bytes | None) -> str:
    """The caller's, where it is sane."""
    return sent.decode() if sent and _SANE_ID.fullmatch(sent) else f"{getrandbits(128):032x}"
