"""Jira's wiki markup becomes text, and a text of many signs is converted, too: some took days."""

import pytest

from sightline.imports.tools.rows import without_wiki_markup


@pytest.mark.parametrize(
    "text",
    [
        "|" * 4_000 + " 80 %",
        "So" + " *a" * 8_000,
        "[a|" * 8_000,
        "[a|" + "x" * 20_000,
        "[~" * 12_000,
        "[https://a" * 4_000,
        "{{" * 12_000,
        "{code" * 6_000,
        "!" * 8_000 + ".a|" * 4_000,
    ],
    ids=["bars", "bold", "links", "address", "people", "addresses", "fixed", "code", "pictures"],
)
def test_many_signs_that_mark_nothing_stay(text: str) -> None:
    assert without_wiki_markup(text) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("||a||b||\n| c | d e |\n|f| |g|", "a | b\n c | d e \nf |  | g"),
        (f"|a{' ' * 20_000}|b|", "a | b"),
        ("!a.png!said!b.png|width=3!", "said"),
        ("[[a b|https://a.example/1]", "[a b (https://a.example/1)"),
        (f"*{'bold ' * 60}text*", "bold " * 60 + "text"),
    ],
)
def test_markup_becomes_text(markup: str, text: str) -> None:
    assert without_wiki_markup(markup) == text
