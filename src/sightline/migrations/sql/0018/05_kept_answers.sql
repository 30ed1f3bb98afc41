-- Kept answers of all POSTs: each goes with the record that it shows, and with the signals, members and teams that it
-- quotes or names.
ALTER TABLE idempotency_keys ADD COLUMN quoted_ids uuid[];
CREATE INDEX idempotency_keys_of_quoted ON idempotency_keys USING gin (quoted_ids) WHERE quoted_ids IS NOT NULL;

CREATE TRIGGER empty_kept_answers AFTER DELETE ON idea_comments REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_answers();
CREATE TRIGGER empty_kept_answers AFTER DELETE ON idea_evidence REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_answers();
CREATE TRIGGER empty_kept_answers AFTER DELETE ON research_briefs REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_answers();

CREATE FUNCTION empty_kept_quotes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE idempotency_keys AS kept SET status = 410, headers = '[]', body = ''
      FROM deleted WHERE kept.workspace_id = deleted.workspace_id AND kept.quoted_ids @> ARRAY[deleted.id];
    RETURN NULL;
END $$;

CREATE TRIGGER empty_kept_quotes AFTER DELETE ON signals REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_quotes();
CREATE TRIGGER empty_kept_quotes AFTER DELETE ON members REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_quotes();
CREATE TRIGGER empty_kept_quotes AFTER DELETE ON teams REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_quotes();
