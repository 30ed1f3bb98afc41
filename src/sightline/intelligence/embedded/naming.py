"""A name for an idea that came without one: its own words, nothing added."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Final

from msgspec import Struct

from sightline.intelligence.embedded.headlines import CLAUSE_END, capitalised, fitted, plain_word, without_greeting
from sightline.intelligence.embedded.phrases import Cues
from sightline.intelligence.embedded.sentences import MOST_CHARACTERS, Sentence, read_sentences
from sightline.intelligence.embedded.signs import without_marks
from sightline.intelligence.embedded.vocabulary import read_data, words_in

LONGEST_NAME: Final = 80
_MOST_SENTENCES: Final = 12  # in which a request is looked for
_LONGEST_TITLE: Final = 10  # words
_LONGEST_SUBJECT: Final = 6  # words
_SENTENCE_END: Final = (".", "!", "?", ":", ",", ";", "…")
_MARKS_BEFORE: Final = "#*->`_~|•·\u200b\ufeff"
_MARKS_AFTER: Final = "*`_~|\u200b\ufeff"
_REPLY: Final = frozenset({"let", "know"})
_POINTING: Final = words_in("pointing")
_MOST_CLAUSES: Final = 4
_LEAST_WORDS: Final = 2  # that stay after an opening, and three where words before the opening are left out, too
_LEAST_REST: Final = 40  # characters for what is done after a condition
_CONJUNCTIONS: Final = words_in("conjunctions")
_CUT_BEFORE: Final = (words_in("phrase_starts") | _CONJUNCTIONS | {"after"}) - {"to"}
_NOT_LAST: Final = words_in("left_open") | _CONJUNCTIONS
_VERBS: Final = Cues({"verb": ["{copulas}|{failure}|has|have|had"]})
_RELATIVE: Final = frozenset({"that", "which", "who"})
_LEAST_BEFORE_PURPOSE: Final = 12  # characters: a shorter beginning says too little alone


class RequestWording(Struct, frozen=True):
    """The file `naming.yaml`: patterns, most with a sentence and the name that it gets."""

    lists: dict[str, str]
    openings: dict[str, dict[str, str]]
    prefaces: dict[str, dict[str, str]]
    endings: dict[str, dict[str, str]]
    purpose: str


@cache
def wording() -> RequestWording:
    return read_data("naming.yaml", RequestWording)


@cache
def _pattern(source: str) -> re.Pattern[str]:
    """Returns a pattern with the lists in their places. A list may hold the names of lists before it."""
    for name, words in reversed(wording().lists.items()):
        source = source.replace(f"{{{name}}}", words)
    return re.compile(source)


@cache
def _request() -> re.Pattern[str]:
    openings = "|".join(wording().openings)
    return _pattern(f"{{filler}}{{opinion}}(?:{openings})+{{able}}(?:(?:an?|the|some) (?=\\S))?")


def name_idea(description: str) -> str:
    """Returns words of the description in their order, 1 to 80 characters: its title, its request, or its beginning.

    A title is a first line that stands alone. Else the first request among the first sentences is the name, without
    its opening ("it would be great if we could"); else the first meaningful sentence. Marks of Markdown, greetings
    and a purpose at the end ("so that ...") are left out; the first letter is a capital; a longer sentence ends where
    a clause does; a single longer word is cut. Only a description without any visible character gets the name "Idea".
    """
    name = fitted(_named_words(description), LONGEST_NAME) or fitted(_visible(description), LONGEST_NAME)
    return capitalised(name) or "Idea"


def _named_words(description: str) -> Sequence[str]:
    sentences = read_sentences(description)
    if not sentences:
        return []
    telling = list(islice((each for each in sentences if _is_telling(each.words)), _MOST_SENTENCES))
    if not telling:
        return _unmarked(sentences[0].text)
    if telling[0] is sentences[0] and _is_title(description, sentences[0]):
        return without_greeting(_unmarked(sentences[0].text))
    requested = next(filter(None, _requests(telling)), None)
    words = requested or _without_opinion(without_greeting(_unmarked(_main(telling).text)))
    after = _end_of_condition(words)
    return _with_short_condition(words[:after], _without_ending(words[after:]))


def _requests(sentences: Sequence[Sentence]) -> Iterator[Sequence[str]]:
    """Yields what is requested, without the openings. "Let me know" and "see the attached" request no change."""
    for sentence in sentences:
        is_to_the_reader = not words_in("letters").isdisjoint(sentence.words) or _REPLY.issubset(sentence.words)
        if not words_in("request_words").isdisjoint(sentence.words) and not is_to_the_reader:
            yield _after_request(without_greeting(_unmarked(sentence.text)))


def _main(sentences: Sequence[Sentence]) -> Sentence:
    """Returns the first sentence; if it begins with a condition ("When ..."), the first that something should do."""
    first = sentences[0]
    should = (each for each in sentences if "should" in each.words[1:_LONGEST_SUBJECT])
    proposals = (each for each in should if _POINTING.isdisjoint(each.words[:2]))
    return next(proposals, first) if first.words[0] in words_in("conditions") else first


def _is_title(description: str, sentence: Sentence) -> bool:
    """Whether the first sentence is a heading, or a short line before an empty one."""
    line, _, rest = description.lstrip().partition("\n")
    if not rest.strip() or sentence.text not in line or sentence.text.endswith(_SENTENCE_END):
        return False
    is_alone = len(sentence.words) <= _LONGEST_TITLE and rest.lstrip(" \t\r").startswith("\n")
    return is_alone or line.startswith("#")


def _is_telling(words: Sequence[str]) -> bool:
    """Whether a sentence is more than a greeting or a heading that all descriptions have."""
    if len(words) < 2 or words_in("headings").issuperset(words):
        return False
    is_good_day = words[0] == "good" and words[1] in words_in("good_days")
    return len(words) > 6 or not (is_good_day or words[0] in words_in("greetings"))


def _unmarked(sentence: str) -> list[str]:
    words = (without_marks(word, _MARKS_BEFORE, _MARKS_AFTER) for word in sentence.split())
    return [word for word in words if word]


def _visible(description: str) -> list[str]:
    """Returns the visible part of a description without letters and digits."""
    seen = (character if character.isprintable() else " " for character in description[:MOST_CHARACTERS])
    return "".join(seen).split()


def _after_request(words: Sequence[str]) -> Sequence[str]:
    """Returns the words after the opening of a request, at the start or after a clause; empty without an opening."""
    said = _plain_text(words)
    clauses = (at for at, word in enumerate(words[:-1], 1) if word.endswith(CLAUSE_END))
    for start in (0, *islice(clauses, _MOST_CLAUSES)):
        if opening := _request().match(said, len(_plain_text(words[:start]))):
            rest = words[said.count(" ", 0, opening.end()) :]
            if _can_stand_alone(rest, _LEAST_WORDS + (start > 0)):
                return rest
    return ()


def _without_opinion(words: Sequence[str]) -> Sequence[str]:
    """Returns the words after "I think that" or "The ability to"."""
    said = _plain_text(words)
    for opening in map(_pattern, wording().prefaces):
        if found := opening.match(said):
            rest = words[said.count(" ", 0, found.end()) :]
            return rest if _can_stand_alone(rest, _LEAST_WORDS) else words
    return words


def _without_ending(words: Sequence[str]) -> Sequence[str]:
    """Returns the words without praise, thanks and purpose at the end: "would be great", "so that we can ..."."""
    said = _plain_text(words).rstrip(" ")
    kept = len(said)
    purpose = wording().purpose
    for ending in (*wording().endings, purpose):
        found = _pattern(ending).search(said, 0, kept)
        least = _LEAST_BEFORE_PURPOSE if ending is purpose else 0
        if found and found.start() >= least and said.count(" ", 0, found.start()) >= 1:
            kept = found.start()
    return words[: said.count(" ", 0, kept) + 1]


def _with_short_condition(condition: Sequence[str], rest: Sequence[str]) -> Sequence[str]:
    """Returns a sentence like "When ..., one ..." with so much of the condition that the rest fits in.

    If it is too long, the condition loses phrases at its end; or all of it is left out.
    """
    if not condition or len(" ".join([*condition, *rest])) <= LONGEST_NAME:
        return [*condition, *rest]
    least = min(_LEAST_REST, len(" ".join(rest)))
    for end in range(len(condition), _LEAST_WORDS, -1):
        start = " ".join(condition[:end]).rstrip(",") + ","
        room = LONGEST_NAME - len(start) - 1
        if room >= least and (end == len(condition) or _is_whole(condition[:end], condition[end])):
            return [start, *fitted(rest, room).split()]
    return rest


def _end_of_condition(words: Sequence[str]) -> int:
    """Returns how many words are before what is done in a sentence like "When ..., one ..."; 0 for others."""
    if not words or plain_word(words[0]) not in words_in("conditions"):
        return 0
    ends = (at for at in range(_LEAST_WORDS + 1, len(words) - _LEAST_WORDS) if words[at - 1].endswith(","))
    return next((at for at in ends if plain_word(words[at]) not in _CONJUNCTIONS), 0)


def _is_whole(condition: Sequence[str], after: str) -> bool:
    """Whether a condition may end here, before a phrase, since it has its verb: "When a box is full | of wax"."""
    words = [plain_word(word) for word in condition]
    is_cut = plain_word(after) in _CUT_BEFORE and words[-1] not in _NOT_LAST
    return is_cut and _RELATIVE.isdisjoint(words) and bool(_VERBS.names_in(" ".join(words)))


def _plain_text(words: Sequence[str]) -> str:
    return "".join(f"{plain_word(word)} " for word in words)


def _can_stand_alone(rest: Sequence[str], least: int) -> bool:
    if len(rest) < least or plain_word(rest[0]) in words_in("not_first"):
        return False
    return _POINTING.isdisjoint(map(plain_word, rest[:2])) or len(rest) > 4
