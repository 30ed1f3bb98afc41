"""The sample workspace, which is written by hand."""

from importlib.resources import files
from typing import Any

import yaml

from sightline.sample.matching import match_ideas


def load() -> dict[str, Any]:
    """Returns the workspace file. Times are ISO strings, ideas are matched with features."""
    workspace = _read("workspace.yaml") | _read("research.yaml")
    return workspace | {"ideas": match_ideas(workspace["products"], workspace["ideas"])}


def _read(name: str) -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    content: dict[str, Any] = yaml.load(text, Loader=loader)  # noqa: S506 - one of the two safe loaders
    return content
