"""Documents by a model: what is recorded, as the embedded engine composes it, with sentences of the model.

Every sentence names its sources, or is marked as a proposal. A second request judges whether each follows from its
sources; what does not is dropped. Recorded answers, quotes and open points stay as they are.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from sightline.intelligence.embedded.documents.markdown import ended, inline
from sightline.intelligence.material import Draft, Material
from sightline.intelligence.model.claims import Proposal, Sources
from sightline.intelligence.model.endpoint import Endpoint, Prompt
from sightline.intelligence.model.prompts import fenced, read_task
from sightline.intelligence.model.session import ModelFailed, Session
from sightline.intelligence.tracing import PROPOSAL, source_texts

MOST_SENTENCES: Final = 6  # under one heading
FIXED: Final = frozenset({"Open points", "Sources"})
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)

TASK: Final = read_task("document")


class Part(Struct):
    """The sentences under a heading."""

    heading: str
    sentences: list[Proposal]


class Parts(Struct):
    """The answer."""

    parts: list[Part]


async def add_sentences(endpoint: Endpoint, session: Session, recorded: Draft, material: Material) -> Draft:
    """Adds sentences to what is recorded. Raises ModelFailed, also if nothing that the model writes holds."""
    sources = await asyncio.to_thread(_sources, recorded, material)
    headings = [name for name in _HEADING.findall(recorded.content) if name not in FIXED]
    data = f"Headings: {', '.join(headings)}\n\n{fenced('document', recorded.content)}"

    def read(answer: Parts) -> tuple[list[tuple[str, Proposal]], str]:
        return sources.sort_out((part.heading, one) for part in answer.parts for one in part.sentences)

    held = await endpoint.ask(session, Prompt(TASK, data), Parts, read)
    held = [(heading, one) for heading, one in held if heading in headings]
    decided = [f"{one.question} {one.answer}" for one in material.questions if one.answer]
    by_heading: dict[str, list[Proposal]] = defaultdict(list)
    for heading, one in await sources.confirm(endpoint, session, held, decided):
        if len(by_heading[heading]) < MOST_SENTENCES:
            by_heading[heading].append(one)
    if not by_heading:
        raise ModelFailed("Nothing that the model wrote rests on the sources.")
    return recorded._replace(content=_with_sentences(recorded.content, by_heading, sources))


def _sources(recorded: Draft, material: Material) -> Sources:
    texts = source_texts(material)
    return Sources({source.ref: texts.get(source.id, source.title) for source in recorded.sources}, [recorded.content])


def _shown(sources: Sources, sentence: Proposal) -> str:
    """Returns the sentence in Markdown, quotes in the words of the source, with its marks."""
    said = ended(inline(sources.exactly(sentence)))
    if sentence.quote:
        said += f" “{inline(sources.exact(sentence, sentence.quote))}”"
    return said + "".join(f" [{number}]" for number in dict.fromkeys(sentence.sources))


def _with_sentences(content: str, by_heading: Mapping[str, Iterable[Proposal]], sources: Sources) -> str:
    """Puts the sentences below their headings, before what is recorded."""

    def put(heading: re.Match[str]) -> str:
        sentences = list(by_heading.get(heading[1], ()))
        stated = [_shown(sources, one) for one in sentences if not one.is_proposal]
        proposed = [f"{PROPOSAL}{_shown(sources, one)}" for one in sentences if one.is_proposal]
        blocks = [" ".join(stated), "\n".join(proposed)]
        return "\n\n".join([heading[0], *filter(None, blocks)])

    return _HEADING.sub(put, content)
