-- The jobs of the queue before, with their numbers. What runs is taken over by the next worker.
LOCK TABLE pgqueuer;

INSERT INTO jobs (id, kind, workspace_id, record_id, state, run_after, attempts, run, held_until, error, stop, is_revived,
                  added_at, since)
SELECT id, entrypoint, split_part(dedupe_key, ':', 2)::uuid, split_part(dedupe_key, ':', 3)::uuid,
       CASE status WHEN 'queued' THEN 'waiting' WHEN 'picked' THEN 'running' ELSE 'failed' END, execute_after,
       attempts - coalesce((headers ->> 'spared')::int, 0), attempts, CASE status WHEN 'picked' THEN now() END,
       headers ->> 'error', headers ->> 'stop', coalesce(headers ? 'revive', false), created, updated
  FROM pgqueuer
 WHERE status IN ('queued', 'picked', 'failed')
   AND dedupe_key ~ '^[^:]+:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

SELECT setval('jobs_id_seq', last_value, is_called) FROM pgqueuer_id_seq;

DROP TABLE pgqueuer, pgqueuer_log, pgqueuer_schedules, pgqueuer_statistics;
DROP FUNCTION fn_pgqueuer_changed;
DROP TYPE pgqueuer_status;
