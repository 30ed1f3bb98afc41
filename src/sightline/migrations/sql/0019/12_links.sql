-- Link ids stand twice: in the link table, which is the truth, and as an array on the row, so that a page is one query.
-- For every (link table, owner) below: statement-level triggers that lock the owners in id order, read the links afresh
-- (the UPDATE is a statement of its own, so it sees what was committed while it waited for the locks), and leave
-- updated_at alone. FOR NO KEY UPDATE, since the foreign key check already holds FOR KEY SHARE.
-- The settings make every plan go through the owner's primary key: a session keeps the plan of its first call, and the
-- one for a bulk load reads whole tables for a single link ever after.
-- Triggers fire in the order of their names: insight_signals locks signals before insights, as removing an account does.
-- A statement that adds links of several owners adds them in one order (by the link table's primary key): two that
-- meet on the same new links in different orders wait for each other in the primary key, before any trigger runs.
DO $do$
DECLARE
    kept  record;
    event record;
BEGIN
    FOR kept IN SELECT * FROM (VALUES
        ('idea_features',      'ideas',       'idea_id',       'feature_id',     'feature_ids',    'true'),
        ('idea_opportunities', 'ideas',       'idea_id',       'opportunity_id', 'opportunity_ids', 'true'),
        ('idea_insights',      'ideas',       'idea_id',       'insight_id',     'insight_ids',    'true'),
        ('idea_accounts',      'ideas',       'idea_id',       'account_id',     'account_ids',    'true'),
        ('initiative_teams',   'initiatives', 'initiative_id', 'team_id',        'team_ids',       'true'),
        ('initiative_features', 'initiatives', 'initiative_id', 'feature_id',    'feature_ids',    'true'),
        ('insight_signals',    'insights',    'insight_id',    'signal_id',      'signal_ids',     'true'),
        ('insight_signals',    'signals',     'signal_id',     'insight_id',     'insight_ids',    'true'),
        ('insight_accounts',   'insights',    'insight_id',    'account_id',     'account_ids',    'true'),
        ('signal_accounts',    'signals',     'signal_id',     'account_id',     'account_ids',    'true'),
        ('signal_initiatives', 'signals',     'signal_id',     'initiative_id',  'initiative_ids', 'l.accepted'),
        ('signal_studies',     'signals',     'signal_id',     'study_id',       'study_ids',      'true'),
        ('study_initiatives',  'studies',     'study_id',      'initiative_id',  'initiative_ids', 'true'),
        ('study_ideas',        'studies',     'study_id',      'idea_id',        'idea_ids',       'true')
    ) AS t (link_table, owner_table, owner_column, member_column, array_column, counts)
    LOOP
        -- An UPDATE may move a link to another owner: then both are refreshed.
        FOR event IN SELECT * FROM (VALUES
            ('added',   'INSERT', 'NEW TABLE AS touched',                    'touched'),
            ('changed', 'UPDATE', 'OLD TABLE AS before NEW TABLE AS after',
                        '(SELECT * FROM before UNION ALL SELECT * FROM after) AS touched'),
            ('removed', 'DELETE', 'OLD TABLE AS touched',                    'touched')
        ) AS e (name, verb, transition, touched)
        LOOP
            EXECUTE format($f$
                CREATE FUNCTION keep_%5$s_of_%2$s_%8$s() RETURNS trigger LANGUAGE plpgsql
                SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
BEGIN
    PERFORM 1 FROM %2$I WHERE (workspace_id, id) IN (SELECT workspace_id, %3$I FROM %7$s)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE %2$I AS owner SET %5$I = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.%4$I ORDER BY l.link) FROM %1$I AS l
                              WHERE l.workspace_id = t.workspace_id AND l.%3$I = t.owner_id AND %6$s), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, %3$I AS owner_id FROM %7$s) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.%5$I IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $body$
            $f$, kept.link_table, kept.owner_table, kept.owner_column, kept.member_column, kept.array_column,
                 kept.counts, event.touched, event.name);
            EXECUTE format('CREATE TRIGGER keep_%3$s_of_%2$s_%4$s AFTER %5$s ON %1$I REFERENCING %6$s '
                           'FOR EACH STATEMENT EXECUTE FUNCTION keep_%3$s_of_%2$s_%4$s()',
                           kept.link_table, kept.owner_table, kept.array_column, event.name, event.verb,
                           event.transition);
        END LOOP;
    END LOOP;
END $do$;
