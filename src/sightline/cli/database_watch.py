"""The database beside a serving process: the embedded one is started again when it dies."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from sightline.cli.output import note
from sightline.platform.db.embedded import EmbeddedServer, EmbeddedServerError
from sightline.settings import Settings

LOOK_SECONDS = 1.0
LEAVE_SECONDS = 3.0


@contextmanager
def watched_database(settings: Settings) -> Iterator[tuple[str, str]]:
    """The address for statements and the one past a pooler."""
    if settings.database_url is not None:
        yield settings.database_url, settings.listen_url or settings.database_url
        return
    server = EmbeddedServer(settings.data_dir)
    url = server.start()
    watch = _Watch(server)
    watch.thread.start()
    try:
        yield url, url
    finally:
        if watch.leave():
            server.stop()


class _Watch:
    """Looks every second; tells each trouble once."""

    def __init__(self, server: EmbeddedServer) -> None:
        self._server = server
        self._is_over = Event()
        self._trouble = ""
        self.thread = Thread(target=self._look, daemon=True, name="database")

    def leave(self) -> bool:
        """False when it is busy bringing the database up, which then belongs to the next who starts it."""
        self._is_over.set()
        self.thread.join(LEAVE_SECONDS)
        return not self.thread.is_alive()

    def _look(self) -> None:
        while not self._is_over.wait(LOOK_SECONDS):
            try:
                if self._server.ensure_running():
                    note("The embedded database had died and is started again.")
                self._trouble = ""
            except EmbeddedServerError as error:
                self._tell(str(error))

    def _tell(self, trouble: str) -> None:
        if trouble != self._trouble:
            note(f"sightline: {trouble}")
        self._trouble = trouble
