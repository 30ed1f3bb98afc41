"""Refusals in the OpenAPI document: which an operation has, their responses, schemas and examples."""

import re
from collections.abc import Iterable
from inspect import cleandoc
from itertools import groupby
from typing import Any

from sightline.platform import errors
from sightline.platform.http.cors import PreflightRefused
from sightline.platform.http.idempotency import KeyInUse, RecordDeleted
from sightline.platform.http.operations import Operation
from sightline.platform.http.problems import problem_members

Json = dict[str, Any]
Kind = type[errors.Refusal]

ALWAYS: tuple[Kind, ...] = (
    errors.Unauthorized,
    errors.ValidationFailed,
    errors.RateLimited,
    errors.Unavailable,
    errors.Refusal,
)
WITHOUT_OPERATION: tuple[Kind, ...] = (
    errors.BadRequest,
    PreflightRefused,
    errors.MethodNotAllowed,
    errors.NotFound,
    errors.RequestTimeout,
    errors.HeadersTooLarge,
)
_PROBLEM = {"$ref": "#/components/schemas/Problem"}
_HEADERS: dict[Kind, tuple[str, ...]] = {
    errors.Unauthorized: ("WWW-Authenticate",),
    errors.RateLimited: (
        "RateLimit",
        "RateLimit-Policy",
        "Retry-After",
        "X-RateLimit-Limit",
        "X-RateLimit-Remaining",
        "X-RateLimit-Reset",
    ),
    errors.Unavailable: ("Retry-After",),
}
_EXTRAS: dict[str, Json] = {
    "VALIDATION_FAILED": {"errors": [{"path": "name", "message": "At most 1000 characters"}]},
    "INSUFFICIENT_SCOPE": {"requiredScopes": ["ideas:write"]},
    "BODY_TOO_LARGE": {"limit": 1048576},
}


def refusals_of(operation: Operation) -> list[Kind]:
    """Returns the operation's refusals, ordered by status and code, one of each code."""
    kinds = [*ALWAYS, *operation.refuses]
    if operation.role is not None:
        kinds.append(errors.CreatorNotAllowed)
    if operation.scopes or operation.any_of:
        kinds.append(errors.InsufficientScope)
    if operation.path_types:
        kinds += [errors.InvalidReference, errors.NotFound]
    if operation.body_type is not None:
        kinds += [errors.MalformedJson, errors.TooLarge, errors.UnsupportedMediaType]
    if operation.honours_if_match:
        kinds.append(errors.PreconditionFailed)
    if operation.keeps_answers:
        kinds += [KeyInUse, errors.KeyReused, RecordDeleted]
    by_code = {kind.code: kind for kind in reversed(kinds)}
    return sorted(by_code.values(), key=lambda kind: (kind.status, kind.code))


def responses_of(operation: Operation) -> dict[str, Json]:
    """Returns the operation's refusals by status, as references to shared responses."""
    return {
        str(status): {"$ref": f"#/components/responses/{_name(kinds)}"}
        for status, kinds in _by_status(operation).items()
    }


def problem_responses(operations: Iterable[Operation]) -> dict[str, Json]:
    """Returns the shared responses by name: one for each set of refusals that an operation has under one status."""
    every = [kinds for operation in operations for kinds in _by_status(operation).values()]
    return {_name(kinds): _response(kinds) for kinds in sorted(every, key=_name)}


def _by_status(operation: Operation) -> dict[int, list[Kind]]:
    return {status: list(kinds) for status, kinds in groupby(refusals_of(operation), key=lambda kind: kind.status)}


def problem_examples(kinds: Iterable[Kind]) -> dict[str, Json]:
    """Returns an example of each code."""
    every = _one_of_each_code([*kinds, *WITHOUT_OPERATION])
    return {kind.code: {"summary": _meaning(kind), "value": _example(kind)} for kind in every}


def code_schema(kinds: Iterable[Kind]) -> dict[str, Json]:
    """Returns the schema of the codes there are."""
    every = _one_of_each_code([*kinds, *WITHOUT_OPERATION])
    meanings = "\n".join(f"- `{kind.code}` ({kind.status}): {_meaning(kind)}" for kind in every)
    return {
        "ProblemCode": {
            "title": "ProblemCode",
            "description": f"Every code there is. More may be added.\n\n{meanings}",
            "type": "string",
            "enum": [kind.code for kind in every],
        },
    }


def refs_to(*names: str) -> Json:
    """Returns references to headers of a response; every response has X-Request-Id."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in sorted({*names, "X-Request-Id"})}


def _response(kinds: list[Kind]) -> Json:
    codes = [kind.code for kind in kinds]
    schema = {**_PROBLEM, "properties": {"code": {"enum": codes}}}
    examples = {code: {"$ref": f"#/components/examples/{code}"} for code in codes}
    headers = {name for kind in kinds for known, names in _HEADERS.items() if issubclass(kind, known) for name in names}
    return {
        "description": " ".join(f"`{kind.code}`: {_meaning(kind)}" for kind in kinds),
        "headers": refs_to(*headers),
        "content": {"application/problem+json": {"schema": schema, "examples": examples}},
    }


def _one_of_each_code(kinds: Iterable[Kind]) -> list[Kind]:
    """Sorts by code; of several kinds with one code it always takes the same."""
    by_code: dict[str, Kind] = {}
    for kind in sorted(kinds, key=lambda kind: (kind.code, len(kind.__mro__), kind.__module__, kind.__qualname__)):
        by_code.setdefault(kind.code, kind)
    return list(by_code.values())


def _name(kinds: Iterable[Kind]) -> str:
    return "Or".join("".join(word.capitalize() for word in kind.code.split("_")) for kind in kinds)


def _meaning(kind: Kind) -> str:
    """Returns the first sentence of the class's docstring without the status, else its title."""
    own = cleandoc(kind.__dict__.get("__doc__") or "").partition("\n\n")[0].replace("\n", " ")
    words = re.match(r"\d{3}: ([^;]+)", own)
    meaning = words[1] if words else kind.title
    return f"{meaning[0].upper()}{meaning[1:].rstrip('.')}."


def _example(kind: Kind) -> Json:
    return problem_members(kind, _meaning(kind), "req-7f3a") | _EXTRAS.get(kind.code, {})
