-- A file or a POST with an id may add a deleted record again. Its deletion is marked then, so that the feed of deletions
-- asks no other table: joined to freshly filled tables, it took seconds a page until PostgreSQL had analysed them.
ALTER TABLE changes ADD COLUMN is_undone boolean NOT NULL DEFAULT false;

UPDATE changes SET is_undone = true
 WHERE action = 'deleted'
   AND EXISTS (SELECT FROM changes AS later
                WHERE later.workspace_id = changes.workspace_id AND later.record_id = changes.record_id
                  AND later.kind = changes.kind AND later.action = 'created' AND later.written > changes.written);

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
