"""Refusals in the OpenAPI document: which an operation has, their responses, schemas and examples."""

import re
from collections.abc import Iterable, Sequence
from inspect import cleandoc
from itertools import groupby
from typing import Any

from msgspec import to_builtins

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
    errors.HeadersTooLarge,
    errors.Unavailable,
    errors.Refusal,
)
WITHOUT_OPERATION: tuple[Kind, ...] = (
    errors.BadRequest,
    PreflightRefused,
    errors.MethodNotAllowed,
    errors.NotFound,
    errors.RequestTimeout,
)
LONGEST_NAME = 60
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


def refusals_of(operation: Operation) -> list[Kind]:
    """Returns the operation's refusals, ordered by status and code, one of each code."""
    kinds = [*ALWAYS, *operation.refuses]
    if not operation.is_read:
        kinds.append(errors.CreatorNotAllowed)
    if operation.scopes or operation.any_of:
        kinds.append(errors.InsufficientScope)
    if operation.path_types:
        kinds += [errors.InvalidReference, errors.NotFound]
    if operation.body_type is not None:
        kinds += [errors.MalformedJson, errors.TooLarge, errors.UnsupportedMediaType]
    if honours_if_match(operation):
        kinds.append(errors.PreconditionFailed)
    if operation.keeps_answers:
        kinds += [KeyInUse, errors.KeyReused, RecordDeleted]
    by_code = {kind.code: kind for kind in reversed(kinds)}
    return sorted(by_code.values(), key=lambda kind: (kind.status, kind.code))


def honours_if_match(operation: Operation) -> bool:
    """Whether it writes a record with a version: one that the path names or that the response carries."""
    return not operation.is_read and (bool(operation.path_types) or operation.is_versioned)


def responses_of(operation: Operation) -> dict[str, Json]:
    """Returns the operation's refusals by status: a reference, or the response itself if its name is too long."""
    return {
        str(status): {"$ref": f"#/components/responses/{name}"}
        if len(name := _name(kinds)) <= LONGEST_NAME
        else _response(kinds)
        for status, kinds in _by_status(operation).items()
    }


def shared_responses(operations: Iterable[Operation]) -> dict[str, Json]:
    """Returns the shared responses by name: one for each set of refusals that an operation has under one status.

    Sets whose name has more than 60 characters are left to the operations.
    """
    every = {_name(kinds): kinds for operation in operations for kinds in _by_status(operation).values()}
    return {name: _response(kinds) for name, kinds in sorted(every.items()) if len(name) <= LONGEST_NAME}


def _by_status(operation: Operation) -> dict[int, list[Kind]]:
    return {status: list(kinds) for status, kinds in groupby(refusals_of(operation), key=lambda kind: kind.status)}


def examples(kinds: Iterable[Kind]) -> dict[str, Json]:
    """Returns an example of each code."""
    every = _one_of_each_code([*kinds, *WITHOUT_OPERATION])
    return {kind.code: {"summary": _meaning(kind), "value": _example(kind)} for kind in every}


def schemas(kinds: Iterable[Kind]) -> dict[str, Json]:
    """Returns the schema of the codes, and one for each code whose problems have members of their own."""
    every = _one_of_each_code([*kinds, *WITHOUT_OPERATION])
    meanings = "\n".join(f"- `{kind.code}` ({kind.status}): {_meaning(kind)}" for kind in every)
    code = {
        "title": "ProblemCode",
        "description": f"What went wrong, for programs. Later versions may have further codes.\n\n{meanings}",
        "type": "string",
        "x-extensible-enum": [kind.code for kind in every],
    }
    return {"ProblemCode": code} | {_schema_name(kind): _schema(kind) for kind in every if kind.members}


def _schema_name(kind: Kind) -> str:
    return f"{_name([kind])}Problem" if kind.members else "Problem"


def _schema(kind: Kind) -> Json:
    """Returns the schema of a problem with members of its own; each may be missing."""
    shown: Json = {"code": {"type": "string", "enum": [kind.code]}}
    shown |= {name: _schema_of_example(value) for name, value in kind.members.items()}
    return {
        "title": _schema_name(kind),
        "description": f"`{kind.code}`: {_meaning(kind)}",
        "allOf": [_PROBLEM, {"type": "object", "properties": shown}],
    }


def _schema_of_example(value: Any) -> Json:
    if isinstance(value, list):
        return {"type": "array", "items": _schema_of_example(value[0])}
    if isinstance(value, errors.Fault):
        return {"$ref": "#/components/schemas/Fault"}
    if isinstance(value, dict):
        return {"type": "object", "additionalProperties": True}
    return {"type": "integer" if isinstance(value, int) else "string"}


def refs_to(*names: str) -> Json:
    """Returns references to headers of a response; every response has X-Request-Id."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in sorted({*names, "X-Request-Id"})}


def _response(kinds: list[Kind]) -> Json:
    codes = [kind.code for kind in kinds]
    names = sorted({_schema_name(kind) for kind in kinds} - {"Problem"})
    schemas = [*({"$ref": f"#/components/schemas/{name}"} for name in names), _PROBLEM]
    schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    examples = {code: {"$ref": f"#/components/examples/{code}"} for code in codes}
    headers = {name for kind in kinds for known, names in _HEADERS.items() if issubclass(kind, known) for name in names}
    return {
        "description": " ".join(f"`{kind.code}`: {_meaning(kind)}" for kind in kinds),
        "headers": refs_to(*headers),
        "content": {"application/problem+json": {"schema": schema, "examples": examples}},
    }


def _one_of_each_code(kinds: Iterable[Kind]) -> list[Kind]:
    """Sorts by code; of several kinds with one code it always takes the same."""
    in_order = sorted(kinds, key=lambda kind: (kind.code, len(kind.__mro__), kind.__module__, kind.__qualname__))
    return [next(same) for _, same in groupby(in_order, key=lambda kind: kind.code)]


def _name(kinds: Sequence[Kind]) -> str:
    return "Or".join("".join(word.capitalize() for word in kind.code.split("_")) for kind in kinds)


def _meaning(kind: Kind) -> str:
    """Returns the first sentence of the class's docstring without the status, else its title."""
    own = cleandoc(kind.__dict__.get("__doc__") or "").partition("\n\n")[0].replace("\n", " ")
    words = re.match(r"\d{3}: ([^;]+)", own)
    meaning = words[1] if words else kind.title
    return f"{meaning[0].upper()}{meaning[1:].rstrip('.')}."


def _example(kind: Kind) -> Json:
    own: Json = to_builtins(kind.members)
    return problem_members(kind, _meaning(kind), "req-7f3a") | own
