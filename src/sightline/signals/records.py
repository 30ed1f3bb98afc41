"""The signal in responses and request bodies, and the filters of the list. Specification: Signal, GET signals."""

import re
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Raw, UnsetType, field

from sightline.platform.http.query_strings import Query
from sightline.platform.lists.changes import UpdatedSince
from sightline.platform.refs import InitiativeRef, StudyRef
from sightline.platform.wire import (
    Id,
    Input,
    Moment,
    Name,
    Record,
    Text,
    Timestamp,
    Word,
    none_of,
    some_of,
)
from sightline.signals.formats import TextFormat

SignalStatus = Literal["pending", "processing", "processed", "failed"]
SignalContext = Literal["discovery", "support", "sales", "success", "research", "market", "other"]
SignalType = Literal[
    "transcript",
    "support_ticket",
    "review",
    "discovery_report",
    "meeting_notes",
    "reconstructed_notes",
    "feedback_record",
]
ProcessorType = Literal["text", "conversation", "document", "review", "feedback"]
EvidenceKind = Literal["conversation", "support", "review", "feedback", "report", "note", "usage"]
AnalysisProfile = Literal["customer_evidence", "market_evidence", "none"]

LONGEST_TEXT = 1_000_000
LONGEST_NAME = 255


class SignalProvenance(Record):
    """The origin of a signal, and how its content is read."""

    provider_type: str
    evidence_kind: str
    analysis_profile: str


class SourceLink(Record):
    """A link to the original; `primary` marks the one to show."""

    name: str
    url: str
    type: str
    primary: bool


class SignalSource(Record):
    """The original in the source's own terms; `externalData` has the source's own fields."""

    type: str
    external_data: dict[str, Any] = field(name="external_data")


class TranscriptSummary(Record):
    """A summary of a conversation; `rawData` has the turns."""

    turn_count: int
    speakers: list[str]
    duration_seconds: float | None


class Signal(Record):
    """An imported piece of evidence. `accountIds` has direct links only, `initiativeIds` accepted ones.

    Ids of links are in the order in which they were linked. `rawData` is present with `include=raw` only. It has
    everything stored of the source: the fields of `data`, `text` or `transcript`, `participants`, `import`, and other
    fields that were sent.
    """

    id: UUID
    public_id: str
    name: str
    workspace_id: UUID
    status: SignalStatus
    context: SignalContext
    signal_type: SignalType | None
    processor_type: ProcessorType
    provider_type: str
    evidence_kind: EvidenceKind
    analysis_profile: AnalysisProfile
    provenance: SignalProvenance
    source_facet: str
    source_label: str
    source_links: list[SourceLink]
    source: SignalSource
    data: dict[str, Any]
    transcript: TranscriptSummary | None
    import_: dict[str, Any] | None = field(name="import")
    insight_ids: list[UUID]
    account_ids: list[UUID]
    initiative_ids: list[UUID]
    study_ids: list[UUID]
    account_id: UUID | None
    account_external_id: str | None
    external_id: str | None
    created_at: Timestamp
    updated_at: Timestamp
    raw_data: dict[str, Any] | Raw | UnsetType = UNSET


Extra = Literal["raw"]


class Include(Query):
    """Parts that are not shown by default."""

    include: Annotated[
        tuple[Extra, ...], Meta(description="`raw` adds `rawData`, everything stored of the source.")
    ] = ()


class SignalFilters(Include):
    """Filters of signals. All have to match; a comma list matches any of its values."""

    external_id: Annotated[str | None, Meta(description="The signal's identifier in its source.")] = None
    integration_id: Annotated[Id | None, Meta(description="Only from this integration.")] = None
    source_type: Annotated[
        tuple[str, ...],
        Meta(description="Provider types, facets (`zendesk:support`) and source types, separated by commas."),
    ] = ()
    initiative_id: Annotated[
        InitiativeRef | None, Meta(description="Only accepted evidence of this initiative; UUID or public id.")
    ] = None
    study_id: Annotated[StudyRef | None, Meta(description="Only interviews of this study; UUID or public id.")] = None
    status: Annotated[tuple[SignalStatus, ...], Meta(description="Only in these states, separated by commas.")] = ()
    account_id: Annotated[
        tuple[Id, ...],
        Meta(description="Only of these accounts, separated by commas: directly, or through an insight of theirs."),
    ] = ()
    updated_since: UpdatedSince = None


class Content(Text):
    """1 to 1,000,000 characters, kept as sent."""

    longest = LONGEST_TEXT


class _Shaped(Text):
    """A text of a form. `expected` says which."""

    form: ClassVar[re.Pattern[str]]
    expected: ClassVar[str]

    @classmethod
    def read(cls, value: Any) -> str:
        text = super().read(value)
        if not cls.form.fullmatch(text):
            raise ValueError(f"Expected {cls.expected}")
        return text

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return {**super().schema(), "pattern": f"^{cls.form.pattern}$"}


class WebAddress(_Shaped):
    """An address with http:// or https:// and a host, without a password; at most 2,000 characters."""

    longest = 2_000
    form = re.compile(r"[hH][tT][tT][pP][sS]?://[^\s/?#@\x00-\x1f\x7f-\x9f]+([/?#][^\s\x00-\x1f\x7f-\x9f]*)?")
    expected = "an address that begins with http:// or https://"


class Slug(_Shaped):
    """Lower-case letters and digits, with single hyphens or underscores between them; at most 255 characters."""

    longest = 255
    form = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*")
    expected = "lower-case letters and digits, with single hyphens or underscores between them"


def label_of(provider: str) -> str:
    """Returns the label of a source that was given none: "Help desk" of the provider `help_desk`."""
    return provider.replace("_", " ").capitalize()


class NewSource(Input):
    """The original in the source's own terms. null means omitted."""

    type: Word | None = None
    external_data: dict[str, Any] | None = field(default=None, name="external_data")


class SourceChanges(Input):
    """The original in the source's own terms; absent fields stay."""

    type: Word | UnsetType = UNSET
    external_data: dict[str, Any] | UnsetType = field(default=UNSET, name="external_data")


class NewSourceLink(Input):
    """A link to the original; `type` is `link` by default."""

    name: Word
    url: WebAddress
    type: Word | None = None
    primary: bool | None = None

    @property
    def stored(self) -> dict[str, Any]:
        return {"name": self.name, "url": self.url, "type": self.type or "link", "primary": bool(self.primary)}


_ONE_PRIMARY = {
    "contains": {"properties": {"primary": {"const": True}}, "required": ["primary"]},
    "minContains": 0,
    "maxContains": 1,
}
_WITHOUT_CONTENT = none_of("text", "transcript")["properties"] | {
    "data": {"maxProperties": 0},
    "rawData": {"propertyNames": {"const": "participants"}},
}
SourceLinks = Annotated[list[NewSourceLink], Meta(max_length=50, extra_json_schema=_ONE_PRIMARY)]


class NewTurn(Input):
    """One turn of a conversation. `startSeconds` counts from the start of the conversation."""

    text: Content
    speaker: Word | None = None
    start_seconds: Annotated[float, Meta(ge=0)] | None = None


class NewTranscript(Input):
    """A conversation; all turns together have at most 1,000,000 characters."""

    turns: Annotated[list[NewTurn], Meta(min_length=1, max_length=20_000)]
    duration_seconds: Annotated[float, Meta(ge=0)] | None = None


class Participant(Input):
    """A person who took part. `side` is `ours` for people of the team, whose words are not evidence."""

    name: Word | None = None
    email: Word | None = None
    role: Word | None = None
    side: Literal["ours", "theirs"] | None = None


class NewAccount(Input):
    """An account to link. It is linked if exactly one account has this id, external id or domain.

    `email` finds the account that has a contact with this address, or else the one whose domain it is of.
    `name` is not used to find it: it names the account that is created if none is found and `createMissingAccounts`
    is set.
    """

    id: Id | None = None
    external_id: Word | None = None
    domain: Word | None = None
    email: Word | None = None
    name: Name | None = None


Accounts = Annotated[list[NewAccount], Meta(max_length=50)]
AccountIds = Annotated[list[Id], Meta(max_length=200)]


class NewSignal(Input):
    """A signal to create, or to update if one has the same identity: `sourceKey` with `externalId`. null means omitted.

    Its content is `text` or `transcript`, or else the content of `data` and `rawData`. `createdAt` is the date of the
    original. A `text` of the `textFormat` vtt or srt becomes a transcript with speakers and times. Of eml, a mail, it
    becomes the body, with the subject as name, its date, and the accounts of its sender and recipients. Fields that are
    sent count before fields of the text. Without `sourceKey` and `externalId`, such a text is its own identity.
    """

    name: Name | None = None
    text: Content | None = None
    text_format: TextFormat | None = None
    transcript: NewTranscript | None = None
    context: SignalContext | None = None
    signal_type: SignalType | None = None
    processor_type: ProcessorType | None = None
    provider_type: Slug | None = None
    evidence_kind: EvidenceKind | None = None
    analysis_profile: AnalysisProfile | None = None
    source: NewSource | None = None
    source_label: Word | None = None
    source_links: SourceLinks | None = None
    data: dict[str, Any] | None = None
    import_: dict[str, Any] | None = field(default=None, name="import")
    raw_data: dict[str, Any] | None = None
    participants: Annotated[list[Participant], Meta(max_length=500)] | None = None
    integration_id: Id | None = None
    source_key: Word | None = None
    external_id: Word | None = None
    account_id: Id | None = None
    account_ids: AccountIds | None = None
    accounts: Accounts | None = None
    create_missing_accounts: bool | None = None
    created_at: Moment | None = None

    schema_between: ClassVar = {
        "allOf": [
            {"if": some_of("text"), "then": none_of("transcript")},
            {
                "if": {"anyOf": [none_of("sourceKey"), none_of("externalId")]},
                "then": {"not": {"properties": _WITHOUT_CONTENT}},
            },
        ]
    }


class NewSignals(Input):
    """Up to 50 signals, all of which are stored, or none."""

    signals: Annotated[list[NewSignal], Meta(min_length=1, max_length=50)]


class SignalChanges(Input):
    """Absent fields stay. New content is processed again."""

    name: Name | UnsetType = UNSET
    text: Content | UnsetType = UNSET
    transcript: NewTranscript | UnsetType = UNSET
    context: SignalContext | UnsetType = UNSET
    signal_type: SignalType | UnsetType | None = UNSET
    source_label: Word | UnsetType = UNSET
    source_links: SourceLinks | UnsetType = UNSET
    source: SourceChanges | UnsetType = UNSET
    data: dict[str, Any] | UnsetType = UNSET
    account_id: Id | UnsetType | None = UNSET
    account_ids: AccountIds | UnsetType = UNSET

    schema_between: ClassVar = {"if": {"required": ["text"]}, "then": {"not": {"required": ["transcript"]}}}


class CreatedSignal(Signal):
    """A signal with the job that processes it, which is null if there is nothing to process."""

    job_id: UUID | None = None

    @property
    def quoted_ids(self) -> list[UUID]:
        """The ids of the signal and of the account whose external id it shows."""
        return [self.id, *([self.account_id] if self.account_id and self.account_external_id else [])]


class CreatedSignals(Record):
    """The signals in the order in which they were sent."""

    signals: list[CreatedSignal]

    @property
    def quoted_ids(self) -> list[UUID]:
        return [id for signal in self.signals for id in signal.quoted_ids]


class ProcessingReceipt(Record):
    """A signal that is queued to be processed. Poll `statusUrl` until it is processed or failed."""

    operation: Literal["signal_processing"]
    job_id: UUID
    status: SignalStatus
    queued: bool
    deduplicated: bool
    signal_id: UUID
    signal_public_id: str
    updated_at: Timestamp
    status_url: str

    @property
    def quoted_ids(self) -> list[UUID]:
        return [self.signal_id]


class SignalDeletion(Record):
    """The receipt of a deletion."""

    success: bool
    signal_id: UUID
    signal_public_id: str
