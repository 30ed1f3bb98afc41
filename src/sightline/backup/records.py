"""The records of a backup: its manifest and seal, and the results of writing and reading it."""

from datetime import datetime
from typing import Protocol

from msgspec import Struct

from sightline.platform.refused import Refused

FORMAT = 1  # a program reads this format and all earlier ones

# Every other table of the database is copied.
LEFT_OUT = {
    "schema_revisions": "The manifest names the revision; restoring migrates to it and on.",
    "job_totals": "Counts what a server has done, for its monitoring: a restored one starts at zero.",
    "feed_versions": "The versions that cached counts of feeds have: a restored server counts again.",
    "portal_sessions": "A session that was ended since must not be valid again: people sign in again.",
    "portal_waiting_forms": "They wait 15 minutes for a sign-in: by then nobody comes for them.",
}

# Tables that a database may still have, and that are left out too.
LEFT_OUT_BEFORE = {"alembic_version"}


class BackupRefused(Refused):
    """A backup cannot be written or used. The message is one line."""


class SecretCheck(Struct, rename="camel"):
    """A salted hash of the server's secret, to check whether a given secret is the same; see `secrets`."""

    salt: bytes
    value: bytes


class Table(Struct, rename="camel"):
    """A table, its columns in the order of the copied rows, and how many rows there are."""

    name: str
    columns: list[str]
    rows: int


class Manifest(Struct, rename="camel"):
    """The first member of the file. `sequences`: the number that each gives next."""

    format: int
    program: str
    revision: str
    server: str
    created_at: datetime
    secret_check: SecretCheck
    tables: list[Table]
    sequences: dict[str, int]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)


class TableSeal(Struct, rename="camel"):
    """The size of a table in the backup, before compression."""

    rows: int
    bytes: int
    sha256: str


class Seal(Struct, rename="camel"):
    """The last member of the file."""

    manifest_sha256: str
    tables: dict[str, TableSeal]


class Written(Struct, rename="camel"):
    """The contents of a backup, and the size of its file."""

    tables: int
    rows: int
    bytes: int


class Restored(Struct, rename="camel"):
    """The result of a restore. `skipped`: tables of others; `portals`: portals that need a new secret."""

    tables: int
    rows: int
    skipped: list[str]
    portals: list[str]


class Progress(Protocol):
    """Shows the progress."""

    def begin(self, rows: int) -> None:
        """Called first, with the total number of rows."""

    def advance(self, rows: int) -> None:
        """Called with the number of rows done since the last call."""
