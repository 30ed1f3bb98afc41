"""A refusal as an answer: RFC 9457 problem details."""

from typing import Any

import msgspec

from sightline.platform.db import may_have_committed
from sightline.platform.db.retries import is_away
from sightline.platform.errors import Refusal, Unavailable

Headers = list[tuple[bytes, bytes]]
Answer = tuple[int, Headers, bytes]

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
