"""What every written document must keep, whichever engine wrote it: each statement has its source."""

import re
from collections.abc import Iterable
from typing import Final
from uuid import UUID

from sightline.intelligence.embedded.documents.markdown import inline
from sightline.intelligence.material import AboutEvidence, AboutInsight, Draft, Material, Quote

PROPOSAL: Final = "- **Proposal:** "

_MARK = re.compile(r"\[(\d+)\]")
# Headings, open points, heads of tables and lead-ins state nothing by themselves.
_NO_CLAIM = tuple(
    re.compile(pattern)
    for pattern in (r"#.*", r"[ >]*", r"- \*\*O\d+.*", r"\| (Customer|Requirement|Feature) .*", r"\|( --- \|)+")
)
_LEADS = ("- Rests on: ", "Acceptance criteria, ", PROPOSAL)


def find_faults(draft: Draft, material: Material) -> list[str]:
    """Returns statements without a source, marks without a listed source, and quotes that nobody said."""
    body, _, listed = draft.content.partition("\n## Sources\n")
    known = {source.ref for source in draft.sources}
    faults = [f"unsourced: {line}" for line in _claims(body) if not _MARK.search(line)]
    faults += [f"unknown source: {mark}" for mark in {int(mark) for mark in _MARK.findall(body)} - known]
    if len([line for line in listed.splitlines() if line.strip()]) != len(known):
        faults.append("the list of sources is not that of the marks")
    said = tuple({f"> “{inline(quote.text)}”" for quote in _quotes(material)})
    quoted = (line.strip() for line in body.splitlines() if line.lstrip().startswith("> “"))
    return [*faults, *(f"not a quote: {line}" for line in quoted if not line.startswith(said))]


def _claims(body: str) -> Iterable[str]:
    for line in body.partition("\n## Open points\n")[0].splitlines():
        if not line.startswith(_LEADS) and not any(pattern.fullmatch(line) for pattern in _NO_CLAIM):
            yield line


def _quotes(material: Material) -> Iterable[Quote]:
    for record in _records(material):
        yield from record.quotes


def _records(material: Material) -> list[AboutInsight | AboutEvidence]:
    return [*material.insights, *material.evidence]


def source_texts(material: Material) -> dict[UUID, str]:
    """Returns the words of each record that a statement can rest on."""
    about = material.initiative
    facts = (about.name, about.description, about.status, about.priority, about.product, *about.teams, *about.features)
    texts = {about.id: _joined(*facts, about.start_date, about.finish_date)}
    for idea in material.ideas:
        texts[idea.id] = _joined(idea.name, idea.description, idea.status, *idea.features, *idea.accounts)
    for record in _records(material):
        quotes = (quote.text for quote in record.quotes)
        texts[record.id] = _joined(record.title, record.description, *quotes, *record.accounts)
    for opportunity in material.opportunities:
        texts[opportunity.id] = _joined(opportunity.name, opportunity.description)
    for rating in material.ratings:
        texts[rating.id] = _joined(rating.study, rating.name, rating.metric, str(rating.ratings), rating.mean)
    for question in material.questions:
        texts[question.id] = _joined(question.question, question.answer)
    return texts


def _joined(*texts: str | None) -> str:
    return "\n".join(text for text in texts if text)
