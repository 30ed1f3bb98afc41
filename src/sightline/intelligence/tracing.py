"""What every written document must keep, whichever engine wrote it: each statement has its source."""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from sightline.intelligence.embedded.documents.markdown import inline
from sightline.intelligence.material import AboutEvidence, AboutInsight, Draft, Material

PROPOSAL: Final = "- **Proposal:** "

_SOURCES: Final = "\n## Sources\n"
_ITEM = re.compile(r"^\s*(?:[-*] |\d+\. )")
_MARK = re.compile(r" ?\[(\d+)\]")
# Headings, open points, heads of tables and lead-ins state nothing by themselves.
_NO_CLAIM = re.compile(r"#.*|[ >]*|- \*\*(?:Open|How sure:\*\* |Proposal:\*\* ).*|\| Feature .*|\|( --- \|)+")


def keep_sourced(draft: Draft, material: Material) -> Draft:
    """Drops or marks what has no source; returns an equal draft if there is no such line.

    Quotes that nobody said, unsourced lines of tables and marks without a source are dropped. Other unsourced
    statements become proposals.
    """
    body, heading, listed = draft.content.partition(_SOURCES)
    known = {source.ref for source in draft.sources}
    said = _said(material)
    kept = []
    for line in _MARK.sub(lambda mark: mark[0] if int(mark[1]) in known else "", body).split("\n"):
        if _is_misquoted(line, said):
            continue
        if not _is_unsourced(line):
            kept.append(line)
        elif not line.startswith(("|", ">")):
            kept.append(f"{PROPOSAL}{_ITEM.sub('', line).strip()}")
    return draft._replace(content="\n".join(kept) + heading + listed)


def _is_unsourced(line: str) -> bool:
    return bool(line) and not _MARK.search(line) and not _NO_CLAIM.fullmatch(line)


def _is_misquoted(line: str, said: Mapping[int, set[str]]) -> bool:
    line = line.strip()
    if not line.startswith("> “"):
        return False
    ends = (mark.end() for mark in re.finditer("”", line))
    return not any(line[:end] in said[end] for end in ends if end in said)


def _said(material: Material) -> Mapping[int, set[str]]:
    """Returns all quotes as documents show them, by their lengths: a line may end one at thousands of places."""
    said: dict[int, set[str]] = defaultdict(set)
    for record in _records(material):
        for quote in record.quotes:
            shown = f"> “{inline(quote.text)}”"
            said[len(shown)].add(shown)
    return said


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
        texts[rating.id] = _joined(rating.public_id, rating.name, rating.metric, str(rating.ratings), rating.mean)
    for question in material.questions:
        texts[question.id] = _joined(question.question, question.answer)
    return texts


def _joined(*texts: str | None) -> str:
    return "\n".join(text for text in texts if text)
