"""The JSON Schema of the workspace file, from the types of its records."""

from typing import Any

import msgspec

from sightline.platform.wire import schema_of_wire_type
from sightline.workspace_file.parts import LISTS, PARTS, PRUNABLE

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """Returns the JSON Schema, by which editors complete and check a file."""
    kinds = [*PARTS.values(), *(table.record for table in LISTS.values())]
    shown, definitions = msgspec.json.schema_components(kinds, schema_hook=schema_of_wire_type)
    found = dict(zip([*PARTS, *LISTS], shown, strict=True))
    properties: dict[str, Any] = {"$schema": {"type": "string"}}
    for name, kind in found.items():
        owner, _, inside = name.rpartition(".")
        of_list = {"anyOf": [{"type": "array", "items": kind}, {"type": "null"}]}
        if owner:
            definitions[PARTS[owner].__name__]["properties"][inside] = of_list
        else:
            properties[name] = of_list if name in LISTS else kind
    properties["prune"] = {"anyOf": [{"type": "array", "items": {"enum": sorted(PRUNABLE)}}, {"type": "null"}]}
    return {
        "$schema": DIALECT,
        "title": "A workspace of Sightline",
        "type": "object",
        "properties": properties,
        "required": ["workspace"],
        "additionalProperties": False,
        "$defs": definitions,
    }
