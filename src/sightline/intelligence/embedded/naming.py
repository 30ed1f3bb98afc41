"""A name for an idea that came without one: its own words, nothing added."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from sightline.intelligence.embedded.headlines import capitalised, fitted
from sightline.intelligence.embedded.sentences import MOST_CHARACTERS, Sentence, read_sentences
from sightline.intelligence.embedded.signs import without_marks
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

# The openings and endings of requests that say nothing of what is requested: "it would be great if we could".
_CLAUSE_END: Final = (",", ";", ":", "–", "—", "!")  # noqa: RUF001 - the dash that separates clauses
_MOST_CLAUSES: Final = 4
_LEAST_WORDS: Final = 2  # that stay after an opening, and three where words before the opening are left out, too
_SALUTATIONS: Final = word_set("hi hello hey dear greetings morning afternoon evening good thanks thank")
_LONGEST_GREETING: Final = 5
_LABELS: Final = word_set("""
    description enhancement feature feedback goal idea improvement problem proposal request suggestion summary title
    wish
""")
# An opening is not left out before these: the rest would say something else, or nothing.
_NOT_FIRST: Final = word_set("not no never without at of with from in on by or")
_POINTING: Final = word_set("it that them this these those so one")

_VERY = r"(?:(?:really|very|so|super|quite|absolutely|extremely|also|pretty|a|big|most) )*"
_NICE = (
    r"(?:amazing|appreciated|awesome|beneficial|convenient|cool|excellent|fantastic|good|great|handy|help|helpful|huge"
    r"|ideal|improvement|lovely|nice|perfect|useful|valuable|welcome|wonderful)"
)
_WHO = (
    r"(?:i|we|you|they|one|people|everybody|everyone|(?:the |our |my |your |all |some |many |most )*"
    r"(?:users?|customers?|clients?|teams?|company))"
)
_PRODUCT = r"(?:(?:the|this|your) (?:app|application|platform|product|service|software|system|tool))"
_FILLER = (
    r"(?:(?:actually|additionally|also|and|basically|but|currently|finally|honestly|ideally|just|maybe|ok|okay|overall"
    r"|perhaps|personally|possibly|so|well) )*"
)
_OPINION = rf"(?:i (?:think|believe|feel|guess|suppose)(?: that)? {_FILLER}|in my opinion )?"
_ABLE = (
    r"(?:(?:be |being )?able to |(?:have |get |see )?(?:the|an|a|some) (?:ability|chance|feature|function|option"
    r"|possibility|way) (?:to|for|that (?:lets|allows) (?:us|me|you) (?:to )?) ?)?"
)
_WOULD = r"(?:would|will|might|could|can|may)"
_COULD = r"(?:could|can|would|might|was able to|were able to|had|have|get|got)"
_REQUESTS: Final = (
    rf"(?:(?:it|that|this|what) )?(?:it'd|{_WOULD}) be {_VERY}{_NICE} "
    rf"(?:(?:if|when) (?:there (?:was|were|is|would be) |(?:{_WHO}|{_PRODUCT}) {_COULD} (?:also )?)?|to (?:have )?)",
    r"(?:please |kindly )?(?:can|could|would|will) you (?:please |kindly |also |maybe |possibly |consider )*",
    r"(?:please )?(?:can|could|may) (?:we|i|one) (?:please |also |have |get )*",
    r"(?:please|kindly) (?:also |just |consider )*",
    r"(?:would it be|is it|will it be) possible (?:to |for us to |for me to |that )(?:have |get )?",
    r"is there (?:a|any|some) (?:chance|option|possibility|way) (?:to |of |for us to |that we (?:can|could) )",
    r"any (?:chance|plans|way) (?:to |of |for |that we (?:can|could) |(?:we|you) (?:can|could) )(?:having |getting )?",
    r"i wish (?:that )?(?:(?:i|we|you|one) (?:could|had|would) |there (?:was|were) )?",
    rf"(?:{_WHO} )(?:(?:all|also|badly|often|really|just|still|would|do|urgently|desperately) )*"
    r"(?:love|like|need|want|wish|require|wants|needs|wishes|requires) "
    r"(?:it (?:if|when) (?:i|we|you|there) (?:could|can|had|was|were|would) |to (?:have |see |get )?|for |you to )?",
    rf"(?:i'd|we'd|i'll|we'll) (?:also |really )*(?:love|like|appreciate|prefer|want|need) "
    rf"(?:it (?:if|when) (?:{_WHO}|there) (?:could|can|had|was|were|would) |(?:for )?{_WHO} to "
    r"|to (?:have |see |get |request |suggest |propose |ask for )?)?",
    r"there (?:should|needs to|has to|must|ought to|could) (?:also )?be ",
    rf"{_WHO} (?:should|must|need to) (?:also )?(?:be able to |have )",
    r"you (?:should|could|must|need to|might want to) (?:also |really |consider )*",
    r"(?:my|our|one|another) (?:feedback|idea|proposal|request|suggestion|wish) (?:is|would be) "
    r"(?:to |that you |that )?",
    r"(?:i|we) (?:ask|propose|recommend|request|suggest) (?:for |to |that you |that we |that )?",
    r"(?:i am|i'm|we are|we're) (?:asking|hoping|looking|missing|requesting) (?:for |to )?",
    r"as an? (?:\S+ ){1,6}?(?:i|we) (?:would |really )*(?:want|need|like|love|should be able|can)"
    r"(?: to(?: (?:have|see))?)? ",
    r"as an? (?:\S+ ){1,6}?(?:i'd|we'd) (?:like|love|want)(?: to(?: (?:have|see))?)? ",
    r"(?:how|what) about ",
)
_REQUEST = re.compile(f"{_FILLER}{_OPINION}(?:{'|'.join(_REQUESTS)})+{_ABLE}(?:(?:an?|the|some) (?=\\S))?")
# Every opening of a request has one of these.
_CUES: Final = word_set("""
    about any appreciate ask asking can could desperately hoping i'd i'll it'd kindly like looking love may might
    missing must need needs ought possible prefer propose recommend request requesting require requires should suggest
    want wants we'd we'll will wish wishes would please is has
""")
_OPINION_FIRST = re.compile(f"{_FILLER}(?:i (?:think|believe|feel)(?: that)? |in my opinion )")
_ABILITY = re.compile(r"(?:the|an|a) (?:ability|option|possibility|way) to ")
_PRAISE = re.compile(
    rf" (?:(?:that )?{_WOULD}|it'd|that'd) be {_VERY}{_NICE}"
    r"(?: to have| for (?:me|us|everyone|everybody|all|all of us))?(?: too)?$"
)
_COURTESY = re.compile(r"(?: (?:please|thanks|thank you|thx|cheers|pls)(?: (?:a lot|so much|in advance|you))*)+$")
_PURPOSE = re.compile(r" (?:so that|because|in order to|so (?:i|we|they|people|users|customers)(?= )) ?")
_LEAST_BEFORE_PURPOSE: Final = 12  # characters: a shorter beginning says too little alone


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
        return _without_greeting(_unmarked(sentences[0].text))
    requested = next(_requests(telling), None)
    words = requested or _without_opinion(_without_greeting(_unmarked(telling[0].text)))
    return _without_ending(words)


def _requests(sentences: Sequence[Sentence]) -> Iterator[Sequence[str]]:
    """Yields what is requested, without the openings."""
    for sentence in sentences:
        if _has_cue(sentence.words) and not _is_to_the_reader(sentence.words):
            words = _without_greeting(_unmarked(sentence.text))
            if rest := _after_request(words):
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
    words = (without_marks(word, _MARKS_BEFORE, _MARKS_AFTER) for word in sentence.split())
    return [word for word in words if word]


def _visible(description: str) -> list[str]:
    """Returns the visible part of a description without letters and digits."""
    seen = (character if character.isprintable() else " " for character in description[:MOST_CHARACTERS])
    return "".join(seen).split()


def _without_greeting(words: Sequence[str]) -> Sequence[str]:
    """Returns the words after a greeting or a label: "Hi team, ...", "Feature request: ..."."""
    if _plain(words[0]) in _SALUTATIONS:
        end = next((at for at, word in enumerate(words[:_LONGEST_GREETING]) if word.endswith(_CLAUSE_END)), None)
        return words[end + 1 :] if end is not None and end + 1 < len(words) else words
    for at, word in enumerate(words[:3]):
        if word.strip("*_[]():") and _plain(word.strip("*_[]")) not in _LABELS:
            break
        if word.rstrip("*_").endswith((":", "]")) and at + 1 < len(words):
            return words[at + 1 :]
    return words


def _has_cue(words: Iterable[str]) -> bool:
    """Whether a sentence has a word of the opening of a request."""
    return not _CUES.isdisjoint(words)


def _after_request(words: Sequence[str]) -> Sequence[str]:
    """Returns the words after the opening of a request, at the start or after a clause; empty without an opening."""
    said = _plain_text(words)
    for start, at in _clauses(words, said):
        if opening := _REQUEST.match(said, at):
            rest = words[said.count(" ", 0, opening.end()) :]
            if _can_stand_alone(rest, _LEAST_WORDS + (start > 0)):
                return rest
    return ()


def _without_opinion(words: Sequence[str]) -> Sequence[str]:
    """Returns the words after "I think that" or "The ability to"."""
    said = _plain_text(words)
    for opening in (_OPINION_FIRST, _ABILITY):
        if found := opening.match(said):
            rest = words[said.count(" ", 0, found.end()) :]
            return rest if _can_stand_alone(rest, _LEAST_WORDS) else words
    return words


def _without_ending(words: Sequence[str]) -> Sequence[str]:
    """Returns the words without praise, thanks and purpose at the end: "would be great", "so that we can ..."."""
    said = _plain_text(words).rstrip(" ")
    kept = len(said)
    for ending in (_COURTESY, _PRAISE, _PURPOSE):
        found = ending.search(said, 0, kept)
        least = _LEAST_BEFORE_PURPOSE if ending is _PURPOSE else 0
        if found and found.start() >= least and said.count(" ", 0, found.start()) >= 1:
            kept = found.start()
    return words[: said.count(" ", 0, kept) + 1]


def _plain(word: str) -> str:
    """Returns the word in lower case without marks; `-` for marks alone."""
    return word.strip(".,;:!?…\"'()“”‘’").replace("\u2019", "'").lower() or "-"  # noqa: RUF001 - quotation marks


def _plain_text(words: Sequence[str]) -> str:
    return " ".join(map(_plain, words)) + " "


def _clauses(words: Sequence[str], said: str) -> Iterator[tuple[int, int]]:
    """Yields the number of words before each clause, and its place in the plain text."""
    yield 0, 0
    ends = (at + 1 for at, word in enumerate(words[:-1]) if word.endswith(_CLAUSE_END))
    for start in islice(ends, _MOST_CLAUSES):
        yield start, len(_plain_text(words[:start]))


def _can_stand_alone(rest: Sequence[str], least: int) -> bool:
    if len(rest) < least or _plain(rest[0]) in _NOT_FIRST:
        return False
    return _POINTING.isdisjoint(map(_plain, rest[:2])) or len(rest) > 4
