"""Requests and answers, as they travel between the parts of the benchmark and over the wire."""

import re
from dataclasses import dataclass

from sightline.platform.ids import new_id

API = "/api/external/v1"
FRESH_ID = "00000000-0000-7000-8000-00000000f3e5"  # in a request: another id each time it is sent

_STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    target: str  # path and query
    body: bytes = b""

    def headers(self, key: str) -> list[tuple[bytes, bytes]]:
        """What a usual client sends, the same to every server that is measured."""
        lines = [(b"host", b"127.0.0.1"), (b"accept", b"application/json"), (b"user-agent", b"sightline-bench")]
        lines.append((b"authorization", f"Bearer {key}".encode()))
        if self.body:
            lines.append((b"content-type", b"application/json"))
            lines.append((b"content-length", str(len(self.body)).encode()))
        return lines

    def to_bytes(self, key: str) -> bytes:
        lines = [f"{self.method} {self.target} HTTP/1.1".encode()]
        lines += [b": ".join(header) for header in self.headers(key)]
        return b"\r\n".join(lines) + b"\r\n\r\n" + self.body


def freshened(sent: bytes) -> bytes:
    """The request with an id of its own; its length stays."""
    return sent.replace(FRESH_ID.encode(), str(new_id()).encode())


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


def read_head(received: bytes) -> tuple[int, int] | None:
    """Status and whole length of the answer that begins here; None while its head is incomplete.

    Raises ValueError for what is no HTTP/1.1 answer with a Content-Length.
    """
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return None
    status, length = _STATUS.match(received), _LENGTH.search(received, 0, end + 2)
    if status is None or (length is None and status[1] not in (b"204", b"304")):
        raise ValueError(f"This is no answer with a Content-Length: {received[:200]!r}")
    return int(status[1]), end + 4 + (int(length[1]) if length else 0)
