"""Feature matching in the workspace file: the product and the features by id, public id or key."""

from collections.abc import Iterator
from typing import Any

from sightline.platform.file_section import Field, Lookup, Reference
from sightline.platform.file_section import fields as of

_LISTS = ("matches", "suggestions")


def _features(matching: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The matches and suggestions that name a feature, with their places."""
    for name in _LISTS:
        found = matching.get(name)
        for index, match in enumerate(found if isinstance(found, list) else ()):
            if isinstance(match, dict) and isinstance(match.get("featureId"), str):
                yield f".{name}[{index}].featureId", match


def _references(matching: dict[str, Any]) -> Iterator[Reference]:
    if isinstance(matching.get("productId"), str):
        yield Reference(".productId", "products", matching["productId"], lenient=True)
    for place, match in _features(matching):
        yield Reference(place, "products.features", match["featureId"], lenient=True)


def _store(matching: dict[str, Any], lookup: Lookup) -> dict[str, Any]:
    """Returns the matching with ids. An unknown id stays, as the feature may have been deleted."""
    stored = dict(matching)
    if isinstance(matching.get("productId"), str):
        stored["productId"] = _id_of(lookup, "products", matching["productId"])
    for name in _LISTS:
        if isinstance(matching.get(name), list):
            stored[name] = [_with_id(match, lookup) for match in matching[name]]
    return stored


def _with_id(match: Any, lookup: Lookup) -> Any:
    if not isinstance(match, dict) or not isinstance(match.get("featureId"), str):
        return match
    return match | {"featureId": _id_of(lookup, "products.features", match["featureId"])}


def _id_of(lookup: Lookup, target: str, text: str) -> str:
    found = lookup.find(target, text)
    return text if found is None else str(found)


FEATURE_MATCHING = Field(
    "featureMatching",
    "feature_matching",
    dict[str, Any],
    nullable=True,
    store=_store,
    show=of.show_json,
    references=_references,
    json=True,
)
