-- Renames of teams and accounts that are still to be followed: what was committed between the trigger below and the end of
-- its transaction shows the former name under its own time. The rename is kept in its own transaction, so that it is
-- followed also if the command ends before it does so.
CREATE TABLE renames (
    workspace_id uuid           NOT NULL REFERENCES workspaces,
    record_id    uuid           NOT NULL,
    renamed_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, record_id, renamed_at)
);

CREATE OR REPLACE FUNCTION follow_team_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE initiatives SET version = version + 1, updated_at = greatest(updated_at, NEW.updated_at)
     WHERE workspace_id = NEW.workspace_id
       AND id IN (SELECT initiative_id FROM initiative_teams
                   WHERE workspace_id = NEW.workspace_id AND team_id = NEW.id);
    INSERT INTO renames VALUES (NEW.workspace_id, NEW.id, NEW.updated_at) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION follow_account_external_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE signals SET version = version + 1, updated_at = greatest(updated_at, NEW.updated_at)
     WHERE workspace_id = NEW.workspace_id AND account_id = NEW.id;
    INSERT INTO renames VALUES (NEW.workspace_id, NEW.id, NEW.updated_at) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

-- Changes what was committed beside the transactions that renamed. A lock that kept others away until the end of such a
-- transaction would wait in a circle with those that name several accounts.
DROP FUNCTION follow_renames(uuid, timestamptz, timestamptz);
CREATE FUNCTION follow_renames(moment timestamptz) RETURNS void LANGUAGE sql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    WITH followed AS (DELETE FROM renames RETURNING *),
    signals_changed AS (
        UPDATE signals SET version = version + 1, updated_at = moment
          FROM followed
         WHERE signals.workspace_id = followed.workspace_id AND signals.account_id = followed.record_id
           AND signals.updated_at < followed.renamed_at)
    UPDATE initiatives SET version = version + 1, updated_at = moment
      FROM followed JOIN initiative_teams AS link
           ON link.workspace_id = followed.workspace_id AND link.team_id = followed.record_id
     WHERE initiatives.workspace_id = link.workspace_id AND initiatives.id = link.initiative_id
       AND initiatives.updated_at < followed.renamed_at;
$$;
