-- The order of the feed with `updatedSince`. A window of changes is read, and other filters are checked in it; the studies of
-- an initiative or an idea have their own.
CREATE INDEX study_feedback_changed ON study_feedback (workspace_id, updated_at, id);
CREATE INDEX study_feedback_of_study_changed ON study_feedback (workspace_id, study_id, updated_at, id);
