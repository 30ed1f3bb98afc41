"""Which failures are refusals, and how they are told in one line."""

import errno

SHOWN_FAULTS = 5  # how many a ValidationFailed names in its detail


def one_line(error: Exception) -> str | None:
    """None for what nobody foresaw."""
    said = _foreseen(error)
    return None if said is None else " ".join(said.split())


def _foreseen(error: Exception) -> str | None:
    from sightline.backup import BackupRefused
    from sightline.platform.db import DatabaseUnavailable
    from sightline.platform.db.embedded import EmbeddedServerError
    from sightline.platform.errors import Refusal
    from sightline.settings import SettingsError

    if isinstance(error, Refusal):
        more = len(error.extras.get("errors", ())) - SHOWN_FAULTS + error.extras.get("more", 0)
        return f"{error.detail}; and {more} more faults" if more > 0 else error.detail
    if isinstance(error, BackupRefused | DatabaseUnavailable | EmbeddedServerError | SettingsError | CommandRefused):
        return str(error)
    if isinstance(error, OSError):
        return _system_refusal(error)
    return _database_refusal(error)


def _system_refusal(error: OSError) -> str | None:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full: free some space and try again."
    if error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, ConnectionError):
        return f"The database went away: {error}."
    return None


def _database_refusal(error: Exception) -> str | None:
    import asyncpg

    if isinstance(error, asyncpg.DiskFullError):
        return "The disk of the database is full: free some space and try again."
    connecting = (
        asyncpg.PostgresConnectionError,
        asyncpg.OperatorInterventionError,
        asyncpg.InsufficientResourcesError,
    )
    if isinstance(error, (*connecting, asyncpg.InsufficientPrivilegeError, asyncpg.ReadOnlySQLTransactionError)):
        return f"The database refuses: {error}."
    return None


class CommandRefused(Exception):
    """A command cannot do what is asked; the message is one line."""
