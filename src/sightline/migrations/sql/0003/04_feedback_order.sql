-- A type of subject alone, in the order of the feed.
CREATE INDEX study_feedback_by_subject_type ON study_feedback (workspace_id, subject_type, submitted_at, id);
