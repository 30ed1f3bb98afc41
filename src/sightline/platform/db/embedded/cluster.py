"""The folder of the embedded database, and the server's processes that run in it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from .programs import MAJOR, START_SECONDS, Account, EmbeddedServerError, Finished, Programs, failure

OWNER = "sightline"
PORT = 5432  # only a part of the socket's name
SOCKET = f".s.PGSQL.{PORT}"
SHORT = 80  # bytes; with the socket's name below the 103 of macOS and the 107 of Linux
PLAIN = re.compile(r"/[A-Za-z0-9_./+-]*")
# The current folder by a name that works although the account may not enter the folders above.
HERE = "/proc/self/cwd" if sys.platform == "linux" else "."
LETTERS = "UTF-8" if sys.platform == "darwin" else "C.UTF-8"
STOP_SECONDS = 10  # a fast shutdown writes a checkpoint
KILL_SECONDS = 5

SETTINGS = {
    "listen_addresses": "",  # no TCP: nothing to guess a password for
    "unix_socket_directories": ".",  # the cluster's folder, closed to others
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "128MB",
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
    f"--lc-ctype={LETTERS}",
    "--data-checksums",
    "--auth-local=trust",  # only the owner and root reach a socket in a folder of mode 0700
    "--auth-host=reject",
    "--no-instructions",
)


class Cluster(NamedTuple):
    """The cluster at <data dir>/postgres, of mode 0700 and owned by the account that runs the server."""

    path: Path
    account: Account

    def create(self, programs: Programs, *, is_synced: bool) -> None:
        """Creates the cluster under another name and renames it, so that an incomplete cluster is never found."""
        if self.path.is_symlink():
            raise EmbeddedServerError(
                f"{self.path} points to {self.path.readlink()}, which is missing: put the database back there, "
                "or remove the link to start with an empty one."
            )
        new = self.path.with_name("postgres.new")
        shutil.rmtree(new, ignore_errors=True)
        try:
            new.mkdir(mode=0o700)
            self.account.take(new)
            done = programs.run("initdb", *INITDB, *([] if is_synced else ["--no-sync"]), cwd=new)
            if not done.well:
                raise failure(self.path, "made", done.text)
            new.rename(self.path)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        parent = os.open(self.path.parent, os.O_RDONLY)
        os.fsync(parent)  # under its old name the next start would delete the cluster
        os.close(parent)

    def check(self) -> None:
        """Refuses a folder that is not a database, and another major version."""
        version = self.path / "PG_VERSION"
        if not version.exists():
            raise EmbeddedServerError(f"{self.path} is not a database: move it away, or choose another --data-dir.")
        if (major := version.read_text().strip()) != str(MAJOR):
            raise EmbeddedServerError(
                f"{self.path} holds data of PostgreSQL {major} and this version of Sightline runs {MAJOR}: "
                "run `sightline backup` with the version that made it, then `sightline restore` with this one "
                "into an empty data directory."
            )

    def start(self, programs: Programs, settings: Mapping[str, str], log: IO[bytes]) -> Finished:
        """Runs `pg_ctl start`, with these settings as the whole postgresql.conf."""
        new = self.path / "postgresql.conf.new"
        new.unlink(missing_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            self.account.take(file.fileno())
            file.write("# Written at each start of the server.\n")
            for name, value in {**SETTINGS, **settings}.items():
                quoted = value.replace("\\", "\\\\").replace("'", "''")
                file.write(f"{name} = '{quoted}'\n")
        new.replace(self.path / "postgresql.conf")
        words = ("start", f"--pgdata={HERE}", "--wait", "--silent", f"--timeout={START_SECONDS}")
        return programs.run("pg_ctl", *words, cwd=self.path, output=log)

    def end(self, inode: os.stat_result) -> None:
        """Stops the server of this inode, within 15 s, or ends what a killed postmaster left behind.

        PostgreSQL recovers from SIGKILL too. A process that is stuck in the kernel stays.
        """
        if postmaster := self.postmaster(inode):
            _signal({postmaster}, signal.SIGINT)
            wait_until(STOP_SECONDS, lambda: not find_processes(inode))
        _signal(find_processes(inode), signal.SIGKILL)
        wait_until(KILL_SECONDS, lambda: not find_processes(inode))
        # Their process id may by now be that of another program, and PostgreSQL would take it for a running server.
        for name in ("postmaster.pid", f"{SOCKET}.lock"):
            (self.path / name).unlink(missing_ok=True)

    def postmaster(self, inode: os.stat_result) -> int | None:
        """The process id in the lock file, if that is a process of the server."""
        try:
            recorded = int((self.path / "postmaster.pid").read_text().split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            return None
        return recorded if recorded in find_processes(inode) else None

    def short_path(self) -> Path:
        """The cluster's folder, where the socket lies, by a short name of plain characters.

        A long name gets a link in a folder of this process: the socket itself stays where only the owner can create it.
        """
        real = self.path.resolve()
        if len(os.fsencode(real)) <= SHORT and PLAIN.fullmatch(str(real)):
            return real
        runtime = os.environ.get("XDG_RUNTIME_DIR") or "/tmp"  # noqa: S108 - mkdtemp makes a folder of our own in it
        link = Path(tempfile.mkdtemp(prefix="sightline-", dir=runtime), "postgres")
        link.symlink_to(real)
        return link


def find_processes(inode: os.stat_result) -> set[int]:
    """The live PostgreSQL processes whose current folder is this one, as that of each process of a server is."""
    if sys.platform != "linux":
        return find_with_lsof(inode)
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # another user's, or one that ends
            if os.path.samestat((process / "cwd").stat(), inode) and (process / "comm").read_text() == "postgres\n":
                found.add(int(process.name))
    return found


def find_with_lsof(inode: os.stat_result) -> set[int]:
    """The same, where the system has no /proc."""
    words = ["lsof", "-a", "-c", "postgres", "-d", "cwd", "-FpDi"]
    listed = subprocess.run(words, capture_output=True, text=True, check=False).stdout  # noqa: S603 - fixed words
    folder = f"(?:fcwd\n)?D{inode.st_dev:#x}\ni{inode.st_ino}\n"
    return {int(pid) for pid in re.findall(rf"^p(\d+)\n{folder}", listed, re.MULTILINE)}


def _signal(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def wait_until(seconds: float, is_so: Callable[[], bool]) -> bool:
    """Asks every 10 ms until it is so. Returns False when it is not within these seconds."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
