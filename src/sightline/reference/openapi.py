"""Makes the OpenAPI 3.1 document from the table of operations."""

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from inspect import cleandoc
from types import GenericAlias, UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT

import sightline
from sightline.platform.http.operations import Operation, located
from sightline.platform.http.query_strings import parameter_of
from sightline.platform.lists.paging import CURSOR, LARGEST_LIMIT, LARGEST_OFFSET, LONGEST_CURSOR, Paging
from sightline.platform.refs import Ref
from sightline.platform.wire import WITHOUT_NUL, Input, Listed, Page, Versioned, schema_of_wire_type
from sightline.reference import problems
from sightline.reference.choices import choices_of, records_in

Json = dict[str, Any]

_REFERENCE = re.compile(r'"\$ref":"#/components/([^"]+)"')

_ASSETS = files("sightline.reference") / "docs_assets"  # the introduction, and what is constant in the document

_AFTER = (
    "The start of the page, from the `Link` of the page before; `offset` then only says how many records precede it. "
    "Costs the same at any depth, and repeats no record when others are added meanwhile."
)


def openapi_document(operations: Sequence[Operation], base_path: str) -> Json:
    """Returns the document of these operations, mounted at `base_path`. It is deterministic."""
    document: Json = msgspec.json.decode((_ASSETS / "openapi_parts.json").read_bytes())
    document["info"]["version"] = sightline.__version__
    document["info"]["description"] = (_ASSETS / "introduction.md").read_text(encoding="utf-8").strip()
    document["tags"] = _tags(operations)
    schemas = _Schemas(operations)
    with_location = located(operations)
    refusals = {refusal for operation in operations for refusal in problems.refusals_of(operation)}
    components = document["components"]
    components["schemas"] = dict(
        sorted((schemas.components | components["schemas"] | problems.schemas(refusals)).items())
    )
    components["responses"] = problems.shared_responses(operations)
    components["examples"] = problems.examples(refusals)
    for operation in sorted(operations, key=lambda operation: operation.path):
        path = document["paths"].setdefault(f"{base_path}{operation.path}", {})
        path[operation.method.lower()] = found = _operation(operation, schemas)
        if operation.name in with_location:
            found["responses"][str(operation.status)]["headers"] |= problems.refs_to("Location")
    _remove_unused(document)
    return document


def _remove_unused(document: Json) -> None:
    """Removes the components that nothing refers to, until there are none; generators would warn of them."""
    groups = {kind: group for kind, group in document["components"].items() if kind != "securitySchemes"}
    while True:
        used = set(_REFERENCE.findall(msgspec.json.encode(document).decode()))
        unused = [(group, name) for kind, group in groups.items() for name in group if f"{kind}/{name}" not in used]
        if not unused:
            return
        for group, name in unused:
            del group[name]


def text_of(document: Json) -> str:
    """Returns a document as it is printed and served."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


class _Schemas:
    """The schemas of all bodies and responses."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        bodies = [row.body_type for row in operations if row.body_type is not None]
        kinds = [*bodies, *(kind for row in operations for kind in _alternatives(shown_type(row)))]
        self._choices = choices_of([*kinds, *(row.query_type for row in operations if row.query_type)])
        shown, components = msgspec.json.schema_components(
            kinds, schema_hook=_schema_of_wire_type, ref_template="#/components/schemas/{name}"
        )
        for kind in records_in(bodies, set()):
            if issubclass(kind, Input):
                components[kind.__name__] = _changed(components[kind.__name__], _without_nul) | kind.schema_between
        self.components: dict[str, Json] = self.named(_changed(components, _tidy)) | {
            name: {"title": name, "type": "string", "enum": sorted(values)} for values, name in self._choices.items()
        }
        self._by_kind = dict(zip(map(repr, kinds), shown, strict=True))

    def of(self, kind: Any) -> Json:
        schemas: list[Json] = [self.named(_changed(self._by_kind[repr(one)], _tidy)) for one in _alternatives(kind)]
        if len(schemas) == 1:
            return schemas[0]
        found: Json = {"anyOf": schemas}
        constants = [one.__struct_config__ for one in _alternatives(kind)]
        if constants[0].tag_field:
            mapping = {str(one.tag): schema["$ref"] for one, schema in zip(constants, schemas, strict=True)}
            found["discriminator"] = {"propertyName": constants[0].tag_field, "mapping": mapping}
        return found

    def named(self, schema: Any) -> Any:
        """Returns the schema with a `$ref` in place of each `enum` that has a name."""
        return _changed(schema, self._named)

    def _named(self, schema: Json) -> Json:
        name = self._choices.get(frozenset(map(str, schema["enum"]))) if isinstance(schema.get("enum"), list) else None
        others = {key: value for key, value in schema.items() if key not in ("type", "enum")}
        return schema if name is None else {"$ref": f"#/components/schemas/{name}"} | others


def _alternatives(kind: Any) -> tuple[Any, ...]:
    """The records of a union, which an operation with several views returns."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def _schema_of_wire_type(kind: type) -> Json:
    return ({"description": kind.__doc__} if kind.__doc__ else {}) | schema_of_wire_type(kind)


def _changed(schema: Any, change: Callable[[Json], Json]) -> Any:
    """Returns the schema with each object in it changed, the innermost first."""
    if isinstance(schema, list):
        return [_changed(each, change) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return change({name: _changed(value, change) for name, value in schema.items()})


def _without_nul(schema: Json) -> Json:
    """Returns a string without `pattern` or `enum` with the pattern that forbids NUL."""
    is_free = schema.get("type") == "string" and not {"pattern", "enum"} & schema.keys()
    return schema | {"pattern": WITHOUT_NUL} if is_free else schema


def _tidy(schema: Json) -> Json:
    """Removes indentation from descriptions and defaults of null; writes the program's names as the API's."""
    kept = {name: value for name, value in schema.items() if not (name == "default" and value is None)}
    if {} in kept.get("anyOf", ()):  # what the database gives as JSON
        kept["anyOf"].remove({})
        if len(kept["anyOf"]) == 1:
            kept |= kept.pop("anyOf")[0]
    if kept.get("type") == "object" and not {"properties", "additionalProperties"} & kept.keys():
        kept["additionalProperties"] = True
    if isinstance(choices := kept.get("enum"), list) and all(isinstance(choice, str) for choice in choices):
        kept.setdefault("type", "string")
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


def _operation(operation: Operation, schemas: _Schemas) -> Json:
    found: Json = {
        "operationId": operation.name,
        "tags": [_tag(operation)],
        "summary": operation.summary.rstrip(".").replace("`", ""),
        "description": _description(operation),
        "security": _security(operation),
        "x-required-scopes": sorted({*operation.scopes, *operation.any_of}),
    }
    if parameters := [*_path_parameters(operation), *_query_parameters(operation), *_header_parameters(operation)]:
        found["parameters"] = schemas.named(parameters)
    if operation.body_type is not None:
        content = {"schema": schemas.of(operation.body_type)}
        if operation.example is not None:
            content["example"] = operation.example
        found["requestBody"] = {"required": True, "content": {"application/json": content}}
    answers = {str(operation.status): _success(operation, schemas)}
    if operation.is_read and operation.is_versioned:
        answers["304"] = {"description": "If-None-Match names this version.", "headers": problems.refs_to("ETag")}
    found["responses"] = dict(sorted((answers | problems.responses_of(operation)).items()))
    return found


def _tag(operation: Operation) -> str:
    """The first word of the path: `Ideas`."""
    return operation.path.split("/")[1].replace("-", " ").capitalize()


def _tags(operations: Sequence[Operation]) -> list[Json]:
    """The tags, each described by the package of its shortest path."""
    found: dict[str, Json] = {}
    for operation in sorted(operations, key=lambda operation: len(operation.path)):
        package = sys.modules[operation.handler.__module__.rpartition(".")[0]]
        description = (package.__doc__ or "").partition("\n\n")[0].strip()
        found.setdefault(_tag(operation), {"name": _tag(operation), "description": description})
    return [found[name] for name in sorted(found)]


def _description(operation: Operation) -> str:
    needs = [f"`{scope}`" for scope in sorted(operation.scopes)]
    if operation.any_of:
        needs.append(" or ".join(f"`{scope}`" for scope in sorted(operation.any_of)))
    role = f" The key's creator must be an active member, {operation.role} or above." if not operation.is_read else ""
    largest = operation.body_limit // 1024**2
    parts = [
        operation.description,
        f"Needs {' and '.join(needs)}.{role}" if needs else f"Needs any valid key.{role}",
        f"The body may have up to {largest} MiB." if operation.body_type and largest > 1 else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _security(operation: Operation) -> list[Json]:
    """Returns every sufficient combination of scopes."""
    choices = [[scope] for scope in sorted(operation.any_of)] or [[]]
    return [{"apiKey": sorted([*operation.scopes, *choice])} for choice in choices]


def _path_parameters(operation: Operation) -> list[Json]:
    return [
        {"name": name, "in": "path", "required": True, **_path_schema(kind)}
        for name, kind in operation.path_types.items()
    ]


def _path_schema(kind: Any) -> Json:
    if isinstance(kind, type) and issubclass(kind, Ref):
        description = f"A UUID or a public id like {kind.prefix}-7, in any letter case."
        return {"description": description, "schema": kind.schema(), "example": f"{kind.prefix}-7"}
    return {"description": "A UUID.", "schema": {"type": "string", "format": "uuid"}, "example": kind.example}


def _query_parameters(operation: Operation) -> list[Json]:
    found = []
    for field in msgspec.structs.fields(operation.query_type) if operation.query_type else ():
        schema = parameter_of(field.type)[1]
        parameter: Json = {"name": field.encode_name, "in": "query", "schema": schema}
        if description := _description_of(field.type):
            parameter["description"] = description
        if field.default is not NODEFAULT and field.default not in (None, ()):
            schema["default"] = list(field.default) if isinstance(field.default, tuple) else field.default
        if schema["type"] == "array":
            parameter |= {"style": "form", "explode": False}
        found.append(parameter)
    return found + (_paging_parameters(operation.paging) if operation.paging else [])


def _description_of(parameter: Any) -> str:
    """The description of a parameter's type; empty if it has none."""
    return next((meta.description for meta in getattr(parameter, "__metadata__", ()) if meta.description), "")


def _paging_parameters(paging: Paging) -> list[Json]:
    limit: Json = {"type": "integer", "minimum": 1, "maximum": LARGEST_LIMIT, "default": paging.default}
    description = f"The most records of the page. More than {paging.most} counts as {paging.most}; see `X-Limit`."
    if not paging.clamp:
        limit["maximum"] = paging.most
        description = f"The most records of the page, 1 to {paging.most}."
    offset = {"type": "integer", "minimum": 0, "maximum": LARGEST_OFFSET, "default": 0}
    after: Json = {"type": "string", "maxLength": LONGEST_CURSOR, "pattern": CURSOR}
    cursor: Json = {"name": "after", "in": "query", "description": _AFTER, "schema": after}
    return [
        {"name": "limit", "in": "query", "description": description, "schema": limit},
        {"name": "offset", "in": "query", "description": "How many records to skip.", "schema": offset},
        *([cursor] if paging.cursor else []),
    ]


def _header_parameters(operation: Operation) -> list[Json]:
    honoured = {
        "If-None-Match": operation.is_read and operation.is_versioned,
        "If-Match": problems.honours_if_match(operation),
        "Idempotency-Key": operation.keeps_answers,
    }
    return [{"$ref": f"#/components/parameters/{name}"} for name, is_honoured in honoured.items() if is_honoured]


def shown_type(operation: Operation) -> Any:
    """The type of the response's body: a record or an array of records."""
    kind, inside = get_origin(operation.answer_type), get_args(operation.answer_type)
    if kind is Page:
        return GenericAlias(list, inside)
    return inside[0] if kind in (Listed, Versioned) else operation.answer_type


def _success(operation: Operation, schemas: _Schemas) -> Json:
    schema = schemas.of(shown_type(operation))
    kind = get_origin(operation.answer_type)
    if kind is Page and operation.paging:
        schema["maxItems"] = operation.paging.most
    names = [
        *(["ETag"] if operation.is_versioned else []),
        *(["X-Total-Count", "X-Limit", "X-Offset", "X-Has-More"] if kind is Page else []),
        *(["Link"] if kind in (Page, Listed) else []),
        *(["Idempotent-Replayed"] if operation.keeps_answers else []),
    ]
    return {
        "description": operation.summary,
        "headers": problems.refs_to(*names),
        "content": {"application/json": {"schema": schema}},
    }
