"""The way of a request through one operation: key, scopes, reference, body, handler, answer."""

import re
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlencode

import msgspec

from sightline.platform.access import Actor
from sightline.platform.db import Database, Window
from sightline.platform.errors import Fault, MethodNotAllowed, ValidationFailed
from sightline.platform.http.bodies import Body, ClientGone, receive_body, refuse_other_types
from sightline.platform.http.cursors import write_cursor
from sightline.platform.http.idempotency import answer_once
from sightline.platform.http.operations import Call, Operation, argument_role
from sightline.platform.http.problems import Answer, as_refusal, problem
from sightline.platform.http.queries import QueryReader, parse_query
from sightline.platform.wire import Page, Versioned

Headers = list[tuple[bytes, bytes]]

_JSON = (b"content-type", b"application/json")
_ENCODER = msgspec.json.Encoder()
_TAGS = re.compile(r'"[^"]*"')


class KeyGuard(Protocol):
    """Tells who asks."""

    async def admit(self, authorization: str | None) -> Actor:
        """Raises Unauthorized."""
        ...


class Throttle(Protocol):
    """Counts a key's requests."""

    def admit(self, actor: Actor) -> Headers:
        """Headers that tell what is left. Raises RateLimited."""
        ...


@dataclass(slots=True)
class Services:
    """What endpoints are given when the application starts."""

    db: Database
    guard: KeyGuard
    throttle: Throttle | None = None
    tools: Mapping[type, Any] = field(default_factory=dict)


class Lazy:
    """The services of an application that has not started yet."""

    services: Services


class Endpoint:
    """One operation as an ASGI application."""

    def __init__(self, operation: Operation, lazy: Lazy) -> None:
        self.operation = operation
        self._lazy = lazy
        self._body = Body(operation.body_type) if operation.body_type else None
        self._query = QueryReader(operation.query_type) if operation.query_type else None
        self._roles = [(name, argument_role(operation, name)) for name in operation.argument_names]
        self._path = list(operation.path_types.items())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        scope["operation"] = self.operation.name
        try:
            status, headers, body = await self._answer(scope, receive)
        except ClientGone:
            return
        except Exception as error:
            if (refusal := as_refusal(error)) is None:
                raise
            if refusal is not error:
                scope["failure"] = error
            status, headers, body = problem(refusal, scope["request_id"])
            headers += scope.get("limits", ())
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    async def _answer(self, scope: Any, receive: Any) -> Answer:
        services = self._lazy.services
        headers: dict[bytes, bytes] = dict(scope["headers"])
        authorization = headers.get(b"authorization")
        actor = await services.guard.admit(authorization.decode("latin-1") if authorization else None)
        scope["actor"] = actor
        if services.throttle is not None:
            scope["limits"] = services.throttle.admit(actor)
        operation = self.operation
        actor.require_scopes(operation.scopes, operation.any_of)
        given = [] if not scope["query_string"] else parse_query(scope["query_string"])
        body = b""
        if self._body is not None:
            refuse_other_types(headers.get(b"content-type"))
            body = await receive_body(receive, headers, operation.body_limit)
        arguments = self._arguments(scope, given, body)
        if_match = headers.get(b"if-match")
        call = Call(services.db, actor, if_match.decode("latin-1") if if_match else None, services.tools)
        key = headers.get(b"idempotency-key") if operation.keeps_answers else None
        if key is None:
            shown = await operation.handler(call, *arguments)
            answer = self._shown(shown, given, scope, headers)
        else:

            async def make(db: Database) -> Answer:
                shown = await operation.handler(msgspec.structs.replace(call, db=db), *arguments)
                return self._shown(shown, given, scope, headers)

            place = f"{scope['method']} {scope['path']}"
            answer = await answer_once(
                services.db, actor, place, key.decode("latin-1"), body, make, anew=operation.keeps_answers == "anew"
            )
        if services.throttle is not None:
            answer[1].extend(scope["limits"])
        return answer

    def _arguments(self, scope: Any, given: list[tuple[str, str]], body: bytes) -> list[Any]:
        """What the handler is called with. References first, then every fault of query and body at once."""
        found: dict[str, Any] = {}
        for name, kind in self._path:
            found[name] = kind.parse(scope["path_params"][name])
        faults: list[Fault] = []
        if self.operation.paging:
            found["window"] = self.operation.paging.read(given, faults)
        if self._query is not None:
            found["query"] = self._query.read(given, faults)
        if faults:
            raise ValidationFailed(faults, field=faults[0].path if len(faults) == 1 else None)
        if self._body is not None:
            found["body"] = self._body.decode(body)
        return [found[name if role == "path" else role] for name, role in self._roles]

    def _shown(self, shown: Any, given: list[tuple[str, str]], scope: Any, asked: dict[bytes, bytes]) -> Answer:
        headers: Headers = [_JSON]
        if isinstance(shown, Versioned):
            tag = shown.tag.encode("latin-1")
            headers.append((b"etag", tag))
            headers.extend(shown.headers)
            if (known := asked.get(b"if-none-match")) and self.operation.is_read and _is_known(known, shown.tag):
                return 304, headers[1:], b""
            body = _ENCODER.encode(shown.record)
        elif isinstance(shown, Page):
            headers.extend(_page_headers(shown, given, scope["path"]))
            body = _ENCODER.encode(shown.items)
        else:
            body = _ENCODER.encode(shown)
        headers.append((b"content-length", b"%d" % len(body)))
        return self.operation.status, headers, body


class Paths:
    """The operations of one path, by method."""

    def __init__(self, endpoints: list[Endpoint]) -> None:
        self._by_method = {endpoint.operation.method: endpoint for endpoint in endpoints}
        if "GET" in self._by_method:
            self._by_method["HEAD"] = self._by_method["GET"]
        self._allowed = ", ".join(sorted(self._by_method))

    def __call__(self, scope: Any, receive: Any, send: Any) -> Awaitable[None]:
        endpoint = self._by_method.get(scope["method"])
        if endpoint is None:
            raise MethodNotAllowed(self._allowed)
        return endpoint(scope, receive, send)


def _is_known(known: bytes, tag: str) -> bool:
    text = known.decode("latin-1")
    return text.strip() == "*" or tag in _TAGS.findall(text)


def _page_headers(page: Page[Any], given: list[tuple[str, str]], path: str) -> Headers:
    window: Window = page.window
    headers: Headers = [
        (b"x-total-count", b"%d" % page.total),
        (b"x-limit", b"%d" % window.limit),
        (b"x-offset", b"%d" % window.offset),
        (b"x-has-more", b"true" if page.has_more else b"false"),
    ]
    if page.has_more:
        kept = [(name, text) for name, text in given if name not in ("limit", "offset", "after")]
        kept += [("limit", str(window.limit)), ("offset", str(window.offset + window.limit))]
        kept += [("after", write_cursor(page.after))] if page.after else []
        headers.append((b"link", f'<{path}?{urlencode(kept)}>; rel="next"'.encode()))
    return headers
