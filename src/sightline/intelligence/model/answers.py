"""Reading the answers of a model: JSON, perhaps in a fence or between words, of a given type."""

import json
from textwrap import shorten
from typing import Any, Final, NoReturn, TypeVar

import msgspec

T = TypeVar("T")

MOST_ITEMS: Final = 100  # of a list of an answer, and quotes of one that are not there: a model may repeat itself
MOST_COMPLAINTS: Final = 5  # that are sent back to a model
_THOUGHT, _END_OF_THOUGHT = "<think>", "</think>"
_LONGEST: Final = 400_000


class Unreadable(Exception):
    """The answer is no JSON, or not of the type. The message is sent to the model as the reason."""


def read_answer(content: str, type: type[T]) -> T:
    """Returns the first JSON object of the answer. Raises Unreadable."""
    found = _first_object(_without_thoughts(content))
    try:
        if b"\\u0000" in msgspec.json.encode(found):
            raise Unreadable("A text has a character that cannot be stored.")
        return msgspec.convert(found, type)
    except msgspec.ValidationError as error:
        raise Unreadable(f"The JSON does not follow the schema: {error}.") from None
    except (UnicodeEncodeError, RecursionError, OverflowError):
        raise Unreadable("A value cannot be stored.") from None


def _without_thoughts(content: str) -> str:
    """Returns the answer without its thoughts, in linear time; a mark without its other one stays."""
    *ended, rest = content.split(_END_OF_THOUGHT)
    parts = (part.partition(_THOUGHT) for part in ended)
    return "".join(said if thought else said + _END_OF_THOUGHT for said, thought, _ in parts) + rest


def _first_object(content: str) -> Any:
    start = content.find("{")
    if start < 0 or len(content) > _LONGEST:
        raise Unreadable("The answer is not a JSON object.")
    try:
        return json.JSONDecoder(parse_constant=_refuse).raw_decode(content, start)[0]
    except (ValueError, RecursionError):
        raise Unreadable("The answer is not valid JSON.") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def schema_of(type: Any) -> dict[str, Any]:
    """Returns the JSON schema in the strict form: every property required, no others."""
    [root], components = msgspec.json.schema_components([type], ref_template="#/$defs/{name}")
    name = root["$ref"].removeprefix("#/$defs/")
    definitions = {key: _strict(value) for key, value in components.items()}
    top: dict[str, Any] = definitions.pop(name)
    return top | ({"$defs": definitions} if definitions else {})


def _strict(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _strict(value) for key, value in schema.items() if key not in ("title", "default", "description")}
    if isinstance(schema.get("properties"), dict):
        properties = {name: _strict(value) for name, value in schema["properties"].items()}
        kept |= {"properties": properties, "required": list(properties), "additionalProperties": False}
    return kept


def line(text: str, longest: int) -> str:
    """Returns the text as one line, cut where a word ends."""
    whole = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return shorten(whole, longest, placeholder="") or whole[:longest]
