"""What the OpenAPI document says of headers, in requests and in answers."""

from typing import Any

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}


def _described(description: str, schema: dict[str, Any], example: Any) -> dict[str, Any]:
    return {"description": description, "schema": schema, "example": example}


def _asked(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Without an example: the reference page would send it with every request that is tried."""
    return {"name": name, "in": "header", "description": description, "schema": schema}


_TAG = '"0193f1a27c004e0d8f2a5b7f0c9d1e42.3"'

PARAMETERS = {
    "Idempotency-Key": _asked(
        "Idempotency-Key",
        "A name of this request, kept for 24 hours: sent again with the same body it is answered as the first time, "
        "with another body it is refused.",
        {"type": "string", "minLength": 1, "maxLength": 255},
    ),
    "If-Match": _asked("If-Match", "An `ETag`: write only if the record still has this version.", _TEXT),
    "If-None-Match": _asked("If-None-Match", "An `ETag`: answer 304 if the record still has this version.", _TEXT),
}

HEADERS = {
    "ETag": _described("The version of the record, for If-None-Match and If-Match.", _TEXT, _TAG),
    "Idempotent-Replayed": _described(
        "`true` when this is the answer kept for an earlier request.", {"const": "true"}, "true"
    ),
    "Link": _described(
        "The next page, when there is one.", _TEXT, '</api/external/v1/ideas?limit=20&offset=20>; rel="next"'
    ),
    "RateLimit": _described("What is left, and in how many seconds all is back.", _TEXT, '"key";r=0;t=17'),
    "RateLimit-Policy": _described("How many requests in how many seconds.", _TEXT, '"key";q=600;w=60'),
    "Retry-After": _described("Whole seconds until trying again may help.", _COUNT, 17),
    "WWW-Authenticate": _described("How to authenticate.", _TEXT, "Bearer"),
    "X-Has-More": _described("Whether more follow.", {"enum": ["true", "false"]}, "true"),
    "X-Limit": _described("The length of a page that was used.", {"type": "integer", "minimum": 1}, 20),
    "X-Offset": _described("How many were passed over.", _COUNT, 0),
    "X-RateLimit-Limit": _described("How many requests a minute allows.", _COUNT, 600),
    "X-RateLimit-Remaining": _described("How many are left.", _COUNT, 0),
    "X-RateLimit-Reset": _described("When all are back: seconds since 1970.", _COUNT, 1795167000),
    "X-Request-Id": _described("The request's id, under which the log knows it.", _TEXT, "req-7f3a"),
    "X-Total-Count": _described("How many there are in all.", _COUNT, 42),
}

LIMITS = ("RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


def refs_to(*names: str) -> dict[str, Any]:
    """These headers of an answer, by reference; every answer has X-Request-Id."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in sorted({*names, "X-Request-Id"})}
