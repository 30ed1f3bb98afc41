"""A connection as uvicorn reads it from httptools, with bounds on what a client may send and how long it may take.

    request line and headers   64 KiB and 100 lines                  431 HEADERS_TOO_LARGE
                               30 seconds                            408 REQUEST_TIMEOUT
    body                       60 seconds, never 20 without a byte   408 REQUEST_TIMEOUT
                               10,000 chunks of less than 64 bytes   400 BAD_REQUEST
    response                   60 seconds without being read         the connection is cut
    requests sent ahead        100 wait for earlier responses        400 BAD_REQUEST, after these

While requests wait, nothing more is read. A refused connection is closed. Between two requests uvicorn's own
keep-alive timeout counts. HTTP/1.1 is the only protocol: an offer of another one (Upgrade: h2c, websocket) is ignored.
"""

import re
from asyncio import TimerHandle, Transport
from math import inf
from os import urandom
from typing import Any, Literal

import httptools
import structlog
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from sightline.platform.errors import BadRequest, HeadersTooLarge, Refusal, RequestTimeout
from sightline.platform.http.joined_writes import JoinedWrites
from sightline.platform.http.middleware import request_counter
from sightline.platform.http.problems import problem

_REQUEST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) [^\r\n]+ HTTP/1\.[01]\r?\n")
HEAD_BYTES = 64 * 1024
HEADER_LINES = 100
WAITING_REQUESTS = 100
SMALL_PIECES = 10_000
_SMALL = 64  # bytes of a chunk: 40,000 of one byte that come at once take 0.1 s
LEAST_PROGRESS = 16 * 1024  # bytes of a response that a slow reader takes in `unread_seconds`


class BoundedProtocol(HttpToolsProtocol):
    """One connection, which is looked at once a second: a timer for each request costs as much as finding its route.

    A time counts as over up to `look_seconds` later.
    """

    head_seconds: float = 30
    body_seconds: float = 60
    stall_seconds: float = 20
    unread_seconds: float = 60
    linger_seconds: float = 1
    look_seconds: float = 1

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as uvicorn does
        super().connection_made(JoinedWrites(transport, self.loop))  # type: ignore[arg-type]  # it passes the rest on
        self._reading: Literal["head", "body"] | None = "head"  # which part of a request has not come whole
        self._started = self.loop.time()  # when that part started
        self._small_pieces = 0  # of the present body
        self._framing = 0  # bytes since the end of the last request or piece of a body: of a head, or of framing
        self._arrived = self._started  # when bytes came last
        self._unread: tuple[float, float] = inf, self._started  # bytes not sent at the last progress, and its time
        self._method: str | None = None  # of the present request, if the parser does not know it
        self._refusal: Refusal | None = None
        self._is_refused = False
        self._answered: Any = None  # uvicorn's object of the request that is being answered; `cycle` is the newest
        self._timer: TimerHandle = self.loop.call_later(self.look_seconds, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._timer.cancel()
        if self._answered is not None:
            self._answered.disconnected = True
            self._answered.message_event.set()

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        self._framing += len(data)
        self._arrived = self.loop.time()
        try:
            self._feed(data)
        except httptools.HttpParserError:
            self._refuse(self._refusal or BadRequest("That is no request of HTTP/1.1."))
            return
        if self._reading is not None and self._framing > HEAD_BYTES:
            self._refuse(_too_large())

    def _feed(self, data: bytes) -> None:
        """Gives the parser what came, and once more what it does not read.

        Leaves out the offer of another protocol, for which the parser skips the body. Writes POST for a method that it
        does not know; the application refuses the method.
        """
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as stop:
            if self._offers_upgrade():
                head = self._head_without_upgrade()
                self._renew_parser()  # the other one reads nothing after Connection: close
                self._feed(head + data[stop.args[0] :])
        except httptools.HttpParserError:
            # Only if this request begins with these bytes: none of it came before, and no other one is before it.
            is_first = self._reading == "head" and self._framing == len(data)
            line = _REQUEST_LINE.match(data) if is_first and self._method is None else None
            if line is None or self._refusal is not None:
                raise
            self._method = line[1].decode()
            self._renew_parser()
            self._feed(b"POST" + data[line.end(1) :])

    def _renew_parser(self) -> None:
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)

    def _offers_upgrade(self) -> bool:
        """False for CONNECT: it stops the parser too, without an offer that could be left out."""
        return self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT"

    def _head_without_upgrade(self) -> bytes:
        line = b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, self.parser.get_http_version().encode())
        kept = (b"%s: %s" % (name, value) for name, value in self.headers if name != b"upgrade")
        return b"\r\n".join([line, *kept, b"", b""])

    # What the parser calls.

    def on_message_begin(self) -> None:
        self._unset_keepalive_if_required()  # not before: blank lines are no request
        self._reading, self._started, self._small_pieces = "head", self.loop.time(), 0
        if len(self.pipeline) >= WAITING_REQUESTS:
            self._refusal = BadRequest(f"At most {WAITING_REQUESTS} requests may wait for a response.")
            raise self._refusal
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        if len(self.headers) > HEADER_LINES or (self._framing > HEAD_BYTES and self._is_head_too_large()):
            self._refusal = _too_large()
            raise self._refusal
        if self._offers_upgrade():
            return
        self._unset_keepalive_if_required()  # set again if the last response ended while these headers came
        super().on_headers_complete()  # fails for a target that is no path
        self._reading, self._started = "body", self.loop.time()
        if self._method is not None:  # the task that answers has not started
            self.scope["method"] = self._method
            self._method = None

    def on_body(self, body: bytes) -> None:
        self._framing = 0
        self._small_pieces += len(body) < _SMALL
        if self._small_pieces > SMALL_PIECES:
            self._refusal = BadRequest(f"At most {SMALL_PIECES} chunks may have less than {_SMALL} bytes.")
            raise self._refusal
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._offers_upgrade():
            return
        self._reading, self._framing = None, 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.pipeline:
            self.flow.pause_reading()
        elif self._refusal is not None and self.cycle.response_complete and not self.transport.is_closing():
            self._unset_keepalive_if_required()
            self._refuse(self._refusal)

    def _is_head_too_large(self) -> bool:
        """Whether the head alone is too large: the bytes counted may include some of the body."""
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers) > HEAD_BYTES

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        """Answers the request, or lets it wait while much of the last response is unread."""
        if self.flow.write_paused:
            self.pipeline.append((cycle, app))
        else:
            self._answered = cycle
            super()._start_asgi_task(cycle, app)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unread = inf, self.loop.time()
        if self.pipeline and self._answered.response_complete and not self.transport.is_closing():
            self._start_asgi_task(*self.pipeline.pop())

    # What takes too long.

    def _look(self) -> None:
        self._timer = self.loop.call_later(self.look_seconds, self._look)
        now = self.loop.time()
        if not self.transport.is_closing():
            self._look_at_request(now)
        self._look_at_reader(now)

    def _look_at_request(self, now: float) -> None:
        if self.flow.read_paused:  # then the client cannot send
            self._started = now
        if self._reading == "head" and now >= self._started + self.head_seconds:
            if not self._framing:
                self.transport.close()
            else:
                self._refuse(RequestTimeout(f"The headers did not arrive within {self.head_seconds:g} seconds."))
        elif self._reading == "body" and now >= self._started + self.body_seconds:
            self._refuse(RequestTimeout(f"The body did not arrive within {self.body_seconds:g} seconds."))
        elif self._reading == "body" and now >= max(self._started, self._arrived) + self.stall_seconds:
            self._refuse(RequestTimeout(f"Nothing of the body arrived for {self.stall_seconds:g} seconds."))

    def _look_at_reader(self, now: float) -> None:
        """Cuts the connection if the client has taken too little of what waits for it."""
        unread = self.transport.get_write_buffer_size()
        is_waiting = unread > 0 and (self.flow.write_paused or self.transport.is_closing())
        if not is_waiting or unread <= self._unread[0] - LEAST_PROGRESS:
            self._unread = unread, now
        elif now >= self._unread[1] + self.unread_seconds:
            self.transport.abort()

    # The end of a refused connection.

    def _refuse(self, refusal: Refusal) -> None:
        """Answers, unless an answer is under way or complete, and closes; requests that wait are answered first."""
        self._is_refused = True
        cycle: Any = self.cycle
        is_answering = cycle is not None and not cycle.response_complete
        if self._reading == "head" and (self.pipeline or is_answering):
            self._refusal = refusal
            return
        if self._reading == "body" and is_answering and not cycle.response_started and not self.pipeline:
            # The application finds its client gone, and logs why.
            cycle.scope["refusal"] = refusal
            cycle.disconnected = True
            cycle.message_event.set()
            self._answer(refusal, cycle.scope.get("request_id"))
        elif self._reading == "body" or is_answering:
            self.transport.close()
        else:
            request_counter("other", refusal.status).inc()
            client = self.client[0] if self.client else None
            structlog.get_logger().info("request refused", status=refusal.status, code=refusal.code, client=client)
            self._answer(refusal, None)

    def _answer(self, refusal: Refusal, request_id: str | None) -> None:
        """Goes on reading for a moment: closed at once, the system would drop the answer with what is still coming."""
        request_id = request_id or urandom(16).hex()
        response = problem(refusal, request_id)
        headers = [*response.raw_headers, (b"x-request-id", request_id.encode()), (b"connection", b"close")]
        lines = b"".join(b"%s: %s\r\n" % pair for pair in headers)
        self.transport.write(STATUS_LINE[refusal.status] + lines + b"\r\n" + response.body)
        self.flow.resume_reading()
        self.transport.write_eof()
        self._timer.cancel()
        self._timer = self.loop.call_later(self.linger_seconds, self.transport.abort)


def _too_large() -> HeadersTooLarge:
    return HeadersTooLarge(f"Request line and headers may have {HEAD_BYTES // 1024} KiB and {HEADER_LINES} lines.")
