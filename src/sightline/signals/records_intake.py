"""What may be sent of signals, and the receipts. Decisions: Signals."""

import re
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, UnsetType, field

from sightline.platform.wire import Id, Input, Moment, Record, Text, Timestamp, Trimmed
from sightline.signals.records import (
    AnalysisProfile,
    Context,
    EvidenceKind,
    ProcessorType,
    Signal,
    SignalType,
    Status,
)

LONGEST_TEXT = 1_000_000
_ADDRESS = re.compile(r"[hH][tT][tT][pP][sS]?://[^\s/?#@]+([/?#]\S*)?")
_SLUG = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*")
LONGEST_NAME = 255


class Name(Trimmed):
    """1 to 255 characters, trimmed."""

    longest = LONGEST_NAME


class Word(Text):
    """1 to 255 characters, kept as sent."""

    longest = 255


class Content(Text):
    """1 to 1,000,000 characters, kept as sent."""

    longest = LONGEST_TEXT


class WebAddress(Text):
    """An address that begins with http:// or https:// and a host, without a password; at most 2,000 characters."""

    longest = 2_000

    @classmethod
    def read(cls, value: Any) -> str:
        text = super().read(value)
        if not _ADDRESS.fullmatch(text):
            raise ValueError("Expected an address that begins with http:// or https://")
        return text

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return {**super().schema(), "pattern": f"^{_ADDRESS.pattern}$"}


class Slug(Text):
    """Small letters and digits, with single hyphens or underscores between them; at most 255 characters."""

    longest = 255

    @classmethod
    def read(cls, value: Any) -> str:
        text = super().read(value)
        if not _SLUG.fullmatch(text):
            raise ValueError("Expected small letters and digits, with single hyphens or underscores between them")
        return text

    @classmethod
    def schema(cls) -> dict[str, Any]:
        return {**super().schema(), "pattern": f"^{_SLUG.pattern}$"}


class NewSource(Input):
    """The original in its own terms; `external_data` is written so. null means omitted."""

    type: Word | None = None
    external_data: dict[str, Any] | None = field(default=None, name="external_data")


class SourceChanges(Input):
    """The original in its own terms; what is absent stays."""

    type: Word | UnsetType = UNSET
    external_data: dict[str, Any] | UnsetType = field(default=UNSET, name="external_data")


class SourceLinkWish(Input):
    """A way to the original; `type` is `link` where nothing else is said."""

    name: Word
    url: WebAddress
    type: Word | None = None
    primary: bool | None = None

    @property
    def stored(self) -> dict[str, Any]:
        return {"name": self.name, "url": self.url, "type": self.type or "link", "primary": bool(self.primary)}


SourceLinks = Annotated[list[SourceLinkWish], Meta(max_length=50)]


class TurnWish(Input):
    """What one speaker says at a time; `startSeconds` counts from the beginning."""

    text: Content
    speaker: Word | None = None
    start_seconds: Annotated[float, Meta(ge=0)] | None = None


class TranscriptWish(Input):
    """A conversation, at most 1,000,000 characters in all its turns."""

    turns: Annotated[list[TurnWish], Meta(min_length=1, max_length=20_000)]
    duration_seconds: Annotated[float, Meta(ge=0)] | None = None


class Participant(Input):
    """Who took part. `side`: `ours` for people of the team, whose words are no evidence."""

    name: Word | None = None
    email: Word | None = None
    role: Word | None = None
    side: Literal["ours", "theirs"] | None = None


class AccountWish(Input):
    """An account by what is known of it: it is linked only when exactly one has this id, external id or domain.

    `name` finds nothing; it names the account that is made when none is found and `createMissingAccounts` is set.
    """

    id: Id | None = None
    external_id: Word | None = None
    domain: Word | None = None
    name: Name | None = None


Accounts = Annotated[list[AccountWish], Meta(max_length=50)]
AccountIds = Annotated[list[Id], Meta(max_length=200)]


class NewSignal(Input):
    """A signal to take in, or to update when its identity, `sourceKey` with `externalId`, is known. null means omitted.

    Its content is `text` or `transcript`, or else what `data` and `rawData` hold of it. `createdAt` is the date of
    the original.
    """

    name: Name | None = None
    text: Content | None = None
    transcript: TranscriptWish | None = None
    context: Context | None = None
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


class SignalChanges(Input):
    """What is absent stays. A new content is processed anew; links alone do not move `updatedAt`."""

    name: Name | UnsetType = UNSET
    text: Content | UnsetType = UNSET
    transcript: TranscriptWish | UnsetType = UNSET
    context: Context | UnsetType = UNSET
    signal_type: SignalType | UnsetType | None = UNSET
    source_label: Word | UnsetType = UNSET
    source_links: SourceLinks | UnsetType = UNSET
    source: SourceChanges | UnsetType = UNSET
    data: dict[str, Any] | UnsetType = UNSET
    account_id: Id | UnsetType | None = UNSET
    account_ids: AccountIds | UnsetType = UNSET


class TakenSignal(Signal):
    """A signal with the job that processes it, null where nothing has to be processed."""

    job_id: UUID | None = None


class ProcessingReceipt(Record):
    """A signal waits to be processed; poll the signal at `statusUrl` until it is processed or failed."""

    operation: Literal["signal_processing"]
    job_id: UUID
    status: Status
    queued: bool
    deduplicated: bool
    signal_id: UUID
    signal_public_id: str
    updated_at: Timestamp
    status_url: str


class SignalDeletion(Record):
    """The receipt of a deletion."""

    success: bool
    signal_id: UUID
    signal_public_id: str
