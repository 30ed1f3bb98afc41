"""Which failures are refusals, and their one-line messages."""

import errno

from sightline.platform.errors import Refusal, ValidationFailed
from sightline.platform.refused import Refused


def lines(error: Exception) -> list[str]:
    """The message of a refusal, with a line for each fault; nothing for any other exception."""
    if isinstance(error, ValidationFailed):
        found = [f"{fault.path}: {fault.message}" if fault.path else fault.message for fault in error.extras["errors"]]
        if more := error.extras.get("more"):
            found.append(f"and {more} more faults")
    else:
        found = [_message(error) or ""]
    return [" ".join(line.split()) for line in found if line]


def _message(error: Exception) -> str | None:
    if isinstance(error, (Refusal, Refused)):
        return str(error)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full: free some space and try again."
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, ConnectionError):
        return f"The connection to the database was lost: {error}."
    import asyncpg

    if isinstance(error, asyncpg.DiskFullError):
        return "The disk of the database is full: free some space and try again."
    connecting = (
        asyncpg.PostgresConnectionError,
        asyncpg.OperatorInterventionError,
        asyncpg.InsufficientResourcesError,
    )
    if isinstance(error, (*connecting, asyncpg.InsufficientPrivilegeError, asyncpg.ReadOnlySQLTransactionError)):
        return f"The database refuses: {str(error).rstrip('.')}."
    return None
