-- Initiatives show the names of their teams, signals the external id of their account, and change with them. That is
-- settled at the end of the transaction that renames, under a lock that the foreign keys of new initiatives and signals
-- respect: it waits for those that are being written, so that none keeps the former name under its own time.
CREATE OR REPLACE FUNCTION follow_team_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM teams WHERE workspace_id = NEW.workspace_id AND id = NEW.id FOR UPDATE;
    UPDATE initiatives SET version = version + 1, updated_at = greatest(updated_at, NEW.updated_at)
     WHERE workspace_id = NEW.workspace_id
       AND id IN (SELECT initiative_id FROM initiative_teams
                   WHERE workspace_id = NEW.workspace_id AND team_id = NEW.id);
    RETURN NULL;
END $$;
DROP TRIGGER follow_team_name ON teams;
CREATE CONSTRAINT TRIGGER follow_team_name AFTER UPDATE OF name ON teams DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION follow_team_name();

CREATE OR REPLACE FUNCTION follow_account_external_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM accounts WHERE workspace_id = NEW.workspace_id AND id = NEW.id FOR UPDATE;
    UPDATE signals SET version = version + 1, updated_at = greatest(updated_at, NEW.updated_at)
     WHERE workspace_id = NEW.workspace_id AND account_id = NEW.id;
    RETURN NULL;
END $$;
DROP TRIGGER follow_account_external_id ON accounts;
CREATE CONSTRAINT TRIGGER follow_account_external_id AFTER UPDATE OF external_id ON accounts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.external_id IS DISTINCT FROM NEW.external_id) EXECUTE FUNCTION follow_account_external_id();
