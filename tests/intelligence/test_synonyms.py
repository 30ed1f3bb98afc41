"""Groups of synonyms: each has two sentences that say the same with different words of it."""

import pytest

from sightline.intelligence.embedded.meaning import OF_REQUESTS, closest, groups, meaning_of, search_for
from sightline.intelligence.embedded.words import words_of


def test_both_sentences_of_a_group_have_another_word_of_it() -> None:
    for number, group in enumerate(groups()):
        first, second = ({term.text for term in meaning_of(said) if number in term.meanings} for said in group.said)
        assert first, group
        assert second, group
        assert first != second, group


def test_the_words_of_a_group_can_be_found() -> None:
    for group in groups():
        entries = group.words.split(", ")
        assert all(entry == entry.strip().lower() and words_of(entry.removesuffix("*")) for entry in entries), group
        assert len(set(entries)) == len(entries) > 1, group
        assert all(len(entry) > 3 and entry[:-1].isalnum() for entry in entries if "*" in entry), group


@pytest.mark.parametrize(
    ("asked", "meant", "other"),
    [
        ("Undo my last change", "Let me revert changes", "Colour of my last change"),
        ("Rechnung stornieren", "Cancel an invoice", "Invoice as a PDF"),
        ("Zeitfenster selbst umbuchen", "Guests reschedule their slot themselves", "Length of a slot"),
        ("Notify me about late parcels", "Alert when a shipment is delayed", "Parcel labels"),
    ],
)
def test_a_request_is_nearest_to_the_one_that_means_the_same(asked: str, meant: str, other: str) -> None:
    assert closest(asked, [("other", other), ("meant", meant)], OF_REQUESTS) == ["meant"]


def test_a_search_needs_two_words_and_has_their_synonyms() -> None:
    assert search_for(meaning_of("Undo")) == ""
    search = search_for(meaning_of("Undo payments"))
    assert "revert:*" in search
    assert search.count("&") == 1
    assert search_for(meaning_of("Undo payments"), {"undo", "revert", "payments"}.__contains__) == (
        "(payments:*) & (undo:* | revert:*)"
    )


def test_words_after_the_third_of_a_group_mean_only_themselves() -> None:
    terms = meaning_of("refunded repaying refunding refundable")
    assert ["refund" in term.meanings for term in terms] == [True, False, True, True]
    assert [len(term.meanings) for term in terms] == [2, 2, 2, 1]
