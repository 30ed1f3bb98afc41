"""One document: its outline filled with what there is, and questions where there is nothing.

The same material gives the same bytes. Every statement carries the number of its source.
"""

from collections.abc import Callable, Iterable
from typing import Final
from uuid import UUID

from sightline.intelligence.embedded.documents.markdown import ended, inline, paragraphs, strong
from sightline.intelligence.material import (
    AboutEvidence,
    AboutIdea,
    AboutInsight,
    DocumentType,
    Draft,
    Material,
    Quote,
    Source,
    SourceKind,
)

MOST_QUOTES: Final = 3
_TITLES: Final = {
    DocumentType.INITIATIVE_BRIEF: "Initiative Brief",
    DocumentType.PRD: "Product Requirements",
    DocumentType.TDD: "Technical Design",
}


class Writing:
    """A document in the making: the material, the numbers of the sources used, what stays open."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self._sources: dict[UUID, Source] = {}
        self.open: list[str] = []

    @property
    def sources(self) -> list[Source]:
        return list(self._sources.values())

    def ref(self, kind: SourceKind, id: UUID, public_id: str | None, title: str) -> str:
        """The mark behind a statement, like ` [3]`."""
        source = self._sources.get(id)
        if source is None:
            source = self._sources[id] = Source(len(self._sources) + 1, kind, id, public_id, title)
        return f" [{source.ref}]"

    def of_initiative(self) -> str:
        about = self.material.initiative
        return self.ref("initiative", about.id, about.public_id, about.name)

    def of_idea(self, idea: AboutIdea) -> str:
        return self.ref("idea", idea.id, idea.public_id, idea.name)

    def ask(self, question: str) -> None:
        """Notes what nobody has said yet."""
        self.open.append(question)


Section = Callable[[Writing], list[str]]


def write_document(kind: DocumentType, material: Material) -> Draft:
    """Composes one document; what the workspace does not say becomes an open question."""
    writing = Writing(material)
    lines = [f"# {_TITLES[kind]}: {inline(material.initiative.name)}", ""]
    for heading, section in _OUTLINES[kind]:
        body = section(writing)
        if body:
            lines += [f"## {heading}", "", *body, ""]
    lines += _open_questions(writing) + _sources(writing)
    return Draft("\n".join(lines).rstrip() + "\n", writing.sources)


def _glance(writing: Writing) -> list[str]:
    about, mark = writing.material.initiative, writing.of_initiative()
    if not about.teams:
        writing.ask("Which team does the work?")
    if about.finish_date is None:
        writing.ask("When does it have to be finished?")
    return [
        f"- Status: {_word(about.status)}, priority {_word(about.priority)}{mark}",
        *([f"- Product: {inline(about.product)}{mark}"] if about.product else []),
        *([f"- Teams: {', '.join(map(inline, about.teams))}{mark}"] if about.teams else []),
        *([f"- Starts: {about.start_date}{mark}"] if about.start_date else []),
        *([f"- Finishes: {about.finish_date}{mark}"] if about.finish_date else []),
    ]


def _summary(writing: Writing) -> list[str]:
    said = paragraphs(writing.material.initiative.description)
    if not said:
        writing.ask("What is the initiative about? It has no description.")
    return _separated(f"{ended(line)}{writing.of_initiative()}" for line in said)


def _problem(writing: Writing) -> list[str]:
    found = writing.material.insights
    if not found:
        writing.ask("Which problem does it solve, and for whom? No insight is linked to its ideas.")
    return _joined(_insight(writing, each) for each in found)


def _insight(writing: Writing, insight: AboutInsight) -> list[str]:
    mark = writing.ref("insight", insight.id, None, insight.title)
    said = inline(insight.description)
    line = f"- {strong(insight.title)}{f': {ended(said)}' if said else ''}{mark}"
    return [line, *_quotes(insight.quotes, mark)]


def _quotes(quotes: Iterable[Quote], mark: str) -> list[str]:
    """Each a paragraph of one block."""
    shown = [quote for quote in quotes if quote.text.strip()][:MOST_QUOTES]
    lines = [f"  > “{inline(each.text)}”{f' ({inline(each.signal)})' if each.signal else ''}{mark}" for each in shown]
    return [part for line in lines for part in ("  >", line)][1:]


def _ideas(writing: Writing) -> list[str]:
    found = writing.material.ideas
    if not found:
        writing.ask("What shall be built? No idea is attached.")
    return _joined([f"- {strong(idea.name)} ({idea.public_id}){writing.of_idea(idea)}"] for idea in found)


def _requirements(writing: Writing) -> list[str]:
    found = writing.material.ideas
    if not found:
        writing.ask("What shall be built? No idea is attached.")
    blocks: list[str] = []
    for number, idea in enumerate(found, 1):
        mark = writing.of_idea(idea)
        blocks += [f"### R{number}. {inline(idea.name)}", ""]
        blocks += [*_separated(f"{ended(line)}{mark}" for line in paragraphs(idea.description)), ""]
        if idea.features:
            blocks += [f"Touches: {', '.join(map(inline, idea.features))}{mark}", ""]
    return blocks[:-1] if blocks else []


def _people(writing: Writing) -> list[str]:
    """Each account once, with every idea that names it."""
    found: dict[str, str] = {}
    for idea in writing.material.ideas:
        for account in dict.fromkeys(idea.accounts):
            found[account] = found.get(account, "") + writing.of_idea(idea)
    if not found:
        writing.ask("Who is affected? No account is linked to its ideas.")
    return [f"- {inline(account)}{marks}" for account, marks in found.items()]


def _support(writing: Writing) -> list[str]:
    found = [each for each in writing.material.evidence if each.role in ("supports", "context")]
    if not found:
        writing.ask("What speaks for it? No supporting evidence is linked to its ideas.")
    return _joined(_evidence(writing, each) for each in found)


def _limits(writing: Writing) -> list[str]:
    found = [each for each in writing.material.evidence if each.role in ("qualifies", "contradicts")]
    if not found:
        writing.ask("What speaks against it, or limits it? No such evidence is linked to its ideas.")
    return _joined(_evidence(writing, each) for each in found)


def _evidence(writing: Writing, each: AboutEvidence) -> list[str]:
    mark = writing.ref("evidence", each.id, None, each.title)
    said = inline(each.description)
    line = f"- {strong(each.title)} ({each.role} {each.idea}){f': {ended(said)}' if said else ''}{mark}"
    settled = [f"  Resolved: {ended(inline(each.resolution))}{mark}"] if each.resolution else []
    return [line, *settled, *_quotes(each.quotes, mark)]


def _decisions(writing: Writing) -> list[str]:
    """What was asked and answered; a drafted answer that nobody recorded is none."""
    answered = [each for each in writing.material.questions if each.answer]
    blocks: list[list[str]] = []
    for each in answered:
        mark = writing.ref("question", each.id, None, each.question)
        blocks.append([f"- {strong(each.question)} {ended(inline(each.answer or ''))}{mark}"])
    if not blocks:
        writing.ask("What has been decided? No question has a recorded answer.")
    return _joined(blocks)


def _scope(writing: Writing) -> list[str]:
    lines = [
        f"- {inline(feature)}: {inline(idea.name)}{writing.of_idea(idea)}"
        for idea in writing.material.ideas
        for feature in idea.features
    ]
    if not lines:
        writing.ask("Which parts of the product change? No feature is linked to its ideas.")
    return list(dict.fromkeys(lines))


def _success(writing: Writing) -> list[str]:
    writing.ask("How will success be measured?")
    return []


def _design(writing: Writing) -> list[str]:
    writing.ask("Which components, interfaces and data change, and how is the change rolled out and undone?")
    return []


def _open_questions(writing: Writing) -> list[str]:
    """What people asked and nobody answered, then what the outline found missing."""
    lines = [
        f"- {inline(each.question)} ({each.asked_of}){writing.ref('question', each.id, None, each.question)}"
        for each in writing.material.questions
        if not each.answer
    ]
    lines += [f"- {question}" for question in dict.fromkeys(writing.open)]
    return ["## Open questions", "", *lines, ""] if lines else []


def _sources(writing: Writing) -> list[str]:
    return ["## Sources", "", *map(_source_line, writing.sources), ""]


def _source_line(source: Source) -> str:
    public_id = f" {source.public_id}" if source.public_id else ""
    return f"{source.ref}. {source.kind.capitalize()}{public_id}: {inline(source.title)}"


def _word(value: str) -> str:
    """A value of our own, as people write it."""
    return inline(value.replace("_", " ").lower())


def _joined(blocks: Iterable[list[str]]) -> list[str]:
    return [line for block in blocks for line in block]


def _separated(lines: Iterable[str]) -> list[str]:
    """Paragraphs, with an empty line between two."""
    return [part for line in lines for part in ("", line)][1:]


_OUTLINES: Final[dict[DocumentType, list[tuple[str, Section]]]] = {
    DocumentType.INITIATIVE_BRIEF: [
        ("At a glance", _glance),
        ("Summary", _summary),
        ("Why", _problem),
        ("What we want to do", _ideas),
        ("Who is affected", _people),
        ("What speaks for it", _support),
        ("What speaks against it", _limits),
        ("What was decided", _decisions),
    ],
    DocumentType.PRD: [
        ("Summary", _summary),
        ("At a glance", _glance),
        ("Problem", _problem),
        ("Users and accounts", _people),
        ("Requirements", _requirements),
        ("Evidence", _support),
        ("Limits and objections", _limits),
        ("Decisions", _decisions),
        ("Success measures", _success),
    ],
    DocumentType.TDD: [
        ("Context", _summary),
        ("At a glance", _glance),
        ("Scope", _scope),
        ("Requirements", _requirements),
        ("Constraints", _limits),
        ("Decisions", _decisions),
        ("Design", _design),
    ],
}
