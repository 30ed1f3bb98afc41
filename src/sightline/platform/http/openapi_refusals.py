"""What the OpenAPI document says of refusals: which an operation has, and how each looks."""

import re
from collections.abc import Iterable
from inspect import cleandoc
from typing import Any

from sightline.platform.errors import (
    InsufficientScope,
    InvalidReference,
    MalformedJson,
    MethodNotAllowed,
    NotFound,
    PreconditionFailed,
    RateLimited,
    Refusal,
    TooLarge,
    Unauthorized,
    Unavailable,
    UnsupportedMediaType,
    ValidationFailed,
)
from sightline.platform.errors import KeyReused as IdempotencyKeyReused
from sightline.platform.http.idempotency import KeyInUse
from sightline.platform.http.openapi_headers import LIMITS, refs_to
from sightline.platform.http.operations import Operation
from sightline.platform.http.problems import problem_type

Json = dict[str, Any]
Kind = type[Refusal]

ALWAYS: tuple[Kind, ...] = (Unauthorized, ValidationFailed, RateLimited, Unavailable, Refusal)
WITHOUT_OPERATION: tuple[Kind, ...] = (MethodNotAllowed, NotFound)
_PROBLEM = {"$ref": "#/components/schemas/Problem"}
_HEADERS: dict[Kind, tuple[str, ...]] = {
    Unauthorized: ("WWW-Authenticate",),
    RateLimited: ("Retry-After", *LIMITS),
    Unavailable: ("Retry-After",),
}
_EXTRAS: dict[str, Json] = {
    "VALIDATION_FAILED": {"errors": [{"path": "name", "message": "At most 1000 characters"}]},
    "INSUFFICIENT_SCOPE": {"requiredScopes": ["ideas:write"]},
    "BODY_TOO_LARGE": {"limit": 1048576},
}


def refusals_of(operation: Operation) -> list[Kind]:
    """Every kind of refusal that the operation may answer with, by status and code, one of each code."""
    kinds = [*ALWAYS, *operation.refuses]
    if operation.scopes or operation.any_of:
        kinds.append(InsufficientScope)
    if operation.path_types:
        kinds += [InvalidReference, NotFound]
    if operation.body_type is not None:
        kinds += [MalformedJson, TooLarge, UnsupportedMediaType]
    if operation.honours_if_match:
        kinds.append(PreconditionFailed)
    if operation.keeps_answers:
        kinds += [KeyInUse, IdempotencyKeyReused]
    by_code = {kind.code: kind for kind in reversed(kinds)}
    return sorted(by_code.values(), key=lambda kind: (kind.status, kind.code))


def responses_of(operation: Operation) -> dict[str, Json]:
    """The operation's refusals by status."""
    by_status: dict[int, list[Kind]] = {}
    for kind in refusals_of(operation):
        by_status.setdefault(kind.status, []).append(kind)
    return {str(status): _response_of(kinds) for status, kinds in by_status.items()}


def problem_responses(kinds: Iterable[Kind]) -> dict[str, Json]:
    """The answers that hold one kind of refusal only, by name."""
    return {_name(kind): _response([kind]) for kind in _one_of_each_code(kinds)}


def problem_examples(kinds: Iterable[Kind]) -> dict[str, Json]:
    """One example of each code."""
    every = _one_of_each_code([*kinds, *WITHOUT_OPERATION])
    return {kind.code: {"summary": _meaning(kind), "value": _example(kind)} for kind in every}


def problem_schemas(kinds: Iterable[Kind]) -> dict[str, Json]:
    """The shape of every refusal, and the list of all codes."""
    every = _one_of_each_code([*kinds, *WITHOUT_OPERATION])
    told = "\n".join(f"- `{kind.code}` ({kind.status}): {_meaning(kind)}" for kind in every)
    return {
        "ProblemCode": {
            "title": "ProblemCode",
            "description": f"Every code there is. More may be added.\n\n{told}",
            "type": "string",
            "enum": [kind.code for kind in every],
        },
        "Fault": {
            "title": "Fault",
            "description": "One thing that is wrong with what was sent.",
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Where: a dotted path, or a parameter's name."},
                "message": {"type": "string"},
            },
            "required": ["path", "message"],
        },
        "Problem": _problem_schema(),
    }


def _problem_schema() -> Json:
    return {
        "title": "Problem",
        "description": "A refusal, RFC 9457. A code may bring further members.",
        "type": "object",
        "properties": {
            "type": {"type": "string", "format": "uri", "description": "The code as a URN."},
            "title": {"type": "string", "description": "What the code means."},
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": {"type": "string", "description": "What happened this time."},
            "code": {"$ref": "#/components/schemas/ProblemCode"},
            "requestId": {"type": "string", "description": "The id under which the log knows the request."},
            "errors": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Fault"},
                "description": "Everything that is wrong with the request.",
            },
            "field": {"type": "string", "description": "The one field or parameter that is wrong."},
        },
        "required": ["type", "title", "status", "detail", "code", "requestId"],
    }


def _response_of(kinds: list[Kind]) -> Json:
    if len(kinds) == 1:
        return {"$ref": f"#/components/responses/{_name(kinds[0])}"}
    return _response(kinds)


def _response(kinds: list[Kind]) -> Json:
    codes = [kind.code for kind in kinds]
    schema = {**_PROBLEM, "properties": {"code": {"enum": codes}}}
    shown = {code: {"$ref": f"#/components/examples/{code}"} for code in codes}
    headers = {name for kind in kinds for known, names in _HEADERS.items() if issubclass(kind, known) for name in names}
    return {
        "description": " ".join(f"`{kind.code}`: {_meaning(kind)}" for kind in kinds),
        "headers": refs_to(*headers),
        "content": {"application/problem+json": {"schema": schema, "examples": shown}},
    }


def _one_of_each_code(kinds: Iterable[Kind]) -> list[Kind]:
    """By code; of several kinds with one code the same one each time."""
    by_code: dict[str, Kind] = {}
    for kind in sorted(kinds, key=lambda kind: (kind.code, len(kind.__mro__), kind.__module__, kind.__qualname__)):
        by_code.setdefault(kind.code, kind)
    return list(by_code.values())


def _name(kind: Kind) -> str:
    return "".join(word.capitalize() for word in kind.code.split("_"))


def _meaning(kind: Kind) -> str:
    """The class's own words without the status before them, else its title; one sentence."""
    own = cleandoc(kind.__dict__.get("__doc__") or "").partition("\n\n")[0].replace("\n", " ")
    words = re.match(r"\d{3}: ([^;]+)", own)
    said = words[1] if words else kind.title
    return f"{said[0].upper()}{said[1:].rstrip('.')}."


def _example(kind: Kind) -> Json:
    common: Json = {
        "type": problem_type(kind.code),
        "title": kind.title,
        "status": kind.status,
        "detail": _meaning(kind),
        "code": kind.code,
        "requestId": "req-7f3a",
    }
    return common | _EXTRAS.get(kind.code, {})
