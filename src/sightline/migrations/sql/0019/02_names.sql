-- Comments show the name of the member who wrote them, initiatives the names of their teams.
CREATE TRIGGER empty_kept_quotes AFTER DELETE ON members REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_quotes();
CREATE TRIGGER empty_kept_quotes AFTER DELETE ON teams REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_quotes();
