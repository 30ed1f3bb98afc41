"""The folder of the embedded database: making it, its settings, and a path to it that fits a socket's name."""

import locale
import os
import re
import secrets
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .embedded_binaries import (
    MAJOR,
    STATE,
    Account,
    Binaries,
    EmbeddedServerError,
    failure,
    make_open_folder,
    user_name,
)
from .embedded_processes import is_strangers

OWNER = "sightline"
PORT = 5432  # only a part of the socket's name
SOCKET = f".s.PGSQL.{PORT}"
PID_FILE = "postmaster.pid"
SHORT = 80  # bytes; with the socket's name below the 103 of macOS and the 107 of Linux
PLAIN = re.compile(r"/[A-Za-z0-9_./+-]*")

SETTINGS = {
    "listen_addresses": "",  # no TCP: nothing to guess a password for
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


@dataclass(frozen=True, slots=True)
class Cluster:
    """What stands at <data dir>/postgres: the folder itself or, behind a folder closed to the account, a link to it."""

    path: Path
    account: Account

    @property
    def title(self) -> str:
        """Names the server in its processes' titles; the folder's own identity, so that no two servers share it."""
        seen = self.path.stat()
        return f"sightline_{seen.st_dev:x}_{seen.st_ino:x}"

    def make(self, binaries: Binaries, *, settings: Mapping[str, str]) -> None:
        """Makes the cluster elsewhere and moves it to its place whole, so that half a cluster is never found."""
        if self.path.is_symlink():
            raise EmbeddedServerError(
                f"{self.path} points to {self.path.readlink()}, which is missing: put the database back there, "
                "or remove the link to begin with an empty one."
            )
        if user_name(self.account.uid) == str(self.account.uid):
            raise EmbeddedServerError(
                f"User {self.account.uid} has no name on this machine, and PostgreSQL asks for one: "
                "add it to /etc/passwd, run as another user, or give --database-url."
            )
        is_reachable = self.account.closed_folder(self.path.parent) is None
        new = self.path.with_name("postgres.new") if is_reachable else self._new_place_outside()
        shutil.rmtree(new, ignore_errors=True)
        try:
            new.mkdir(mode=0o700)
            self.account.take(new)
            self._run_initdb(binaries, new, is_synced=settings.get("fsync") != "off")
        except BaseException:
            shutil.rmtree(new if is_reachable else new.parent, ignore_errors=True)
            raise
        if is_reachable:
            new.rename(self.path)
        else:
            self.path.symlink_to(new)
        _sync_folder(self.path.parent)

    def _new_place_outside(self) -> Path:
        home = make_open_folder(STATE / "clusters") / secrets.token_hex(8)
        home.mkdir(mode=0o700)
        (home / "origin").write_text(f"{self.path}\n")
        self.account.take(home)
        return home / "postgres"

    def _run_initdb(self, binaries: Binaries, folder: Path, *, is_synced: bool) -> None:
        done = binaries.run(
            "initdb",
            f"--pgdata={folder}",
            f"--username={OWNER}",
            "--encoding=UTF8",
            # The built-in provider sorts and folds letters alike on every machine; full-text search still asks
            # the C library whether a character is a letter or a dash.
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--locale=C",
            f"--lc-ctype={_letters_locale()}",
            "--data-checksums",
            "--auth-local=trust",  # only the owner and root reach a socket in a folder of mode 0700
            "--auth-host=reject",
            "--no-instructions",
            *([] if is_synced else ["--no-sync"]),
        )
        if not done.well:
            raise failure(self.path, "made", done.text)

    def check(self) -> None:
        """Refuses what is no database, one of another major version, and one the account cannot reach."""
        version = self.path / "PG_VERSION"
        if not version.exists():
            raise EmbeddedServerError(f"{self.path} is not a database: move it away, or choose another --data-dir.")
        if (major := version.read_text().strip()) != str(MAJOR):
            raise EmbeddedServerError(
                f"{self.path} holds data of PostgreSQL {major} and this version of Sightline runs {MAJOR}: "
                "run `sightline backup` with the version that made it, then `sightline restore` with this one "
                "into an empty data directory."
            )
        if closed := self.account.closed_folder(self.path.resolve()):
            raise EmbeddedServerError(
                f"User {user_name(self.account.uid)!r}, who runs the database, may not enter {closed}: "
                f"run `chmod o+x {closed}`, or move the data directory."
            )

    def recorded_pid(self) -> int | None:
        """The postmaster's number as its lock file has it; it may be stale."""
        return _first_number(self.path / PID_FILE)

    def forget_strangers(self) -> None:
        """Removes lock files whose number went to a stranger, whom PostgreSQL would take for a running server."""
        for name in (PID_FILE, f"{SOCKET}.lock"):
            pid = _first_number(self.path / name)
            if pid is not None and is_strangers(pid, self.account.uid):
                (self.path / name).unlink(missing_ok=True)

    def write_settings(self, settings: Mapping[str, str], socket_folder: Path) -> None:
        """Replaces postgresql.conf, which is ours, as a whole."""
        lines = ["# Written at each start of the server."]
        for name, value in {**SETTINGS, **settings, "unix_socket_directories": str(socket_folder)}.items():
            quoted = value.replace("\\", "\\\\").replace("'", "''")
            lines.append(f"{name} = '{quoted}'")
        new = self.path / "postgresql.conf.new"
        new.unlink(missing_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            self.account.take(file.fileno())
            file.write("\n".join(lines) + "\n")
        new.replace(self.path / "postgresql.conf")

    def short_path(self) -> Path:
        """The cluster's folder, where the socket lies, by a short name of plain characters.

        A long name gets a link, one of each user's own: the socket itself stays where only the owner can put it.
        """
        real = self.path.resolve()
        if len(os.fsencode(real)) <= SHORT and PLAIN.fullmatch(str(real)):
            return real
        link = _folder_for_links() / self.title
        if not link.is_symlink() or link.readlink() != real:
            new = link.with_name(f"{link.name}.{secrets.token_hex(4)}")
            new.symlink_to(real)
            new.replace(link)
        return link

    def remove_link(self, short: Path) -> None:
        if short.is_symlink() and short != self.path:
            short.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """A power cut must not bring the old name back, under which the next start would clear the cluster away."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _first_number(file: Path) -> int | None:
    try:
        return int(file.read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def _letters_locale() -> str:
    now = locale.setlocale(locale.LC_CTYPE)
    try:
        return locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    except locale.Error:
        return "C"
    finally:
        locale.setlocale(locale.LC_CTYPE, now)


def _folder_for_links() -> Path:
    """A folder in which only we can put links; refuses one that somebody else made before us."""
    uid = os.geteuid()
    if uid == 0:
        return make_open_folder(STATE / "run")
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or "/tmp")  # noqa: S108 - what is found there is checked below
    folder = runtime / f"sightline-{uid}"
    folder.mkdir(mode=0o700, exist_ok=True)
    seen = folder.lstat()
    if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != uid or stat.S_IMODE(seen.st_mode) & 0o077:
        raise EmbeddedServerError(
            f"{folder} is not a folder of ours alone: remove it, or choose a --data-dir with a shorter path."
        )
    return folder
