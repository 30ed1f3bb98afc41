"""A file that prunes takes the lock of those who link insights with signals before it locks records of either."""

import asyncio
from typing import Any

import pytest

from sightline.platform.db import Database
from sightline.signals.insights.same_words import lock_statements
from tests.waiting import until_blocked
from tests.workspace_file.files import apply, exported, small

LINKED: dict[str, Any] = {
    "accounts": [{"key": "a", "name": "A"}, {"key": "b", "name": "B"}],
    "signals": [{"key": "a", "name": "A"}, {"key": "b", "name": "B"}],
    "insights": [
        {"key": "a", "title": "A", "category": "problem", "signals": ["a"], "accounts": ["a"]},
        {"key": "b", "title": "B", "category": "problem", "signals": ["b"], "accounts": ["b"]},
    ],
}


@pytest.mark.parametrize("name", LINKED)
async def test_a_file_that_prunes_and_a_job_never_wait_for_each_other(database: Database, name: str) -> None:
    file = small(**LINKED)
    workspace_id = (await apply(database, file)).workspace_id
    pruned = small(file["workspace"]["slug"], **{name: [], "prune": [name]})
    insights = "SELECT FROM insights WHERE workspace_id = $1 AND key = $2 FOR UPDATE NOWAIT"
    async with database.transaction() as job:
        await lock_statements(job, workspace_id)
        await job.connection.execute(insights, workspace_id, "b")
        applying = asyncio.create_task(apply(database, pruned))
        await until_blocked(job.connection)
        await job.connection.execute(insights, workspace_id, "a")
    assert (await applying).counts[name].removed == 2
    assert (await exported(database, file["workspace"]["slug"]))[name] == []
