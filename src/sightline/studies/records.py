"""The rating in responses, and the filters of the feed. Specification: Study feedback record."""

from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta

from sightline.platform.http.query_strings import Query
from sightline.platform.lists.changes import UpdatedSince
from sightline.platform.wire import Id, Moment, Record, Timestamp


class FeedbackSubject(Record):
    """The subject of a rating. It never changes."""

    type: str
    id: UUID


class FeedbackStudy(Record):
    """The study of a rating. `appPath` is its page in the application."""

    id: UUID
    public_id: str
    name: str
    status: str
    type: str
    phase: str
    app_path: str


class Feedback(Record):
    """One rating, 0 to 10 on the scale of its metric.

    `submittedAt` is the time of the study's response, or of the later pulse for a live interview. `initiativeIds` and
    `ideaIds` name what the study is accepted for now, independent of the rating's subject. `updatedAt` is when the
    rating was last written here, which may be long after it was submitted; the study's changes do not move it.
    """

    id: UUID
    rating: int | float
    metric: str
    subject: FeedbackSubject
    comment: str
    submitted_at: Timestamp
    source: Literal["study_completion", "live_interview"]
    account_id: UUID | None
    study: FeedbackStudy
    initiative_ids: list[UUID]
    idea_ids: list[UUID]
    updated_at: Timestamp


class FeedbackFilters(Query):
    """Filters of feedback."""

    metric: Annotated[str | None, Meta(description="Only ratings of this metric.")] = None
    subject_type: Annotated[str | None, Meta(description="Only ratings of this kind of subject.")] = None
    subject_id: Annotated[Id | None, Meta(description="Only ratings of this subject.")] = None
    submitted_from: Annotated[Moment | None, Meta(description="Submitted at or after this time.")] = None
    submitted_to: Annotated[Moment | None, Meta(description="Submitted before this time.")] = None
    initiative_id: Annotated[Id | None, Meta(description="Only from studies accepted for this initiative.")] = None
    idea_id: Annotated[Id | None, Meta(description="Only from studies accepted for this idea.")] = None
    account_id: Annotated[Id | None, Meta(description="Only ratings by this account.")] = None
    updated_since: UpdatedSince = None
