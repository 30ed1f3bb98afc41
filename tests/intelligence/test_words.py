"""The word lists of the engine: each has an example with its words, and a text without them."""

from fnmatch import fnmatch

import pytest

from sightline.intelligence.embedded.vocabulary import WordList, word_lists


def test_each_list_of_words_has_an_example_and_a_text_without_them() -> None:
    for name, words in word_lists().items():
        assert _has(words, words.example) != bool(words.phrases), name
        assert not _has(words, words.without), name


@pytest.mark.parametrize(
    ("phrase", "example"), [pair for words in word_lists().values() for pair in words.phrases.items()]
)
def test_each_phrase_of_a_list_has_an_example(phrase: str, example: str) -> None:
    said = [word.strip(",.") for word in example.lower().split()]
    slots = [slot.split("|") for slot in phrase.split()]
    assert any(all(word in slot for word, slot in zip(said[at:], slots, strict=False)) for at in range(len(said) - 1))


def _has(words: WordList, text: str) -> bool:
    said = [word.strip(",.") for word in text.lower().split()]
    return any(fnmatch(word, listed) for word in said for listed in words.words.split())
