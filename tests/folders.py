"""Where tests keep the data of their servers."""

import shutil
import tempfile
from pathlib import Path
from typing import Final

RUN: Final = "TESTS_RUN_FOLDER"  # the environment variable with the folder that all processes of a run share
_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - what is made in it has a name of its own
_ENOUGH: Final = 4 * 1024**3  # bytes


def data_folder() -> Path:
    """A folder in memory where that is large enough: a database is 900 files."""
    if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ENOUGH:
        return _MEMORY
    return Path(tempfile.gettempdir())
