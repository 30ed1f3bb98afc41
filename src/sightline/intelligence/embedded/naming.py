"""A name for an idea that came without one: its own words, nothing added."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from sightline.intelligence.embedded import lead_ins
from sightline.intelligence.embedded.headlines import capitalised, fitted
from sightline.intelligence.embedded.sentences import MOST_CHARACTERS, Sentence, read_sentences
from sightline.intelligence.embedded.vocabulary import word_set

LONGEST_NAME: Final = 80
LONGEST_TOPIC: Final = 60
_MOST_SENTENCES: Final = 12  # in which a request is looked for
_LONGEST_TITLE: Final = 10  # words
_SENTENCE_END: Final = (".", "!", "?", ":", ",", ";", "…")
_MARKS_BEFORE: Final = "#*->`_~|•·\u200b\ufeff"
_MARKS_AFTER: Final = "*`_~|\u200b\ufeff"
_GREETINGS: Final = word_set(
    "hi hello hey dear greetings morning afternoon evening thanks thank regards cheers sincerely"
)
_GOOD_DAYS: Final = frozenset({("good", "morning"), ("good", "afternoon"), ("good", "evening"), ("good", "day")})
_HEADINGS: Final = word_set("""
    a as the idea ideas description summary background problem statement overview context feature features request
    requests user story stories title current proposed solution suggestion feedback goal goals details
""")
_LETTERS: Final = word_set("advise attached regards")
_REPLY: Final = frozenset({"let", "know"})


def name_idea(description: str) -> str:
    """Returns words of the description in their order, 1 to 80 characters: its title, its request, or its beginning.

    A title is a first line that stands alone. Else the first request among the first sentences is the name, without
    its opening ("it would be great if we could"); else the first meaningful sentence. Marks of Markdown, greetings
    and a purpose at the end ("so that ...") are left out; the first letter is a capital; a longer sentence ends where
    a clause does; a single longer word is cut. Only a description without any visible character gets the name "Idea".
    """
    name = fitted(_named_words(description), LONGEST_NAME) or fitted(_visible(description), LONGEST_NAME)
    return capitalised(name) or "Idea"


def topic_of(description: str) -> str:
    """Returns the topic of the description, at most 60 characters of its words; empty if it has no word."""
    return capitalised(fitted(_named_words(description), LONGEST_TOPIC))


def _named_words(description: str) -> Sequence[str]:
    return _find_named(description[:MOST_CHARACTERS])


@lru_cache(maxsize=4)  # a new idea is named, and its questions name it
def _find_named(description: str) -> Sequence[str]:
    sentences = read_sentences(description)
    if not sentences:
        return []
    telling = list(islice((each for each in sentences if _is_telling(each.words)), _MOST_SENTENCES))
    if not telling:
        return _unmarked(sentences[0].text)
    if telling[0] is sentences[0] and _is_title(description, sentences[0]):
        return lead_ins.without_greeting(_unmarked(sentences[0].text))
    requested = next(_requests(telling), None)
    words = requested or lead_ins.without_opinion(lead_ins.without_greeting(_unmarked(telling[0].text)))
    return lead_ins.without_ending(words)


def _requests(sentences: Sequence[Sentence]) -> Iterator[Sequence[str]]:
    """Yields what is requested, without the openings."""
    for sentence in sentences:
        if lead_ins.has_cue(sentence.words) and not _is_to_the_reader(sentence.words):
            words = lead_ins.without_greeting(_unmarked(sentence.text))
            if rest := lead_ins.after_request(words):
                yield rest


def _is_to_the_reader(words: Sequence[str]) -> bool:
    """Whether a sentence asks the reader for something, and not for a change: "let me know", "see the attached"."""
    return not _LETTERS.isdisjoint(words) or _REPLY.issubset(words)


def _is_title(description: str, sentence: Sentence) -> bool:
    """Whether the first sentence is a heading, or a short line before an empty one."""
    line, _, rest = description.lstrip().partition("\n")
    if not rest.strip() or sentence.text not in line or sentence.text.endswith(_SENTENCE_END):
        return False
    is_alone = len(sentence.words) <= _LONGEST_TITLE and rest.lstrip(" \t\r").startswith("\n")
    return is_alone or line.startswith("#")


def _is_telling(words: Sequence[str]) -> bool:
    """Whether a sentence is more than a greeting or a heading that all descriptions have."""
    if len(words) < 2 or _HEADINGS.issuperset(words):
        return False
    return (words[0] not in _GREETINGS and words[:2] not in _GOOD_DAYS) or len(words) > 6


def _unmarked(sentence: str) -> list[str]:
    words = (word.lstrip(_MARKS_BEFORE).rstrip(_MARKS_AFTER) for word in sentence.split())
    return [word for word in words if word]


def _visible(description: str) -> list[str]:
    """Returns the visible part of a description without letters and digits."""
    seen = (character if character.isprintable() else " " for character in description[:MOST_CHARACTERS])
    return "".join(seen).split()
