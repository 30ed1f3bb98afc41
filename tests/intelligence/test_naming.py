"""The name an idea gets when it comes without one."""

import pytest

from sightline.intelligence.embedded import embedded_engine

name_idea = embedded_engine().name_idea


@pytest.mark.parametrize(
    ("description", "name"),
    [
        ("Customers keep asking for a dark mode. It would help.", "Customers keep asking for a dark mode"),
        ("Hi team,\n\nWe would like to export charts as PNG. Thanks!", "export charts as PNG"),
        ("# Bulk edit\n\n- **Select** many rows at once", "Bulk edit"),
        ("## Description\n\n> The `report` page is *slow*.", "The report page is slow"),
        ("I cannot log in with my Google account", "I cannot log in with my Google account"),
        ("- [C# client](x) and more;", "[C# client](x) and more"),
        ("Please fix", "Please fix"),
        ("导出报表到Excel。每周需要。", "导出报表到Excel"),
        ("Export", "Export"),
        ("!!! ???", "!!!"),
        ("🚀", "🚀"),
        (" \u200b\n", "Idea"),
    ],
)
def test_the_name_is_taken_from_the_first_sentence_that_says_something(description: str, name: str) -> None:
    assert name_idea(description) == name


def test_a_long_sentence_is_cut_after_a_whole_word_that_leaves_nothing_open() -> None:
    text = (
        "Managers compare the pipeline of all regions with the forecast of last year and the budget for the next one."
    )
    assert name_idea(text) == "Managers compare the pipeline of all regions with the forecast of last year"


def test_a_single_longer_word_is_cut() -> None:
    assert name_idea("x" * 500) == "x" * 80
    assert name_idea("Short " + "x" * 500) == "Short"
