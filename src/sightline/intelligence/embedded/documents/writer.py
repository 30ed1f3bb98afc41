"""A document: its outline filled with what is recorded, and open points where nothing is.

The same material gives the same bytes. A statement ends with the numbers of its sources.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from sightline.intelligence.embedded.documents import parts, short
from sightline.intelligence.embedded.documents.markdown import inline
from sightline.intelligence.embedded.documents.writing import Topic, Writing
from sightline.intelligence.material import DocumentSource, DocumentType, Draft, Material


class Heading(NamedTuple):
    """A heading of an outline: the functions that write it, and the topics of its questions."""

    name: str
    part: Callable[[Writing], list[str]]
    topics: tuple[Topic, ...] = ()


_TITLES: Final = {
    DocumentType.INITIATIVE_BRIEF: "Initiative Brief",
    DocumentType.PRD: "Product Requirements",
    DocumentType.TDD: "Technical Design",
}
_OUTLINES: Final[dict[DocumentType, list[Heading]]] = {
    DocumentType.INITIATIVE_BRIEF: [
        Heading("At a glance", parts.glance),
        Heading("Summary", parts.summary),
        Heading("Why", short.problems),
        Heading("Who asks for it", short.customers),
        Heading("What it shall achieve", short.goals, (Topic.GOALS, Topic.MEASURES)),
        Heading("What we want to do", short.requirements),
        Heading("What speaks against it", parts.objections),
        Heading("What was decided", short.decisions),
    ],
    DocumentType.PRD: [
        Heading("At a glance", parts.glance),
        Heading("Summary", parts.summary),
        Heading("Goals", parts.goals, (Topic.GOALS,)),
        Heading("Non-goals", parts.non_goals, (Topic.NON_GOALS,)),
        Heading("Problem", parts.problems),
        Heading("What customers value", parts.valued),
        Heading("Customers", parts.customer_table),
        Heading("Requirements", parts.requirements),
        Heading("Success measures", parts.measures, (Topic.MEASURES,)),
        Heading("Constraints", parts.constraints, (Topic.CONSTRAINTS, Topic.DATA)),
        Heading("Risks and objections", parts.objections),
        Heading("Rollout", parts.rollout, (Topic.ROLLOUT,)),
        Heading("Decisions", parts.decisions),
        Heading("Traceability", parts.traceability),
    ],
    DocumentType.TDD: [
        Heading("At a glance", parts.glance),
        Heading("Context", parts.summary),
        Heading("Problems to solve", short.problems),
        Heading("Scope", parts.scope),
        Heading("Requirements", parts.requirements),
        Heading("Scale", parts.scale, (Topic.SCALE,)),
        Heading("Data and privacy", parts.data, (Topic.DATA,)),
        Heading("Constraints", parts.constraints, (Topic.CONSTRAINTS,)),
        Heading("Design", parts.design),
        Heading("Risks and objections", parts.objections),
        Heading("Tests", parts.tests, (Topic.MEASURES,)),
        Heading("Rollout and rollback", parts.rollout, (Topic.ROLLOUT,)),
        Heading("Decisions", parts.decisions),
    ],
}


def write_document(type: DocumentType, material: Material) -> Draft:
    """Composes one document. Invents nothing: missing material becomes an open point."""
    outline = _OUTLINES[type]
    writing = Writing(material, frozenset(topic for heading in outline for topic in heading.topics))
    lines = [f"# {_TITLES[type]}: {inline(material.initiative.name)}", ""]
    for heading in outline:
        writing.heading, writing.topics = heading.name, heading.topics
        if body := heading.part(writing):
            lines += [f"## {heading.name}", "", *body, ""]
    lines += [*_open_points(writing), *_sources(writing)]
    return Draft("\n".join(lines).rstrip() + "\n", writing.sources)


def _open_points(writing: Writing) -> list[str]:
    """Lists the open points of all headings, then the questions without a heading."""
    lines = [f"- {point.label}, {point.heading}: {point.name}" for point in writing.open_points]
    lines += writing.unanswered(writing.other_questions())
    return ["## Open points", "", *lines, ""] if lines else []


def _sources(writing: Writing) -> list[str]:
    return ["## Sources", "", *map(_source, writing.sources), ""]


def _source(source: DocumentSource) -> str:
    public_id = f" {source.public_id}" if source.public_id else ""
    return f"{source.ref}. {source.kind.capitalize()}{public_id}: {inline(source.title)}"
