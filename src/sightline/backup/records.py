"""What stands in a backup beside the rows, and what its writer and reader say."""

from datetime import datetime
from typing import Protocol

from msgspec import Struct

FORMAT = 1  # a program reads this format and every one before it

# Every other table of the database is copied.
LEFT_OUT = {
    "alembic_version": "The manifest names the revision; restoring migrates to it and on.",
    "job_totals": "What a server has done since it was set up, for its monitoring: a restored one begins anew.",
    "pgqueuer_log": "What became of attempts, for a week. What waits stands in pgqueuer, which is copied.",
    "feed_versions": "What counts of feeds are kept under: a restored server counts anew.",
    "pgqueuer_schedules": "Nothing is kept here: schedules are columns of the rooms' own rows.",
    "pgqueuer_statistics": "Nothing is kept here: job_totals counts.",
    "portal_sessions": "A sign-in that was ended since must not open again: people sign in anew.",
}


class BackupRefused(Exception):
    """A backup cannot be written or used; the message is one line."""


class SecretCheck(Struct, rename="camel"):
    """What tells whether a secret is the one of the backed-up server; see `secrets`."""

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
    """What was written of a table, before compression."""

    rows: int
    bytes: int
    sha256: str


class Seal(Struct, rename="camel"):
    """The last member of the file."""

    manifest_sha256: str
    tables: dict[str, TableSeal]


class Written(Struct, rename="camel"):
    """What a backup holds, and how large its file is."""

    tables: int
    rows: int
    bytes: int


class Restored(Struct, rename="camel"):
    """What came back. `skipped`: tables that are none of ours; `portals`: those that need a new secret."""

    tables: int
    rows: int
    skipped: list[str]
    portals: list[str]


class Progress(Protocol):
    """Who wants to know how far it is."""

    def begin(self, rows: int) -> None:
        """How many rows there are in all."""

    def advance(self, rows: int) -> None:
        """So many more are done."""
