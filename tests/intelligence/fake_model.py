"""An OpenAI-compatible endpoint on 127.0.0.1 that answers by a script and keeps what it was asked."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass
class Answer:
    """One answer of the script. `cut` ends the connection in the middle, `seconds` is how long it takes."""

    content: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0
    cut: bool = False
    usage: Any = field(default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10})
    body: str | None = None

    def written(self) -> bytes:
        completion = {"choices": [{"message": {"role": "assistant", "content": self.content}}], "usage": self.usage}
        return (json.dumps(completion) if self.body is None else self.body).encode()


def says(value: Any, **more: Any) -> Answer:
    """An answer in JSON."""
    return Answer(json.dumps(value), **more)


Script = list[Answer | Callable[[Json], Answer]]


@dataclass
class FakeModel:
    """Answers each request with the next of the script; the last one is repeated."""

    url: str
    script: Script
    requests: list[Json] = field(default_factory=list)

    def answer(self, request: Json) -> Answer:
        self.requests.append(request)
        step = self.script[min(len(self.requests), len(self.script)) - 1]
        return step if isinstance(step, Answer) else step(request)

    @property
    def forms(self) -> list[str | None]:
        """The form of answer of each request."""
        return [request.get("response_format", {}).get("type") for request in self.requests]


def _handler(fake: FakeModel, ended: threading.Event) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = fake.answer({**request, "path": self.path, "key": self.headers.get("Authorization")})
            deadline = time.monotonic() + answer.seconds
            while time.monotonic() < deadline and not ended.wait(0.05):
                pass
            body = answer.written()
            self.send_response(answer.status)
            for name, value in {"Content-Length": str(len(body)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if answer.cut else body)
            self.close_connection = True

        def log_message(self, format: str, *values: Any) -> None:
            """Says nothing."""

        def handle(self) -> None:
            """Does not mind a client that went away."""
            try:
                super().handle()
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

    return Handler


@contextmanager
def fake_model(*script: Answer | Callable[[Json], Answer]) -> Iterator[FakeModel]:
    """The endpoint, until the block ends."""
    fake = FakeModel("", list(script))
    ended = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(fake, ended))
    fake.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    serving.start()
    try:
        yield fake
    finally:
        ended.set()
        server.shutdown()
        serving.join()
        server.server_close()
