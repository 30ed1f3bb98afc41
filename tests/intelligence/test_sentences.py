"""Sentences are exact parts of a text, without marks of lists and headings, with the signs of their numbers."""

import pytest

from sightline.intelligence.embedded.naming import name_idea
from sightline.intelligence.embedded.sentences import split_sentences

SIGNED = [
    "-30°C rating",
    "-25 percent",
    "\u221225 percent",
    "\u201325 percent",
    "+5 % this year",
    "±5 % of all",
    "+/-5 degrees",
    "+-5 degrees",
    "<3 seconds",
    "<=3 seconds",
    ">90 % of shops",
    ">=90 % of shops",
    "~40 minutes",
    "=0 in most shops",
    "-$5 for each order",
    "$5 for each order",
    "€5 for each order",
    "-.5 points",
    "#1 complaint of shops",
    "Written in C++",
    "Written in C#",
    "Riders are 18+",
    "They are rated A-",
]


@pytest.mark.parametrize("text", SIGNED)
def test_a_sign_is_a_part_of_the_sentence(text: str) -> None:
    assert split_sentences(text) == (text,)


@pytest.mark.parametrize("mark", ["- ", "-  ", "* ", "• ", "+ ", "> ", "\u2013 ", "## ", "  - ", "| ", "> - "])
def test_a_bullet_before_a_sign_is_left_out(mark: str) -> None:
    assert [split_sentences(f"First\n{mark}{text}") for text in SIGNED] == [("First", text) for text in SIGNED]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- 30 users", "30 users"),
        ("-users", "users"),
        ("--- Users ---", "Users"),
        ("--30 users", "30 users"),
        ("# Title #", "Title"),
        ("**30 users**", "30 users"),
        ("**-30 users**", "-30 users"),
        ("~~30 users~~", "30 users"),
        ("**C++**", "C++"),
        (">> 30 users", "30 users"),
        ("=====\n", None),
        ("Users -", "Users"),
        ("| Users |", "Users"),
    ],
)
def test_marks_are_left_out(text: str, sentence: str | None) -> None:
    assert split_sentences(text) == ((sentence,) if sentence else ())


@pytest.mark.parametrize("text", ["-30°C rating", ">90 % of shops", "~40 minutes"])
def test_a_name_keeps_the_sign(text: str) -> None:
    assert name_idea(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "Die Prüfung am 3. Mai konnte nicht starten.",
        "Montag, 3. Mai: Kran steht.",
        "Es gilt vom 1. bis zum 15. März.",
        "Nach dem 14. Jahr wird jedes Jahr geprüft.",
        "Jeder 4. Kran stand im 2. Quartal still.",
    ],
)
def test_the_full_stop_of_a_german_ordinal_ends_no_sentence(text: str) -> None:
    assert split_sentences(text) == (text,)


@pytest.mark.parametrize(
    "text",
    [
        "Der Kran Nr. 5 steht ca. 3 Stunden still.",
        "Es kostet inkl. Aufbau evtl. mehr.",
        "Mr. Smith asked Dr. Bo.",
        "Crane no. 5 lifts max. 8 tons.",
        "Das steht in § 3 Abs. 2.",
        "M. Leroy et Mme. Martin perdent des séances, p. ex. le lundi, c.-à-d. tout.",
        "J.-P. Leroy attend env. 3 minutes, par ex. avec le Pr. Petit.",
        "Names, dates etc. are lost at 9 a.m. on Mondays by U.S. users, since Jan. 2026.",
        "Ask Ms. Bo of St. Mary's.",
        "« Tout est trop lent. »",
    ],
)
def test_the_full_stop_of_an_abbreviation_ends_no_sentence(text: str) -> None:
    assert split_sentences(text) == (text,)


def test_a_number_may_end_a_sentence() -> None:
    assert split_sentences("The answer is no. Crane 5 stands.") == ("The answer is no.", "Crane 5 stands.")
    assert split_sentences("We sell size M. The rest is gone.") == ("We sell size M.", "The rest is gone.")
    assert split_sentences("Wir haben 12. Danach kam der Kran.") == ("Wir haben 12.", "Danach kam der Kran.")
    assert split_sentences("I am 45. The app crashes.") == ("I am 45.", "The app crashes.")
    assert split_sentences("Termin ist am 12. Bitte melden.") == ("Termin ist am 12.", "Bitte melden.")


def test_a_closing_mark_behind_a_space_belongs_to_its_sentence() -> None:
    assert split_sentences("« Tout est lent ! » M. Leroy attend.") == ("« Tout est lent ! »", "M. Leroy attend.")
    assert split_sentences("Er kam. »Zu spät.« Sie ging.") == ("Er kam.", "»Zu spät.«", "Sie ging.")
    assert split_sentences("„Zu spät.“ Sie ging.") == ("„Zu spät.“", "Sie ging.")
