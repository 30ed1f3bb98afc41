-- A record that names a deleted one changes when it goes, and one that shows the name or external id of another changes
-- with that: a copy by `updatedSince` reads it again. By decision that does not hold for votes, for the links between
-- ideas and opportunities, nor for the insights, initiatives and studies of a signal.

-- The time of the line in the trail that the transaction wrote with the deletion, else its start.
CREATE FUNCTION moment_of_change() RETURNS timestamptz LANGUAGE sql AS $$
    SELECT coalesce((SELECT at FROM changes WHERE written = pg_current_xact_id() ORDER BY id DESC LIMIT 1),
                    date_trunc('milliseconds', now()))
$$;

-- The version of a record that lost a reference moves in 0020/01; its time moves with it.
CREATE OR REPLACE FUNCTION move_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('UPDATE %s SET version = version + 1, updated_at = greatest(updated_at, $3) '
                   'WHERE workspace_id = $1 AND id = $2', TG_RELID::regclass)
      USING NEW.workspace_id, NEW.id, moment_of_change();
    RETURN NULL;
END $$;

CREATE FUNCTION move_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := greatest(NEW.updated_at, moment_of_change());
    RETURN NEW;
END $$;
CREATE TRIGGER study_feedback_lose_reference BEFORE UPDATE OF account_id ON study_feedback FOR EACH ROW
    WHEN (NEW.account_id IS NULL AND OLD.account_id IS NOT NULL AND NEW.updated_at = OLD.updated_at)
    EXECUTE FUNCTION move_time();

-- Links that go with the record they lead to. The triggers of 12_links.sql, whose names come first, have locked the
-- owners and moved their versions. On the settings see there.
CREATE FUNCTION move_times_of_owners() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    IF EXISTS (SELECT FROM touched) THEN
        EXECUTE format($f$
            UPDATE %1$I AS owner SET updated_at = $1
              FROM (SELECT DISTINCT workspace_id, %2$I AS id FROM touched AS link
                     WHERE NOT EXISTS (SELECT FROM %3$I AS member
                                        WHERE member.workspace_id = link.workspace_id AND member.id = link.%4$I)) AS lost
             WHERE owner.workspace_id = lost.workspace_id AND owner.id = lost.id AND owner.updated_at < $1
        $f$, TG_ARGV[0], TG_ARGV[1], TG_ARGV[2], TG_ARGV[3]) USING moment_of_change();
    END IF;
    RETURN NULL;
END $$;
DO $do$
DECLARE
    kept record;
BEGIN
    FOR kept IN SELECT * FROM (VALUES
        ('idea_features',    'ideas',       'idea_id',       'features', 'feature_id'),
        ('idea_insights',    'ideas',       'idea_id',       'insights', 'insight_id'),
        ('idea_accounts',    'ideas',       'idea_id',       'accounts', 'account_id'),
        ('initiative_teams', 'initiatives', 'initiative_id', 'teams',    'team_id'),
        ('insight_signals',  'insights',    'insight_id',    'signals',  'signal_id'),
        ('insight_accounts', 'insights',    'insight_id',    'accounts', 'account_id'),
        ('signal_accounts',  'signals',     'signal_id',     'accounts', 'account_id')
    ) AS t (link_table, owners, owner, members, member)
    LOOP
        EXECUTE format('CREATE TRIGGER move_times_of_%2$s AFTER DELETE ON %1$I REFERENCING OLD TABLE AS touched '
                       'FOR EACH STATEMENT EXECUTE FUNCTION move_times_of_owners(%2$L, %3$L, %4$L, %5$L)',
                       kept.link_table, kept.owners, kept.owner, kept.members, kept.member);
    END LOOP;
END $do$;

-- Initiatives show the names of their teams, signals the external id of their account.
CREATE FUNCTION follow_team_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE initiatives SET version = version + 1, updated_at = greatest(updated_at, NEW.updated_at)
     WHERE workspace_id = NEW.workspace_id
       AND id IN (SELECT initiative_id FROM initiative_teams
                   WHERE workspace_id = NEW.workspace_id AND team_id = NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER follow_team_name AFTER UPDATE OF name ON teams FOR EACH ROW
    WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION follow_team_name();

CREATE FUNCTION follow_account_external_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE signals SET version = version + 1, updated_at = greatest(updated_at, NEW.updated_at)
     WHERE workspace_id = NEW.workspace_id AND account_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER follow_account_external_id AFTER UPDATE OF external_id ON accounts FOR EACH ROW
    WHEN (OLD.external_id IS DISTINCT FROM NEW.external_id) EXECUTE FUNCTION follow_account_external_id();
