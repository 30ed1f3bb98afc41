"""Which function carries out a command. Specification: POST /research/run."""

from typing import assert_never

from sightline.intelligence.research import Researcher
from sightline.platform.access import Actor
from sightline.platform.db import Database
from sightline.research.commands import Add, Prepare, Retry, RetryAddition, RunCommand, Start, Stop
from sightline.research.delivery.add import add, retry_addition
from sightline.research.plans.prepare import PreparedResearch, prepare
from sightline.research.runs.start import StartedRun, start
from sightline.research.runs.stop import ChangedRun, retry, stop
from sightline.sources.app_store.store import AppStore

Performed = PreparedResearch | StartedRun | ChangedRun


async def perform(
    db: Database, researcher: Researcher, store: AppStore, actor: Actor, command: RunCommand
) -> Performed:
    """Prepares, starts, adds, retries or stops. Raises what the command raises."""
    match command:
        case Prepare():
            return await prepare(db, researcher, store, actor, command)
        case Start():
            return await start(db, actor, command)
    async with db.transaction() as tx:
        match command:
            case Add():
                return await add(tx, actor, command)
            case Retry():
                return await retry(tx, actor, command)
            case RetryAddition():
                return await retry_addition(tx, actor, command)
            case Stop():
                return await stop(tx, actor, command)
        assert_never(command)
