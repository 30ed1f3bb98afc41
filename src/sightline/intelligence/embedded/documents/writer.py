"""A document: a template filled with what is recorded. What is not recorded is named as open.

The same material gives the same bytes. A statement ends with the numbers of its sources.
"""

import re
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sightline.intelligence.embedded.documents.markdown import ended, inline
from sightline.intelligence.embedded.documents.writing import Writing
from sightline.intelligence.material import DocumentType, Draft, Material

_EMPTY_LINES: Final = re.compile(r"\n{3,}")


@cache
def _environment() -> Environment:
    """Returns the templates. They escape all values for Markdown."""
    made = Environment(
        loader=PackageLoader("sightline.intelligence.embedded.documents", "templates"),
        autoescape=True,
        finalize=_escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["ended"] = lambda text: Markup(ended(inline(text)))  # noqa: S704 - escaped
    made.filters["counted"] = lambda count, noun: f"{count or 'no'} {noun}{'' if count == 1 else 's'}"
    made.filters["words"] = lambda value: value.replace("_", " ").lower()
    return made


def _escaped(value: Any) -> Markup:
    return value if isinstance(value, Markup) else Markup(inline(str(value)))  # noqa: S704 - escaped


def write_document(type: DocumentType, material: Material) -> Draft:
    """Composes one document. Invents nothing."""
    writing = Writing(type, material)
    content = _environment().get_template("document.md.j2").render(w=writing)
    return Draft(_EMPTY_LINES.sub("\n\n", content).strip() + "\n", list(writing.sources.values()))
