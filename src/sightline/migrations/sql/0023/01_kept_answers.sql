-- Answers that show the external id of an account go with it. Those about initiatives, which name teams, have no text.
CREATE TRIGGER empty_kept_quotes AFTER DELETE ON accounts REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_quotes();
DROP TRIGGER empty_kept_quotes ON teams;
UPDATE idempotency_keys SET headers = '[]', body = '', quoted_ids = NULL WHERE operation LIKE 'POST %/initiatives';
