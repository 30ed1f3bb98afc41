"""Documents by a model: what is recorded, as the embedded engine composes it, with sentences of the model.

Every sentence names its sources, or is marked as a proposal. A second request judges whether each follows from its
sources; what does not is dropped. Recorded answers, quotes and open points stay as they are.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

import msgspec
from msgspec import Struct

from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.embedded.documents.markdown import ended, inline
from sightline.intelligence.material import DocumentType, Draft, Material
from sightline.intelligence.model.endpoint import Endpoint, Prompt
from sightline.intelligence.model.prompts import RULES, fenced
from sightline.intelligence.model.quotes import figures_of, locate
from sightline.intelligence.model.session import ModelFailed, Session
from sightline.intelligence.tracing import PROPOSAL, find_faults, source_texts

MOST_SENTENCES: Final = 6  # under one heading
LONGEST_SENTENCE: Final = 600
FIXED: Final = frozenset({"At a glance", "Traceability", "Open points", "Sources"})
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_MARKS = re.compile(r"\s*\[[\d,\s]+\]")
_LABEL = re.compile(r"\b(?:(?:INITIATIVE|IDEA|SIGNAL|STUDY)-|[PRO])[0-9]+\b")
_QUOTED = re.compile(r"[“\"„«]([^”\"“«»]{3,})[”\"“»]")

TASK: Final = f"""{RULES}

Below is a document in Markdown that was composed from records. Numbers in brackets name the records that a line rests
on. Write for each of the given headings up to six sentences that a reader reads first: what matters, how the records
belong together, what follows for the work. Do not repeat single lines. `sources` are the numbers of the records that
the sentence rests on. A suggestion of yours that no record states has `is_proposal` true: write proposals for open
points only, never against a recorded answer. `quote` is null, or words of one of the sources. Leave headings out that
need nothing."""

JUDGE: Final = f"""{RULES}

Judge each statement by its sources alone. `follows`: the sources say it, or it follows from them. `contradicts`: they
say otherwise. `missing`: they do not say it. A proposal contradicts if a recorded answer decides otherwise; else it
follows."""


class Sentence(Struct):
    """A sentence as the model gives it."""

    text: str
    sources: list[int]
    quote: str | None = None
    is_proposal: bool = False


class Part(Struct):
    """The sentences under a heading."""

    heading: str
    sentences: list[Sentence]


class Parts(Struct):
    """The answer."""

    parts: list[Part]


class Verdict(Struct):
    """Whether the statement of this number follows from its sources."""

    number: int
    verdict: Literal["follows", "contradicts", "missing"]


class Verdicts(Struct):
    """The answer of the judge."""

    verdicts: list[Verdict]


async def write_document(endpoint: Endpoint, session: Session, type: DocumentType, material: Material) -> Draft:
    """Raises ModelFailed, also if nothing that the model writes holds."""
    recorded = embedded_engine().write_document(type, material)
    sources = _Sources(recorded, material)
    headings = [name for name in _HEADING.findall(recorded.content) if name not in FIXED]
    data = f"Headings: {', '.join(headings)}\n\n{fenced('document', recorded.content)}"
    answer = await endpoint.ask(session, Prompt(TASK, data), Parts, sources.complaint)
    held = [(part.heading, one) for part in answer.parts if part.heading in headings for one in part.sentences]
    held = [(heading, one) for heading, one in held if not sources.fault(one)]
    follows = await _judge(endpoint, session, sources, [one for _, one in held]) if held else set()
    by_heading: dict[str, list[Sentence]] = defaultdict(list)
    for number, (heading, one) in enumerate(held):
        if number in follows and len(by_heading[heading]) < MOST_SENTENCES:
            by_heading[heading].append(one)
    draft = Draft(_with_sentences(recorded.content, by_heading, sources), recorded.sources)
    if not any(by_heading.values()) or find_faults(draft, material):
        raise ModelFailed("Nothing that the model wrote rests on the sources.")
    return draft


class _Sources:
    """The records behind a document, by their numbers in it."""

    def __init__(self, recorded: Draft, material: Material) -> None:
        texts = source_texts(material)
        self.by_number = {source.ref: texts.get(source.id, source.title) for source in recorded.sources}
        self.answers = [f"{one.question} {one.answer}" for one in material.questions if one.answer]
        self._known = figures_of("\n".join(self.by_number.values()))
        self._labels = set(_LABEL.findall(recorded.content))

    def texts_of(self, sentence: Sentence) -> list[str]:
        return [self.by_number[number] for number in sentence.sources if number in self.by_number]

    def complaint(self, answer: Parts) -> str:
        faults = (fault for part in answer.parts for one in part.sentences if (fault := self.fault(one)))
        return "\n".join([fault for fault, _ in zip(faults, range(5), strict=False)])

    def fault(self, sentence: Sentence) -> str:
        """Returns why the sentence cannot stand, or nothing."""
        texts, about = self.texts_of(sentence), f"“{sentence.text[:120]}”"
        if not _clean(sentence.text) or len(sentence.text) > LONGEST_SENTENCE:
            return f"{about} is empty or too long."
        if len(texts) != len(sentence.sources) or not (texts or sentence.is_proposal):
            return f"{about} does not name records of the document as its sources."
        known = self._known if sentence.is_proposal else {figure for text in texts for figure in figures_of(text)}
        if self._figures(sentence) - known:
            return f"{about} has figures that are not in its sources."
        quoted = [*_QUOTED.findall(sentence.text), *([sentence.quote] if sentence.quote else [])]
        if not all(any(locate(words, text) for text in texts) for words in quoted):
            return f"{about} quotes words that are not in its sources."
        return ""

    def _figures(self, sentence: Sentence) -> set[str]:
        """Returns the numbers of the sentence, without those of records and labels that the document has."""
        text = _clean(sentence.text)
        return figures_of(_LABEL.sub(lambda label: "" if label[0] in self._labels else label[0], text))

    def shown(self, sentence: Sentence) -> str:
        """Returns the sentence in Markdown, quotes in the words of the source, with its marks."""
        text = _clean(sentence.text)
        for words in _QUOTED.findall(text):
            text = text.replace(words, self._exact(sentence, words))
        said = ended(inline(text))
        if sentence.quote:
            said += f" “{inline(self._exact(sentence, sentence.quote))}”"
        return said + "".join(f" [{number}]" for number in dict.fromkeys(sentence.sources))

    def _exact(self, sentence: Sentence, words: str) -> str:
        for text in self.texts_of(sentence):
            if place := locate(words, text):
                return text[place.start : place.end]
        return words


def _clean(text: str) -> str:
    """Returns the sentence as one line without marks."""
    return " ".join(_MARKS.sub("", text).split())


async def _judge(endpoint: Endpoint, session: Session, sources: _Sources, said: Sequence[Sentence]) -> set[int]:
    """Returns the numbers of the statements that follow from their sources."""
    listed = [
        {
            "number": number,
            "statement": _clean(one.text),
            "sources": sources.answers if one.is_proposal else sources.texts_of(one),
            "is_proposal": one.is_proposal,
        }
        for number, one in enumerate(said)
    ]
    prompt = Prompt(JUDGE, fenced("statements", msgspec.json.encode(listed).decode()))
    answer = await endpoint.ask(session, prompt, Verdicts, lambda _: "")
    wrong = {one.number for one in answer.verdicts if one.verdict != "follows"}
    return {one.number for one in answer.verdicts} - wrong


def _with_sentences(content: str, by_heading: Mapping[str, Iterable[Sentence]], sources: _Sources) -> str:
    """Puts the sentences below their headings, before what is recorded."""

    def put(heading: re.Match[str]) -> str:
        sentences = list(by_heading.get(heading[1], ()))
        stated = [sources.shown(one) for one in sentences if not one.is_proposal]
        proposed = [f"{PROPOSAL}{sources.shown(one)}" for one in sentences if one.is_proposal]
        blocks = [" ".join(stated), "\n".join(proposed)]
        return "\n\n".join([heading[0], *filter(None, blocks)])

    return _HEADING.sub(put, content)
