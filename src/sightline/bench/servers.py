"""The servers that are measured, each in processes of its own: ours, one of constant answers, a trivial one."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from threading import Thread
from typing import Any, cast

import uvicorn
import uvloop
from starlette.types import ASGIApp, Receive, Scope, Send

from sightline.bench.child import open_answers
from sightline.bench.wire import Answer


def configuration(app: ASGIApp) -> uvicorn.Config:
    """How `sightline serve` runs uvicorn; a test compares both. The constant server is run alike."""
    return uvicorn.Config(
        app,
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        forwarded_allow_ips=[],
        timeout_keep_alive=30,
        timeout_graceful_shutdown=8,
    )


def constant(answer: Answer) -> ASGIApp:
    """The least an application can do for this answer."""
    start = {"type": "http.response.start", "status": answer.status, "headers": answer.headers}
    end = {"type": "http.response.body", "body": answer.body}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        if scope["method"] != "GET":
            while (await receive()).get("more_body"):
                pass
        await send(start)
        await send(end)

    return app


async def _live(receive: Receive, send: Send) -> None:
    for stage in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{stage}.complete"})


def loaded(name: str) -> ASGIApp:
    """The application that the factory `module:function` makes."""
    module, _, function = name.partition(":")
    return cast(Callable[[], ASGIApp], getattr(import_module(module), function))()


class Trivial(asyncio.Protocol):
    """Answers whatever arrives with the same bytes: what remains is the client and the wire."""

    def __init__(self, answer: Answer) -> None:
        head = [b"HTTP/1.1 200 OK", b"content-length: %d" % len(answer.body)]
        head += [name + b": " + value for name, value in answer.headers if name.lower() != b"content-length"]
        self._answer = b"\r\n".join(head) + b"\r\n\r\n" + answer.body

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._transport.write(self._answer)


class Announced(uvicorn.Server):
    """Says when it takes requests."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[Any], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._announce({"pid": os.getpid()})


async def serve_trivially(answer: Answer, sock: socket.socket, announce: Callable[[Any], None]) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: Trivial(answer), sock=sock)
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    announce({"pid": os.getpid()})
    await stopped.wait()
    server.close()


def end_with_input() -> None:
    """Stops this process when the benchmark is gone."""
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    """One question: `socket`, and `factory` or an `answer` to repeat; then serves until standard input ends."""
    tell = open_answers()
    question = json.loads(sys.stdin.readline())
    sock = socket.socket(fileno=question["socket"])
    Thread(target=end_with_input, daemon=True).start()

    def announce(said: Any) -> None:
        tell({"answer": said})

    if "factory" in question:
        Announced(configuration(loaded(question["factory"])), announce).run([sock])
    elif question["trivial"]:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve_trivially(read_answer(question["answer"]), sock, announce))
    else:
        Announced(configuration(constant(read_answer(question["answer"]))), announce).run([sock])


def write_answer(answer: Answer) -> dict[str, Any]:
    """As JSON can carry it."""
    headers = [[name.decode("latin-1"), value.decode("latin-1")] for name, value in answer.headers]
    return {"status": answer.status, "headers": headers, "body": answer.body.decode("latin-1")}


def read_answer(written: dict[str, Any]) -> Answer:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in written["headers"]]
    return Answer(written["status"], headers, written["body"].encode("latin-1"))


if __name__ == "__main__":
    main()
