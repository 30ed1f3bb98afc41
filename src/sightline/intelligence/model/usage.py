"""What models were asked and what it took, by task. Specification: the command `usage`."""

from datetime import datetime
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from msgspec import Struct

from sightline.intelligence.model.session import Session, Task
from sightline.platform.db import Tx, sql
from sightline.platform.ids import new_id

MILLION = 1_000_000


class Prices(NamedTuple):
    """Prices of a million tokens, in the currency of whoever pays; None if not known."""

    input: Decimal | None = None
    output: Decimal | None = None

    def cost_of(self, session: Session) -> Decimal | None:
        if self.input is None or self.output is None:
            return None
        return (self.input * session.input_tokens + self.output * session.output_tokens) / MILLION


class TaskUsage(Struct, rename="camel"):
    """All runs of one kind of task with one model. `fallbacks` are those that the embedded engine did in the end.

    The tokens of `unmeasured_requests` are estimates. `cost` is null if no price was configured for any of them.
    """

    task: str
    model: str
    runs: int
    fallbacks: int
    requests: int
    unmeasured_requests: int
    input_tokens: int
    output_tokens: int
    seconds: float
    cost: float | None


_ADD = sql("""
INSERT INTO model_usage (workspace_id, id, task, record_id, model, failure, requests, unmeasured, input_tokens,
                         output_tokens, seconds, cost, created_at)
VALUES (:workspace_id, :id, :task, :record_id, :model, :failure, :requests, :unmeasured, :input_tokens,
        :output_tokens, :seconds, :cost, :now)""")
_SUMS = sql("""
SELECT task, model, count(*)::int AS runs, count(failure)::int AS fallbacks, sum(requests)::int AS requests,
       sum(unmeasured)::int AS unmeasured, sum(input_tokens)::bigint AS input_tokens,
       sum(output_tokens)::bigint AS output_tokens, round(sum(seconds)::numeric, 1)::float8 AS seconds,
       sum(cost)::float8 AS cost
  FROM model_usage
 WHERE workspace_id = :workspace_id AND (:since::timestamptz IS NULL OR created_at >= :since)
 GROUP BY task, model ORDER BY task, model""")
_SETTINGS = sql("""
SELECT settings ->> 'engine' AS engine,
       CASE WHEN jsonb_typeof(settings -> 'modelTokensPerDay') = 'number'
            THEN (settings ->> 'modelTokensPerDay')::numeric END AS daily
  FROM workspaces WHERE id = :workspace_id""")
_TAKEN = sql("""
SELECT coalesce(sum(input_tokens + output_tokens), 0) FROM model_usage
 WHERE workspace_id = :workspace_id AND created_at > :now::timestamptz - interval '1 day'""")


async def add_usage(
    tx: Tx, task: Task, model: str, session: Session, cost: Decimal | None, failure: str | None
) -> None:
    """Keeps what a task took; `failure` is why the embedded engine does it instead."""
    await tx.run(
        _ADD,
        workspace_id=task.workspace_id,
        id=new_id(),
        task=task.name,
        record_id=task.record_id,
        model=model,
        failure=failure,
        requests=session.requests,
        unmeasured=session.unmeasured,
        input_tokens=session.input_tokens,
        output_tokens=session.output_tokens,
        seconds=session.seconds,
        cost=cost,
    )


async def list_usage(tx: Tx, workspace_id: UUID, since: datetime | None) -> list[TaskUsage]:
    """Returns the sums by task and model."""
    return [TaskUsage(*row) for row in await tx.rows(_SUMS, workspace_id=workspace_id, since=since)]


async def may_ask(tx: Tx, workspace_id: UUID) -> bool:
    """Whether the workspace wants a model and has tokens left.

    Its settings `engine: embedded` and `modelTokensPerDay`, the tokens of the last 24 hours, decide.
    """
    row = await tx.row(_SETTINGS, workspace_id=workspace_id)
    if row is None or row["engine"] == "embedded":
        return False
    if row["daily"] is None:
        return True
    return bool(await tx.value(_TAKEN, workspace_id=workspace_id) < row["daily"])
