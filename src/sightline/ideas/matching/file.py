"""Feature matching in the workspace file: the product and the features by id, public id or key."""

from collections.abc import Iterator
from typing import Any

from sightline.platform.file_section import Converted, Reference
from sightline.platform.file_section.tables import Find

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


def _store(matching: dict[str, Any], find: Find) -> dict[str, Any]:
    """Returns the matching with ids. An unknown id stays, as the feature may have been deleted."""
    stored = dict(matching)
    if isinstance(matching.get("productId"), str):
        stored["productId"] = _id_of(find, "products", matching["productId"])
    for name in _LISTS:
        if isinstance(matching.get(name), list):
            stored[name] = [_with_id(match, find) for match in matching[name]]
    return stored


def _with_id(match: Any, find: Find) -> Any:
    if not isinstance(match, dict) or not isinstance(match.get("featureId"), str):
        return match
    return match | {"featureId": _id_of(find, "products.features", match["featureId"])}


def _id_of(find: Find, target: str, text: str) -> str:
    found = find(target, text)
    return text if found is None else str(found)


FEATURE_MATCHING = Converted(_references, _store, lambda stored: stored)
