"""Starting, joining and stopping the embedded server.

    <data dir>/postgres         the cluster and its socket, mode 0700
    <data dir>/postgres.log     what the server prints
    <data dir>/postgres.users   every process that uses the server holds a shared lock on this file
    <data dir>/postgres.turn    a process that starts or stops the server holds an exclusive lock on this file

The kernel releases a lock when its process dies, whatever killed it. The server counts as alive when its socket
answers, which is in a folder where no other user can create one. Process ids are not relied on for either.
"""

import errno
import fcntl
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, Self

from .programs import MAJOR, START_SECONDS, EmbeddedServerError, Programs, clear_refusals, failure, find_programs

DATABASE = "sightline"
OWNER = "sightline"
PORT = 5432  # only a part of the socket's name
SOCKET = f".s.PGSQL.{PORT}"
SHORT = 80  # bytes; with the socket's name below the 103 of macOS and the 107 of Linux
PROGRAMS = ("postgres", "initdb", "pg_ctl")
PLAIN = re.compile(r"/[A-Za-z0-9_./+-]*")
# The current folder by a name that works although the server's user may not enter the folders above.
HERE = "/proc/self/cwd" if sys.platform == "linux" else "."
STOP_SECONDS = 10  # a fast shutdown writes a checkpoint
KILL_SECONDS = 5
LOG_BYTES = 10_000_000
NONE = -1
OUR_FILES = {"postgres", "postgres.new", "postgres.log", "postgres.log.1", "postgres.users", "postgres.turn"}

SETTINGS = {
    "listen_addresses": "",  # no TCP: nothing to guess a password for
    "unix_socket_directories": ".",  # the cluster's folder, closed to others
    "unix_socket_permissions": "0700",
    "jit": "off",  # compiling costs more than our short statements take
    "max_parallel_workers_per_gather": "0",  # many small requests share few cores, and containers' 64 MB /dev/shm
    "random_page_cost": "1.1",  # disks are SSDs
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "log",  # a failed statement is its caller's business; its text stays out of the file
    "log_checkpoints": "off",
}
INITDB = (
    f"--pgdata={HERE}",
    f"--username={OWNER}",
    "--encoding=UTF8",
    # The built-in provider sorts and folds letters alike on every machine; full-text search still asks
    # the C library whether a character is a letter or a dash.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    f"--lc-ctype={'UTF-8' if sys.platform == 'darwin' else 'C.UTF-8'}",
    "--text-search-config=simple",
    "--auth-local=trust",  # only the owner and root reach a socket in a folder of mode 0700
    "--auth-host=reject",
)


class EmbeddedServer:
    """PostgreSQL 18 from the installed wheel, kept under one data directory and shared by every process that uses it.

    `settings` are settings of PostgreSQL; they apply when this process starts the server, not when it joins one.
    Not for several threads at once. A forked child does not use the server until it calls start() itself.
    """

    _programs: Programs
    _inode: os.stat_result  # the cluster's folder, also after its name is gone
    _socket_folder: Path

    def __init__(self, data_dir: Path, *, settings: Mapping[str, str] = {}) -> None:
        self._data_dir = Path(data_dir).resolve()
        self._cluster = self._data_dir / "postgres"
        self._settings = settings
        self._users = NONE
        os.register_at_fork(after_in_child=self._forget)  # a child would keep the lock that its parent releases

    def start(self) -> str:
        """Starts or joins the server; returns a database URL that asyncpg takes (database and user `sightline`).

        Raises EmbeddedServerError, and then leaves nothing running that it started.
        """
        if self._users != NONE:
            self.ensure_running()
        else:
            with clear_refusals(self._data_dir):
                self._programs = find_programs(self._cluster, self._data_dir)
                self._data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
                with self._turn():
                    self._join()
        return f"postgresql://{OWNER}@/{DATABASE}?host={self._socket_folder}&port={PORT}"

    def ensure_running(self) -> bool:
        """Starts the server again if its postmaster died; True when it had to. Under 1 ms when it lives."""
        if self._answers():
            return False
        with clear_refusals(self._data_dir), self._turn():
            return self._bring_up()

    def stop(self, within: int = STOP_SECONDS) -> None:
        """Stops using the server. Does nothing when not started.

        If no other process uses the server, stops it, and kills it after `within` seconds.
        """
        if self._users == NONE:
            return
        is_there = self._data_dir.exists()  # else it was deleted meanwhile
        with clear_refusals(self._data_dir), self._turn() if is_there else nullcontext():
            self._leave(within)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One process at a time starts or stops the server."""
        with open(self._open("postgres.turn")) as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            yield

    def _open(self, name: str, flags: int = 0) -> int:
        """Opens a file of the data directory, which no child process inherits."""
        flags |= os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(self._data_dir / name, flags, 0o600)
        self._programs.own(file)
        return file

    def _join(self) -> None:
        if {path.name for path in self._data_dir.iterdir()} <= OUR_FILES:  # else it is not ours alone
            self._programs.own(self._data_dir)
            self._data_dir.chmod(0o700)
        if not self._cluster.exists():
            create_cluster(self._cluster, self._programs, is_synced=self._settings.get("fsync") != "off")
        check_cluster(self._cluster)
        self._inode = self._cluster.stat()
        self._socket_folder = short_path(self._cluster)
        self._users = self._open("postgres.users")
        try:
            is_alone = self._is_alone()
            fcntl.flock(self._users, fcntl.LOCK_SH)
            if self._bring_up() or is_alone:  # else another user has created it
                self._create_database()
        except BaseException:
            self._leave()
            raise

    def _leave(self, within: int = STOP_SECONDS) -> None:
        try:
            if self._is_alone():
                self._end(within)
        finally:
            if self._socket_folder.is_symlink():
                self._socket_folder.unlink()
                self._socket_folder.parent.rmdir()
            self._forget()

    def _is_alone(self) -> bool:
        """Whether no other process uses the server. Call it in `_turn`: then none begins to meanwhile."""
        try:
            fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _forget(self) -> None:
        if self._users != NONE:
            os.close(self._users)
            self._users = NONE

    def _bring_up(self) -> bool:
        """Starts the server unless it answers; True when it had to."""
        if self._answers():
            return False
        self._end()
        # What a killed server left: its process id may by now be that of another program.
        for name in ("postmaster.pid", f"{SOCKET}.lock"):
            (self._cluster / name).unlink(missing_ok=True)
        log = self._data_dir / "postgres.log"
        if log.exists() and log.stat().st_size > LOG_BYTES:
            log.replace(log.with_name("postgres.log.1"))
        with open(self._open(log.name, os.O_APPEND), "a+", errors="replace") as output:
            begin = output.seek(0, os.SEEK_END)
            options = shlex.join(f"-c{name}={value}" for name, value in {**SETTINGS, **self._settings}.items())
            words = ("start", "--silent", f"--timeout={START_SECONDS}", f"--options={options}")
            if self._control(*words, output=output).returncode:
                output.seek(begin)
                raise failure(self._data_dir, "started", output.read())
        return True

    def _end(self, within: int = STOP_SECONDS) -> None:
        """Stops the server, or kills what is left of one after that; PostgreSQL recovers from that too."""
        if self._answers():
            with suppress(EmbeddedServerError):  # the programs may have been removed meanwhile
                self._control("stop", "--mode=fast", f"--timeout={within}")
        kill_processes(self._inode)

    def _control(self, *words: str, output: IO[str] | None = None) -> subprocess.CompletedProcess[str]:
        return self._programs.run("pg_ctl", *words, f"--pgdata={HERE}", cluster=self._cluster, output=output)

    def _answers(self) -> bool:
        """Whether the server listens; it may be too busy to take the connection."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            return client.connect_ex(str(self._socket_folder / SOCKET)) in (0, errno.EAGAIN)

    def _create_database(self) -> None:
        """Creates the database if it is absent. A server that a killed process started may still be recovering."""
        words = (f"--host={self._socket_folder}", f"--port={PORT}", f"--username={OWNER}", "--maintenance-db=postgres")
        deadline = time.monotonic() + START_SECONDS
        while (done := self._programs.run("createdb", *words, DATABASE)).returncode:
            if f'database "{DATABASE}" already exists' in done.stdout:
                return
            is_recovering = "the database system is" in done.stdout and time.monotonic() < deadline
            if not self._bring_up() and not is_recovering:
                raise failure(self._data_dir, "reached", done.stdout)
            time.sleep(0.1)


def create_cluster(path: Path, programs: Programs, *, is_synced: bool) -> None:
    """Creates the cluster under another name and renames it, so that an incomplete cluster is never found."""
    if path.is_symlink():
        raise EmbeddedServerError(
            f"{path} points to {path.readlink()}, which is missing: put the database back there, "
            "or remove the link to start with an empty one."
        )
    new = path.with_name("postgres.new")
    if new.exists():
        kill_processes(new.stat())  # those of a process that was killed while it created the cluster
        shutil.rmtree(new, ignore_errors=True)
    try:
        new.mkdir(mode=0o700)
        programs.own(new)
        done = programs.run("initdb", *INITDB, *([] if is_synced else ["--no-sync"]), cluster=new)
        if done.returncode:
            raise failure(path, "made", done.stdout)
        new.rename(path)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    parent = os.open(path.parent, os.O_RDONLY)
    os.fsync(parent)  # under its old name the next start would delete the cluster
    os.close(parent)


def check_cluster(path: Path) -> None:
    """Refuses a folder that is not a database, and another major version."""
    version = path / "PG_VERSION"
    if not version.exists():
        raise EmbeddedServerError(f"{path} is not a database: move it away, or choose another --data-dir.")
    if (major := version.read_text().strip()) != str(MAJOR):
        raise EmbeddedServerError(
            f"{path} holds data of PostgreSQL {major} and this version of Sightline runs {MAJOR}: "
            "run `sightline backup` with the version that made it, then `sightline restore` with this one "
            "into an empty data directory."
        )


def find_processes(folder: os.stat_result) -> set[int]:
    """The live processes of these programs in this current folder, which each process of a server has."""
    if sys.platform != "linux":
        return find_with_lsof(folder)
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # another user's, or one that ends
            is_here = os.path.samestat((process / "cwd").stat(), folder)
            if is_here and (process / "comm").read_text().strip() in PROGRAMS:
                found.add(int(process.name))
    return found


def find_with_lsof(folder: os.stat_result) -> set[int]:
    """The live processes of these programs in this current folder, where the system has no /proc."""
    words = ["lsof", "-a", *(f"-c{program}" for program in PROGRAMS), "-d", "cwd", "-FpDi"]
    listed = subprocess.run(words, capture_output=True, text=True, check=False).stdout  # noqa: S603 - fixed words
    place = f"(?:fcwd\n)?D{folder.st_dev:#x}\ni{folder.st_ino}\n"
    return {int(pid) for pid in re.findall(rf"^p(\d+)\n{place}", listed, re.MULTILINE)}


def kill_processes(folder: os.stat_result) -> None:
    """Kills what still runs in this folder, within 5 s. A process that is stuck in the kernel stays."""
    deadline = time.monotonic() + KILL_SECONDS
    while (found := find_processes(folder)) and time.monotonic() < deadline:
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def short_path(cluster: Path) -> Path:
    """The cluster's folder, where the socket lies, by a short name of plain characters.

    A long name gets a link in a folder of this process: the socket itself stays where only the owner can create it.
    """
    real = cluster.resolve()
    if len(os.fsencode(real)) <= SHORT and PLAIN.fullmatch(str(real)):
        return real
    runtime = os.environ.get("XDG_RUNTIME_DIR") or "/tmp"  # noqa: S108 - mkdtemp makes a folder of our own in it
    link = Path(tempfile.mkdtemp(prefix="sightline-", dir=runtime), "postgres")
    link.symlink_to(real)
    return link
