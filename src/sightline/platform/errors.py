"""Everything that is refused on purpose.

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
├── Conflict 409
├── PreconditionFailed 412
├── TooLarge 413
├── UnsupportedMediaType 415
├── KeyReused 422                   IDEMPOTENCY_KEY_REUSED
├── RateLimited 429
└── Unavailable 503

Raise where you know; `platform.http.problems` turns a refusal into an answer, once. A room derives its own
refusals from these where it has a code of its own.
"""

from typing import Any, ClassVar

from msgspec import Struct


class Fault(Struct, omit_defaults=True):
    """One thing that is wrong with what was sent: where (a dotted path, or a parameter's name) and what."""

    path: str
    message: str


class Refusal(Exception):
    """Something the service will not do. `extras` become top-level members of the problem."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "INTERNAL_ERROR"
    title: ClassVar[str] = "The service failed"

    def __init__(self, detail: str, **extras: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.extras = extras

    def headers(self) -> dict[str, str]:
        return {}


class BadRequest(Refusal):
    status, code, title = 400, "BAD_REQUEST", "The request is not valid"


class MalformedJson(BadRequest):
    code, title = "MALFORMED_JSON", "The body is not JSON"


class ValidationFailed(BadRequest):
    """400 with every fault at once."""

    code, title = "VALIDATION_FAILED", "The request is not valid"

    def __init__(self, faults: list[Fault], **extras: Any) -> None:
        shown = "; ".join(f"{fault.path}: {fault.message}" if fault.path else fault.message for fault in faults[:5])
        super().__init__(shown, errors=faults, **extras)

    @classmethod
    def of(cls, path: str, message: str, **extras: Any) -> "ValidationFailed":
        """One fault, also named by `field`."""
        return cls([Fault(path, message)], field=path, **extras)


class InvalidReference(BadRequest):
    code, title = "INVALID_REFERENCE", "That is no id of a record"


class Unauthorized(Refusal):
    status, code, title = 401, "INVALID_API_KEY", "A valid API key is needed"

    def __init__(self, detail: str = "Send a valid API key: Authorization: Bearer <key>.") -> None:
        super().__init__(detail)

    def headers(self) -> dict[str, str]:
        return {"WWW-Authenticate": "Bearer"}


class PaymentRequired(Refusal):
    status, code, title = 402, "PAYMENT_REQUIRED", "The plan does not allow this"


class LimitReached(PaymentRequired):
    """402: the plan does not allow more; extras `used`, `limit`, `resource`."""

    code = "PLAN_LIMIT_EXCEEDED"


class TrialExpired(PaymentRequired):
    """402: the free trial is over; extra `trialEndedAt`."""

    code = "TRIAL_EXPIRED"


class Forbidden(Refusal):
    status, code, title = 403, "FORBIDDEN", "That is not allowed"


class InsufficientScope(Forbidden):
    """403: the key lacks a scope; extra `requiredScopes`."""

    code, title = "INSUFFICIENT_SCOPE", "The API key lacks a scope"


class CreatorNotAllowed(Forbidden):
    """403: who made the key may not write (any more)."""

    code, title = "CREATOR_NOT_ALLOWED", "The key's creator may not do this"


class NotFound(Refusal):
    """404: not in this workspace, whether it exists elsewhere or not at all; `field` when a body named it."""

    status, code, title = 404, "NOT_FOUND", "There is no such record"

    def __init__(self, detail: str = "There is no such record in this workspace.", **extras: Any) -> None:
        super().__init__(detail, **extras)


class MethodNotAllowed(Refusal):
    """405, with the methods that are allowed."""

    status, code, title = 405, "METHOD_NOT_ALLOWED", "That method is not allowed here"

    def __init__(self, allowed: str) -> None:
        super().__init__(f"Allowed here: {allowed}.")
        self.allowed = allowed

    def headers(self) -> dict[str, str]:
        return {"Allow": self.allowed}


class Conflict(Refusal):
    status, code, title = 409, "CONFLICT", "The record is not in a state that allows this"


class PreconditionFailed(Refusal):
    """412: If-Match names another version than the stored one."""

    status, code, title = 412, "PRECONDITION_FAILED", "The record has changed"


class TooLarge(Refusal):
    """413: the body is larger than the operation takes; extra `limit` in bytes."""

    status, code, title = 413, "BODY_TOO_LARGE", "The body is too large"


class UnsupportedMediaType(Refusal):
    status, code, title = 415, "UNSUPPORTED_MEDIA_TYPE", "The body has to be JSON"


class KeyReused(Refusal):
    """422: the Idempotency-Key came with another body before."""

    status, code, title = 422, "IDEMPOTENCY_KEY_REUSED", "The Idempotency-Key was used for another request"


class RateLimited(Refusal):
    """429: too many requests of this key; `Retry-After` in whole seconds."""

    status, code, title = 429, "RATE_LIMITED", "Too many requests"

    def __init__(self, detail: str, retry_after: int, limits: dict[str, str]) -> None:
        super().__init__(detail)
        self._headers = {"Retry-After": str(retry_after), **limits}

    def headers(self) -> dict[str, str]:
        return self._headers


class Unavailable(Refusal):
    """503: the database cannot be reached right now; trying again may help."""

    status, code, title = 503, "UNAVAILABLE", "The service cannot answer right now"

    def headers(self) -> dict[str, str]:
        return {"Retry-After": "1"}
