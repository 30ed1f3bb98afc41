-- Answers that name a feature, in the reasons of matching, go with it.
CREATE TRIGGER empty_kept_quotes AFTER DELETE ON features REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_quotes();
