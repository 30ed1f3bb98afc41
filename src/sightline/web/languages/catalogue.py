"""The texts of pages in each language: catalogues in gettext's .po format, read when they are first needed."""

import ast
import gettext
import re
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

OWN = "sightline.web"
SOURCE = "en"  # the texts in templates and code
LANGUAGES = {SOURCE: "English", "de": "Deutsch"}  # by code, each in its own words
_LINE = re.compile(r'(?:(msgid_plural|msgid|msgstr)(?:\[(\d)\])? )?(".*")')
_PLURAL = re.compile(r"plural=([^;]+);")


class Catalogue(NamedTuple):
    """The texts of one language. Missing ones are shown in English."""

    texts: dict[str, list[str]]
    plural: Callable[[int], int]

    def gettext(self, text: str) -> str:
        return self.texts.get(text, [text])[0]

    def ngettext(self, one: str, many: str, count: int) -> str:
        forms = self.texts.get(one)
        if forms is None:
            return one if count == 1 else many
        return forms[min(self.plural(count), len(forms) - 1)]


# Marks a text for the catalogue; the template that shows it looks it up.
def N_(text: str) -> str:
    return text


@cache
def catalogue(package: str, language: str) -> Catalogue:
    """Returns the texts of a room and of this one in one of LANGUAGES."""
    if language == SOURCE:
        return Catalogue({}, lambda count: int(count != 1))
    folders = (files(each) / "languages" for each in dict.fromkeys((OWN, package)))
    texts: dict[str, list[str]] = {}
    for folder in folders:
        texts |= read_po((folder / f"{language}.po").read_text(encoding="utf-8"))
    plural: Any = gettext.c2py(_plural_of(texts.pop("", [""])[0]))
    return Catalogue(texts, plural)


def _plural_of(head: str) -> str:
    found = _PLURAL.search(head)
    return found[1] if found else "n != 1"


def read_po(text: str) -> dict[str, list[str]]:
    """Returns the forms of each text by its `msgid`, without fuzzy and empty entries."""
    found: dict[str, list[str]] = {}
    for block in re.split(r"\n\s*\n", text):
        entry = _read_entry(block)
        if "#, fuzzy" not in block and "msgid" in entry and entry.get("msgstr0"):
            found[entry["msgid"]] = [value for name, value in sorted(entry.items()) if name.startswith("msgstr")]
    return found


def _read_entry(block: str) -> dict[str, str]:
    entry: dict[str, str] = {}
    name = ""
    for line in block.splitlines():
        if (found := _LINE.fullmatch(line.strip())) is None:
            continue
        if found[1]:
            name = f"msgstr{found[2] or 0}" if found[1] == "msgstr" else found[1]
        entry[name] = entry.get(name, "") + ast.literal_eval(found[3])
    return entry


def choose_language(chosen: str, accepted: str, fallback: str) -> str:
    """Returns the reader's choice, else the first available one of an Accept-Language header, else `fallback`.

    English if none is available.
    """
    for language in (chosen, *_by_preference(accepted[:1000]), fallback.partition("-")[0]):
        if language in LANGUAGES:
            return language
    return SOURCE


@lru_cache(maxsize=1000)
def _by_preference(accepted: str) -> list[str]:
    weighed = []
    for each in accepted.lower().split(","):
        name, _, quality = each.strip().partition(";q=")
        try:
            weight = float(quality or 1)
        except ValueError:
            continue
        if weight > 0:
            weighed.append((-weight, name.partition("-")[0].strip()))
    return [name for _, name in sorted(weighed, key=lambda pair: pair[0])]
