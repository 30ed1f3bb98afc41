-- Which asking for a signal to be processed is the latest: what was read for an earlier one is not stored.
ALTER TABLE signals ADD COLUMN processing_id uuid;

-- What waits, whatever the workspace: a worker looks for signals without a job.
CREATE INDEX signals_waiting ON signals (workspace_id, id) WHERE status IN ('pending', 'processing');
