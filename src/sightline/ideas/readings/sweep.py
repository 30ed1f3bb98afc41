"""The sweep of ideas that wait for a model. Decision: docs/decisions/0024-model.md.

An idea is claimed by moving its due time, read, asked about outside any transaction, and stored in one transaction if
the claim still holds. What a worker leaves behind that dies in between is claimed again.
"""

import asyncio
from datetime import timedelta
from typing import Final

import structlog

from sightline.catalog.products.feature_maps import FeatureMaps
from sightline.ideas.matching.records import Matcher
from sightline.ideas.readings import keep, queries
from sightline.ideas.readings.material import material_of, see
from sightline.ideas.readings.queries import Claim
from sightline.intelligence.engine import Engine
from sightline.intelligence.ideas import IdeaReading
from sightline.intelligence.model.choice import LanguageModel, Made, make
from sightline.intelligence.model.session import Task
from sightline.intelligence.model.usage import may_ask
from sightline.platform.db import Database
from sightline.platform.jobs import Tools

READ_IDEA: Final = "ideas.read"
AT_ONCE: Final = 4
SWEEP_SECONDS: Final = 60.0  # after these no more ideas are claimed
MOST_ATTEMPTS: Final = 4
FIRST_WAIT: Final = timedelta(minutes=5)  # after a failure; four times as long after each further one

_log = structlog.get_logger()


async def read_due(db: Database, tools: Tools) -> None:
    """Reads the ideas that are due, the longest waiting first, until the model fails or a minute has passed."""
    if LanguageModel not in tools:
        return
    loop = asyncio.get_running_loop()
    end = loop.time() + SWEEP_SECONDS
    is_more = True
    while is_more and loop.time() < end:
        async with db.transaction() as tx:
            claims = await queries.claim_due(tx, AT_ONCE)
        read = await asyncio.gather(*(_read(db, tools, claim) for claim in claims), return_exceptions=True)
        for error in (each for each in read if isinstance(each, BaseException)):
            _log.error("An idea could not be read and is read again later", exc_info=error)
        is_more = len(claims) == AT_ONCE and all(each is True for each in read)


async def _read(db: Database, tools: Tools, claim: Claim) -> bool:
    """Reads one idea. Returns False if the model failed."""
    async with db.snapshot() as tx:
        seen = await see(tx, tools[FeatureMaps], claim)
        is_asked = seen is not None and await may_ask(tx, claim.workspace_id)
    if seen is None:
        return True
    material = await material_of(db, tools[FeatureMaps].engine, seen)
    if not is_asked or material.is_empty or claim.attempts > MOST_ATTEMPTS:
        await keep.leave(db, tools[Engine], seen)
        return True
    made: Made[IdeaReading | None] = await make(
        db,
        tools,
        Task(claim.workspace_id, READ_IDEA, claim.idea_id),
        lambda model, session: model.read_idea(session, material),
        lambda engine: None,
    )
    if made.value is not None:
        await keep.keep_reading(db, seen, made.value, Matcher(made.engine, made.version))
    elif claim.attempts < MOST_ATTEMPTS:
        await _put_off(db, claim)
    else:
        await keep.leave(db, tools[Engine], seen)
    return made.value is not None


async def _put_off(db: Database, claim: Claim) -> None:
    async with db.transaction() as tx:
        await queries.end_claim(tx, claim, tx.now + FIRST_WAIT * 4 ** (claim.attempts - 1))
