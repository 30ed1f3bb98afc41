"""The file that a backup is written to."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def open_target(path: Path) -> Iterator[BinaryIO]:
    """Opens a pipe, a device or a file, which gets its name only when it is complete. Raises OSError."""
    path = path.resolve()
    if path.exists() and not path.is_file():  # opening a folder fails with a clear message
        with open(path, "wb") as out:
            yield out
    else:
        with _renamed_when_complete(path) as out:
            yield out


@contextmanager
def _renamed_when_complete(path: Path) -> Iterator[BinaryIO]:
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)  # so that the file's name survives a power cut
        os.close(folder)
    except OSError as error:
        if str(error.filename) == str(part):
            error.filename = str(path)  # the name that was asked for
        raise
    finally:
        part.unlink(missing_ok=True)
