"""How the pages of the portal are rendered: its templates, with the rows of ideas and the kinds of statuses."""

import re
import secrets
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from sightline.catalog.portal_labels import LabelKind, ShownLabel
from sightline.web.languages.catalogue import N_
from sightline.web.templates import Gettext, Templates

Marks = re.Pattern[str] | None
_MOST_ROWS = 1000  # of each language; a row has 2 KB, at most 15
_PLACE = secrets.token_hex()  # in a kept row, for what is different on each page; no text has it

_KINDS: dict[LabelKind, str] = {
    "open": N_("open"),
    "planned": N_("planned"),
    "building": N_("being built"),
    "done": N_("done"),
    "declined": N_("declined"),
}


def _extend(environment: Environment, gettext: Gettext) -> None:
    environment.globals["idea_rows"] = _keep_rows(environment)
    environment.filters["kind"] = lambda status: _kind(status, gettext)


def _keep_rows(environment: Environment) -> Callable[..., Markup]:
    """Returns the macro `row`, for several ideas, as a function that renders a row once, until its idea changes.

    Rows with marks, or with the message about a vote, are not kept.
    """

    def row(*values: Any) -> Markup:
        module: Any = environment.get_template("parts.html").module
        return module.row(*values)  # type: ignore[no-any-return]  # a macro returns Markup

    @lru_cache(maxsize=_MOST_ROWS)
    def around_places(idea: Any, root: str, level: str) -> list[str]:
        return str(row(idea, root, _PLACE, _PLACE, "", level)).split(_PLACE)

    def idea_rows(  # noqa: PLR0913 - as the macro
        ideas: Sequence[Any], root: str, csrf: str, back: str, voted: str, level: str = "h2", marks: Marks = None
    ) -> Markup:
        places = escape(csrf), escape(back), ""
        shown: list[str] = []
        for idea in ideas:
            if marks is not None or voted == idea.public_id:
                shown.append(row(idea, root, csrf, back, voted, level, marks))
            else:
                shown += chain(*zip(around_places(idea, root, level), places, strict=True))
        return Markup("".join(shown))  # noqa: S704 - escaped by the macro, and above

    return idea_rows


def _kind(status: ShownLabel, gettext: Gettext) -> str:
    """Returns the kind of a status in words, or nothing if its name says it."""
    kind = gettext(_KINDS[status.kind])
    return kind if kind.lower() != status.name.lower() else ""


TEMPLATES = Templates("sightline.portal", _extend)
