"""The second language is complete, and pages are in the language of the reader."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment

import sightline.portal
from sightline.portal.html.languages import FOLDER, LANGUAGES, SOURCE, catalogue, choose_language, read_po
from sightline.portal.html.templates import EXTENSIONS
from tests.portal.product import PortalWorld

ROOM = Path(sightline.portal.__file__).parent
_PLACE = re.compile(r"%\(\w+\)s")


def texts() -> dict[str, str | None]:
    """Every text of templates and code, with its plural."""
    found: dict[str, str | None] = {}
    unread: Any = Environment(extensions=EXTENSIONS)  # noqa: S701 - nothing is rendered
    unread.policies["ext.i18n.trimmed"] = True
    for template in sorted((ROOM / "templates").glob("*.html")):
        for _, _, message in unread.extract_translations(template.read_text()):
            parts = message if isinstance(message, tuple) else (message,)
            if parts[0] is not None:
                found[parts[0]] = next((part for part in parts[1:2] if part), found.get(parts[0]))
    for module in ROOM.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text())):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and name in ("N_", "gettext") and isinstance(node.args[0], ast.Constant):
                found[str(node.args[0].value)] = None
    return found


TRANSLATIONS = [language for language in LANGUAGES if language != SOURCE]


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_text_has_its_translation_and_none_is_left_over(language: str) -> None:
    translated = catalogue(language).texts
    assert texts().keys() - translated.keys() == set(), "not translated"
    assert translated.keys() - texts().keys() == set(), "not used any more"


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_translations_keep_what_is_filled_in_and_all_plurals(language: str) -> None:
    for text, plural in texts().items():
        forms = catalogue(language).texts[text]
        assert len(forms) == (2 if plural else 1), text
        for form in forms:
            assert form.strip()
            assert set(_PLACE.findall(form)) == set(_PLACE.findall(plural or text)), text


def test_no_text_holds_a_percent_sign_of_its_own() -> None:
    assert not [text for text in texts() if "%" in _PLACE.sub("", text)], "the template engine would read it"


def test_fuzzy_and_empty_entries_do_not_count() -> None:
    entries = '#, fuzzy\nmsgid "a"\nmsgstr "b"\n\nmsgid "c"\nmsgstr ""\n\nmsgid "d"\nmsgstr ""\n"e\\n"\n"f"\n'
    assert read_po(entries) == {"d": ["e\nf"]}
    assert (FOLDER / "de.po").is_file()


@pytest.mark.parametrize(
    ("accepted", "portal", "language"),
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
def test_the_readers_language_comes_before_the_portals(accepted: str, portal: str, language: str) -> None:
    assert choose_language("", accepted, portal) == language


async def test_the_visitors_choice_comes_before_the_browsers_languages(world: PortalWorld) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser)
        page = (await browser.get("/?q=x&sort=newest", Accept_Language="en")).text
        assert 'value="de" lang="de">Deutsch</button>' in page
        assert 'name="back" value="/?q=x&amp;sort=newest"' in page
        answer = await browser.post("/language", {"language": "de", "back": "/?q=x"}, Accept_Language="en")
        assert (answer.status_code, answer.headers["location"]) == (303, f"{browser.root}/?q=x")
        assert "Max-Age=31536000" in answer.headers["set-cookie"]
        page = (await browser.get("/mine", Accept_Language="en")).text
        assert '<html lang="de"' in page
        assert 'value="en" lang="en">English</button>' in page
        assert (await browser.post("/language", {"language": "xx"})).status_code == 400
        away = await browser.post("/language", {"language": "en", "back": "https://evil.test"})
        assert away.headers["location"] == f"{browser.root}/"
        assert (await browser.post("/language", {"language": "de", "csrf": "x"})).status_code == 403


async def test_pages_come_in_german(world: PortalWorld) -> None:
    async with world.browser() as browser:
        await world.sign_in(browser)
        page = await browser.get("/", Accept_Language="de-DE,de;q=0.9")
        assert '<html lang="de"' in page.text
        assert "Meine Ideen" in page.text
        missing = await browser.get("/nowhere", Accept_Language="de")
        assert "Seite nicht gefunden" in missing.text
