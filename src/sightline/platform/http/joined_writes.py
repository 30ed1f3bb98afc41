"""Sends what is written in one turn of the event loop with one system call, which costs as much as finding a record."""

from asyncio import AbstractEventLoop, Transport
from typing import Any


class JoinedWrites:
    """A transport that keeps what is written until the turn of the event loop ends. All else is the transport's own."""

    def __init__(self, transport: Transport, loop: AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._waiting: list[bytes] = []
        self.is_closing = transport.is_closing  # asked for every request

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._waiting:
            self._loop.call_soon(self._send)
        self._waiting.append(data)

    def get_write_buffer_size(self) -> int:
        return sum(map(len, self._waiting)) + self._transport.get_write_buffer_size()

    def write_eof(self) -> None:
        self._send()
        self._transport.write_eof()

    def close(self) -> None:
        self._send()
        self._transport.close()

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting and not self._transport.is_closing():
            self._transport.writelines(waiting)
