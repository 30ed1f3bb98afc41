"""The sockets that the API processes accept on. The parent makes and keeps them, so a restart refuses nobody."""

import errno
import os
import socket
import sys
from contextlib import closing

from sightline.cli.refusals import CommandRefused

BACKLOG = 2048


def refuse_busy_port(host: str, port: int) -> None:
    """Raises CommandRefused when somebody listens there, or the address is not ours."""
    with closing(_bound(host, port, is_shared=False)) as probe:
        _listen(probe, host, port)


def listen(host: str, port: int, processes: int) -> list[socket.socket]:
    """One socket for each process, all on one port: the kernel spreads connections evenly over them.

    Where it does not (other systems than Linux), the processes share one socket. Raises CommandRefused.
    """
    is_spread = processes > 1 and sys.platform == "linux"
    first = _bound(host, port, is_shared=is_spread)
    _listen(first, host, port)
    if not is_spread:
        return [first] * processes
    others = [_bound(host, first.getsockname()[1], is_shared=True) for _ in range(processes - 1)]
    for other in others:
        _listen(other, host, port)
    return [first, *others]


def _bound(host: str, port: int, *, is_shared: bool) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise CommandRefused(f"The address {host} is unknown: {error.strerror}.") from None
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if is_shared:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        made.bind(address)
    except OSError as error:
        made.close()
        raise _refusal(host, port, error) from None
    return made


def _listen(made: socket.socket, host: str, port: int) -> None:
    try:
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        raise _refusal(host, port, error) from None


def _refusal(host: str, port: int, error: OSError) -> CommandRefused:
    if error.errno == errno.EADDRINUSE:
        return CommandRefused(f"Port {port} of {host} is in use: choose another --port, or stop what listens there.")
    if error.errno == errno.EACCES:
        return CommandRefused(f"Port {port} of {host} needs more rights: choose a --port from 1024 on.")
    said = os.strerror(error.errno) if error.errno else str(error)
    return CommandRefused(f"Nothing can listen on {host} port {port}: {said}.")
