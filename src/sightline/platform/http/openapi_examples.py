"""Examples of answers, made from their schemas."""

from typing import Any
from uuid import NAMESPACE_URL, uuid5

Json = dict[str, Any]

_BY_NAME = {
    "name": "CSV export",
    "description": "Export every table as a CSV file, so that analysts can work with it elsewhere.",
    "status": "New",
    "sourceKey": "support-desk",
    "externalId": "ticket-4711",
    "createdSource": "api",
    "method": "api",
    "slug": "acme",
    "groupKey": "theme",
    "groupLabel": "Theme",
    "optionKeys": "speed",
    "optionLabels": "Speed",
    "scopes": "ideas:read",
    "reasoning": "The text asks for what the feature does.",
    "sourceQuote": "Export every table as a CSV file",
    "version": "1",
    "email": "ada@acme.example",
    "domain": "acme.example",
    "currency": "EUR",
    "language": "en",
    "content": "# CSV export\n\nEvery table can be exported.",
    "question": "Who exports tables today, and how?",
    "statusUrl": "/api/external/v1/initiatives/INITIATIVE-7/documents/jobs/0193f1a2-7c00-4e0d-8f2a-5b7f0c9d1e42",
}
_BY_FORMAT = {"date-time": "2026-11-20T09:30:00.000Z", "date": "2026-11-20", "uri": "https://acme.example/page"}


class Examples:
    """Makes examples; the same schema gives the same example."""

    def __init__(self, components: dict[str, Json]) -> None:
        self._components = components

    def of(self, schema: Json, name: str = "", owner: str = "", within: tuple[str, ...] = ()) -> Any:
        """`name` is the property, `owner` the record that has it, `within` the records it is nested in."""
        if "$ref" in schema:
            component = schema["$ref"].rpartition("/")[2]
            return self.of(self._components[component], name, component, (*within, component))
        if "anyOf" in schema:
            return self._of_choices(schema["anyOf"], name, owner, within)
        for given in ("examples", "enum"):
            if given in schema:
                return schema[given][0]
        if "const" in schema:
            return schema["const"]
        if schema.get("type") == "object":
            return self._of_object(schema, owner, within)
        if schema.get("type") == "array":
            items = schema.get("items", {})
            is_endless = items.get("$ref", "").rpartition("/")[2] in within
            return [] if is_endless or not items else [self.of(items, name, owner, within)]
        return _plain(schema, name, owner)

    def _of_choices(self, choices: list[Json], name: str, owner: str, within: tuple[str, ...]) -> Any:
        """The first that is neither null nor what it stands in."""
        for choice in choices:
            if choice.get("type") != "null" and choice.get("$ref", "").rpartition("/")[2] not in within:
                return self.of(choice, name, owner, within)
        return None

    def _of_object(self, schema: Json, owner: str, within: tuple[str, ...]) -> Json:
        return {name: self.of(each, name, owner, within) for name, each in schema.get("properties", {}).items()}


def _plain(schema: Json, name: str, owner: str) -> Any:
    kind = schema.get("type")
    if kind == "boolean":
        return True
    if kind in ("integer", "number"):
        return _number(schema, name)
    if kind == "string":
        return _text(schema, name, owner)
    return None if kind == "null" else {}


def _number(schema: Json, name: str) -> float:
    if name == "confidence":
        return 0.82
    least = max(schema.get("minimum", 1), schema.get("exclusiveMinimum", 0) + 1)
    return int(min(least, schema.get("maximum", least)))


def _meant_by(name: str, owner: str) -> str:
    """The same for `featureId`, `featureIds` and the `id` of a feature."""
    return (owner if name == "id" else name.removesuffix("s").removesuffix("Id")).lower()


def _text(schema: Json, name: str, owner: str) -> str:
    if schema.get("format") == "uuid":
        return str(uuid5(NAMESPACE_URL, f"example:{_meant_by(name, owner)}"))
    if schema.get("format") in _BY_FORMAT:
        return _BY_FORMAT[schema["format"]]
    if name.lower().endswith("publicid"):
        return f"{(name[:-8] or owner).upper()}-7"
    text = _BY_NAME.get(name, name or "text")
    return text[: schema.get("maxLength", len(text))].ljust(schema.get("minLength", 0), ".")
