"""A refusal as an answer: RFC 9457 problem details."""

from typing import Any

import asyncpg
import msgspec

from sightline.platform.db import may_have_committed
from sightline.platform.errors import Refusal, Unavailable

Answer = tuple[int, list[tuple[bytes, bytes]], bytes]

_PROBLEM = (b"content-type", b"application/problem+json")


def problem(refusal: Refusal, request_id: str) -> Answer:
    """Status, headers and body of a refusal."""
    body: dict[str, Any] = {
        "type": problem_type(refusal.code),
        "title": refusal.title,
        "status": refusal.status,
        "detail": refusal.detail,
        "code": refusal.code,
        "requestId": request_id,
    }
    encoded = msgspec.json.encode(body | {name: value for name, value in refusal.extras.items() if value is not None})
    headers = [_PROBLEM, (b"content-length", b"%d" % len(encoded))]
    headers += [(name.lower().encode(), value.encode("latin-1")) for name, value in refusal.headers().items()]
    return refusal.status, headers, encoded


def problem_type(code: str) -> str:
    """The URN of a code."""
    return f"urn:sightline:problem:{code.lower().replace('_', '-')}"


def failure(request_id: str) -> Answer:
    """What a caller learns of a fault of ours: nothing but the id under which it was logged."""
    return problem(Refusal("Something went wrong on our side. The request id finds it in the log."), request_id)


_PASSING = (
    OSError,
    TimeoutError,
    asyncpg.InternalClientError,  # a connection whose server went away in the middle of a message
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.DiskFullError,
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
)


def as_refusal(error: Exception, *, is_read: bool) -> Refusal | None:
    """The refusal that a failure of the database amounts to, None for a fault of ours.

    It says that nothing was changed where that is certain: for a read, and while no COMMIT was sent.
    """
    if isinstance(error, Refusal):
        return error
    if not isinstance(error, _PASSING) and not (isinstance(error, asyncpg.InterfaceError) and "clos" in str(error)):
        return None
    if is_read or not may_have_committed():
        return Unavailable("The database did not take the request; nothing was changed. Try again.")
    return Unavailable(
        "The database did not confirm the request; the change may be stored or not. Read before you repeat it, or "
        "repeat it with an Idempotency-Key."
    )
