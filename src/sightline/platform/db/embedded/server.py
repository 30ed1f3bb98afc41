"""Starting, joining and stopping the embedded server.

    <data dir>/postgres         the cluster and its socket, mode 0700
    <data dir>/postgres.log     what the server prints
    <data dir>/postgres.users   every process that uses the server holds a shared lock on this file
    <data dir>/postgres.turn    a process that starts or stops the server holds an exclusive lock on this file

The kernel releases a lock when its process dies, whatever killed it. The server counts as alive when its socket
answers, which is in a folder where no other user can create one. Process ids are not relied on for either.
"""

import fcntl
import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from .cluster import OWNER, PORT, SOCKET, Cluster
from .programs import (
    START_SECONDS,
    Account,
    Programs,
    choose_account,
    clear_refusals,
    failure,
    find_programs,
)

DATABASE = "sightline"
LOG_BYTES = 10_000_000
NONE = -1
OUR_FILES = {"postgres", "postgres.new", "postgres.log", "postgres.log.1", "postgres.users", "postgres.turn"}


class EmbeddedServer:
    """PostgreSQL 18 from the installed wheel, kept under one data directory and shared by every process that uses it.

    `settings` are settings of PostgreSQL; they apply when this process starts the server, not when it joins one.
    Not for several threads at once. A forked child does not use the server until it calls start() itself.
    """

    def __init__(self, data_dir: Path, *, settings: Mapping[str, str] = {}) -> None:
        self._data_dir = Path(data_dir).resolve()
        self._settings = settings
        self._users = NONE
        self._cluster = Cluster(self._data_dir / "postgres", Account.ours())
        self._inode: os.stat_result | None = None
        self._socket_folder = self._data_dir
        os.register_at_fork(after_in_child=self._forget)  # a child would keep the lock that its parent releases

    def start(self) -> str:
        """Starts or joins the server; returns a database URL that asyncpg takes (database and user `sightline`).

        Raises EmbeddedServerError, and then leaves nothing running that it started.
        """
        if self._users != NONE:
            self.ensure_running()
            return self._url
        with clear_refusals(self._data_dir):
            self._cluster = self._cluster._replace(account=choose_account(self._cluster.path, self._data_dir))
            self._data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._turn():
                self._join(find_programs(self._cluster.account))
        return self._url

    def ensure_running(self) -> bool:
        """Starts the server again if its postmaster died; True when it had to. Under 1 ms when it lives."""
        if self._answers():
            return False
        with clear_refusals(self._data_dir), self._turn():
            return self._bring_up(find_programs(self._cluster.account))

    def stop(self) -> None:
        """Stops using the server; the last process to do so stops it, within 20 s. Does nothing when not started."""
        if self._users == NONE:
            return
        with clear_refusals(self._data_dir):
            if not self._data_dir.exists():  # it was deleted meanwhile
                self._leave()
                return
            with self._turn():
                self._leave()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def _url(self) -> str:
        return f"postgresql://{OWNER}@/{DATABASE}?host={self._socket_folder}&port={PORT}"

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One process at a time starts or stops the server."""
        turn = self._open("postgres.turn")
        try:
            fcntl.flock(turn, fcntl.LOCK_EX)
            yield
        finally:
            os.close(turn)

    def _open(self, name: str, flags: int = 0) -> int:
        """Opens a file of the data directory, which no child process inherits."""
        flags |= os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(self._data_dir / name, flags, 0o600)
        self._cluster.account.take(file)
        return file

    def _join(self, programs: Programs) -> None:
        if {path.name for path in self._data_dir.iterdir()} <= OUR_FILES:  # else it is not ours alone
            self._cluster.account.take(self._data_dir)
            self._data_dir.chmod(0o700)
        self._users = self._open("postgres.users")
        try:
            fcntl.flock(self._users, fcntl.LOCK_SH)
            if not self._cluster.path.exists():
                self._cluster.create(programs, is_synced=self._settings.get("fsync") != "off")
            self._cluster.check()
            self._inode = self._cluster.path.stat()
            self._socket_folder = self._cluster.short_path()
            self._bring_up(programs)
            self._create_database(programs)
        except BaseException:
            self._leave()
            raise

    def _leave(self) -> None:
        try:
            fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if self._inode is not None:
                self._cluster.end(self._inode)
        except BlockingIOError:
            pass  # others still use it
        finally:
            if self._socket_folder.is_symlink():
                self._socket_folder.unlink()
                self._socket_folder.parent.rmdir()
            self._forget()

    def _forget(self) -> None:
        if self._users != NONE:
            os.close(self._users)
            self._users = NONE

    def _bring_up(self, programs: Programs) -> bool:
        """Starts the server unless it answers; True when it had to."""
        if self._answers() or self._inode is None:
            return False
        self._cluster.end(self._inode)
        log = self._data_dir / "postgres.log"
        if log.exists() and log.stat().st_size > LOG_BYTES:
            log.replace(log.with_name("postgres.log.1"))
        with open(self._open(log.name, os.O_APPEND), "a+b") as output:
            begin = output.seek(0, os.SEEK_END)
            done = self._cluster.start(programs, self._settings, output)
            output.seek(begin)
            if not done.well:
                raise failure(self._data_dir, "started", output.read().decode(errors="replace") + done.text)
        return True

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            try:
                client.connect(str(self._socket_folder / SOCKET))
            except TimeoutError:
                return True  # the server listens, and is busy
            except OSError:
                return False
            return True

    def _create_database(self, programs: Programs) -> None:
        """Waits until the server takes statements, and creates the database if it is absent."""
        words = (f"--host={self._socket_folder}", f"--port={PORT}", f"--username={OWNER}", "--maintenance-db=postgres")
        ours = programs._replace(account=Account.ours())  # the account may be kept from the socket by a closed folder
        deadline = time.monotonic() + START_SECONDS
        while not (done := ours.run("createdb", *words, DATABASE)).well:
            if f'database "{DATABASE}" already exists' in done.text:
                return
            if not self._answers():
                self._bring_up(programs)
            elif "the database system is" not in done.text or time.monotonic() > deadline:
                raise failure(self._data_dir, "reached", done.text)
            time.sleep(0.1)
