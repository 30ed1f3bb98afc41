"""The templates in the reader's language."""

import re
import secrets
from collections.abc import Callable, Sequence
from datetime import date
from functools import cache, lru_cache, partial
from itertools import chain
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup, escape

from sightline.catalog.portal_labels import LabelKind, ShownLabel
from sightline.portal.html.assets import version
from sightline.portal.html.colours import six_digits
from sightline.portal.html.languages import LANGUAGES, catalogue
from sightline.portal.html.markdown import as_text
from sightline.portal.html.marks import mark, passage

EXTENSIONS = ["jinja2.ext.i18n"]
_TEXT = re.compile(r"{% trans %}([^{}\n]*){% endtrans %}")
Marks = re.Pattern[str] | None
_MOST_ROWS = 1000  # of each language; a row has 2 KB, at most 15
_PLACE = secrets.token_hex()  # in a kept row, for what is different on each page; no text has it


@cache
def environment(language: str) -> Environment:
    """Returns the templates in this language. They escape all values."""
    texts = catalogue(language)
    day = lru_cache(maxsize=1000)(partial(_day, gettext=texts.gettext))
    made = Environment(
        loader=PackageLoader("sightline.portal", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        extensions=[*EXTENSIONS, Translated],
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    install: Callable[..., None] = made.install_gettext_callables  # type: ignore[attr-defined]  # of the extension
    install(texts.gettext, texts.ngettext, newstyle=True)
    # The extension's own looks each text up, and escapes it, for every use.
    made.globals["gettext"] = _gettext(texts.gettext)
    made.globals["idea_rows"] = _keep_rows(made)
    made.filters["asset"] = lambda name: f"{name}?v={version(name)}"  # constant, so it is applied when loading
    made.filters["accent"] = lambda color: f"accent-{six_digits(color)}.css"
    made.filters["day"] = lambda moment: day(moment.date())
    made.filters["kind"] = lambda status: _kind(status, texts.gettext)
    made.globals["languages"] = LANGUAGES
    made.filters["mark"] = mark
    made.filters["passage"] = lambda text, pattern: passage(as_text(text), pattern)
    made.policies["ext.i18n.trimmed"] = True
    return made


def _gettext(look_up: Callable[[str], str]) -> Callable[..., Markup]:
    """Returns the function that templates call for a text; it fills in values, escaped."""
    known = lru_cache(maxsize=1000)(lambda text: Markup(look_up(text)))  # noqa: S704 - texts of catalogue and templates

    def gettext(text: str, /, **values: Any) -> Markup:
        return known(text) % values if values else known(text)

    return gettext


def _keep_rows(made: Environment) -> Callable[..., Markup]:
    """Returns the macro `row`, for several ideas, as a function that renders a row once, until its idea changes.

    Rows with marks, or with the message about a vote, are not kept.
    """

    def row(*values: Any) -> Markup:
        module: Any = made.get_template("parts.html").module
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


class Translated(Extension):
    """Looks texts without values up when a template is loaded, so that they cost nothing when a page is rendered."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Replaces each text by its translation, which is HTML as the template is."""
        gettext: Any = self.environment.globals["gettext"]
        return _TEXT.sub(lambda found: gettext(found[1]), source)


def render(language: str, template: str, **values: Any) -> str:
    return environment(language).get_template(template).render(language=language, **values)


# Marks a text for the catalogue; the template that shows it looks it up.
def N_(text: str) -> str:
    return text


KINDS: dict[LabelKind, str] = {
    "open": N_("open"),
    "planned": N_("planned"),
    "building": N_("being built"),
    "done": N_("done"),
    "declined": N_("declined"),
}
MONTHS = (
    N_("January"),
    N_("February"),
    N_("March"),
    N_("April"),
    N_("May"),
    N_("June"),
    N_("July"),
    N_("August"),
    N_("September"),
    N_("October"),
    N_("November"),
    N_("December"),
)


def _day(day: date, gettext: Callable[[str], str]) -> str:
    # The order of day, month and year.
    form = gettext("%(day)s %(month)s %(year)s")
    return form % {"day": day.day, "month": gettext(MONTHS[day.month - 1]), "year": day.year}


def _kind(status: ShownLabel, gettext: Callable[[str], str]) -> str:
    """Returns the kind of a status in words, or nothing if its name says it."""
    kind = gettext(KINDS[status.kind])
    return kind if kind.lower() != status.name.lower() else ""
