"""The SQL of reviews and ratings."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from msgspec.json import decode

from sightline.intelligence.plans import PlanDefinition
from sightline.platform.db import Tx, sql
from sightline.research.app_reviews.scores import Published
from sightline.research.runs.queries import RunState
from sightline.research.runs.records import AppScore


class StoredScore(AppScore, kw_only=True):
    """A stored score, with which later runs compare: also its storefront, warnings, and whether it has reviews."""

    storefront: str | None = None
    has_reviews: bool = True
    warnings: list[str] = msgspec.field(default_factory=list)


def observations_of(scores: Any) -> dict[str, StoredScore]:
    """What a run has seen of each app, by its external id."""
    return {one.external_id: one for one in decode(scores, type=list[StoredScore])}


def warnings_of(definition: PlanDefinition, scores: Any, section_id: UUID) -> tuple[str, ...]:
    """Returns the warnings about the apps that a section reads."""
    of_section = {
        read.external_id for read in definition.reads if not read.section_ids or section_id in read.section_ids
    }
    observations = observations_of(scores).values()
    return tuple(text for one in observations if one.external_id in of_section for text in one.warnings)


# Ratings that a workspace file brought may be anything.
_RATED = """
    $[*] ? (@.ratingCount >= 0 && @.ratingCount <= 2147483647
            && (@.storeRating == null || (@.storeRating >= 1 && @.storeRating <= 5)))"""
_FIND_RATING = sql(f"""
SELECT score ->> 'storefront' AS storefront, (score ->> 'storeRating')::float8 AS rating,
       (score ->> 'ratingCount')::numeric::int AS count
  FROM research_runs AS r, jsonb_path_query(r.scores, '{_RATED}') AS score
 WHERE r.workspace_id = :workspace_id AND r.brief_id = :brief_id AND r.revision = :revision
   AND r.created_at < :created_at AND score ->> 'externalId' = :external_id
 ORDER BY r.created_at DESC, r.id DESC LIMIT 1""")


async def find_earlier_rating(tx: Tx, workspace_id: UUID, run: RunState, external_id: str) -> Published | None:
    """The newest rating of the app that an earlier run of the same plan saw."""
    row = await tx.row(_FIND_RATING, workspace_id=workspace_id, external_id=external_id, **_plan_of(run))
    return Published(*row) if row else None


# Reviews of an app in the newest earlier run of the same plan that read any of this storefront.
_FIND_KNOWN = sql("""
SELECT id, submitted_at FROM research_records
 WHERE workspace_id = :workspace_id AND external_id = :external_id AND storefront = :storefront
   AND run_id = (
       SELECT r.id FROM research_runs AS r
        WHERE r.workspace_id = :workspace_id AND r.brief_id = :brief_id AND r.revision = :revision
          AND r.created_at < :created_at
          AND EXISTS (SELECT FROM research_records AS d
                       WHERE d.workspace_id = :workspace_id AND d.run_id = r.id AND d.external_id = :external_id
                         AND d.storefront = :storefront)
        ORDER BY r.created_at DESC, r.id DESC LIMIT 1)""")


class KnownReviews(NamedTuple):
    """The reviews of an app that the previous run read. No older one is new, even if it was not seen then."""

    ids: frozenset[UUID]
    oldest: datetime | None

    def is_new(self, id: UUID, submitted_at: datetime | None) -> bool:
        is_older = submitted_at is not None and self.oldest is not None and submitted_at < self.oldest
        return id not in self.ids and not is_older


async def find_known_reviews(
    tx: Tx, workspace_id: UUID, run: RunState, external_id: str, storefront: str
) -> KnownReviews:
    rows = await tx.rows(
        _FIND_KNOWN, workspace_id=workspace_id, external_id=external_id, storefront=storefront, **_plan_of(run)
    )
    moments = [row["submitted_at"] for row in rows if row["submitted_at"] is not None]
    return KnownReviews(frozenset(row["id"] for row in rows), min(moments, default=None))


def _plan_of(run: RunState) -> dict[str, Any]:
    return {"brief_id": run.brief_id, "revision": run.revision, "created_at": run.created_at}


_COUNT = sql("SELECT count(*) FROM research_records WHERE workspace_id = :workspace_id AND run_id = :run_id")
_ADD = sql("""
INSERT INTO research_records (workspace_id, run_id, id, position, connector, external_id, label, rating, title, body,
                              app_version, storefront, submitted_at, url)
VALUES (:workspace_id, :run_id, :id, :position, :connector, :external_id, :label, :rating, :title, :body, :version,
        :storefront, :submitted_at, :url)
ON CONFLICT DO NOTHING""")


async def add_records(tx: Tx, workspace_id: UUID, run_id: UUID, records: Sequence[dict[str, Any]]) -> None:
    """Adds reviews after the ones that the run has, each once."""
    start: int = await tx.value(_COUNT, workspace_id=workspace_id, run_id=run_id)
    of_run = {"workspace_id": workspace_id, "run_id": run_id}
    await tx.run_many(_ADD, [of_run | record | {"position": n} for n, record in enumerate(records, start)])
