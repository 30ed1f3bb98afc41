"""A name for an idea that came without one: its own words, nothing added."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from sightline.intelligence.embedded.sentences import MOST_CHARACTERS, read_sentences
from sightline.intelligence.embedded.vocabulary import word_set

LONGEST_NAME: Final = 80
LONGEST_TOPIC: Final = 60
_MARKS_BEFORE: Final = "#*->`_~|•·\u200b\ufeff"
_MARKS_AFTER: Final = "*`_~|\u200b\ufeff"
_END: Final = "。！？、，.,;:!?…-–—*_`~|>#(["  # noqa: RUF001 - dashes that may end a cut
_GREETINGS: Final = word_set("hi hello hey dear greetings morning afternoon evening thanks thank")
_HEADINGS: Final = word_set("""
    a as the idea ideas description summary background problem statement overview context feature features request
    requests user story stories title current proposed solution suggestion feedback goal goals details
""")
_LEFT_OPEN: Final = word_set("""
    a an and are as at be because but by for from if in into is it its my of on or our so than that the their then
    these this to via was were when where which while who with without your
""")


# A request begins so; with one of the asking words among them they are left out of a name.
_LEAD_IN: Final = word_set("""
    a ability able add allow an and app be can could customers enable everyone feature for give good great have help i
    i'd if implement introduce is it it'd let like love make me nice option our people please possible product provide
    should so support team teams that the there to us user users want wants we we'd wish would you
    need needs useful helpful awesome really very also some
""")
_ASKING: Final = word_set("""
    add allow enable give implement introduce like love need needs please provide should support want wants wish would
    let nice great useful
""")
_NOT_FIRST: Final = word_set("not no never without at of with from in on by or")


def name_idea(description: str) -> str:
    """Words of the description in their order, 1 to 80 characters, preferring the first sentence that says something.

    Marks of Markdown and the opening of a request ("we would like to") are left out; a single longer word is cut.
    Only where the description has no visible character at all is the name "Idea".
    """
    return _fitted(_named_words(description), LONGEST_NAME) or _fitted(_visible(description), LONGEST_NAME) or "Idea"


def topic_of(description: str) -> str:
    """What the description is about, in at most 60 characters of its words; empty when it has no word."""
    return _fitted(_named_words(description), LONGEST_TOPIC)


def _named_words(description: str) -> list[str]:
    sentences = read_sentences(description)
    if not sentences:
        return []
    chosen = next((sentence for sentence in sentences if _is_telling(sentence.words)), sentences[0])
    words = _unmarked(chosen.text)
    return words[_lead_in(words) :]


def _lead_in(words: list[str]) -> int:
    """How many words at the beginning only say that something is asked for; at least two others stay."""
    asking = list(takewhile(_LEAD_IN.__contains__, map(_plain, words)))
    end = len(asking)
    if _ASKING.isdisjoint(asking) or len(words) - end < 2 or _plain(words[end]) in _NOT_FIRST:
        return 0
    return end


def _plain(word: str) -> str:
    return word.strip(".,;:!?\"'()").replace("\u2019", "'").lower()


def _is_telling(words: Sequence[str]) -> bool:
    return len(words) >= 2 and words[0] not in _GREETINGS and not _HEADINGS.issuperset(words)


def _unmarked(sentence: str) -> list[str]:
    words = (word.lstrip(_MARKS_BEFORE).rstrip(_MARKS_AFTER) for word in sentence.split())
    return [word for word in words if word]


def _fitted(words: list[str], longest: int) -> str:
    kept: list[str] = []
    length = -1
    for word in words:
        length += len(word) + 1
        if length > longest:
            break
        kept.append(word)
    if not kept:
        return words[0][:longest].strip() if words else ""
    if len(kept) < len(words):
        kept = _closed(kept)
    return " ".join(kept).rstrip(_END).rstrip() or " ".join(kept)


def _closed(words: list[str]) -> list[str]:
    """Without the words at the end that announce more."""
    end = len(words)
    while end > 1 and words[end - 1].strip(_END).lower() in _LEFT_OPEN:
        end -= 1
    return words[:end]


def _visible(description: str) -> list[str]:
    """What can be seen of a description without letters and digits."""
    seen = (character if character.isprintable() else " " for character in description[:MOST_CHARACTERS])
    return "".join(seen).split()
