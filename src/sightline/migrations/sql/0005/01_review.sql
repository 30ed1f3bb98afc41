-- A reviewer may reject an insight.
ALTER TABLE insights DROP CONSTRAINT insights_review_state_check;
ALTER TABLE insights ADD CONSTRAINT insights_review_state_check
    CHECK (review_state IN ('unreviewed', 'accepted', 'edited', 'rejected', 'merged'));
