"""The example product beside the demo, from which people enter the portal.

`python -m sightline.sample.customer_product <program> <port>` runs it, and ends when the demo ends.
"""

import os
import runpy
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from sightline.serving.parent import end_with_parent

HOST = "127.0.0.1"


class CustomerProduct:
    """The product as a child process, which ends with this one.

    It knows the portal's secret from its environment, and nothing else of us.
    """

    def __init__(self, program: Path, service_port: int) -> None:
        self.program = program
        self.port = _free_port(service_port + 1 if service_port else 0)
        self.address = f"http://{HOST}:{self.port}"

    def start(self, portal_url: str, secret: str) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - a program of our own checkout
            [sys.executable, "-P", "-m", __spec__.name, str(self.program), str(self.port)],
            env={**os.environ, "PORTAL_URL": portal_url, "PORTAL_SECRET": secret},
            stdin=subprocess.PIPE,  # which ends with this process, see end_with_parent()
            process_group=0,  # Ctrl+C reaches the demo alone
        )


def _free_port(preferred: int) -> int:
    """Returns the preferred port if nothing listens there, otherwise any free one."""
    for port in (preferred, 0):
        with socket.socket() as probe, suppress(OSError, OverflowError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of an earlier start may linger
            probe.bind((HOST, port))
            return int(probe.getsockname()[1])
    raise OSError(f"{HOST} has no free port.")


def main() -> None:
    program, port = sys.argv[1:]
    end_with_parent()
    sys.argv = [program, "--port", port]
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
