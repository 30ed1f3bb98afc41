-- The record that a kept answer shows. When it is deleted, in whatever way, its text goes and 410 is left.
ALTER TABLE idempotency_keys ADD COLUMN record_id uuid;
CREATE INDEX idempotency_keys_of_record ON idempotency_keys (workspace_id, record_id) WHERE record_id IS NOT NULL;

CREATE FUNCTION empty_kept_answers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE idempotency_keys AS kept SET status = 410, headers = '[]', body = ''
      FROM deleted WHERE kept.workspace_id = deleted.workspace_id AND kept.record_id = deleted.id;
    RETURN NULL;
END $$;

CREATE TRIGGER empty_kept_answers AFTER DELETE ON ideas REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_answers();
CREATE TRIGGER empty_kept_answers AFTER DELETE ON initiatives REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_answers();
CREATE TRIGGER empty_kept_answers AFTER DELETE ON signals REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_answers();
