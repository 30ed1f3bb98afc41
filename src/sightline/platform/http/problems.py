"""A refusal as an answer: RFC 9457 problem details."""

from typing import Any

import msgspec
from starlette.responses import Response

from sightline.platform.db.database import may_have_committed
from sightline.platform.db.retries import is_away
from sightline.platform.errors import Refusal, Unavailable

Headers = list[tuple[bytes, bytes]]
Answer = tuple[int, Headers, bytes]


def problem(refusal: Refusal, request_id: str) -> Response:
    """Returns the response of a refusal."""
    extras = {name: value for name, value in refusal.extras.items() if value is not None}
    body = msgspec.json.encode(problem_members(type(refusal), refusal.detail, request_id) | extras)
    return Response(body, refusal.status, refusal.headers, "application/problem+json")


def problem_members(kind: type[Refusal], detail: str, request_id: str) -> dict[str, Any]:
    """The members that every problem has."""
    return {
        "type": f"urn:sightline:problem:{kind.code.lower().replace('_', '-')}",
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        "code": kind.code,
        "requestId": request_id,
    }


def as_refusal(error: Exception, *, is_read: bool) -> Refusal | None:
    """The refusal that a failure of the database amounts to, None for a fault of ours.

    It says that nothing was changed where that is certain: for a read, and while no COMMIT was sent.
    """
    if isinstance(error, Refusal):
        return error
    if not is_away(error):
        return None
    if is_read or not may_have_committed():
        return Unavailable("The database did not take the request; nothing was changed. Try again.")
    return Unavailable(
        "The database did not confirm the request; the change may be stored or not. Read before you repeat it, or "
        "repeat it with an Idempotency-Key."
    )
