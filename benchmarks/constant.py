"""The least that an application can do, in the server that runs ours: `python -m benchmarks.constant`.

It answers every request with what was sent to it last by PUT: status, headers and body as JSON.
"""

import msgspec
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sightline.platform.logs import announce
from sightline.serving.api_process import configuration
from sightline.serving.listening import listen


def create_app() -> ASGIApp:
    start: Message = {"type": "http.response.start", "status": 200, "headers": []}
    end: Message = {"type": "http.response.body", "body": b""}

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            body = await _read(receive)
            if scope["method"] == "PUT":
                keep(body)
        await send(start)
        await send(end)

    def keep(body: bytes) -> None:
        status, headers, text = msgspec.json.decode(body, type=tuple[int, list[tuple[str, str]], str])
        start.update(status=status, headers=[(name.encode(), value.encode()) for name, value in headers])
        end["body"] = text.encode("latin-1")

    return app


async def _read(receive: Receive) -> bytes:
    body, has_more = b"", True
    while has_more:
        message = await receive()
        body += message.get("body", b"")
        has_more = message.get("more_body", False)
    return body


if __name__ == "__main__":
    config = configuration("benchmarks.constant:create_app")
    config.lifespan = "off"
    sockets = listen("127.0.0.1", 0, 1)
    announce(f"serves on http://127.0.0.1:{sockets[0].getsockname()[1]}")
    uvicorn.Server(config).run(sockets)
