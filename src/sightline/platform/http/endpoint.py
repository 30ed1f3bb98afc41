"""Answers a request to one operation: key, scopes, references, query, body, role, handler, response."""

import re
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import IO, Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import StreamingResponse

from sightline.platform.access import Actor
from sightline.platform.db import Database, Window
from sightline.platform.errors import CreatorNotAllowed, Refusal
from sightline.platform.http.bodies import Body, receive_body, refuse_other_types
from sightline.platform.http.compression import compressed_tag
from sightline.platform.http.idempotency import OneTransaction, RepeatableRequest, Shown, answer_once
from sightline.platform.http.operations import Call, Operation
from sightline.platform.http.problems import Answer, Headers
from sightline.platform.http.proxies import origin_of
from sightline.platform.http.query_strings import Parameters, Query, QueryReader, parse_query
from sightline.platform.http.throttle import RequestsPerMinute
from sightline.platform.lists.paging import link_to_next, page_headers
from sightline.platform.lists.single import LargeRecord
from sightline.platform.scopes import require_scopes
from sightline.platform.turns import FairTurns, acting_for
from sightline.platform.unread import LARGE_BYTES, keep_unread, pieces_of
from sightline.platform.wire import Listed, Page, Versioned, record_of

_JSON = (b"content-type", b"application/json")
_ENCODER = msgspec.json.Encoder()
_SLOW_SECONDS = 1.0  # of a body
_LARGE_BODIES = 2  # that are answered at once: one of 8 MiB takes 40 MB meanwhile
_TAGS = re.compile(r'"[^"]*"')

# A response: status, headers, and body, which of a large record is a file.
Kept = tuple[int, Headers, bytes | IO[bytes]]


class Services:
    """What endpoints use. The application sets it when it starts.

    `admit` returns the key's actor for the value of Authorization, or raises Unauthorized.
    """

    db: Database
    admit: Callable[[str], Awaitable[Actor]]
    throttle: RequestsPerMinute | None
    tools: Mapping[type, Any]

    def __init__(self) -> None:
        self.large_bodies = FairTurns(_LARGE_BODIES)


class Endpoint:
    """One operation as an ASGI application."""

    def __init__(self, operation: Operation, services: Services, *, has_location: bool = False) -> None:
        self.operation = operation
        self._has_location = has_location
        self._services = services
        self._body = Body(operation.body_type) if operation.body_type else None
        self._query = QueryReader(operation.query_type or Query, operation.paging)
        self._path = [(name, operation.path_types[name]) for name in re.findall(r"{(\w+)}", operation.path)]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        scope["operation"] = self.operation.name
        status, headers, body = await self._answer(scope, receive)
        if (page := scope.get("large_page")) is not None and scope["method"] == "GET":
            pieces = page.rest.pieces(page.items, self._services.db)
        elif not isinstance(body, bytes):
            pieces = pieces_of(body)
        elif len(body) > LARGE_BYTES:
            pieces = pieces_of(await keep_unread(body))
            del body
        else:
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": body})
            return
        async with aclosing(pieces):
            response = StreamingResponse(pieces, status)
            response.raw_headers = headers
            await response(scope, receive, send)

    async def _answer(self, scope: Any, receive: Any) -> Kept:
        services = self._services
        headers: dict[bytes, bytes] = scope["headers_by_name"]
        authorization = headers.get(b"authorization", b"").decode("latin-1")
        actor = await services.admit(authorization)
        scope["actor"] = actor
        acting_for.set(actor.workspace_id)
        scope["limits"] = services.throttle.admit(actor) if services.throttle else []
        operation = self.operation
        require_scopes(actor.scopes, operation.scopes, operation.any_of)
        parameters, body = parse_query(scope["query_string"]), b""
        if self._body is not None:
            refuse_other_types(headers)
            began = time.monotonic()
            body = await receive_body(receive, headers, operation.body_limit)
            if time.monotonic() - began > _SLOW_SECONDS:  # in which the key may have been revoked
                await services.admit(authorization)
        if len(body) <= LARGE_BYTES:
            return await self._answer_body(scope, receive, actor, parameters, body)
        async with services.large_bodies.turn(actor.workspace_id):
            return await self._answer_body(scope, receive, actor, parameters, body)

    async def _answer_body(self, scope: Any, receive: Any, actor: Actor, parameters: Parameters, body: bytes) -> Kept:
        operation, services = self.operation, self._services
        headers: dict[bytes, bytes] = scope["headers_by_name"]
        found: dict[Any, Any] = {
            name: kind.parse(text) for (name, kind), text in zip(self._path, scope["path_texts"], strict=True)
        }
        found[self._query.kind], found[Window] = self._query.read(parameters)
        if self._body is not None:
            found[operation.body_type] = await self._body.read(body)
        arguments = [found[key] for key in operation.arguments]
        tag = headers.get(b"if-match", b"").decode("latin-1") or None
        call = Call(services.db, actor, tag, services.tools, at_once=len(body) <= LARGE_BYTES)
        if not operation.is_read and not actor.has_role(operation.role):
            await self._refuse_role(call, arguments)

        if b"idempotency-key" not in headers or not operation.keeps_answers:
            try:
                return self._response(scope, parameters, await operation.handler(call, *arguments))
            except LargeRecord:
                shown = partial(self._response, scope, parameters)
            return await self._answer_large(Request(scope, receive), call, arguments, shown)
        mounted_at = scope["path"].rsplit("/", operation.path.count("/"))[0]
        name = f"POST {mounted_at}{operation.path.format_map(found)}"  # however the references are spelled
        keys = {text.decode("latin-1") for header, text in scope["headers"] if header == b"idempotency-key"}
        repeatable = await RepeatableRequest.of(actor, name, keys, body)
        return await answer_once(repeatable, operation, call, arguments, partial(self._response, scope, parameters))

    async def _answer_large(self, request: Request, call: Call, arguments: list[Any], shown: Shown) -> Kept:
        """Returns the answer with a large record, which is read, encoded and put into a file when no other is.

        A write takes the turn of large bodies: it may wait for another write, and readers must not wait for it.
        Raises NoTurn if the turn does not come in 6 seconds, and ClientDisconnect if nobody waits for the answer any
        more.
        """
        bodies = self._services.large_bodies
        async with call.db.large_read() if self.operation.is_read else bodies.turn(call.actor.workspace_id):
            if await request.is_disconnected():
                raise ClientDisconnect
            result = await self.operation.handler(msgspec.structs.replace(call, at_once=False), *arguments)
            status, headers, body = shown(result)
            del result
            return status, headers, await keep_unread(body)

    async def _refuse_role(self, call: Call, arguments: list[Any]) -> None:
        """Always raises: CreatorNotAllowed, or the 400 or 404 that comes before it in the order of checks.

        Only the handler knows those, so it runs in a transaction that is rolled back.
        """
        refusal = CreatorNotAllowed(
            f"The key's creator must be an active member with the role {self.operation.role} or above."
        )
        if self.operation.role_first:
            raise refusal
        try:
            async with call.db.transaction() as tx:
                trial = msgspec.structs.replace(call, db=OneTransaction(call.db, tx, tried=True), at_once=False)
                await self.operation.handler(trial, *arguments)
                raise refusal
        except Refusal as found:
            raise found if found.status in (400, 404) else refusal from None

    def _response(self, scope: Any, parameters: Parameters, result: Any) -> Answer:
        headers: Headers = [_JSON]
        shown = record_of(result)
        if self._has_location:
            # Of the created record, or the address to poll; without scheme and host.
            location = getattr(shown, "status_url", None) or f"{scope['path']}/{shown.id}"
            headers.append((b"location", location.encode()))
        if isinstance(result, Versioned):
            tag = result.tag.encode("latin-1")
            headers.append((b"etag", tag))
            headers.extend(result.headers)
            known = scope["headers_by_name"].get(b"if-none-match")
            if known and self.operation.is_read and (found := known_tag(known.decode("latin-1"), result.tag)):
                return 304, [(b"etag", found.encode("latin-1")), *result.headers], b""
        elif isinstance(result, Page):
            headers.extend(page_headers(result, parameters, _address(scope)))
            if result.rest:
                scope["large_page"] = result
                return self.operation.status, headers, b""
            shown = result.items
        elif isinstance(result, Listed) and result.has_more:
            headers.append(link_to_next(result.window, parameters, _address(scope)))
        body = _ENCODER.encode(shown)
        headers.append((b"content-length", b"%d" % len(body)))
        return self.operation.status, headers, body


def _address(scope: Any) -> str:
    return f"{origin_of(scope)}{scope['path']}"


def known_tag(if_none_match: str, tag: str) -> str | None:
    """Returns the tag that the header names, of the plain or the compressed response; None if it names neither."""
    if if_none_match.strip() == "*":
        return tag
    named = _TAGS.findall(if_none_match)
    return next((each for each in (tag, compressed_tag(tag)) if each in named), None)
