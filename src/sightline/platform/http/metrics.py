"""`/metrics`: what Prometheus reads, of all API processes together."""

import asyncio
import os
from collections.abc import Awaitable, Callable

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, disable_created_metrics, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.requests import Request
from starlette.responses import Response

from sightline.platform.db import Database
from sightline.platform.http.public_pages import PublicPage

LOOK_SECONDS = 5.0

disable_created_metrics()  # type: ignore[no-untyped-call]  # the library's own lack

_CONNECTIONS = Gauge(
    "sightline_db_pool_connections", "Connections of the API processes' pools.", ["state"], multiprocess_mode="livesum"
)


async def watch_pool(db: Database) -> None:
    """Publishes every few seconds how much of the pool is in use: any process may have to answer for all."""
    while True:
        idle = len(db.pool.connections.intersection(db.pool.idle))  # without those that the server ended
        _CONNECTIONS.labels("idle").set(idle)
        _CONNECTIONS.labels("busy").set(len(db.pool.connections) - idle)
        _CONNECTIONS.labels("most").set(db.pool.size)
        await asyncio.sleep(LOOK_SECONDS)


def metrics_page(prepare: Callable[[], Awaitable[None]]) -> PublicPage:
    """`prepare` updates what is only counted when it is read."""

    async def answer(_: Request) -> Response:
        await prepare()
        return Response(await asyncio.to_thread(_collect), headers={"Content-Type": CONTENT_TYPE_LATEST})

    return PublicPage("metrics", answer)


def _collect() -> bytes:
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:  # `serve` sets it when there are several processes
        return generate_latest()
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the library's own lack
    return generate_latest(registry)
