"""What is shown of study feedback, and how the feed is filtered. Specification: Study feedback record."""

from typing import Literal
from uuid import UUID

from sightline.platform.http.queries import Query
from sightline.platform.wire import Id, Moment, Record, Timestamp


class FeedbackSubject(Record):
    """What a rating is about; never changes."""

    type: str
    id: UUID


class FeedbackStudy(Record):
    """The study a rating was given in. `appPath` is where people find it."""

    id: UUID
    public_id: str
    name: str
    status: str
    type: str
    phase: str
    app_path: str


class Feedback(Record):
    """One rating, 0 to 10 on the scale of its metric, as it was given.

    `submittedAt` is the moment of the study's response, or of the later pulse for a live interview. `initiativeIds`
    and `ideaIds` are what the study is accepted for now, whatever the rating is about.
    """

    id: UUID
    rating: int | float
    metric: str
    subject: FeedbackSubject
    comment: str | None
    submitted_at: Timestamp
    source: Literal["study_completion", "live_interview"]
    account_id: UUID | None
    study: FeedbackStudy
    initiative_ids: list[UUID]
    idea_ids: list[UUID]


class FeedbackFilters(Query):
    """All conditions hold together. The window includes `submittedFrom` and ends before `submittedTo`.

    `subjectType` and `subjectId` are what was rated; `initiativeId` and `ideaId` what the study is accepted for now.
    """

    metric: str | None = None
    subject_type: str | None = None
    subject_id: Id | None = None
    submitted_from: Moment | None = None
    submitted_to: Moment | None = None
    initiative_id: Id | None = None
    idea_id: Id | None = None
    account_id: Id | None = None
