"""What a document is written from, and what comes out: no database, no transport."""

from enum import StrEnum
from typing import Literal, NamedTuple
from uuid import UUID

from msgspec import Struct


class DocumentType(StrEnum):
    """The documents of an initiative. Specification: InitiativeDocumentRegenerationReceipt."""

    INITIATIVE_BRIEF = "INITIATIVE_BRIEF"
    PRD = "PRD"
    TDD = "TDD"


SourceKind = Literal["initiative", "idea", "insight", "evidence", "question"]


class Source(Struct, rename="camel", frozen=True):
    """What a statement rests on. `ref` is the number behind the statement."""

    ref: int
    kind: SourceKind
    id: UUID
    public_id: str | None
    title: str


class Quote(NamedTuple):
    """Somebody's exact words."""

    text: str
    signal: str | None


class AboutInitiative(NamedTuple):
    id: UUID
    public_id: str
    name: str
    description: str
    status: str
    priority: str
    product: str | None
    teams: list[str]
    start_date: str | None
    finish_date: str | None


class AboutIdea(NamedTuple):
    id: UUID
    public_id: str
    name: str
    description: str
    status: str
    features: list[str]
    accounts: list[str]


class AboutInsight(NamedTuple):
    id: UUID
    title: str
    description: str
    category: str
    quotes: list[Quote]


class AboutEvidence(NamedTuple):
    id: UUID
    idea: str
    title: str
    description: str
    role: str
    quotes: list[Quote]
    resolution: str | None


class AboutQuestion(NamedTuple):
    """A question of the initiative or of one of its ideas; `answer` only when somebody recorded one."""

    id: UUID
    asked_of: str
    question: str
    answer: str | None


class Material(NamedTuple):
    """Everything a workspace holds about an initiative, each list in a total order."""

    initiative: AboutInitiative
    ideas: list[AboutIdea]
    insights: list[AboutInsight]
    evidence: list[AboutEvidence]
    questions: list[AboutQuestion]


class Draft(NamedTuple):
    """A document as Markdown, and what its statements rest on, in the order of their numbers."""

    content: str
    sources: list[Source]
