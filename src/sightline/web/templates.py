"""The templates of a room in the reader's language."""

import re
from collections.abc import Callable
from datetime import date
from functools import cache, lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup

from sightline.web.assets import Assets
from sightline.web.colours import six_digits
from sightline.web.languages.catalogue import LANGUAGES, N_, catalogue
from sightline.web.markdown import as_text
from sightline.web.marks import around, mark, passage

EXTENSIONS = ["jinja2.ext.i18n"]
_TEXT = re.compile(r"{% trans %}([^{}\n]*){% endtrans %}")
Gettext = Callable[[str], str]


class Templates:
    """The templates of a room, with its texts and its static files.

    `extend` adds the room's own filters and functions to the environment of each language.
    """

    def __init__(self, package: str, extend: Callable[[Environment, Gettext], None]) -> None:
        self._package = package
        self._extend = extend
        self.assets = Assets(package)
        self._environment = cache(self._make_environment)

    def render(self, language: str, template: str, **values: Any) -> str:
        return self._environment(language).get_template(template).render(language=language, **values)

    def function(self, language: str, name: str) -> Any:
        """Returns a function that the room has added for its templates."""
        return self._environment(language).globals[name]

    def _make_environment(self, language: str) -> Environment:
        """Returns the templates in this language. They escape all values."""
        texts = catalogue(self._package, language)
        made = Environment(
            loader=PackageLoader(self._package, "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            extensions=[*EXTENSIONS, Translated],
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        made.newstyle_gettext = True  # type: ignore[attr-defined]  # of the extension
        made.policies["ext.i18n.trimmed"] = True
        # The extension's own look each text up, and escape it, for every use, and show numbers without groups.
        number = _number(texts.gettext)
        ngettext = _ngettext(texts.ngettext, number)
        made.globals.update(gettext=_gettext(texts.gettext), ngettext=ngettext, languages=LANGUAGES)
        day = lru_cache(maxsize=1000)(lambda day: _day(day, texts.gettext))
        made.filters.update(
            {
                # Constant, so it is applied when loading.
                "asset": lambda name: f"{name}?v={self.assets.versions[name]}",
                "accent": lambda color: f"accent-{six_digits(color)}.css",
                "day": lambda moment: day(moment.date()),
                "number": number,
                "mark": mark,
                "passage": lambda text, pattern: passage(as_text(around(text, pattern)), pattern),
            }
        )
        self._extend(made, texts.gettext)
        return made


def _gettext(look_up: Gettext) -> Callable[..., Markup]:
    """Returns the function that templates call for a text; it fills in values, escaped."""
    known = lru_cache(maxsize=1000)(lambda text: Markup(look_up(text)))  # noqa: S704 - texts of catalogue and templates

    def gettext(text: str, /, **values: Any) -> Markup:
        return known(text) % values if values else known(text)

    return gettext


def _ngettext(look_up: Callable[[str, str, int], str], number: Callable[[int], str]) -> Callable[..., Markup]:
    """Returns the function that templates call for a text with a count; it fills in values, escaped."""

    def ngettext(one: str, many: str, count: int, /, **values: Any) -> Markup:
        shown = {name: number(value) if isinstance(value, int) else value for name, value in values.items()}
        return Markup(look_up(one, many, count)) % shown  # noqa: S704 - texts of catalogue and templates

    return ngettext


def _number(gettext: Gettext) -> Callable[[int], str]:
    # What separates thousands.
    separator = gettext(",")
    return lambda number: f"{number:,}".replace(",", separator)


class Translated(Extension):
    """Looks texts without values up when a template is loaded, so that they cost nothing when a page is rendered."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Replaces each text by its translation, which is HTML as the template is."""
        gettext: Any = self.environment.globals["gettext"]
        return _TEXT.sub(lambda found: gettext(found[1]), source)


MONTHS = N_("January February March April May June July August September October November December")


def _day(day: date, gettext: Gettext) -> str:
    # The order of day, month and year.
    form = gettext("%(day)s %(month)s %(year)s")
    return form % {"day": day.day, "month": gettext(MONTHS).split()[day.month - 1], "year": day.year}
