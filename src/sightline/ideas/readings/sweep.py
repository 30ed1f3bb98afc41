"""The sweep of ideas that wait for a model. Decision: docs/decisions/0024-model.md.

An idea is claimed by moving its due time, read, asked about outside any transaction, and stored in one transaction if
the claim still holds. What a worker leaves behind that dies in between is claimed again. If the model fails, the
embedded engine matches the ideas of this sweep, and the model reads them later. An outage of the database or the end of
the worker is no attempt.
"""

import asyncio
from datetime import timedelta
from typing import Final

import structlog

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.ideas.matching import selection
from sightline.ideas.matching.chosen_features import may_match
from sightline.ideas.matching.records import Matcher
from sightline.ideas.matching.selection import Selection
from sightline.ideas.readings.claims import Claim, Retry, claim_due, find_claimed
from sightline.ideas.readings.keep import keep_reading
from sightline.ideas.readings.material import Seen, material_of, see
from sightline.ideas.store import set_due
from sightline.intelligence.embedded import EmbeddedEngine
from sightline.intelligence.model.choice import LanguageModel, Made, make
from sightline.intelligence.model.ideas import IdeaReading, read_idea
from sightline.intelligence.model.session import Task
from sightline.intelligence.model.usage import may_ask
from sightline.platform.db import Database
from sightline.platform.db.retries import is_away, until_answered
from sightline.platform.jobs import Tools
from sightline.platform.jobs.worker import TICK_SECONDS

READ_IDEA: Final = "ideas.read"
AT_ONCE: Final = 4
SWEEP_SECONDS: Final = 60.0  # after these no more ideas are claimed
MOST_ATTEMPTS: Final = 4
FIRST_WAIT: Final = timedelta(minutes=5)  # after a failure; four times as long after each further one

_log = structlog.get_logger()


async def read_due(db: Database, tools: Tools) -> None:
    """Reads the ideas that are due, of all workspaces alike, for a minute at most. Raises an outage of the database."""
    loop = asyncio.get_running_loop()
    end = loop.time() + SWEEP_SECONDS
    answers = is_more = True
    while is_more and loop.time() < end:
        claims = await _claim_due(db)
        reading = [_read_or_return(db, tools, claim, asks=answers) for claim in claims]
        read = await asyncio.gather(*reading, return_exceptions=True)
        errors = [each for each in read if isinstance(each, BaseException)]
        for error in sorted(errors, key=is_away):
            if is_away(error):
                raise error
            _log.error("An idea could not be read and is read again later", exc_info=error)
        answers = answers and any(read)  # a single failure may be due to the idea
        is_more = bool(claims) and not errors


async def _claim_due(db: Database) -> list[Claim]:
    """Claims ideas that are due. Gives them back if the database is away: it may have stored a COMMIT unanswered."""
    claims: list[Claim] = []
    try:
        async with db.transaction() as tx:
            claims = await claim_due(tx, AT_ONCE)
    except Exception as error:
        if is_away(error):
            await asyncio.shield(asyncio.gather(*(_return_claim(db, claim) for claim in claims)))
        raise
    return claims


async def _read_or_return(db: Database, tools: Tools, claim: Claim, *, asks: bool) -> bool:
    """Reads one idea. Returns the claim if the database is away or the worker ends, but not if the tick takes too long.

    A tick does so at the earliest `TICK_SECONDS - SWEEP_SECONDS` after a reading started.
    """
    loop = asyncio.get_running_loop()
    started = loop.time()
    try:
        return await _read(db, tools, claim, asks=asks)
    except Exception as error:
        if is_away(error):
            await asyncio.shield(_return_claim(db, claim))  # an outage may be longer than a tick
        raise
    except asyncio.CancelledError:
        if loop.time() - started < TICK_SECONDS - SWEEP_SECONDS:
            await _return_claim(db, claim)
        raise


@until_answered
async def _return_claim(db: Database, claim: Claim) -> None:
    """Makes the idea due at once and takes the attempt back, if the claim holds; waits until the database answers."""
    async with db.transaction() as tx:
        if await find_claimed(tx, claim, lock=True) is not None:
            await set_due(tx, claim.workspace_id, claim.idea_id, tx.now, claim.attempts - 1)


async def _read(db: Database, tools: Tools, claim: Claim, *, asks: bool) -> bool:
    """Reads one idea. Returns False if the model failed. Without `asks` it is not asked now, and no attempt counts."""
    engine = tools[EmbeddedEngine]
    async with db.snapshot() as tx:
        seen = await see(tx, claim)
        may = LanguageModel in tools and await may_ask(tx, claim.workspace_id)
    if seen is None:
        return True
    if may_match(seen.idea):
        features = await tools[FeatureMaps].find(db, claim.workspace_id, seen.idea["product_id"])
        seen = seen._replace(features=features)
    by_words = await _by_words(db, engine, seen)
    embedded = Matcher(engine.name, engine.version)
    material = await material_of(db, engine, seen)
    if not may or material.is_empty or claim.attempts > MOST_ATTEMPTS:
        await keep_reading(db, seen, IdeaReading(), embedded, by_words)
        return True
    if not asks:
        await keep_reading(db, seen, IdeaReading(), embedded, by_words, Retry(FIRST_WAIT, claim.attempts - 1))
        return True
    made: Made[IdeaReading | None] = await make(
        db,
        tools,
        Task(claim.workspace_id, READ_IDEA, claim.idea_id),
        lambda model, session: read_idea(model.endpoint, session, material),
        lambda engine: None,
    )
    by = Matcher(made.engine, made.version)
    if made.value is not None:
        await keep_reading(db, seen, made.value, by, by_words)
    else:
        await keep_reading(db, seen, IdeaReading(), by, by_words, _after_failure(claim))
    return made.value is not None


async def _by_words(db: Database, engine: EmbeddedEngine, seen: Seen) -> Selection | None:
    """Returns what the embedded engine matches; None if the idea has a matching, or no features to find."""
    if seen.features is None or seen.idea["feature_matching"] is not None:
        return None
    return await selection.match(engine, db.clock, seen.features, seen.idea["description"])


def _after_failure(claim: Claim) -> Retry | None:
    """Returns when the model is asked again; None after the last attempt."""
    if claim.attempts >= MOST_ATTEMPTS:
        return None
    return Retry(FIRST_WAIT * 4 ** (claim.attempts - 1), claim.attempts)
