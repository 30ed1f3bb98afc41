"""Which function carries out a command. Specification: POST /research/run."""

from collections.abc import Mapping
from typing import Any, assert_never

from sightline.intelligence.model.research.researcher import choose_researcher
from sightline.intelligence.research import Researcher
from sightline.platform.access import Actor
from sightline.platform.db import Database
from sightline.platform.http.operations import Keep
from sightline.platform.ids import new_id
from sightline.research import commands
from sightline.research.delivery.add import add, retry_addition
from sightline.research.plans.prepare import PreparedResearch, prepare
from sightline.research.runs.start import StartedRun, start
from sightline.research.runs.stop import ChangedRun, retry, stop
from sightline.sources.app_store.store import AppStore

Performed = PreparedResearch | StartedRun | ChangedRun


async def perform(
    db: Database, tools: Mapping[type, Any], actor: Actor, command: commands.RunCommand, keep: Keep
) -> Performed:
    """Prepares, starts, adds, retries or stops. Raises what the command raises."""
    match command:
        case commands.PrepareCommand():
            researcher = await choose_researcher(db, tools, tools[Researcher], actor.workspace_id, new_id())
            return await prepare(db, researcher, tools[AppStore], actor, command, keep)
        case commands.StartCommand():
            return await start(db, actor, command)
    async with db.transaction() as tx:
        match command:
            case commands.AddCommand():
                return await add(tx, actor, command)
            case commands.RetryCommand():
                return await retry(tx, actor, command)
            case commands.RetryAdditionCommand():
                return await retry_addition(tx, actor, command)
            case commands.StopCommand():
                return await stop(tx, actor, command)
        assert_never(command)
