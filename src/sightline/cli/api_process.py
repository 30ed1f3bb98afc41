"""One API process, started by `serve`: `python -m sightline.cli.api_process <socket> <ready>`, both file numbers.

Imports neither the command line nor anything that migrates: a process stays small.
"""

import gc
import logging
import socket
import sys
from typing import Any

import uvicorn

from sightline.cli.parent import end_with_parent, tell_ready
from sightline.settings import Settings

DRAIN_SECONDS = 8
KEEP_ALIVE_SECONDS = 30  # longer than proxies leave a connection idle between two requests


class ApiServer(uvicorn.Server):
    """Tells the parent when requests are answered."""

    def __init__(self, config: uvicorn.Config, ready_file: int) -> None:
        super().__init__(config)
        self._ready_file = ready_file

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            # What is there now stays: not looking through it again saves 2 % of creating, and pauses of 5 ms.
            gc.collect()
            gc.freeze()
            tell_ready(self._ready_file)


def configuration(settings: Settings, app: str = "sightline.app:create_app") -> uvicorn.Config:
    """How uvicorn serves: it logs nothing of its own below a warning, and believes only the proxies we trust."""
    options: dict[str, Any] = {"loop": "uvloop"} if sys.platform != "win32" else {}
    return uvicorn.Config(
        app,
        factory=True,
        http="httptools",
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=[str(network) for network in settings.trusted_proxies],
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        **options,
    )


def main() -> None:
    listening, ready = (int(word) for word in sys.argv[1:3])
    end_with_parent()
    settings = Settings.read()
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    ApiServer(configuration(settings), ready).run([socket.socket(fileno=listening)])


if __name__ == "__main__":
    main()
