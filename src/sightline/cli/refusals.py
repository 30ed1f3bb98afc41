"""Which failures are refusals, and their one-line messages."""

import errno

from sightline.platform.errors import ValidationFailed

SHOWN_FAULTS = 5  # how many a ValidationFailed names in its detail


def lines(error: Exception) -> list[str]:
    """The message of a refusal, with a line for each fault; nothing for any other exception."""
    faults = error.extras.get("errors", []) if isinstance(error, ValidationFailed) else []
    if len(faults) < 2:
        line = one_line(error)
        return [] if line is None else [line]
    found = [_as_one_line(f"{fault.path}: {fault.message}" if fault.path else fault.message) for fault in faults]
    more: int = error.extras.get("more", 0) if isinstance(error, ValidationFailed) else 0
    return [*found, f"and {more} more faults"] if more else found


def one_line(error: Exception) -> str | None:
    """The message of a refusal; None for any other exception."""
    message = _message(error)
    return None if message is None else _as_one_line(message)


def _as_one_line(message: str) -> str:
    return " ".join(message.split())


def _message(error: Exception) -> str | None:
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
        return f"The connection to the database was lost: {error}."
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
    """A command cannot do what it was asked to; the message is one line."""
