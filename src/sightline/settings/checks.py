"""Whether the settings, the data directory, the disk and the secret are in order."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from sightline.platform.checks import Check
from sightline.settings import Settings

LEAST_FREE = 500_000_000  # bytes


def check_clock_offset(settings: Settings) -> Iterator[Check]:
    """Yields a warning if the clock is moved."""
    if offset := settings.clock_offset.total_seconds():
        moved = f"SIGHTLINE_CLOCK_OFFSET moves it by {offset:g} s: only for tests of time."
        yield Check("clock", True, moved, warning=True)


def check_machine(settings: Settings) -> Iterator[Check]:
    """Yields the checks of the data directory, the disk and the secret."""
    if settings.database_url is None and settings.data_dir.exists():
        yield _check_data_dir(settings.data_dir)
    yield _check_disk(settings.data_dir)
    yield _check_secret(settings)


def _check_data_dir(folder: Path) -> Check:
    if not folder.is_dir():
        return Check("data directory", False, f"{folder} is not a folder.")
    if _is_open(folder / "postgres"):
        return Check("data directory", False, f"{folder}/postgres is open to others: run chmod 700 on it.")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check("data directory", False, f"{folder} cannot be written by this user.")
    return Check("data directory", True, str(folder))


def _check_disk(folder: Path) -> Check:
    place = next(step for step in (folder, *folder.parents) if step.exists())
    free = shutil.disk_usage(place).free
    message = f"{free / 1e9:.1f} GB free at {place}"
    return Check("disk", free >= LEAST_FREE, message if free >= LEAST_FREE else f"Only {message}.")


def _check_secret(settings: Settings) -> Check:
    kept = settings.data_dir / "secret"
    if settings.secret is not None:
        return Check("secret", True, "given")
    if settings.database_url is not None:
        return Check("secret", False, "SIGHTLINE_SECRET is needed with a database of your own.")
    if _is_open(kept):
        return Check("secret", False, f"{kept} is open to others: run chmod 600 on it.")
    return Check("secret", True, f"kept in {kept}" if kept.exists() else "created when it is first needed")


def _is_open(path: Path) -> bool:
    """Whether it exists and others than its owner have rights to it."""
    return path.exists() and bool(stat.S_IMODE(path.stat().st_mode) & 0o077)
