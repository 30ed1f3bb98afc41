"""Every language is complete, and the reader's is chosen."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment

import sightline
from sightline.web.languages.catalogue import LANGUAGES, SOURCE, choose_language, read_po
from sightline.web.templates import EXTENSIONS

ROOMS = sorted(folder.parent for folder in Path(sightline.__file__).parent.glob("*/languages"))
_PLACE = re.compile(r"%\(\w+\)s")


def test_the_rooms_with_pages_are_found() -> None:
    assert {"portal", "web"} <= {room.name for room in ROOMS}


@cache
def texts(room: Path) -> dict[str, str | None]:
    """Every text of the templates and the code of a room, with its plural."""
    found: dict[str, str | None] = {}
    unread: Any = Environment(extensions=EXTENSIONS)  # noqa: S701 - nothing is rendered
    unread.policies["ext.i18n.trimmed"] = True
    for template in sorted((room / "templates").glob("*.html")):
        for _, _, message in unread.extract_translations(template.read_text()):
            parts = message if isinstance(message, tuple) else (message,)
            if parts[0] is not None:
                found[parts[0]] = next((part for part in parts[1:2] if part), found.get(parts[0]))
    for module in room.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text())):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and name in ("N_", "gettext") and isinstance(node.args[0], ast.Constant):
                found[str(node.args[0].value)] = None
    return found


def translated(room: Path, language: str) -> dict[str, list[str]]:
    found = read_po((room / f"languages/{language}.po").read_text())
    assert found.pop("")
    return found


of_each_translation = pytest.mark.parametrize(
    ("room", "language"),
    [pytest.param(room, each, id=f"{room.name}-{each}") for room in ROOMS for each in LANGUAGES if each != SOURCE],
)


@of_each_translation
def test_every_text_has_its_translation_and_none_is_left_over(room: Path, language: str) -> None:
    assert texts(room).keys() - translated(room, language).keys() == set(), "not translated"
    assert translated(room, language).keys() - texts(room).keys() == set(), "not used any more"


@of_each_translation
def test_translations_keep_what_is_filled_in_and_all_plurals(room: Path, language: str) -> None:
    for text, plural in texts(room).items():
        forms = translated(room, language)[text]
        assert len(forms) == (2 if plural else 1), text
        for form in forms:
            assert form.strip()
            assert set(_PLACE.findall(form)) == set(_PLACE.findall(plural or text)), text


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_no_text_holds_a_percent_sign_of_its_own(room: Path) -> None:
    assert not [text for text in texts(room) if "%" in _PLACE.sub("", text)], "the template engine would read it"


def test_fuzzy_and_empty_entries_do_not_count() -> None:
    entries = '#, fuzzy\nmsgid "a"\nmsgstr "b"\n\nmsgid "c"\nmsgstr ""\n\nmsgid "d"\nmsgstr ""\n"e\\n"\n"f"\n'
    assert read_po(entries) == {"d": ["e\nf"]}


@pytest.mark.parametrize(
    ("accepted", "fallback", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "en", "de"),
        ("fr;q=1, en;q=0.5, de;q=0.7", "en", "de"),
        ("fr", "de-CH", "de"),
        ("fr", "fr", "en"),
        ("", "de", "de"),
        ("de;q=0, en;q=0.1", "de", "en"),
        ("de;q=x", "en", "en"),
        ("*", "de", "de"),
    ],
)
def test_the_readers_language_comes_before_the_fallback(accepted: str, fallback: str, language: str) -> None:
    assert choose_language("", accepted, fallback) == language
