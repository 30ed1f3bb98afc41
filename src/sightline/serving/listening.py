"""The sockets that the API processes accept on. The parent opens and keeps them, so a restart refuses no connection."""

import errno
import os
import socket
import sys
from functools import partial

from sightline.platform.refused import Refused

BACKLOG = 2048


def listen(host: str, port: int, processes: int) -> list[socket.socket]:
    """Opens a socket for each process, all on one port: the kernel spreads connections evenly over them.

    On other systems than Linux the processes share one socket. Raises Refused when the port is in use or the
    address is not this machine's.
    """
    is_spread = processes > 1 and sys.platform == "linux"
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        is_dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        create = partial(
            socket.create_server, family=family, backlog=BACKLOG, reuse_port=is_spread, dualstack_ipv6=is_dual
        )
        first = create(address)
        if not is_spread:
            return [first] * processes
        return [first, *(create(first.getsockname()) for _ in range(processes - 1))]
    except socket.gaierror as error:
        raise Refused(f"The address {host} is unknown: {error.strerror}.") from None
    except OSError as error:
        reasons = {
            errno.EADDRINUSE: f"Port {port} of {host} is in use: choose another --port, or stop what listens there.",
            errno.EACCES: f"Port {port} of {host} needs more rights: choose a --port from 1024 on.",
        }
        other = f"Nothing can listen on {host} port {port}: {os.strerror(error.errno or 0)}."
        raise Refused(reasons.get(error.errno or 0, other)) from None
