"""Reading the apps of a run before its sections are searched: ratings, reviews, and what the new ones raise.

Each app is saved in a transaction of its own, so an interrupted run goes on with the next app. No transaction is open
while the store is asked.
"""

import asyncio
from typing import Any, Final, NamedTuple
from uuid import UUID, uuid5

import msgspec
import structlog

from sightline.intelligence.plans import AppRead, PlanDefinition
from sightline.platform.beside import Beside
from sightline.platform.db import Database, Tx, sql
from sightline.platform.wire import shown_moment
from sightline.research.app_reviews import queries
from sightline.research.app_reviews.queries import StoredScore, observations_of
from sightline.research.app_reviews.scores import Published, moved_since
from sightline.research.app_reviews.themes import MOST_CHARACTERS, ReadReview, themes_of
from sightline.research.runs import progress
from sightline.research.runs.active import IS_ACTIVE
from sightline.research.runs.cancelling import run_while
from sightline.research.runs.queries import RunState, lock_active_run
from sightline.research.runs.records import ReviewThemes
from sightline.sources.app_store.records import App, Review, Reviews
from sightline.sources.app_store.store import AppStore, StoreUnavailable

READ_SECONDS: Final = 240.0  # of one app; the pace of the public store takes most of it
NAMESPACE: Final = UUID("6f1f2c1e-6a55-5d0c-9d3b-2f3f5f0f7a11")  # a review has the same id in every run

_log = structlog.get_logger()
_THEMES = Beside("review-themes")  # takes some seconds for 2,000 long reviews


class Seen(NamedTuple):
    """What the store showed of an app: `app` is None without an answer, `reviews` None if they could not be read."""

    read: AppRead
    app: App | None
    reviews: Reviews | None
    failure: str


_IS_ACTIVE_RUN = sql(
    "SELECT EXISTS (SELECT FROM research_runs WHERE workspace_id = :workspace_id AND id = :id AND {is_active})",
    is_active=IS_ACTIVE,
)


async def read_apps(db: Database, store: AppStore, workspace_id: UUID, run_id: UUID) -> None:
    """Reads the apps of the plan that the run has not read yet. Leaves a run without apps alone."""
    async with db.transaction() as tx:
        run = await lock_active_run(tx, workspace_id, run_id)
        reads = _definition(run).reads if run else []
        if run is None or not reads:
            return
        await progress.begin_run(tx.later(), workspace_id, run_id, None, None)
    known = observations_of(run.scores)
    missing = [read for read in reads if read.external_id not in known or not known[read.external_id].has_reviews]

    async def is_running() -> bool:
        async with db.autocommit() as tx:
            return bool(await tx.value(_IS_ACTIVE_RUN, workspace_id=workspace_id, id=run_id))

    apps = await run_while(_look_up(store, missing), is_running)
    is_down = False
    for read in missing:
        app = apps.get(read.external_id) if apps else None
        seen = await run_while(_see(store, read, app, is_down=is_down), is_running)
        if seen is None:
            return
        is_down = apps is None and bool(seen.failure)
        async with db.transaction() as tx:
            await _save(tx, workspace_id, run_id, store.storefront, seen)
    await _find_themes(db, workspace_id, run_id)


def _definition(run: RunState) -> PlanDefinition:
    return msgspec.json.decode(run.definition, type=PlanDefinition)


async def _look_up(store: AppStore, reads: list[AppRead]) -> dict[str, App] | None:
    """The apps that the storefront has; None if it does not answer."""
    try:
        return await store.look_up([read.external_id for read in reads]) if reads else {}
    except StoreUnavailable as unavailable:
        _log.warning("The app store did not give ratings", error=str(unavailable))
        return None


async def _see(store: AppStore, read: AppRead, app: App | None, *, is_down: bool) -> Seen:
    """Reads the reviews of an app, or says why it could not.

    `is_down`: the store gave neither ratings nor an earlier app's reviews, so it is not asked.
    """
    if is_down:
        return Seen(read, app, None, "The app store does not answer.")
    try:
        async with asyncio.timeout(READ_SECONDS):
            return Seen(read, app, await store.read_reviews(read.external_id), "")
    except StoreUnavailable as unavailable:
        return Seen(read, app, None, str(unavailable))
    except TimeoutError:
        return Seen(read, app, None, "The app store did not answer in time.")


# Saves the scores, and how many records the run has now.
_SET_SCORES = sql("""
UPDATE research_runs
   SET scores = :scores,
       native_read_count = (SELECT count(*) FROM research_records
                             WHERE workspace_id = :workspace_id AND run_id = :run_id)
 WHERE workspace_id = :workspace_id AND id = :run_id""")


async def _save(tx: Tx, workspace_id: UUID, run_id: UUID, storefront: str, seen: Seen) -> None:
    """Saves the app once; nothing if the run has ended meanwhile."""
    run = await lock_active_run(tx, workspace_id, run_id)
    if run is None:
        return
    tx = tx.later()
    id = seen.read.external_id
    before = await queries.find_earlier_rating(tx, workspace_id, run, id)
    known = await queries.find_known_reviews(tx, workspace_id, run, id, storefront)
    found = seen.reviews.found if seen.reviews else []
    records = [_record(seen.read, storefront, review) for review in found]
    has_reviews = seen.reviews is not None and bool(found or not known.ids)
    is_all_new = all(record["id"] not in known.ids for record in records)
    new = StoredScore(
        *_score(seen, storefront, before, tx),
        storefront=storefront,
        has_reviews=has_reviews,
        warnings=_warnings(seen, storefront, has_reviews=has_reviews, is_all_new=is_all_new),
    )
    await queries.add_records(tx, workspace_id, run_id, records)
    saved = {**observations_of(run.scores), id: new}
    order = {read.external_id: n for n, read in enumerate(_definition(run).reads)}
    scores = sorted(saved.values(), key=lambda one: order[one.external_id])
    await tx.run(_SET_SCORES, workspace_id=workspace_id, run_id=run_id, scores=scores)


def _score(seen: Seen, storefront: str, before: Published | None, tx: Tx) -> tuple[Any, ...]:
    """The values of a score, in the order of its fields."""
    app = seen.app
    now = Published(storefront, app.rating, app.rating_count) if app else None
    moved = moved_since(before, now)
    rating, count = (app.rating, app.rating_count) if app else (None, None)
    return seen.read.external_id, seen.read.label, rating, count, *moved, shown_moment(tx.now)


def _warnings(seen: Seen, storefront: str, *, has_reviews: bool, is_all_new: bool) -> list[str]:
    label = seen.read.label
    found = []
    if seen.app is None:
        found.append(f"The app store gave no rating of {label}.")
    if seen.failure:
        found.append(f"The reviews of {label} are unavailable: {seen.failure}")
    elif not has_reviews:
        found.append(f"The reviews of {label} are unavailable: the app store gave none, though it had some before.")
    elif seen.reviews is not None:
        found += _warnings_of_reviews(seen.reviews, seen.app, f"{label} in the storefront {storefront}", is_all_new)
    return found


def _warnings_of_reviews(reviews: Reviews, app: App | None, named: str, is_all_new: bool) -> list[str]:
    count = len(reviews.found)
    if reviews.failure:
        return [f"Only the newest {count} reviews of {named} could be read: {reviews.failure}"]
    if reviews.is_cut and is_all_new:
        return [f"The newest {count} reviews of {named} were read; older reviews are unreachable."]
    if not reviews.found and app is not None and app.rating_count:
        return [f"The app store gave no reviews of {named}, though it has {app.rating_count} ratings."]
    return []


def _record(read: AppRead, storefront: str, review: Review) -> dict[str, Any]:
    return msgspec.structs.asdict(review) | {
        "id": uuid5(NAMESPACE, f"{read.connector}:{storefront}:{read.external_id}:{review.id}"),
        "connector": read.connector,
        "external_id": read.external_id,
        "label": read.label,
        "storefront": storefront,
    }


# Saves the themes, and the scores with their warnings, unless the run has ended.
_SET_THEMES = sql(
    """
UPDATE research_runs SET review_themes = :themes, scores = :scores
 WHERE workspace_id = :workspace_id AND id = :run_id AND {is_active}""",
    is_active=IS_ACTIVE,
)


async def _find_themes(db: Database, workspace_id: UUID, run_id: UUID) -> None:
    """Compares the new reviews of each app with the others of the run, once all apps are read."""
    async with db.transaction() as tx:
        run = await lock_active_run(tx, workspace_id, run_id)
        if run is None:
            return
        reviews = await _reviews(tx, workspace_id, run)
    observations = observations_of(run.scores)
    readable = [id for id, one in observations.items() if one.has_reviews]
    themes = await _THEMES.run_job(workspace_id, themes_of, readable, reviews)
    for one in themes:
        app = observations[one.app]
        warning = f"The themes of {app.label} are its most frequent terms: there are few reviews to compare with."
        if one.themes and not one.is_compared and warning not in app.warnings:
            app.warnings.append(warning)
    shown = [ReviewThemes(one.app, observations[one.app].label, one.new_reviews, one.themes) for one in themes]
    scores = list(observations.values())
    async with db.transaction() as tx:
        await tx.run(_SET_THEMES, workspace_id=workspace_id, run_id=run_id, themes=shown, scores=scores)


# The reviews of a run, each with the beginning of its text.
_FIND_TEXTS = sql("""
SELECT id, external_id, label, rating, left(concat_ws(E'\\n', title, body), :most) AS text, storefront, submitted_at
  FROM research_records WHERE workspace_id = :workspace_id AND run_id = :run_id
 ORDER BY position, id""")


async def _reviews(tx: Tx, workspace_id: UUID, run: RunState) -> list[ReadReview]:
    rows = await tx.rows(_FIND_TEXTS, workspace_id=workspace_id, run_id=run.id, most=MOST_CHARACTERS)
    apps = {(row["external_id"], row["storefront"]) for row in rows}
    known = {app: await queries.find_known_reviews(tx, workspace_id, run, *app) for app in apps}
    return [
        ReadReview(
            id=row["id"],
            app=row["external_id"],
            label=row["label"],
            rating=row["rating"],
            text=row["text"],
            is_new=known[row["external_id"], row["storefront"]].is_new(row["id"], row["submitted_at"]),
        )
        for row in rows
    ]
