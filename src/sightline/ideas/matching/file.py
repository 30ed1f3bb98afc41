"""Feature matching in the workspace file: the product and the features by id, public id or key."""

from typing import Any

from sightline.platform.file_parts.tables import Converted, Find

_LISTS = ("matches", "suggestions")


def _store(matching: dict[str, Any], find: Find) -> dict[str, Any]:
    """Returns the matching with ids. An unknown id stays, as the feature may have been deleted."""
    stored: dict[str, Any] = _with_id(matching, "productId", "products", "", find)
    for name in _LISTS:
        if isinstance(matching.get(name), list):
            stored[name] = [
                _with_id(match, "featureId", "products.features", f".{name}[{index}]", find)
                for index, match in enumerate(matching[name])
            ]
    return stored


def _with_id(part: Any, name: str, target: str, place: str, find: Find) -> Any:
    if not isinstance(part, dict) or not isinstance(text := part.get(name), str):
        return dict(part) if isinstance(part, dict) else part
    found = find(target, text, f"{place}.{name}", lenient=True)
    return part | {name: text if found is None else str(found)}


FEATURE_MATCHING = Converted(_store)
