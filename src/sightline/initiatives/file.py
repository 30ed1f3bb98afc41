"""Initiatives with their questions in the workspace file."""

from collections.abc import AsyncIterator
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from sightline.initiatives.records import (
    DEFAULT_PRIORITY,
    ENDS_EARLY,
    LONGEST_DESCRIPTION,
    InitiativePriority,
    InitiativeStatus,
    ends_early,
)
from sightline.platform.db.sql import sql
from sightline.platform.file_parts.entries import Entry, Run, sound
from sightline.platform.file_parts.tables import KeyedRecord, Link, Links, Table
from sightline.platform.wire import Day, Hexadecimal, Name, Text, Word

_PRODUCTS = sql("SELECT id, product_id FROM features WHERE workspace_id = :workspace_id AND id = ANY(:ids::uuid[])")


async def _refuse_unfit(run: Run, entries: list[Entry]) -> AsyncIterator[None]:
    """Refuses dates that end early, and a product that does not have the features that stay."""
    for entry in entries:
        if ends_early(entry.row.get("start_date"), entry.row.get("finish_date")):
            run.refuse(entry, "finishDate", ENDS_EARLY)
    known = [entry for entry in sound(entries) if not entry.is_new and "features" not in entry.links]
    moved = [entry for entry in known if entry.row["product_id"] not in (None, entry.stored["product_id"])]
    ids = [id for entry in moved for id in entry.stored["feature_ids"]]
    rows = await run.tx.rows(_PRODUCTS, workspace_id=run.workspace_id, ids=ids) if ids else []
    products = {row["id"]: row["product_id"] for row in rows}
    for entry in moved:
        if any(products.get(id) != entry.row["product_id"] for id in entry.stored["feature_ids"]):
            run.refuse(entry, "product", "The initiative has features of another product; give its features too")
    yield


class QuestionRecord(KeyedRecord):
    """A question about an initiative."""

    question: Text | UnsetType = UNSET
    placeholder: str | None = ""
    answer: str | None = None
    stale: bool | None = False


QUESTIONS = Table(
    "initiatives.questions", "initiative_questions", QuestionRecord, parents=("initiative_id",), placed=True
)

Description = Annotated[str, Meta(max_length=LONGEST_DESCRIPTION)]


class InitiativeRecord(KeyedRecord):
    """A planned body of work. A room above adds its documents."""

    name: Name | UnsetType = UNSET
    description: Description | None = ""
    status: InitiativeStatus | None = InitiativeStatus.PENDING
    priority: InitiativePriority | None = DEFAULT_PRIORITY
    product: Annotated[Word | None, Link("products")] = None
    start_date: Day | None = None
    finish_date: Day | None = None
    request_hash: Hexadecimal | None = None
    features: Annotated[list[str] | None, Links("products.features", "initiative_features", scope="product_id")] = None
    teams: Annotated[list[str] | None, Links("teams", "initiative_teams")] = None
    questions: list[QuestionRecord] | None = None


INITIATIVES = Table(
    "initiatives",
    "initiatives",
    InitiativeRecord,
    children=(QUESTIONS,),
    versioned="version",
    numbered=True,
    counted=True,
    rules=_refuse_unfit,
)
