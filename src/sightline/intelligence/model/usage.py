"""What models were asked and what it took, by task. Specification: the command `usage`."""

from datetime import datetime
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

from msgspec import Struct

from sightline.intelligence.model.session import Session
from sightline.platform.db import Tx, sql

MILLION = 1_000_000


class Prices(NamedTuple):
    """Prices of a million tokens, in the currency of whoever pays; None if not known."""

    input: Decimal | None = None
    output: Decimal | None = None

    def cost_of(self, session: Session) -> Decimal | None:
        if self.input is None or self.output is None:
            return None
        return (self.input * session.input_tokens + self.output * session.output_tokens) / MILLION


class Usage(NamedTuple):
    """What a task took; `failure` is why the embedded engine does it instead."""

    workspace_id: UUID
    id: UUID
    task: str
    record_id: UUID
    model: str
    failure: str | None
    requests: int
    unmeasured: int
    input_tokens: int
    output_tokens: int
    seconds: float
    cost: Decimal | None


class TaskUsage(Struct, rename="camel"):
    """All runs of one kind of task with one model. `fallbacks` counts runs that the embedded engine did in the end.

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


ADD_USAGE = sql("""
INSERT INTO model_usage (workspace_id, id, task, record_id, model, failure, requests, unmeasured, input_tokens,
                         output_tokens, seconds, cost, created_at)
VALUES (:workspace_id, :id, :task, :record_id, :model, :failure, :requests, :unmeasured, :input_tokens,
        :output_tokens, :seconds, :cost, :now)
ON CONFLICT DO NOTHING""")
_SUMS = sql("""
SELECT task, model, count(*)::int AS runs, count(failure)::int AS fallbacks, sum(requests)::int AS requests,
       sum(unmeasured)::int AS unmeasured, sum(input_tokens)::bigint AS input_tokens,
       sum(output_tokens)::bigint AS output_tokens, round(sum(seconds)::numeric, 1)::float8 AS seconds,
       sum(cost)::float8 AS cost
  FROM model_usage
 WHERE workspace_id = :workspace_id AND (:since::timestamptz IS NULL OR created_at >= :since)
 GROUP BY task, model ORDER BY task, model""")


def _bound(name: str) -> str:
    """Returns the SQL of a bound. One that is no number allows nothing: whoever wrote it wanted a bound."""
    return f"""
CASE coalesce(jsonb_typeof(w.settings -> '{name}'), 'null')
     WHEN 'number' THEN (w.settings ->> '{name}')::numeric WHEN 'null' THEN 'infinity' ELSE 0 END"""


# What was taken is summed up only if something is bounded.
_MAY_ASK = sql(
    """
SELECT coalesce(w.settings ->> 'engine', 'model') = 'model'
   AND (NOT w.settings ?| ARRAY['modelRequestsPerDay', 'modelTokensPerDay', 'modelSecondsPerDay']
        OR (SELECT coalesce(sum(requests), 0) < {requests}
               AND coalesce(sum(input_tokens + output_tokens), 0) < {tokens}
               AND coalesce(sum(seconds), 0)::numeric < {seconds}
              FROM model_usage
             WHERE workspace_id = :workspace_id AND created_at > :now::timestamptz - interval '1 day'))
  FROM workspaces w WHERE w.id = :workspace_id""",
    requests=_bound("modelRequestsPerDay"),
    tokens=_bound("modelTokensPerDay"),
    seconds=_bound("modelSecondsPerDay"),
)


async def list_usage(tx: Tx, workspace_id: UUID, since: datetime | None) -> list[TaskUsage]:
    """Returns the sums by task and model."""
    return [TaskUsage(*row) for row in await tx.rows(_SUMS, workspace_id=workspace_id, since=since)]


async def may_ask(tx: Tx, workspace_id: UUID) -> bool:
    """Whether the workspace wants a model and has budget left.

    Its settings decide: an `engine` other than `model`, and what models may take in 24 hours, `modelRequestsPerDay`,
    `modelTokensPerDay` and `modelSecondsPerDay`. A bound that is no number allows nothing.
    """
    return bool(await tx.value(_MAY_ASK, workspace_id=workspace_id))
