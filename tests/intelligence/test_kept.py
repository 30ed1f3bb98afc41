"""Results that are kept by text take little memory, however long the texts are."""

import tracemalloc

import pytest

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.embedded.kept import MOST_CHARACTERS, keep_by_text
from sightline.intelligence.embedded.meaning import OF_REQUESTS, closest, meaning_of

read: list[str] = []


@keep_by_text(3)
def words_in(text: str) -> list[str]:
    read.append(text)
    return text.split()


def test_a_text_is_read_once_until_others_have_been_read() -> None:
    read.clear()
    texts = ["one", "two", "three", "four"]
    assert [words_in(text) for text in [*texts, *texts[1:], *texts]] == [
        [text] for text in [*texts, *texts[1:], *texts]
    ]
    assert read == ["one", "two", "three", "four", "one", "two", "three", "four"]


def test_long_texts_are_forgotten_together() -> None:
    read.clear()
    first, second = "a" * MOST_CHARACTERS, "b" * MOST_CHARACTERS
    for text in ("short", first, "short", second, "short"):
        words_in(text)
    assert [text[:5] for text in read] == ["short", "aaaaa", "bbbbb", "short"]


@pytest.mark.slow
def test_descriptions_that_were_read_are_not_kept_whole() -> None:
    engine = embedded_engine()

    def grown(texts: int) -> int:
        tracemalloc.start()
        try:
            for number in range(texts):
                engine.ask_questions(f"{number} 😀 " + "word and " * 29_000)
                engine.name_idea(f"{number} 😀 " + "word and " * 29_000)
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    assert grown(40) < 20_000_000  # each has 1 MB


def test_long_names_that_were_compared_are_forgotten() -> None:
    short = meaning_of("Export of reports")
    assert meaning_of("Export of reports") is short
    for sign in "ab":
        closest("export of reports", enumerate([sign * MOST_CHARACTERS]), OF_REQUESTS)
    assert meaning_of("Export of reports") is not short
