"""An ASGI application in this process, without a server: started, asked, stopped."""

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sightline.bench.failure import BenchFailed
from sightline.bench.wire import Answer, Request, freshened

START_SECONDS = 60


class InProcess:
    """`async with InProcess(app) as app: await app.ask(request, key)`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._state: dict[str, Any] = {}
        self._to_app: asyncio.Queue[Message] = asyncio.Queue()
        self._from_app: asyncio.Queue[Message] = asyncio.Queue()
        self._life: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._life = asyncio.create_task(self._live())
        await self._reach("startup")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._reach("shutdown")
        finally:
            if self._life is not None:
                self._life.cancel()
                with suppress(asyncio.CancelledError):
                    await self._life

    async def _live(self) -> None:
        scope: Scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": self._state}
        await self._app(scope, self._to_app.get, self._from_app.put)

    async def _reach(self, stage: str) -> None:
        assert self._life is not None  # noqa: S101 - tells mypy what __aenter__ has made sure of
        await self._to_app.put({"type": f"lifespan.{stage}"})
        reached = asyncio.create_task(self._from_app.get())
        await asyncio.wait({reached, self._life}, timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not reached.done() or reached.result()["type"] != f"lifespan.{stage}.complete":
            reached.cancel()
            said = self._life.exception() if self._life.done() else reached
            raise BenchFailed(f"The application did not reach {stage}: {said}")

    async def ask(self, request: Request, key: str) -> Answer:
        path, _, query = request.target.partition("?")
        scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": request.headers(key),
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 2),
            "state": self._state.copy(),
        }
        call = _Call(freshened(request.body))
        await self._app(scope, call.receive, call.send)
        return Answer(call.status, call.headers, bytes(call.body))


class _Call:
    def __init__(self, sent: bytes) -> None:
        self._sent: bytes | None = sent
        self._answered = asyncio.Event()
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = bytearray()
        self.receive: Receive = self._receive
        self.send: Send = self._send

    async def _receive(self) -> Message:
        if self._sent is None:
            await self._answered.wait()
            return {"type": "http.disconnect"}
        body, self._sent = self._sent, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = [(bytes(name), bytes(value)) for name, value in message.get("headers", [])]
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")
            if not message.get("more_body", False):
                self._answered.set()
