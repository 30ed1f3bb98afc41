"""The sockets that the API processes accept on. The parent opens and keeps them, so a restart refuses no connection."""

import errno
import os
import socket
import sys

from sightline.cli.refusals import CommandRefused

BACKLOG = 2048


def refuse_busy_port(host: str, port: int) -> None:
    """Raises CommandRefused when the port is in use or the address is not this machine's."""
    listen(host, port, 1)[0].close()


def listen(host: str, port: int, processes: int) -> list[socket.socket]:
    """Opens a socket for each process, all on one port: the kernel spreads connections evenly over them.

    On other systems than Linux the processes share one socket. Raises CommandRefused.
    """
    is_spread = processes > 1 and sys.platform == "linux"
    try:
        first = _open(host, port, is_shared=is_spread)
        if not is_spread:
            return [first] * processes
        port = first.getsockname()[1]
        return [first, *(_open(host, port, is_shared=True) for _ in range(processes - 1))]
    except OSError as error:
        raise _refusal(host, port, error) from None


def _open(host: str, port: int, *, is_shared: bool) -> socket.socket:
    flags = socket.AI_PASSIVE
    family, _, _, _, address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=flags)[0]
    is_dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    return socket.create_server(address, family=family, backlog=BACKLOG, reuse_port=is_shared, dualstack_ipv6=is_dual)


def _refusal(host: str, port: int, error: OSError) -> CommandRefused:
    if isinstance(error, socket.gaierror):
        return CommandRefused(f"The address {host} is unknown: {error.strerror}.")
    if error.errno == errno.EADDRINUSE:
        return CommandRefused(f"Port {port} of {host} is in use: choose another --port, or stop what listens there.")
    if error.errno == errno.EACCES:
        return CommandRefused(f"Port {port} of {host} needs more rights: choose a --port from 1024 on.")
    reason = os.strerror(error.errno) if error.errno else str(error)
    return CommandRefused(f"Nothing can listen on {host} port {port}: {reason}.")
