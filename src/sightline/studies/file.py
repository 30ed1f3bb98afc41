"""Studies and their feedback in the workspace file."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, cast
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from sightline.platform.db import Tx
from sightline.platform.file_parts.entries import NOWHERE, Entry, Run
from sightline.platform.file_parts.tables import Converted, Find, KeyedRecord, Link, Links, Part, Table, singular
from sightline.platform.refs import parse_uuid
from sightline.platform.wire import Moment, Name, Word

# Lists in which the subject of a rating may be named by its key; of any other type only the id is known.
_NAMED = ("ideas", "initiatives", "products", "insights", "opportunities", "signals", "studies", "accounts")
SUBJECTS = {singular(path): path for path in ("products.features", *_NAMED)}


class SubjectPart(Part):
    type: Word
    id: Word


def _store_subject(value: dict[str, Any], find: Find) -> UUID:
    target = SUBJECTS.get(value["type"])
    found = (find(target, value["id"], ".id", lenient=True) if target else None) or parse_uuid(value["id"])
    if found is None and not target:
        raise ValueError("Expected a UUID")
    return found or NOWHERE


def _keep_subject(run: Run, entry: Entry) -> None:
    """Splits the subject into two columns; refuses a change of it."""
    if "subject" in entry.given:
        entry.row["subject_type"] = entry.given["subject"]["type"]
    columns = ("subject_type", "subject_id")
    if not entry.is_new and any(entry.row[column] != entry.stored[column] for column in columns):
        run.refuse(entry, "subject", "The subject of a rating never changes")


async def _show_feedback(tx: Tx, workspace_id: UUID, rows: Sequence[Any]) -> list[dict[str, Any]]:
    return [{"subject": {"type": row["subject_type"], "id": str(row["subject_id"])}} for row in rows]


def _add_path(run: Run, entry: Entry) -> None:
    """Gives a study without a path the default one, made from its id."""
    entry.row["app_path"] = entry.row["app_path"] or f"/studies/{entry.id}"


class StudyRecord(KeyedRecord):
    """A study, and the initiatives and ideas that its feedback is about."""

    name: Name | UnsetType = UNSET
    status: Word | None = cast("Word", "active")
    type: Word | None = cast("Word", "interview")
    phase: Word | None = cast("Word", "discovery")
    app_path: Word | None = cast("Word", "")
    initiatives: Annotated[list[str] | None, Links("initiatives", "study_initiatives")] = None
    ideas: Annotated[list[str] | None, Links("ideas", "study_ideas")] = None


STUDIES = Table("studies", "studies", StudyRecord, versioned="version", numbered=True, complete=_add_path)


class FeedbackRecord(KeyedRecord):
    """A rating of a subject in a study."""

    external_id: Word | None = None
    study: Annotated[Word | UnsetType, Link("studies")] = UNSET
    rating: Annotated[float, Meta(ge=0, le=10)] | UnsetType = UNSET
    metric: Word | UnsetType = UNSET
    subject_id: Annotated[SubjectPart | UnsetType, Converted(_store_subject)] = msgspec.field(
        default=UNSET, name="subject"
    )
    comment: str | None = None
    submitted_at: Moment | UnsetType = UNSET
    source: Literal["study_completion", "live_interview"] | None = "study_completion"
    account: Annotated[Word | None, Link("accounts")] = None


FEEDBACK = Table(
    "feedback",
    "study_feedback",
    FeedbackRecord,
    identities=(("external_id",),),
    counted=True,
    order="submitted_at, id",
    hidden={"subject_type": ""},
    complete=_keep_subject,
    show=_show_feedback,
)
