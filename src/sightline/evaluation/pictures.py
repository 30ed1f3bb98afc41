"""Figures as SVG: the curve of matching, the bars of extraction."""

from importlib.resources import files

from jinja2 import Template
from msgspec import Struct


def draw(name: str, quality: Struct) -> str:
    """Returns the picture of the template with the name, `matching` or `extraction`."""
    drawn: str = Template(files(__package__).joinpath(f"{name}.svg").read_text()).render(quality=quality)
    return drawn
