"""The SQL of the queue that is our own. Jobs are known by their key, so the workspace stands inside it.

A job's `headers` hold what PgQueuer has no column for: `again`, the moment at which to run once more after the present
run; `stop`, what was said when somebody stopped it; `revive`, when it had failed and begins anew; `error`, why the last
attempt failed; `spared`, how many attempts do not count. `attempts` itself never goes back: with the worker it tells
one attempt at a job from all others.
"""

_SPARED = "coalesce((job.headers ->> 'spared')::int, 0)"

# A conflicting row is locked even where nothing is changed: no worker can take the job, see the state before this
# transaction and finish before it commits.
ADD = f"""
INSERT INTO pgqueuer AS job (priority, status, entrypoint, dedupe_key, payload, execute_after)
SELECT DISTINCT ON (key) 0, 'queued'::pgqueuer_status, $1, key, payload, now() + wait
  FROM unnest($2::text[], $3::bytea[], $4::interval[]) AS wanted (key, payload, wait)
 ORDER BY key, wait
ON CONFLICT (dedupe_key) WHERE status IN ('queued', 'picked') AND dedupe_key IS NOT NULL
DO UPDATE SET
    execute_after = CASE WHEN job.status = 'queued' THEN excluded.execute_after ELSE job.execute_after END,
    headers = CASE WHEN job.status = 'queued' THEN job.headers
                   ELSE coalesce(job.headers, '{{}}') || jsonb_build_object(
                       'again', least((job.headers ->> 'again')::timestamptz, excluded.execute_after)) END
 WHERE job.status = 'picked' OR (job.attempts = {_SPARED} AND job.execute_after > excluded.execute_after)"""

# What the triggers of the queue say when a job comes; a change of a waiting one they do not tell.
WAKE = """
SELECT pg_notify('ch_pgqueuer', json_build_object(
    'channel', 'ch_pgqueuer', 'operation', 'update', 'sent_at', now(), 'table', 'pgqueuer',
    'type', 'table_changed_event')::text)"""

# For as long as the transaction is open nobody else can take the job: who takes it locks FOR UPDATE. A worker that
# freezes in here loses its connection, and with it the lock.
HOLD = """
SELECT set_config('idle_in_transaction_session_timeout', $4, true) FROM pgqueuer
 WHERE id = $1 AND queue_manager_id = $2 AND attempts = $3 AND status = 'picked'
   FOR KEY SHARE"""

IS_HELD = """
SELECT EXISTS (SELECT FROM pgqueuer WHERE id = $1 AND queue_manager_id = $2 AND attempts = $3 AND status = 'picked')"""

BEGIN = f"""
UPDATE pgqueuer AS job SET attempts = attempts + 1, headers = headers - 'again'
 WHERE id = $1 AND queue_manager_id = $2 AND status = 'picked'
RETURNING attempts, attempts - {_SPARED} AS counted, headers ->> 'stop' AS stop,
          (headers ? 'revive') IS TRUE AS is_revived"""

# Rows that a transaction has locked just now keep their place: whoever wants to take them over skips them too.
BEAT = """
UPDATE pgqueuer SET heartbeat = now()
 WHERE id IN (SELECT id FROM pgqueuer JOIN unnest($1::bigint[], $2::int[]) AS begun (id, attempt) USING (id)
               WHERE queue_manager_id = $3 AND status = 'picked' AND attempts = attempt
                 FOR NO KEY UPDATE OF pgqueuer SKIP LOCKED)"""

STATES = """
SELECT id, headers ->> 'stop' AS stop
  FROM pgqueuer JOIN unnest($1::bigint[], $2::int[]) AS begun (id, attempt) USING (id)
 WHERE queue_manager_id = $3 AND status = 'picked' AND attempts = attempt"""

FINISHING = """
SELECT job.id, job.entrypoint AS kind, ended.outcome, ended.error, (job.headers ? 'again') IS TRUE AS is_woken,
       extract(epoch FROM clock_timestamp() - job.updated)::float8 AS seconds
  FROM unnest($1::bigint[], $2::int[], $3::text[], $4::text[]) AS ended (id, attempt, outcome, error)
  JOIN pgqueuer AS job USING (id)
 WHERE job.queue_manager_id = $5 AND job.status = 'picked' AND job.attempts = ended.attempt
 ORDER BY job.id
   FOR UPDATE OF job"""

REMOVE = "DELETE FROM pgqueuer WHERE id = ANY($1::bigint[])"

RUN_AGAIN = """
UPDATE pgqueuer SET status = 'queued', queue_manager_id = NULL, updated = now(),
       execute_after = (headers ->> 'again')::timestamptz, headers = jsonb_build_object('spared', attempts)
 WHERE id = ANY($1::bigint[])"""

KEEP_FAILED = """
UPDATE pgqueuer AS job SET status = 'failed', queue_manager_id = NULL, updated = now(),
       headers = jsonb_build_object('error', failed.error, 'spared', job.headers -> 'spared')
  FROM unnest($1::bigint[], $2::text[]) AS failed (id, error)
 WHERE job.id = failed.id"""

RETRY = """
UPDATE pgqueuer SET status = 'queued', queue_manager_id = NULL, updated = now(),
       execute_after = CASE WHEN headers ? 'stop' THEN now() ELSE now() + $4 END,
       headers = coalesce(headers - 'again', '{}') || jsonb_build_object('error', $5::text)
 WHERE id = $1 AND queue_manager_id = $2 AND attempts = $3 AND status = 'picked'
RETURNING entrypoint"""

HAND_BACK = f"""
UPDATE pgqueuer AS job SET status = 'queued', queue_manager_id = NULL, updated = now(),
       headers = coalesce(headers, '{{}}') || jsonb_build_object('spared', {_SPARED} + $4::int)
 WHERE queue_manager_id = $1 AND status = 'picked' AND ($2::bigint IS NULL OR (id = $2 AND attempts = $3))"""

LOG = """
INSERT INTO pgqueuer_log (job_id, status, priority, entrypoint, traceback)
SELECT id, status::pgqueuer_status, 0, kind, jsonb_build_object('exception_message', error)
  FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) AS told (id, status, kind, error)"""

COUNT = """
INSERT INTO job_totals (kind, outcome, jobs, seconds)
SELECT kind, outcome, count(*), sum(seconds) FROM unnest($1::text[], $2::text[], $3::float8[])
    AS ended (kind, outcome, seconds)
 GROUP BY kind, outcome ORDER BY kind, outcome
ON CONFLICT (kind, outcome) DO UPDATE SET jobs = job_totals.jobs + excluded.jobs,
                                          seconds = job_totals.seconds + excluded.seconds"""

TRIM_LOG = """
DELETE FROM pgqueuer_log WHERE id IN (
    SELECT id FROM pgqueuer_log WHERE created < now() - $1::interval ORDER BY created LIMIT 5000
       FOR UPDATE SKIP LOCKED)"""

TRIM_FAILED = """
DELETE FROM pgqueuer WHERE id IN (
    SELECT id FROM pgqueuer WHERE status = 'failed' AND updated < now() - $1::interval LIMIT 5000
       FOR UPDATE SKIP LOCKED)"""


_JOB = f"""
SELECT job.id, job.entrypoint,
       CASE job.status WHEN 'queued' THEN 'waiting' WHEN 'picked' THEN 'running' ELSE 'failed' END AS state,
       workspaces.slug, (about ->> 'recordId')::uuid, job.attempts - {_SPARED} AS attempts,
       iso(job.created) AS added_at,
       iso(job.execute_after) AS run_after, iso(job.updated) AS since,
       job.headers ->> 'error' AS error, (job.headers ? 'stop') IS TRUE AS is_stopping
  FROM pgqueuer AS job
 CROSS JOIN LATERAL (SELECT convert_from(job.payload, 'UTF8')::jsonb) AS payload (about)
  LEFT JOIN workspaces ON workspaces.id = (about ->> 'workspaceId')::uuid"""

LIST = f"""
SELECT * FROM ({_JOB} WHERE $2::uuid IS NULL OR workspaces.id = $2) AS jobs
 WHERE $1::text IS NULL OR state = $1
 ORDER BY array_position('{{running,waiting,failed}}', state), run_after, id LIMIT 1000"""

FIND = f"{_JOB} WHERE job.id = $1"

REVIVE = """
UPDATE pgqueuer SET status = 'queued', execute_after = now(), updated = now(),
       headers = jsonb_build_object('revive', true, 'spared', attempts)
 WHERE id = $1 AND status = 'failed'"""

STOP = """
UPDATE pgqueuer SET headers = coalesce(headers, '{}') || jsonb_build_object('stop', $2::text),
       execute_after = least(execute_after, now())
 WHERE id = $1 AND status IN ('queued', 'picked')"""

TOTALS = """
SELECT entrypoint AS kind, CASE status WHEN 'queued' THEN 'waiting' WHEN 'picked' THEN 'running' ELSE 'failed' END,
       count(*), coalesce(extract(epoch FROM now() - min(execute_after) FILTER (WHERE status = 'queued')), 0)::float8
  FROM pgqueuer GROUP BY 1, 2"""

FINISHED = "SELECT kind, outcome, jobs, seconds FROM job_totals"


def without_job(pending: str) -> str:
    """Those of the pending records that no job of a kind ($1) waits for or works on, at most $2."""
    return f"""
SELECT workspace_id, record_id, run_after FROM ({pending}) AS pending (workspace_id, record_id, run_after)
 WHERE NOT EXISTS (SELECT FROM pgqueuer WHERE dedupe_key = $1 || ':' || workspace_id || ':' || record_id
                      AND status IN ('queued', 'picked'))
 LIMIT $2"""
