"""Names of competitors: where a text names one, and who is named as one."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from typing import Final

from sightline.intelligence.embedded.kept import keep_by_text
from sightline.intelligence.embedded.research.terms import foreign_language, pattern, wording
from sightline.intelligence.embedded.vocabulary import words_in
from sightline.intelligence.plans import Competitor
from sightline.sources.addresses import host_of, is_within

_LIST: Final = re.compile(r", and |, or |, | and | or ")
_SHORT: Final = re.compile(r"[A-Z0-9&]{1,4}s?")  # API, PDF, EU: abbreviations name no competitor
_LONGEST_NAME: Final = 160
_MOST_READ: Final = 20_000  # characters of a page, in which each passage may look
_MOST_NAMES: Final = 20  # of a question that are looked for
_MOST_TEXTS: Final = 100  # of the evidence that have a name


def mentions(competitor: Competitor, text: str, url: str = "") -> bool:
    """Whether the text names the competitor by one of its names, or lies on its website."""
    own = host_of(competitor.website if "//" in competitor.website else f"//{competitor.website}")
    is_own = own is not None and is_within(url, [own.removeprefix("www.")])
    return is_own or any(_pattern(name).search(text) for name in (competitor.name, *competitor.aliases))


@lru_cache(maxsize=500)
def _pattern(name: str) -> re.Pattern[str]:
    """A single word counts only with a capital where the name has one: names are often words, too."""
    spaced = r"[\s-]+".join(re.escape(part) for part in re.split(r"[\s-]+", name.strip()) if part)
    exact = " " not in name.strip() and name[:1].isupper()
    return re.compile(rf"(?<!\w){spaced}(?!\w)", re.NOFLAG if exact else re.IGNORECASE)


def names_in(question: str) -> list[str]:
    """Returns the capitalised names of a question, each once; none of a German one."""
    if foreign_language(question) == "German":  # which capitalises all nouns
        return []
    starts = {sentence.strip()[:1] and sentence.strip().split()[0] for sentence in re.split(r"[.?!:\n]", question)}
    names = (name for name in pattern("capitalised").findall(question) if name.split()[0] not in starts)
    return list(dict.fromkeys(_clean(names)))


@keep_by_text(5_000)
def stem_of_name(name: str) -> str:
    """Returns what the names of a place and of its people share: Europe and European are `europ`.

    Of a longer name the first 160 characters count.
    """
    stem = name[:_LONGEST_NAME].lower()
    while (shorter := pattern("people").sub("", stem)) != stem:
        stem = shorter
    return stem


@keep_by_text(64)
def stems_of_names(text: str) -> frozenset[str]:
    """Returns the stems of all capitalised names in a text, and of their words."""
    names = set(pattern("capitalised").findall(text))
    return frozenset(stem_of_name(one) for name in names for one in (name, *name.split()))


def named_in_question(question: str, evidence: Sequence[str] = ()) -> list[str]:
    """Returns the companies of a question, in order: names after a comparison ("like Canny"), then other names.

    Whether another name is a company, of the first 20, follows from its use in the first 100 texts of the evidence that
    have it, or in the question if none has it.
    """
    compared = _clean(name for found in pattern("cue").findall(question) for name in _LIST.split(found))
    places = set(pattern("place").findall(question))
    others = [name for name in names_in(question)[:_MOST_NAMES] if _is_company(name, evidence, question)]
    return list(dict.fromkeys(name for name in (*compared, *others) if name not in places))


def _is_company(name: str, evidence: Sequence[str], question: str) -> bool:
    texts = [text for text in evidence if name.lower() in text.lower()][:_MOST_TEXTS] or [question]
    patterns = {use: re.compile(one.replace("{name}", re.escape(name))) for use, one in wording().uses.items()}
    counts = {use: sum(len(one.findall(text)) for text in texts) for use, one in patterns.items()}
    in_lower_case = sum(text.count(name.lower()) for text in texts)
    return counts["company"] > counts["thing"] + in_lower_case


def begins_with_another(said: str, names: Set[str], page: str) -> bool:
    """Whether a passage begins with a company of the page's beginning, and has none of the stems of other names."""
    first = re.match(pattern("capitalised").pattern, said)
    return first is not None and not names & stems_of_names(said) and _is_company(first[0], [page[:_MOST_READ]], "")


def named_in_evidence(texts: Iterable[str]) -> list[str]:
    """Names that customers compare with or move to, the most frequent first; each text counts once."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({name for found in pattern("cue").findall(text) for name in _clean(_LIST.split(found))})
    return [name for name, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))]


def without(names: Iterable[str], own: Iterable[str]) -> list[str]:
    """The names of which none is, or is a part of, one of our own."""
    ours = {name.lower() for name in own} | {word.lower() for name in own for word in name.split()}
    return [name for name in names if name.lower() not in ours]


def _clean(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        words = name.strip(" '’-").split()  # noqa: RUF001 - an apostrophe that people type
        while words and words[0].lower() in words_in("not_names"):
            words.pop(0)
        text = re.sub(r"['’]s$", "", " ".join(words))  # noqa: RUF001 - likewise
        if len(text) > 2 and not _SHORT.fullmatch(text):
            yield text[:_LONGEST_NAME]


def place_in(question: str) -> str:
    """The place a question is about, as in "in Norway"; empty if it names none."""
    found = [
        name
        for name in pattern("place").findall(question)
        if name.lower() not in words_in("not_names") or name == "Europe"
    ]
    return str(found[0])[:_LONGEST_NAME] if found else ""
