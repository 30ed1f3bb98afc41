"""How the pages of the portal are rendered: its templates, with the rows of ideas and the kinds of statuses."""

import re
import secrets
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from jinja2 import Environment
from markupsafe import Markup, escape

from sightline.catalog.portal_labels import LabelKind, ShownLabel
from sightline.portal.portals.records import Portal
from sightline.web.languages.catalogue import N_
from sightline.web.templates import Gettext, Templates

Marks = re.Pattern[str] | None
_MOST_ROWS = 1000  # of each language; a row has 2 KB, at most 5
_LONGEST_NAME = 300  # characters of an idea whose row is kept
_MOST_PAGES = 100  # a page has 6 KB without its rows, 70 with the most filters
_PLACE = secrets.token_hex()  # in a kept text, for what is different on each page; no text has it
_PLACES = re.compile(f"{_PLACE}([a-z_]+);")

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

    Rows with marks, with the message about a vote, or of a long name are not kept.
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
            if marks is not None or voted == idea.public_id or len(idea.name) > _LONGEST_NAME:
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


def _place(name: str) -> Markup:
    return Markup(f"{_PLACE}{name};")  # noqa: S704 - a constant


class _AnyUser(NamedTuple):
    first_name: Markup = _place("user")


class _AnyVisit(NamedTuple):
    """A visit as a kept page shows it, with places for what is the visitor's own. A template that needs more fails."""

    portal: Portal
    session: bool = True
    user: _AnyUser = _AnyUser()
    own_path: Markup = _place("own_path")
    waiting: tuple[()] = ()
    is_partial: bool = False
    voted: str = ""


def render_list(language: str, own: Mapping[str, str], **same: Hashable) -> str:
    """Renders the list of ideas. `own` has the `rows`, and what differs by visitor: `csrf`, `user` and `own_path`.

    What is around that is rendered once for the same values, among them the `portal`, and then kept.
    """
    parts = _around_own(language, **same).copy()
    parts[1::2] = [escape(own[name]) for name in parts[1::2]]
    return "".join(parts)


@lru_cache(maxsize=_MOST_PAGES)
def _around_own(language: str, portal: Portal, **same: Hashable) -> list[str]:
    """Returns the page in parts; every second one is the name of a place."""
    places = {"csrf": _place("csrf"), "idea_rows": lambda *_, **__: _place("rows")}
    return _PLACES.split(TEMPLATES.render(language, "ideas.html", visit=_AnyVisit(portal), **places, **same))
