"""The OpenAPI 3.1 document, made from the table of operations."""

import re
import sys
from collections.abc import Iterable, Sequence
from inspect import cleandoc
from itertools import product
from typing import Any
from uuid import UUID

import msgspec
from msgspec import NODEFAULT

import sightline
from sightline.platform.http.openapi_examples import Examples
from sightline.platform.http.openapi_headers import HEADERS, PARAMETERS, refs_to
from sightline.platform.http.openapi_refusals import (
    problem_examples,
    problem_responses,
    problem_schemas,
    refusals_of,
    responses_of,
)
from sightline.platform.http.operations import Operation
from sightline.platform.http.queries import LARGEST_OFFSET, Paging, schema_of_parameter
from sightline.platform.refs import Ref
from sightline.platform.wire import Page, schema_of_wire_type

Json = dict[str, Any]

_INTRODUCTION = """
Product discovery over HTTP: ideas, initiatives, signals, research and feedback of one workspace.

**Keys.** Send `Authorization: Bearer <key>`. A key opens one workspace and has scopes; each operation names those it
needs. What a key may do tells `GET /api/external/v1/auth/context`.

**Records.** Wherever a path takes a reference, the UUID and the public id (`IDEA-7`) both work, in any letter case.
Moments are ISO 8601, UTC, with milliseconds.

**Lists.** `limit` and `offset` choose the part; `X-Total-Count`, `X-Limit`, `X-Offset`, `X-Has-More` and
`Link: <...>; rel="next"` tell where it lies. Unknown query parameters are ignored, known ones are strict. Feeds may be
followed by `Link` alone: its `after` finds the next page at once, however deep it lies.

**Versions.** Answers with one record carry an `ETag`; reads honour `If-None-Match`, writes `If-Match`. Every GET also
answers HEAD.

**Refusals** are `application/problem+json` (RFC 9457) with a machine-readable `code`, and `errors` where several
things are wrong. All codes are listed in the schema `ProblemCode`. Every answer carries `X-Request-Id`, which echoes
the one that was sent.

**Limits.** Bodies have at most 1 MiB unless the operation says otherwise; no string may hold the character NUL.
Where a rate limit is set, every answer to a valid key carries `RateLimit`, `RateLimit-Policy` and `X-RateLimit-*`.
"""

_AFTER = (
    "Where the page begins, from the `Link` of the one before; `offset` then only says how many lie before it. "
    "Costs the same at any depth, and shows no row twice when others are added meanwhile."
)


def openapi_document(operations: Sequence[Operation], base_path: str) -> Json:
    """The document of these operations, mounted at `base_path`; the same operations give the same document."""
    schemas = _Schemas(operations)
    examples = Examples(schemas.components)
    paths: dict[str, Json] = {}
    for operation in operations:
        item = paths.setdefault(f"{base_path}{operation.path}", {})
        item[operation.method.lower()] = _operation(operation, schemas, examples)
    refusals = {refusal for operation in operations for refusal in refusals_of(operation)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sightline",
            "version": sightline.__version__,
            "summary": "Self-hosted product discovery",
            "description": _INTRODUCTION.strip(),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/", "description": "The installation that serves this document"}],
        "tags": _tags(operations),
        "paths": dict(sorted(paths.items())),
        "components": {
            "securitySchemes": {"apiKey": {"type": "http", "scheme": "bearer", "description": "An API key."}},
            "schemas": dict(sorted((schemas.components | problem_schemas(refusals)).items())),
            "parameters": PARAMETERS,
            "headers": HEADERS,
            "responses": problem_responses(refusals),
            "examples": problem_examples(refusals),
        },
    }


def written(document: Json) -> str:
    """A document as it is printed and served."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


class _Schemas:
    """The schemas of all types that operations take and show."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        kinds = [kind for row in operations for kind in (row.shown_type, row.body_type) if kind is not None]
        shown, components = msgspec.json.schema_components(
            kinds, schema_hook=_schema_of_wire_type, ref_template="#/components/schemas/{name}"
        )
        self.components = {name: _tidy(schema) for name, schema in components.items()}
        self._by_kind = dict(zip(map(repr, kinds), shown, strict=True))

    def of(self, kind: Any) -> Json:
        schema: Json = _tidy(self._by_kind[repr(kind)])
        return schema


def _schema_of_wire_type(kind: type) -> Json:
    documentation = {"description": cleandoc(kind.__doc__)} if kind.__doc__ else {}
    return documentation | schema_of_wire_type(kind)


def _tidy(schema: Any) -> Any:
    """Without indentation inside descriptions and defaults of null; words of the program as words of the API."""
    if isinstance(schema, list):
        return [_tidy(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: _tidy(value) for name, value in schema.items() if not (name == "default" and value is None)}
    if isinstance(description := kept.get("description"), str):
        names = kept.get("properties", {})
        kept["description"] = _in_words_of_the_api(cleandoc(description), names)
    return kept


def _in_words_of_the_api(text: str, names: Iterable[str]) -> str:
    def camel(found: re.Match[str]) -> str:
        first, *others = found[1].split("_")
        word = first + "".join(map(str.capitalize, others))
        return f"`{word}`" if word in names else found[0]

    return re.sub(r"`([a-z]+(?:_[a-z]+)+)`", camel, text)


def _operation(operation: Operation, schemas: _Schemas, examples: Examples) -> Json:
    found: Json = {
        "operationId": operation.name,
        "tags": [_tag(operation)],
        "summary": operation.summary.rstrip("."),
        "description": _description(operation),
        "security": _security(operation),
        "x-required-scopes": _needed(operation),
    }
    if parameters := [*_path_parameters(operation), *_query_parameters(operation), *_header_parameters(operation)]:
        found["parameters"] = parameters
    if operation.body_type is not None:
        schema = schemas.of(operation.body_type)
        example = operation.example if operation.example is not None else examples.of(schema)
        found["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema, "example": example}},
        }
    answers = {str(operation.status): _success(operation, schemas, examples)}
    if operation.is_read and operation.is_versioned:
        answers["304"] = {"description": "If-None-Match names this version.", "headers": refs_to("ETag")}
    found["responses"] = dict(sorted((answers | responses_of(operation)).items()))
    return found


def _tag(operation: Operation) -> str:
    """The room in which it is answered."""
    room = operation.handler.__module__.split(".")[-2]
    return room.replace("_", " ").capitalize()


def _tags(operations: Sequence[Operation]) -> list[Json]:
    found: dict[str, Json] = {}
    for operation in operations:
        package = sys.modules[operation.handler.__module__.rpartition(".")[0]]
        found.setdefault(
            _tag(operation),
            {"name": _tag(operation), "description": (package.__doc__ or "").partition("\n\n")[0].strip()},
        )
    return [found[name] for name in sorted(found)]


def _needed(operation: Operation) -> list[str]:
    return sorted(operation.scopes) + [" or ".join(sorted(some)) for some in operation.any_of]


def _description(operation: Operation) -> str:
    scopes = ", ".join(f"`{scope}`" for scope in sorted(operation.scopes))
    choices = [" or ".join(f"`{scope}`" for scope in sorted(some)) for some in operation.any_of]
    needs = " and ".join(filter(None, [scopes, *choices]))
    about_query = cleandoc(operation.query_type.__doc__ or "") if operation.query_type else ""
    largest = operation.body_limit // 1024**2
    parts = [
        operation.description,
        about_query,
        f"Needs {needs}." if needs else "Any valid key may ask.",
        f"The body may have {largest} MiB." if operation.body_type and largest > 1 else "",
        "Honours `Idempotency-Key`." if operation.keeps_answers else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _security(operation: Operation) -> list[Json]:
    """Every combination of scopes that suffices."""
    choices = product(*(sorted(some) for some in operation.any_of))
    return [{"apiKey": sorted({*operation.scopes, *choice})} for choice in choices]


def _path_parameters(operation: Operation) -> list[Json]:
    return [
        {"name": name, "in": "path", "required": True, **_path_schema(kind)}
        for name, kind in operation.path_types.items()
    ]


def _path_schema(kind: Any) -> Json:
    if isinstance(kind, type) and issubclass(kind, Ref):
        described = f"A UUID or a public id like {kind.prefix}-7, in any letter case."
        return {"description": described, "schema": schema_of_parameter(kind), "example": f"{kind.prefix}-7"}
    is_id = isinstance(kind, type) and issubclass(kind, UUID)
    return {"schema": {"type": "string", "format": "uuid"} if is_id else {"type": "string"}, "example": kind.example}


def _query_parameters(operation: Operation) -> list[Json]:
    found = []
    for field in msgspec.structs.fields(operation.query_type) if operation.query_type else ():
        schema = schema_of_parameter(field.type)
        parameter: Json = {"name": field.encode_name, "in": "query", "schema": schema}
        if field.default is not NODEFAULT and field.default not in (None, ()):
            schema["default"] = list(field.default) if isinstance(field.default, tuple) else field.default
        if schema["type"] == "array":
            parameter |= {"style": "form", "explode": False}
        found.append(parameter)
    return found + (_paging_parameters(operation.paging) if operation.paging else [])


def _paging_parameters(paging: Paging) -> list[Json]:
    limit: Json = {"type": "integer", "minimum": 1, "default": paging.default}
    said = f"How many at most. More than {paging.most} counts as {paging.most}; `X-Limit` tells."
    if not paging.clamp:
        limit["maximum"] = paging.most
        said = f"How many at most, 1 to {paging.most}."
    offset = {"type": "integer", "minimum": 0, "maximum": LARGEST_OFFSET, "default": 0}
    after: Json = {"type": "string", "maxLength": 200}
    cursor: Json = {"name": "after", "in": "query", "description": _AFTER, "schema": after}
    return [
        {"name": "limit", "in": "query", "description": said, "schema": limit},
        {"name": "offset", "in": "query", "description": "How many to pass over.", "schema": offset},
        *([cursor] if paging.cursor else []),
    ]


def _header_parameters(operation: Operation) -> list[Json]:
    honoured = {
        "If-None-Match": operation.is_read and operation.is_versioned,
        "If-Match": operation.honours_if_match,
        "Idempotency-Key": operation.keeps_answers,
    }
    return [{"$ref": f"#/components/parameters/{name}"} for name, is_honoured in honoured.items() if is_honoured]


def _success(operation: Operation, schemas: _Schemas, examples: Examples) -> Json:
    schema = schemas.of(operation.shown_type)
    names = ["X-Request-Id"]
    if operation.is_versioned:
        names.append("ETag")
    if getattr(operation.answer_type, "__origin__", None) is Page:
        names += ["X-Total-Count", "X-Limit", "X-Offset", "X-Has-More", "Link"]
        if operation.paging:
            schema["maxItems"] = operation.paging.most
    if operation.keeps_answers:
        names.append("Idempotent-Replayed")
    return {
        "description": operation.summary,
        "headers": refs_to(*names),
        "content": {"application/json": {"schema": schema, "example": examples.of(schema)}},
    }
