-- Initiatives show the names of their teams, signals the external id of their account, and change with them. That is
-- settled at the end of the transaction that renames, so that it meets what was written meanwhile.
DROP TRIGGER follow_team_name ON teams;
CREATE CONSTRAINT TRIGGER follow_team_name AFTER UPDATE OF name ON teams DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION follow_team_name();
DROP TRIGGER follow_account_external_id ON accounts;
CREATE CONSTRAINT TRIGGER follow_account_external_id AFTER UPDATE OF external_id ON accounts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.external_id IS DISTINCT FROM NEW.external_id) EXECUTE FUNCTION follow_account_external_id();

-- What was committed between that and the end of the transaction shows the former name under its own time. Whoever
-- renames calls this afterwards, with the time of the transaction: a lock that keeps others away until its end would
-- wait in a circle with those that name several accounts.
CREATE FUNCTION follow_renames(workspace uuid, renamed_at timestamptz, moment timestamptz) RETURNS void LANGUAGE sql AS $$
    UPDATE signals SET version = version + 1, updated_at = moment
     WHERE workspace_id = workspace AND updated_at < renamed_at
       AND account_id IN (SELECT record_id FROM changes
                           WHERE workspace_id = workspace AND at = renamed_at AND kind = 'account'
                             AND action = 'updated' AND detail -> 'fields' ? 'externalId');
    UPDATE initiatives SET version = version + 1, updated_at = moment
     WHERE workspace_id = workspace AND updated_at < renamed_at
       AND id IN (SELECT initiative_id FROM initiative_teams
                   WHERE workspace_id = workspace
                     AND team_id IN (SELECT record_id FROM changes
                                      WHERE workspace_id = workspace AND at = renamed_at AND kind = 'team'
                                        AND action = 'updated' AND detail -> 'fields' ? 'name'));
$$;
