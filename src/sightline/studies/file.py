"""Studies and their feedback in the workspace file."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from sightline.platform.db import Tx
from sightline.platform.file_section import Entry, Field, Link, Reference, Run, Section, Table
from sightline.platform.file_section import fields as of
from sightline.platform.file_section.tables import Showing
from sightline.platform.refs import parse_uuid

# Lists in which the subject of a rating may be named by its key; of any other type only the id is known.
SUBJECTS = {
    "idea": "ideas",
    "initiative": "initiatives",
    "feature": "products.features",
    "product": "products",
    "insight": "insights",
    "opportunity": "opportunities",
    "signal": "signals",
    "study": "studies",
    "account": "accounts",
}
Word = Annotated[str, Meta(min_length=1, max_length=255, pattern=r"\S")]


class SubjectPart(Struct, forbid_unknown_fields=True):
    type: Word
    id: Word


def _references(value: dict[str, Any]) -> Iterator[Reference]:
    if (target := SUBJECTS.get(value["type"])) is not None:
        yield Reference(".id", target, value["id"], lenient=True)


def _store_subject(value: dict[str, Any], lookup: of.Lookup) -> Any:
    target = SUBJECTS.get(value["type"])
    found = lookup.find(target, value["id"]) if target else None
    return found or (parse_uuid(value["id"]) if target else of.read_uuid(value["id"]))


async def _settle_feedback(run: Run, entries: list[Entry]) -> None:
    """Splits the subject into two columns; refuses a change of it."""
    for entry in entries:
        if entry.broken:
            continue
        if "subject" in entry.given:
            entry.row["subject_type"] = entry.given["subject"]["type"]
        subject = entry.row["subject_type"], entry.row["subject_id"]
        if not entry.is_new and subject != (entry.stored["subject_type"], entry.stored["subject_id"]):
            run.refuse(entry, "subject", "The subject of a rating never changes")


async def _show_feedback(tx: Tx, workspace_id: UUID, rows: Sequence[Any]) -> Showing:
    return lambda row: {"subject": {"type": row["subject_type"], "id": str(row["subject_id"])}}


async def _settle_studies(run: Run, entries: list[Entry]) -> None:
    """Gives a study without a path the default one, made from its id."""
    for entry in entries:
        if not entry.broken and not entry.row["app_path"]:
            entry.row["app_path"] = f"/studies/{entry.id}"


STUDIES = Table(
    "studies",
    "studies",
    (
        of.name(),
        of.word("status", default="active"),
        of.word("type", default="interview"),
        of.word("phase", default="discovery"),
        of.word("appPath", default=""),
    ),
    kind="study",
    links=(
        Link("initiatives", "initiatives", "study_initiatives", "study_id", "initiative_id", "initiative_ids"),
        Link("ideas", "ideas", "study_ideas", "study_id", "idea_id", "idea_ids"),
    ),
    versioned="version",
    numbered="study",
    order="number",
    settle=_settle_studies,
)

FEEDBACK = Table(
    "feedback",
    "study_feedback",
    (
        of.word("externalId"),
        of.reference("study", "studies", required=True),
        of.number("rating", least=0, largest=10),
        of.word("metric", required=True),
        Field(
            "subject",
            "subject_id",
            SubjectPart,
            required=True,
            store=_store_subject,
            show=of.show_id,
            references=_references,
        ),
        of.text("comment", nullable=True),
        of.moment("submittedAt", required=True),
        of.choice("source", "study_completion", "live_interview", default="study_completion"),
        of.reference("account", "accounts"),
    ),
    kind="study_feedback",
    identities=(("external_id",),),
    counted="study_feedback",
    order="submitted_at, id",
    hidden=(Field("subjectType", "subject_type", str, ""),),
    settle=_settle_feedback,
    show=_show_feedback,
)

SECTION = Section(tables=(STUDIES, FEEDBACK))
