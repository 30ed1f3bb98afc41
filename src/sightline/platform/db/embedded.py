"""The embedded PostgreSQL: one server under a data directory, shared by every process that uses it.

    <data dir>/postgres         the cluster and its socket, mode 0700 (for root behind a closed folder: a link to it)
    <data dir>/postgres.log     what the server prints
    <data dir>/postgres.users   every process that uses the server holds a shared lock on this file
    <data dir>/postgres.turn    who starts or stops the server holds an exclusive lock on this file

The kernel gives a lock back when its process dies, whatever killed it. Whether the server lives is asked at its
socket, which lies where nobody else can put one; no process id is believed for either.
"""

import fcntl
import os
import socket
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from . import embedded_processes as processes
from .embedded_binaries import (
    Account,
    Binaries,
    EmbeddedServerError,
    choose_account,
    clear_refusals,
    failure,
    find_binaries,
)
from .embedded_cluster import OWNER, PORT, SOCKET, Cluster

__all__ = ["EmbeddedServer", "EmbeddedServerError"]

DATABASE = "sightline"
LOOK_FOR_DATABASE = f"--command=SELECT datname FROM pg_database WHERE datname = '{DATABASE}'"
START_SECONDS = 300  # recovery after a crash may replay some GB of log
BIND_SECONDS = 1  # from a postmaster's birth to its socket
LEFTOVER_SECONDS = 15
LOG_BYTES = 10_000_000
OUR_FILES = {"postgres", "postgres.new", "postgres.log", "postgres.log.1", "postgres.users", "postgres.turn"}


class EmbeddedServer:
    """PostgreSQL 18 from the installed wheel, kept under one data directory and shared by every process that uses it.

    `settings` are settings of PostgreSQL; they count when this process starts the server, not when it joins one.
    Not for several threads at once. A forked child does not use the server until it calls start() itself.
    """

    def __init__(self, data_dir: Path, *, settings: Mapping[str, str] = {}) -> None:
        self._data_dir = Path(data_dir).resolve()
        self._settings = settings
        self._users: int | None = None
        self._cluster = Cluster(self._data_dir / "postgres", Account(os.geteuid(), os.getegid()))
        self._socket_folder = self._data_dir
        self._title = ""

    def start(self) -> str:
        """Starts or joins the server; returns a database URL that asyncpg takes (database and user `sightline`).

        Refuses with EmbeddedServerError, and then leaves nothing running that it started.
        """
        if self._users is not None:
            self.ensure_running()
            return self._url
        with clear_refusals(self._data_dir):
            account = choose_account(self._cluster.path, self._data_dir)
            self._cluster = Cluster(self._cluster.path, account)
            self._data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._turn():
                self._join(find_binaries(account))
        return self._url

    def ensure_running(self) -> bool:
        """Starts the server again if its postmaster died; True when it had to. Under 1 ms when it lives."""
        if self._users is None:
            raise EmbeddedServerError("The embedded database is not started here: call start() first.")
        if self._answers():
            return False
        with clear_refusals(self._data_dir), self._turn():
            return self._bring_up(find_binaries(self._cluster.account))

    def stop(self) -> None:
        """Leaves; the last process that leaves stops the server (within 20 s). Harmless when not started."""
        if self._users is None:
            return
        if not self._cluster.path.exists():  # removed under us: the server can serve nobody any more
            processes.end_titled(self._title, self._cluster.account.uid, None)
            self._cluster.remove_link(self._socket_folder)
            self._forget()
            return
        with clear_refusals(self._data_dir), self._turn():
            self._leave()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def _url(self) -> str:
        return f"postgresql://{OWNER}@/{DATABASE}?host={self._socket_folder}&port={PORT}"

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One process at a time starts or stops the server."""
        turn = self._open("postgres.turn", os.O_RDWR)
        try:
            fcntl.flock(turn, fcntl.LOCK_EX)
            yield
        finally:
            os.close(turn)

    def _open(self, name: str, flags: int) -> int:
        """Opens a file of the data directory, which no child process inherits."""
        file = os.open(self._data_dir / name, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        self._cluster.account.take(file)
        return file

    def _join(self, binaries: Binaries) -> None:
        self._close_data_dir()
        self._users = self._open("postgres.users", os.O_RDWR)
        _started.add(self)
        try:
            fcntl.flock(self._users, fcntl.LOCK_SH)
            if not self._cluster.path.exists():
                self._cluster.make(binaries, settings=self._settings)
            self._bring_up(binaries)
            self._open_database(binaries)
        except BaseException:
            self._leave()
            raise

    def _close_data_dir(self) -> None:
        """Gives the data directory to the account alone, unless it also holds what is not ours."""
        if {path.name for path in self._data_dir.iterdir()} <= OUR_FILES:
            self._cluster.account.take(self._data_dir)
            self._data_dir.chmod(0o700)

    def _leave(self) -> None:
        assert self._users is not None  # noqa: S101 - tells mypy what every caller has made sure of
        try:
            fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._clear_the_way()
            self._cluster.remove_link(self._socket_folder)
        except BlockingIOError:
            return  # others still use it
        finally:
            self._forget()

    def _forget(self) -> None:
        users, self._users = self._users, None
        if users is not None:
            os.close(users)

    def _bring_up(self, binaries: Binaries) -> bool:
        """Starts the server unless it answers or is about to; True when it had to."""
        self._cluster.check()
        self._title = self._cluster.title
        self._socket_folder = self._cluster.short_path()
        if self._answers() or (self._running_pid() and processes.wait_until(BIND_SECONDS, self._answers)):
            return False
        deadline = time.monotonic() + LEFTOVER_SECONDS
        while True:
            self._clear_the_way()
            said = self._run_pg_ctl(binaries)
            if said is None:
                return True
            is_leftover = "shared memory block" in said or '"postmaster.pid" already exists' in said
            if not is_leftover or time.monotonic() > deadline:
                raise failure(self._data_dir, "started", said)
            time.sleep(0.5)

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            try:
                client.connect(str(self._socket_folder / SOCKET))
            except TimeoutError:
                return True  # somebody listens, and is busy
            except OSError:
                return False
            return True

    def _running_pid(self) -> int | None:
        """The live postmaster's number."""
        recorded = self._cluster.recorded_pid()
        return recorded if recorded in processes.find_titled(self._title, self._cluster.account.uid) else None

    def _clear_the_way(self) -> None:
        """Ends a server, or what is left of a dead one."""
        if not self._title:
            return
        processes.end_titled(self._title, self._cluster.account.uid, self._running_pid())
        self._cluster.forget_strangers()

    def _run_pg_ctl(self, binaries: Binaries) -> str | None:
        """None when the server is ready, otherwise what it said."""
        self._cluster.write_settings(self._settings, self._socket_folder)
        with open(self._open_log(), "a+b") as log:
            begin = log.seek(0, os.SEEK_END)
            done = binaries.run(
                *("pg_ctl", "start", "--wait", "--silent", f"--timeout={START_SECONDS}"),
                f"--options=-c cluster_name={self._title}",
                # Not as a word: pg_ctl hands its words to a shell.
                environment={"PGDATA": str(self._cluster.path.resolve())},
                output=log,
                seconds=START_SECONDS + 10,
            )
            log.seek(begin)
            return None if done.well else log.read().decode(errors="replace") + done.text

    def _open_log(self) -> int:
        log = self._data_dir / "postgres.log"
        if log.exists() and log.stat().st_size > LOG_BYTES:
            log.replace(log.with_name("postgres.log.1"))
        return self._open(log.name, os.O_RDWR | os.O_APPEND)

    def _open_database(self, binaries: Binaries) -> None:
        """Waits until the server takes statements, and creates the database if it is absent."""
        words = (f"--host={self._socket_folder}", f"--port={PORT}", f"--username={OWNER}")
        deadline = time.monotonic() + START_SECONDS
        while True:
            done = binaries.run("psql", *words, "--no-psqlrc", "--tuples-only", "--dbname=postgres", LOOK_FOR_DATABASE)
            if done.well and DATABASE not in done.text:
                done = binaries.run("createdb", *words, "--maintenance-db=postgres", DATABASE)
            if done.well:
                return
            if not self._answers():
                self._bring_up(binaries)
            elif "the database system is" not in done.text or time.monotonic() > deadline:
                raise failure(self._data_dir, "reached", done.text)
            time.sleep(0.1)


# A fork would keep a lock that its parent has given back.
_started: "weakref.WeakSet[EmbeddedServer]" = weakref.WeakSet()


def _forget_all() -> None:
    for server in _started:
        server._forget()


os.register_at_fork(after_in_child=_forget_all)
