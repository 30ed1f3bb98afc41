-- A file or a POST with an id may add a deleted record again. Its deletion is marked then, so that the feed of deletions
-- asks no other table: joined to freshly filled tables, it took seconds a page until PostgreSQL had analysed them.
ALTER TABLE changes ADD COLUMN is_undone boolean NOT NULL DEFAULT false;

-- The order of what a restored backup says of a record is not known, so what is there counts.
SET LOCAL enable_nestloop = off;
UPDATE changes SET is_undone = true
  FROM (SELECT workspace_id, id, 'idea' AS kind FROM ideas
        UNION ALL SELECT workspace_id, id, 'idea_comment' FROM idea_comments
        UNION ALL SELECT workspace_id, id, 'initiative' FROM initiatives
        UNION ALL SELECT workspace_id, id, 'team' FROM teams
        UNION ALL SELECT workspace_id, id, 'signal' FROM signals
        UNION ALL SELECT workspace_id, id, 'insight' FROM insights
        UNION ALL SELECT workspace_id, id, 'opportunity' FROM opportunities
        UNION ALL SELECT workspace_id, id, 'product' FROM products
        UNION ALL SELECT workspace_id, id, 'feature' FROM features
        UNION ALL SELECT workspace_id, id, 'account' FROM accounts
        UNION ALL SELECT workspace_id, id, 'study_feedback' FROM study_feedback
        UNION ALL SELECT workspace_id, id, 'research_brief' FROM research_briefs) AS present
 WHERE changes.action = 'deleted' AND changes.workspace_id = present.workspace_id
   AND changes.record_id = present.id AND changes.kind = present.kind;
SET LOCAL enable_nestloop = on;

DROP INDEX changes_deleted;
CREATE INDEX changes_deleted ON changes (workspace_id, kind, is_undone, at, id) WHERE action = 'deleted';
CREATE INDEX changes_deleted_of ON changes (record_id) WHERE action = 'deleted' AND NOT is_undone;

-- IS TRUE leaves the planner one index: before it knows a workspace's size, another one would look as good to it. Its
-- plan is kept while a file adds many records, and without the setting it may be one for a table of a single page.
CREATE FUNCTION undo_deletion() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    UPDATE changes SET is_undone = true
     WHERE record_id = new.record_id AND action = 'deleted' AND NOT is_undone
       AND (workspace_id = new.workspace_id AND kind = new.kind) IS TRUE;
    RETURN NULL;
END $$;

CREATE TRIGGER undo_deletion AFTER INSERT ON changes FOR EACH ROW WHEN (new.action = 'created')
    EXECUTE FUNCTION undo_deletion();
