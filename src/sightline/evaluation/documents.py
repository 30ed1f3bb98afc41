"""How well the embedded engine writes the PRD of an initiative, measured by the list of a product manager."""

import re
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import ClassVar, Final, NamedTuple
from uuid import UUID

from msgspec import Struct, structs

from sightline.evaluation import worlds
from sightline.evaluation.insights import READ_AS
from sightline.evaluation.marks import Kept, Marks, Output, count_kept
from sightline.intelligence.embedded import embedded_engine
from sightline.intelligence.embedded.documents.markdown import inline
from sightline.intelligence.embedded.likeness import are_alike, telling_words
from sightline.intelligence.evidence import SignalMaterial
from sightline.intelligence.material import (
    AboutIdea,
    AboutInitiative,
    AboutInsight,
    AboutQuestion,
    DocumentType,
    Draft,
    Material,
    SourceQuote,
)

_ALIKE: Final = 0.6  # share of all words of two lines that both have, if they say the same
_COVERED: Final = 0.4  # share of the words of a wanted line that a line covering it has
_HEADING: Final = re.compile(r"#+ (.*)")
_MARK: Final = re.compile(r"\[(\d+)\]")
_LABEL: Final = re.compile(r"^[A-Z][\w ]*: ")


class RecordedQuestion(Struct, frozen=True):
    """A question of the initiative with its answer; `stale` if the answer does not hold any more."""

    question: str
    answer: str | None = None
    stale: bool = False


class WantedLine(Struct, frozen=True, rename={"sources": "from"}):
    """A line that a PRD should have, and the ids of the tickets and ideas that it comes from."""

    id: str
    line: str
    sources: frozenset[str]


class _Account(Struct):
    key: str
    name: str


class _World(Struct):
    accounts: list[_Account] = []


class LabelledInitiative(Struct, frozen=True):
    """The file `initiative.json` of a world: material, rejected statements, and the manager's list as `prd`."""

    name: str
    description: str
    ideas: list[str]
    tickets: list[str]
    questions: list[RecordedQuestion]
    rejected: list[str]
    prd: list[WantedLine]


class Line(NamedTuple):
    """A line of a document that says something: its heading, its text, and the ids of its sources."""

    id: str
    heading: str
    text: str
    sources: frozenset[str]


class Case(NamedTuple):
    """An initiative, its tickets, and the lines of the document that is written about it."""

    initiative: LabelledInitiative
    tickets: list[worlds.Ticket]
    lines: list[Line]


class DocumentQuality(worlds.Quality):
    """The quality of a PRD. A line is what readers see, without headings and the list of sources."""

    lines: int
    repeated: list[str]  # lines like an earlier one (see `are_alike`)
    same_statement: list[str]  # lines with labelled statements, all of which earlier lines quote
    forbidden: list[str]  # lines like a rejected statement, a stale question or its answer
    cut_titles: list[str]  # headings that break off within a sentence of a ticket
    wanted: int
    covered: float | None  # share of wanted lines that a line covers (see `_covers`)
    not_covered: list[str]
    found: Kept | None = None  # wanted lines that readers find in the document
    in_order: ClassVar[bool] = True

    def count_marks(self, outputs: Sequence[Output], marks: Marks) -> None:
        super().count_marks(outputs[: self.lines], marks)
        self.found = count_kept(outputs[self.lines :], marks)


def read_case(folder: Path) -> Case:
    """Reads a world and writes the PRD of its initiative. Raises BadRequest if a file is not right, and OSError."""
    initiative = worlds.read_json(folder / "initiative.json", LabelledInitiative)
    ideas = [idea for idea in worlds.read_ideas(folder) if idea.id in initiative.ideas]
    world = folder / "world.json"
    known = worlds.read_json(world, _World) if world.exists() else _World()
    named = {account.key: account.name for account in known.accounts}
    tickets = [
        structs.replace(ticket, account=named.get(ticket.account or "", ticket.account))
        for ticket in worlds.read_tickets(folder)
        if ticket.id in initiative.tickets
    ]
    material = material_of(initiative, ideas, tickets)
    draft = embedded_engine().write_document(DocumentType.PRD, material)
    return Case(initiative, tickets, list(_lines(draft, material)))


def material_of(
    initiative: LabelledInitiative, ideas: list[worlds.LabelledIdea], tickets: list[worlds.Ticket]
) -> Material:
    """Returns the material as a workspace has it: tickets are evidence, each insight of one is linked to all ideas.

    No status and no priority is given, as the files have none.
    """
    ids = map(UUID, (f"{number:032x}" for number in count(1)))
    engine = embedded_engine()
    about = AboutInitiative(
        next(ids), "INITIATIVE-1", initiative.name, initiative.description, "", "", None, [], [], None, None
    )
    asked = [AboutQuestion(next(ids), "INITIATIVE-1", one.question, one.answer) for one in initiative.questions
             if not one.stale]  # fmt: skip
    asked += [AboutQuestion(next(ids), idea.id, one.question, None) for idea in ideas
              for one in engine.ask_questions(idea.description)]  # fmt: skip
    insights, signals = [], []
    for ticket in tickets:
        accounts = [ticket.account] if ticket.account else []
        signals.append((ticket.id, accounts))
        for found in engine.extract_insights(SignalMaterial(READ_AS[ticket.type], ticket.text)):
            quotes = [SourceQuote(one.text, ticket.id, accounts) for one in found.quotes]
            insights.append(AboutInsight(next(ids), found.title, "", found.category, False, initiative.ideas, [],
                                         accounts, [ticket.id], quotes))  # fmt: skip
    return Material(
        about,
        [AboutIdea(next(ids), idea.id, idea.name, idea.description, "New", [], [], 0) for idea in ideas],
        insights,
        [],
        [],
        [],
        asked,
        initiative.rejected,
        signals,
    )


def measure(folder: Path) -> worlds.Measured:
    """Writes the PRD of a world's initiative and compares its lines with the manager's list."""
    case = read_case(folder)
    wanted = case.initiative.prd
    missing = [one for one in wanted if not any(_covers(line, one) for line in case.lines)]
    quality = DocumentQuality(
        lines=len(case.lines),
        repeated=[line.text for number, line in enumerate(case.lines) if _repeats(line, case.lines[:number])],
        same_statement=list(_same_statement(case)),
        forbidden=[line.text for line in case.lines if _is_forbidden(line, case.initiative)],
        cut_titles=[line.heading for line in case.lines if _is_cut(line.heading, case)],
        wanted=len(wanted),
        covered=worlds.share(len(wanted) - len(missing), len(wanted)),
        not_covered=[f"{one.id}: {one.line}" for one in missing],
    )
    lines = [Output(line.id, line.heading, line.text) for line in case.lines]
    return worlds.Measured(quality, [*lines, *(Output(one.id, "wanted", one.line) for one in wanted)])


def _lines(draft: Draft, material: Material) -> Iterator[Line]:
    named = {idea.id: frozenset({idea.public_id}) for idea in material.ideas}
    named |= {one.id: frozenset(one.signals) for one in material.insights}
    of_ref = {str(source.ref): named.get(source.id, frozenset()) for source in draft.sources}
    heading, number = "", count(1)
    for line in draft.content.partition("\n## Sources\n")[0].splitlines():
        if found := _HEADING.fullmatch(line):
            heading = found[1]
        elif line.strip(" >|-"):
            sources = frozenset().union(*(of_ref.get(ref, frozenset()) for ref in _MARK.findall(line)))
            yield Line(f"L{next(number):03}", heading, line.strip(), sources)


def _plain(line: Line) -> frozenset[str]:
    return telling_words(_MARK.sub("", line.text))


def _repeats(line: Line, earlier: list[Line]) -> bool:
    return any(are_alike(_plain(line), _plain(other), _ALIKE) for other in earlier)


def _same_statement(case: Case) -> Iterator[str]:
    """Yields lines with labelled statements, all of which earlier lines quote."""
    labels = [(inline(label.quote), label.statement) for ticket in case.tickets for label in ticket.labels
              if label.statement]  # fmt: skip
    seen: set[str] = set()
    for line in case.lines:
        quoted = {statement for quote, statement in labels if quote in line.text}
        if quoted and quoted <= seen:
            yield line.text
        seen |= quoted


def _is_forbidden(line: Line, initiative: LabelledInitiative) -> bool:
    stale = [text for one in initiative.questions if one.stale for text in (one.question, one.answer or "") if text]
    return any(are_alike(_plain(line), telling_words(text), _ALIKE) for text in [*initiative.rejected, *stale])


def _covers(line: Line, wanted: WantedLine) -> bool:
    """Whether a line without sources, or with one of the wanted line's, has two fifths of its telling words."""
    words = telling_words(_LABEL.sub("", wanted.line))
    from_source = wanted.sources & line.sources or not line.sources
    return bool(from_source) and len(words & _plain(line)) >= _COVERED * len(words)


def _is_cut(title: str, case: Case) -> bool:
    """Whether the title begins a sentence of a ticket that goes on."""
    words = title.partition(". ")[2].rstrip(".") or title
    return any(f"{words} " in inline(ticket.text) for ticket in case.tickets)
