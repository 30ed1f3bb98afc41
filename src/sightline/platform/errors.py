"""The errors that the service returns as problem documents.

Refusal
├── BadRequest 400
│   ├── MalformedJson
│   ├── ValidationFailed            (a list of faults, each with its path)
│   └── InvalidReference
├── Unauthorized 401                INVALID_API_KEY
├── PaymentRequired 402
│   ├── LimitReached                PLAN_LIMIT_EXCEEDED
│   └── TrialExpired
├── Forbidden 403
│   ├── InsufficientScope
│   └── CreatorNotAllowed
├── NotFound 404
├── MethodNotAllowed 405
├── RequestTimeout 408
├── Conflict 409
│   └── RequestIdReused
├── PreconditionFailed 412
├── TooLarge 413
├── UnsupportedMediaType 415
├── KeyReused 422                   IDEMPOTENCY_KEY_REUSED
├── RateLimited 429
├── HeadersTooLarge 431
└── Unavailable 503

Raise a refusal where the reason is known; `platform.http.problems` turns it into a response. A room derives its
own refusals from these where it needs a code of its own.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct

MOST_FAULTS = 100  # listed in one response


class Fault(Struct, omit_defaults=True):
    """One fault of a request: a dotted path or a parameter's name, and a message."""

    path: str
    message: str


class Refusal(Exception):
    """A refused request. `extras` become top-level members of the problem document; None leaves one out.

    `members` has an example of each member that a class adds; every problem may have `field`. The response has the
    `headers` too.
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = "INTERNAL_ERROR"
    title: ClassVar[str] = "Internal error"
    members: ClassVar[dict[str, Any]] = {}
    headers: Mapping[str, str] = {}

    def __init__(self, detail: str, **extras: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.extras = extras


class BadRequest(Refusal):
    status, code, title = 400, "BAD_REQUEST", "The request is not valid"


class MalformedJson(BadRequest):
    code, title = "MALFORMED_JSON", "The body is not JSON"


class ValidationFailed(BadRequest):
    """400 with every fault, at most 100; `field` is the path of the fault if there is exactly one."""

    code, title = "VALIDATION_FAILED", "The request is not valid"
    members: ClassVar[dict[str, Any]] = {"errors": [Fault("name", "At most 1000 characters")]}

    def __init__(self, faults: list[Fault], **extras: Any) -> None:
        detail = "; ".join(f"{fault.path}: {fault.message}" if fault.path else fault.message for fault in faults[:5])
        if len(faults) == 1:
            extras["field"] = faults[0].path
        super().__init__(detail, errors=faults[:MOST_FAULTS], **extras)

    @classmethod
    def of(cls, path: str, message: str, **extras: Any) -> "ValidationFailed":
        """With one fault."""
        return cls([Fault(path, message)], **extras)


class InvalidReference(BadRequest):
    code, title = "INVALID_REFERENCE", "The reference is malformed"


class Unauthorized(Refusal):
    status, code, title = 401, "INVALID_API_KEY", "A valid API key is needed"
    headers: Mapping[str, str] = {"WWW-Authenticate": "Bearer"}

    def __init__(
        self, detail: str = "Send a valid API key: Authorization: Bearer <key>.", key: str | None = None
    ) -> None:
        """`key` is the id of the refused key, for the log. It is not secret."""
        super().__init__(detail)
        self.key = key


class PaymentRequired(Refusal):
    status, code, title = 402, "PAYMENT_REQUIRED", "The plan does not allow this"


class LimitReached(PaymentRequired):
    """402: the plan does not allow more of a resource."""

    code = "PLAN_LIMIT_EXCEEDED"
    members: ClassVar[dict[str, Any]] = {"used": 100, "limit": 100, "resource": "active_initiatives"}


class TrialExpired(PaymentRequired):
    """402: the free trial is over."""

    code = "TRIAL_EXPIRED"
    members: ClassVar[dict[str, Any]] = {"trialEndedAt": "2026-11-20T09:30:00.000Z"}


class Forbidden(Refusal):
    status, code, title = 403, "FORBIDDEN", "The request is not allowed"


class InsufficientScope(Forbidden):
    """403: the key lacks a scope."""

    code, title = "INSUFFICIENT_SCOPE", "The API key lacks a scope"
    members: ClassVar[dict[str, Any]] = {"requiredScopes": ["ideas:write"]}


class CreatorNotAllowed(Forbidden):
    """403: the key's creator is not an active member with the role that the operation needs."""

    code, title = "CREATOR_NOT_ALLOWED", "The key's creator may not do this"


class NotFound(Refusal):
    """404: no such record in this workspace; `field` if a field of the body names it."""

    status, code, title = 404, "NOT_FOUND", "There is no such record"

    def __init__(self, detail: str = "There is no such record in this workspace.", **extras: Any) -> None:
        super().__init__(detail, **extras)


class MethodNotAllowed(Refusal):
    """405, with the methods that are allowed."""

    status, code, title = 405, "METHOD_NOT_ALLOWED", "The method is not allowed"

    def __init__(self, allowed: str) -> None:
        super().__init__(f"Allowed here: {allowed}.")
        self.headers = {"Allow": allowed}


class Conflict(Refusal):
    status, code, title = 409, "CONFLICT", "The record is not in a state that allows this"


class RequestIdReused(Conflict):
    """409: the request id was used with another body."""

    code = "REQUEST_ID_REUSED"


class PreconditionFailed(Refusal):
    """412: If-Match does not name the stored version."""

    status, code, title = 412, "PRECONDITION_FAILED", "The record has changed"


class RequestTimeout(Refusal):
    """408: the request did not arrive in time; the connection is closed."""

    status, code, title = 408, "REQUEST_TIMEOUT", "The request took too long to arrive"


class HeadersTooLarge(Refusal):
    """431: the request line or the headers are too large; the connection is closed."""

    status, code, title = 431, "HEADERS_TOO_LARGE", "The headers are too large"


class TooLarge(Refusal):
    """413: the body is larger than the operation allows; `limit` is in bytes."""

    status, code, title = 413, "BODY_TOO_LARGE", "The body is too large"
    members: ClassVar[dict[str, Any]] = {"limit": 1_048_576}


class UnsupportedMediaType(Refusal):
    status, code, title = 415, "UNSUPPORTED_MEDIA_TYPE", "The body must be JSON"


class KeyReused(Refusal):
    """422: the Idempotency-Key was used with another body."""

    status, code, title = 422, "IDEMPOTENCY_KEY_REUSED", "The Idempotency-Key was used for another request"


class RateLimited(Refusal):
    """429: the key made too many requests; `Retry-After` in whole seconds."""

    status, code, title = 429, "RATE_LIMITED", "Too many requests"

    def __init__(self, detail: str, retry_after: int, limits: dict[str, str]) -> None:
        super().__init__(detail)
        self.headers = {"Retry-After": str(retry_after), **limits}


class Unavailable(Refusal):
    """503: the database cannot be reached; trying again may help."""

    status, code, title = 503, "UNAVAILABLE", "The service is unavailable"
    headers: Mapping[str, str] = {"Retry-After": "1"}
