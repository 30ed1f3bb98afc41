"""Prints the schema of a freshly migrated database, the same bytes on every machine, for docs/schema.sql."""

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from sightline.migrations import migrate
from sightline.platform.db.embedded import EmbeddedServer, EmbeddedServerError
from sightline.platform.db.embedded.programs import find_programs

HEADER = "-- The schema of a freshly migrated database, for reading. Written by `make schema`; do not edit.\n\n"
UNSTABLE = re.compile(r"--|SET |SELECT pg_catalog\.set_config|\\(un)?restrict ")
FORGETFUL = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def fresh_schema() -> str:
    """Migrates a new database and returns its schema. Raises EmbeddedServerError or DatabaseUnavailable."""
    with tempfile.TemporaryDirectory(prefix="sightline-schema-") as folder:
        # For root the server runs as another user, who needs access to the data directory below.
        Path(folder).chmod(0o755)
        data_dir = Path(folder, "data")
        server = EmbeddedServer(data_dir, settings=FORGETFUL)
        try:
            url = server.start()
            asyncio.run(migrate(url))
            return normalised(_dump(url, data_dir))
        finally:
            server.stop()


def _dump(url: str, data_dir: Path) -> str:
    programs = find_programs(data_dir / "postgres", data_dir)
    done = programs.run("pg_dump", "--schema-only", "--no-owner", "--no-privileges", f"--dbname={url}")
    if done.returncode:
        raise EmbeddedServerError(f"The schema could not be written: {done.stdout.strip()}")
    return done.stdout


def normalised(dump: str) -> str:
    """Returns the output of pg_dump without comments, session settings, and other differences between runs."""
    kept = "\n".join(line for line in dump.splitlines() if not UNSTABLE.match(line))
    return HEADER + re.sub(r"\n{3,}", "\n\n", kept).strip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(fresh_schema())
