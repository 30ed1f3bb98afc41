"""The material of a document, and the draft that an engine returns: no database, no transport."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, Literal, NamedTuple
from uuid import UUID

from msgspec import Struct

LONGEST_DESCRIPTION: Final = 100_000  # characters of the description of an idea that are read


class DocumentType(StrEnum):
    """The documents of an initiative. Specification: InitiativeDocumentRegenerationReceipt."""

    INITIATIVE_BRIEF = "INITIATIVE_BRIEF"
    PRD = "PRD"
    TDD = "TDD"


SourceKind = Literal["initiative", "idea", "insight", "evidence", "question", "opportunity", "study"]


class DocumentSource(Struct, rename="camel", frozen=True):
    """A record that a statement rests on. The statement ends with the number `ref` in brackets."""

    ref: int
    kind: SourceKind
    id: UUID
    public_id: str | None
    title: str


class SourceQuote(NamedTuple):
    """Exact words, the public id of their signal, and the accounts of that signal."""

    text: str
    signal: str | None
    accounts: list[str]


class AboutInitiative(NamedTuple):
    """The initiative; `features` are those of its product that it names, `status` and `priority` empty if not known."""

    id: UUID
    public_id: str
    name: str
    description: str
    status: str
    priority: str
    product: str | None
    teams: list[str]
    features: list[str]
    start_date: str | None
    finish_date: str | None


class AboutIdea(NamedTuple):
    """An attached idea; `accounts` are directly linked."""

    id: UUID
    public_id: str
    name: str
    description: str
    status: str
    features: list[str]
    accounts: list[str]
    votes: int


class AboutInsight(NamedTuple):
    """An insight of the attached ideas that is not rejected.

    `ideas` are public ids, `validated_for` those whose link is validated; `accounts` are linked to the insight or to
    one of its signals.
    """

    id: UUID
    title: str
    description: str
    category: str
    is_reviewed: bool
    ideas: list[str]
    validated_for: list[str]
    accounts: list[str]
    signals: list[str]
    quotes: list[SourceQuote]


class AboutEvidence(NamedTuple):
    """Evidence linked to an idea directly; `accounts` are linked to its signal."""

    id: UUID
    idea: str
    title: str
    description: str
    role: str
    resolution: str | None
    accounts: list[str]
    signals: list[str]
    quotes: list[SourceQuote]


class AboutOpportunity(NamedTuple):
    """An opportunity that attached ideas address."""

    id: UUID
    name: str
    description: str


class AboutStudy(NamedTuple):
    """A study of the initiative with the ratings of one metric; `mean` has one decimal."""

    id: UUID
    public_id: str
    name: str
    metric: str
    ratings: int
    mean: str


class AboutQuestion(NamedTuple):
    """A question of the initiative or of one of its ideas; `answer` is None without a recorded answer."""

    id: UUID
    asked_of: str
    question: str
    answer: str | None


class Material(NamedTuple):
    """All material of a workspace about an initiative, each list in a total order.

    `rejected` are the titles of rejected insights: whatever says the same stays out of documents. `signals` are the
    accepted evidence of the initiative, each with its accounts, whether or not an insight was found in it.
    """

    initiative: AboutInitiative
    ideas: list[AboutIdea]
    insights: list[AboutInsight]
    evidence: list[AboutEvidence]
    opportunities: list[AboutOpportunity]
    ratings: list[AboutStudy]
    questions: list[AboutQuestion]
    rejected: Sequence[str] = ()
    signals: Sequence[tuple[str, list[str]]] = ()


class Draft(NamedTuple):
    """A document as Markdown, and the sources of its statements in the order of their numbers."""

    content: str
    sources: list[DocumentSource]
