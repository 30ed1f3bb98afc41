"""Sentences of a model: each names the sources that it rests on, says no more than they do, and is judged by them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Final, Literal, TypeVar

import msgspec
from msgspec import Struct

from sightline.intelligence.model.answers import MOST_COMPLAINTS, MOST_ITEMS
from sightline.intelligence.model.endpoint import Endpoint, Prompt
from sightline.intelligence.model.prompts import fenced, read_task
from sightline.intelligence.model.quotes import exact_words, figures_of, quotes_in
from sightline.intelligence.model.session import Session

LONGEST_SENTENCE: Final = 600
_MARKS = re.compile(r"(?<!\s)\s*\[[\d,\s]+\]")
_LABEL = re.compile(r"\b(?:(?:INITIATIVE|IDEA|SIGNAL|STUDY)-|[PRO])[0-9]+\b")

JUDGE: Final = read_task("judge")


class Claim(Struct):
    """A sentence as the model gives it: the numbers of its sources, and words of one of them or none."""

    text: str
    sources: list[int]
    quote: str | None = None


class Proposal(Claim):
    """A sentence that may be a suggestion of the model, which needs no source."""

    is_proposal: bool = False


class Statement(Struct):
    """A sentence for the judge, and the texts to judge it by."""

    number: int
    statement: str
    sources: Sequence[str]
    is_proposal: bool = False


class Verdict(Struct):
    """Whether the statement of this number follows from its sources."""

    number: int
    verdict: Literal["follows", "contradicts", "missing"]


class Verdicts(Struct):
    """The answer of the judge."""

    verdicts: list[Verdict]


Key = TypeVar("Key")
Sentence = TypeVar("Sentence", bound=Claim)


class Sources:
    """The texts that a sentence can rest on, by their numbers, and the labels of records that it can name."""

    def __init__(self, by_number: Mapping[int, str], labels: Iterable[str] = ()) -> None:
        self.by_number = by_number
        self._labels = {label for text in labels for label in _LABEL.findall(text)}
        self._figures_of = cache(figures_of)
        self._exact = cache(exact_words)

    def texts_of(self, claim: Claim) -> list[str]:
        return [self.by_number[number] for number in dict.fromkeys(claim.sources) if number in self.by_number]

    def fault(self, claim: Claim) -> str:
        """Returns why the sentence cannot stand, or nothing. A proposal needs no source."""
        is_proposal = _is_proposal(claim)
        texts, about = self.texts_of(claim), f"“{claim.text[:120]}”"
        if len(claim.text) > LONGEST_SENTENCE or not plain(claim.text):
            return f"{about} is empty or too long."
        if len(texts) != len(set(claim.sources)) or not (texts or is_proposal):
            return f"{about} does not name sources that are there."
        known = [self._figures_of(text) for text in (self.by_number.values() if is_proposal else texts)]
        if any(all(figure not in one for one in known) for figure in self._figures(claim)):
            return f"{about} has figures that are not in its sources."
        quoted = [*quotes_in(claim.text), *([claim.quote] if claim.quote else [])]
        for text in texts:
            quoted = [words for words in quoted if not self._exact(words, text)]
        return f"{about} quotes words that are not in its sources." if quoted else ""

    def sort_out(self, sentences: Iterable[tuple[Key, Sentence]]) -> tuple[list[tuple[Key, Sentence]], str]:
        """Returns which of the first 100 sentences can stand, with their keys, and what is wrong with five others."""
        judged = [(each, self.fault(each[1])) for each in islice(sentences, MOST_ITEMS)]
        faults = [fault for _, fault in judged if fault]
        return [each for each, fault in judged if not fault], "\n".join(faults[:MOST_COMPLAINTS])

    async def confirm(
        self, endpoint: Endpoint, session: Session, said: Sequence[tuple[Key, Sentence]], decided: Sequence[str] = ()
    ) -> list[tuple[Key, Sentence]]:
        """Returns which sentences follow from their sources, proposals from what is decided. Raises ModelFailed."""
        if not said:
            return []
        statements = [
            Statement(number, plain(one.text), decided if _is_proposal(one) else self.texts_of(one), _is_proposal(one))
            for number, (_, one) in enumerate(said)
        ]
        prompt = Prompt(JUDGE, fenced("statements", msgspec.json.encode(statements).decode()))
        answer = await endpoint.ask(session, prompt, Verdicts, lambda answer: (answer, ""))
        follows = {one.number: True for one in answer.verdicts}
        follows |= {one.number: False for one in answer.verdicts if one.verdict != "follows"}
        return [each for number, each in enumerate(said) if follows.get(number)]

    def exact(self, claim: Claim, words: str) -> str:
        """Returns the words as a source of the sentence has them, or nothing."""
        return next(filter(None, (self._exact(words, text) for text in self.texts_of(claim))), "")

    def exactly(self, claim: Claim) -> str:
        """Returns the sentence as one line without marks, with quotes in the words of its sources."""
        text = plain(claim.text)
        for words in quotes_in(text):
            text = text.replace(words, self.exact(claim, words) or words)
        return text

    def _figures(self, claim: Claim) -> set[str]:
        """Returns the numbers of the sentence, without numbers in known labels."""
        return figures_of(_LABEL.sub(lambda label: "" if label[0] in self._labels else label[0], plain(claim.text)))


def plain(text: str) -> str:
    """Returns the sentence as one line without marks."""
    return " ".join(_MARKS.sub("", text).split())


def _is_proposal(claim: Claim) -> bool:
    return isinstance(claim, Proposal) and claim.is_proposal
