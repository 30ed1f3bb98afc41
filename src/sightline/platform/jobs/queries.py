"""The SQL of the queue; all its times are the server's.

A row of `jobs` waits, runs or has failed. `run` is the number of its current or last run and never decreases: a worker
holds a job while the row is `running` under the number that it was given. `attempts` counts the runs since the job was
added, or retried by an operator, without runs that were handed back; the first heartbeat of a run, before its handler
starts, counts it. `again_after` is set when the job is added during a run.
"""

from sightline.platform.db import Statement, sql

CHANNEL = "sightline_jobs"
WORKER = "sightline worker"  # the application_name of a worker's session that listens

_RELEASE = "held_until = NULL, again_after = NULL, since = now()"
_RENEW = "stop = NULL, is_revived = false"

# DO UPDATE locks a waiting job even if its WHERE is false: until this transaction commits, no worker can take the job,
# read its record as it was before, and finish.
ADD = sql(f"""
WITH added AS (
    INSERT INTO jobs AS job (kind, workspace_id, record_id, run_after)
    VALUES (:kind, :workspace_id, :record_id, now() + :wait::interval)
    ON CONFLICT (workspace_id, record_id, kind) WHERE state <> 'failed'
    DO UPDATE SET run_after = CASE job.state WHEN 'waiting' THEN excluded.run_after ELSE job.run_after END,
                  again_after = CASE job.state WHEN 'running' THEN least(job.again_after, excluded.run_after) END
     WHERE job.state = 'running' OR (job.attempts = 0 AND job.run_after > excluded.run_after))
SELECT pg_notify('{CHANNEL}', '')""")

# Takes waiting jobs, and until :takeover_until running jobs whose hold is over. If the database freezes and runs this
# late, other workers could not renew their holds meanwhile, so none of their jobs is taken over. Of jobs whose workers
# died twice, a worker runs one at once: if it kills this worker too, the others lose no attempt.
TAKE = sql("""
WITH due AS (
    SELECT id FROM jobs
     WHERE state <> 'failed' AND coalesce(held_until, run_after) <= now() AND kind = ANY(:kinds)
       AND id <> ALL(:running::bigint[]) AND (state = 'waiting' OR (now() < :takeover_until AND (attempts < 2 OR id = (
           SELECT id FROM jobs WHERE state = 'running' AND held_until <= now() AND attempts > 1 AND kind = ANY(:kinds)
              AND NOT EXISTS (SELECT FROM jobs WHERE id = ANY(:running::bigint[]) AND attempts > 2)
            ORDER BY held_until, id LIMIT 1 FOR UPDATE SKIP LOCKED))))
     ORDER BY coalesce(held_until, run_after), id LIMIT :free FOR UPDATE SKIP LOCKED)
UPDATE jobs SET state = 'running', run = run + 1, held_until = now() + :heartbeat, again_after = NULL, since = now()
  FROM due WHERE jobs.id = due.id
RETURNING jobs.id, run, kind, workspace_id, record_id, attempts + 1 AS attempts, stop, is_revived""")

NOW = sql("SELECT now()")

# A job whose row is locked by another transaction is not renewed, and no other worker takes it meanwhile.
BEAT = sql("""
WITH held AS (SELECT * FROM unnest(:ids::bigint[], :runs::bigint[], :attempts::int[]) AS held (id, run, attempts)),
renewed AS (
    UPDATE jobs SET held_until = now() + :heartbeat, attempts = held.attempts
      FROM held
     WHERE jobs.id = held.id AND jobs.id IN (
           SELECT id FROM jobs JOIN held USING (id, run) WHERE state = 'running' FOR NO KEY UPDATE OF jobs SKIP LOCKED))
SELECT id, run, stop FROM jobs JOIN held USING (id, run) WHERE state = 'running'""")

# No other worker can take the job before this transaction ends, because taking it locks FOR UPDATE. If the worker
# freezes, the server ends its session, which releases the lock.
HELD = "FROM jobs WHERE id = :job AND run = :run AND state = 'running' FOR KEY SHARE"
HOLD = sql(f"SELECT set_config('idle_in_transaction_session_timeout', :frozen_after, true) {HELD}")

# Waits for a transaction that adds the same job, and then sees its `again_after`.
END = sql(f"""
MERGE INTO jobs USING (SELECT :id::bigint AS id, :run::bigint AS run) AS held
   ON jobs.id = held.id AND jobs.run = held.run AND state = 'running'
 WHEN MATCHED AND :outcome IN ('handed back', 'retried') THEN
      UPDATE SET state = 'waiting', attempts = :attempts::int, error = coalesce(:error::text, error), {_RELEASE},
                 run_after = CASE WHEN stop IS NULL AND :wait::interval > '0' THEN now() + :wait ELSE run_after END
 WHEN MATCHED AND again_after IS NOT NULL THEN
      UPDATE SET state = 'waiting', run_after = again_after, attempts = 0, error = NULL, {_RELEASE}, {_RENEW}
 WHEN MATCHED AND :outcome = 'failed' THEN
      UPDATE SET state = 'failed', error = :error::text, {_RELEASE}, {_RENEW}""")

_COUNT = """
INSERT INTO job_totals (kind, outcome, jobs, seconds) {ended}
ON CONFLICT (kind, outcome)
DO UPDATE SET jobs = job_totals.jobs + 1, seconds = job_totals.seconds + excluded.seconds"""
COUNT = sql(_COUNT, ended="VALUES (:kind, :outcome, 1, :seconds)")

# Removes a job that was not added during its run, in place of END and COUNT. It need not be flushed: if the database
# loses it, the job runs again, finds its record done, and is counted then.
_REMOVE = "DELETE FROM jobs WHERE id = :job AND run = :run AND state = 'running' AND again_after IS NULL RETURNING kind"
_DONE = "SELECT kind, 'done', 1, :seconds FROM job WHERE set_config('synchronous_commit', 'off', true) = 'off'"
REMOVE = sql(f"WITH job AS ({_REMOVE}){_COUNT}", ended=_DONE)

FORGET_FAILED = sql("DELETE FROM jobs WHERE state = 'failed' AND since < now() - :kept::interval")

_LISTED = """
SELECT job.id, job.kind, job.state, workspaces.slug AS workspace, job.record_id, job.attempts,
       iso(job.added_at) AS added_at, iso(job.run_after) AS run_after, iso(job.since) AS since, job.error,
       job.stop IS NOT NULL AS is_stopping
  FROM jobs AS job LEFT JOIN workspaces ON workspaces.id = job.workspace_id"""

LIST = sql(f"""{_LISTED}
 WHERE (:workspace_id::uuid IS NULL OR job.workspace_id = :workspace_id)
   AND (:state::text IS NULL OR job.state = :state)
 ORDER BY array_position('{{running,waiting,failed}}', job.state), job.run_after, job.id LIMIT 1000""")
FIND = sql(f"{_LISTED} WHERE job.id = :id")

RETRY_FAILED = sql("""
UPDATE jobs SET state = 'waiting', run_after = now(), attempts = 0, is_revived = true, error = NULL, since = now()
 WHERE id = :id AND state = 'failed'""")

STOP = sql("""
UPDATE jobs SET stop = :message, run_after = least(run_after, now()) WHERE id = :id AND state <> 'failed'""")

TOTALS = sql("""
SELECT kind, state, count(*) AS jobs,
       coalesce(extract(epoch FROM now() - min(run_after) FILTER (WHERE state = 'waiting')), 0)::float8 AS late_seconds
  FROM jobs GROUP BY kind, state""")

COUNT_WORKERS = sql("""
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = :name""")

FINISHED = sql("SELECT kind, outcome, jobs, seconds FROM job_totals")


def add_missing(pending: str) -> Statement:
    """Adds jobs for at most `:most` of the pending records for which no job of `:kind` waits or runs."""
    return sql(f"""
INSERT INTO jobs (kind, workspace_id, record_id, run_after)
SELECT :kind, workspace_id, record_id, now() + greatest(run_after - :now, '0')
  FROM ({pending}) AS pending (workspace_id, record_id, run_after)
 WHERE NOT EXISTS (SELECT FROM jobs
                    WHERE jobs.workspace_id = pending.workspace_id AND jobs.record_id = pending.record_id
                      AND kind = :kind AND state <> 'failed')
 ORDER BY workspace_id, record_id LIMIT :most
ON CONFLICT DO NOTHING""")
