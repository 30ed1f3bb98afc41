-- The schema of a freshly migrated database, for reading. Written by `make schema`; do not edit.

CREATE TYPE public.linked_signal_step AS (
	workspace_id uuid,
	kind text,
	record_id uuid,
	signal_id uuid,
	step integer
);

CREATE FUNCTION public.add_idea_words() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO idea_words (workspace_id, word)
    SELECT new.workspace_id, word FROM long_words(new.search) AS found (word)
     WHERE NOT EXISTS (SELECT FROM idea_words AS known
                        WHERE known.workspace_id = new.workspace_id AND known.word = found.word FOR KEY SHARE SKIP LOCKED)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE FUNCTION public.empty_kept_answers() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE idempotency_keys AS kept SET status = 410, headers = '[]', body = ''
      FROM deleted WHERE kept.workspace_id = deleted.workspace_id AND kept.record_id = deleted.id;
    RETURN NULL;
END $$;

CREATE FUNCTION public.empty_kept_quotes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE idempotency_keys AS kept SET status = 410, headers = '[]', body = ''
      FROM deleted WHERE kept.workspace_id = deleted.workspace_id AND kept.quoted_ids @> ARRAY[deleted.id];
    RETURN NULL;
END $$;

CREATE FUNCTION public.follow_account_external_id() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE signals SET version = version + 1, updated_at = greatest(updated_at, NEW.updated_at)
     WHERE workspace_id = NEW.workspace_id AND account_id = NEW.id;
    INSERT INTO renames VALUES (NEW.workspace_id, NEW.id, NEW.updated_at) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE FUNCTION public.follow_renames(moment timestamp with time zone) RETURNS void
    LANGUAGE sql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
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

CREATE FUNCTION public.follow_signals() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_nestloop TO 'off'
    SET jit TO 'off'
    SET enable_hashjoin TO 'on'
    AS $$
DECLARE
    steps linked_signal_step[];
    workspaces uuid[];
    signal_ids uuid[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(ROW(later.workspace_id, link.kind, link.record_id, later.id, 1)::linked_signal_step) INTO steps
          FROM after AS later CROSS JOIN LATERAL links_of(later) AS link;
    ELSE
        SELECT array_agg(ROW(earlier.workspace_id, side.kind, side.record_id, earlier.id, side.step)::linked_signal_step)
          INTO steps
          FROM before AS earlier
          JOIN after AS later ON (later.workspace_id, later.id) = (earlier.workspace_id, earlier.id)
         CROSS JOIN LATERAL (SELECT kind, record_id, sum(step)::integer AS step
                               FROM (SELECT kind, record_id, -1 AS step FROM links_of(earlier)
                                      UNION ALL SELECT kind, record_id, 1 FROM links_of(later)) AS sides
                              GROUP BY kind, record_id HAVING sum(step) <> 0) AS side
         WHERE (earlier.account_ids, earlier.initiative_ids, earlier.insight_ids, earlier.study_ids)
               IS DISTINCT FROM (later.account_ids, later.initiative_ids, later.insight_ids, later.study_ids);
        SELECT array_agg(later.workspace_id), array_agg(later.id) INTO workspaces, signal_ids
          FROM before AS earlier
          JOIN after AS later ON (later.workspace_id, later.id) = (earlier.workspace_id, earlier.id)
         WHERE (earlier.created_at, earlier.number, earlier.updated_at)
               <> (later.created_at, later.number, later.updated_at);
        IF signal_ids IS NOT NULL THEN
            PERFORM move_linked_signals(workspaces, signal_ids);
        END IF;
    END IF;
    IF steps IS NOT NULL THEN
        PERFORM step_linked_signals(steps);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.follow_team_name() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE initiatives SET version = version + 1, updated_at = greatest(updated_at, NEW.updated_at)
     WHERE workspace_id = NEW.workspace_id
       AND id IN (SELECT initiative_id FROM initiative_teams
                   WHERE workspace_id = NEW.workspace_id AND team_id = NEW.id);
    INSERT INTO renames VALUES (NEW.workspace_id, NEW.id, NEW.updated_at) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE FUNCTION public.forget_signals() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $_$
DECLARE
    gone record;
BEGIN
    FOR gone IN SELECT workspace_id, array_agg(id::text) AS ids FROM removed GROUP BY workspace_id LOOP
        UPDATE insights AS quoting
           SET extracts = without_quotes(quoting.extracts, gone.ids), version = quoting.version + 1,
               updated_at = greatest(quoting.updated_at, moment_of_change())
          FROM (SELECT DISTINCT i.id FROM unnest(gone.ids) AS signal (id) JOIN insights AS i
                    ON i.workspace_id = gone.workspace_id AND i.extracts IS NOT NULL
                   AND jsonb_path_query_array(i.extracts, '$[*].signalId') @> to_jsonb(ARRAY[signal.id])) AS found
         WHERE quoting.workspace_id = gone.workspace_id AND quoting.id = found.id;
        UPDATE idea_evidence AS quoting
           SET extracts = without_signals(quoting.extracts, gone.ids), version = quoting.version + 1
          FROM (SELECT DISTINCT e.id FROM unnest(gone.ids) AS signal (id) JOIN idea_evidence AS e
                    ON e.workspace_id = gone.workspace_id AND e.extracts IS NOT NULL
                   AND jsonb_path_query_array(e.extracts, '$[*].signalId') @> to_jsonb(ARRAY[signal.id])) AS found
         WHERE quoting.workspace_id = gone.workspace_id AND quoting.id = found.id;
    END LOOP;
    RETURN NULL;
END $_$;

CREATE FUNCTION public.is_one_deleted(workspace uuid, quoted_ids uuid[]) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
    SELECT EXISTS (
        SELECT FROM unnest(quoted_ids) AS quoted (id)
         WHERE NOT EXISTS (SELECT FROM features AS one WHERE one.workspace_id = workspace AND one.id = quoted.id)
           AND NOT EXISTS (SELECT FROM signals AS one WHERE one.workspace_id = workspace AND one.id = quoted.id)
           AND NOT EXISTS (SELECT FROM accounts AS one WHERE one.workspace_id = workspace AND one.id = quoted.id)
           AND NOT EXISTS (SELECT FROM members AS one WHERE one.workspace_id = workspace AND one.id = quoted.id)
           AND NOT EXISTS (SELECT FROM api_keys AS one WHERE one.workspace_id = workspace AND one.id = quoted.id));
$$;

CREATE FUNCTION public.iso(moment timestamp with time zone) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char((moment AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text);

CREATE FUNCTION public.keep_account_ids_of_ideas_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM ideas WHERE (workspace_id, id) IN (SELECT workspace_id, idea_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE ideas AS owner SET account_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.account_id ORDER BY l.link) FROM idea_accounts AS l
                              WHERE l.workspace_id = t.workspace_id AND l.idea_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, idea_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.account_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_account_ids_of_ideas_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM ideas WHERE (workspace_id, id) IN (SELECT workspace_id, idea_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE ideas AS owner SET account_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.account_id ORDER BY l.link) FROM idea_accounts AS l
                              WHERE l.workspace_id = t.workspace_id AND l.idea_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, idea_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.account_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_account_ids_of_ideas_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM ideas WHERE (workspace_id, id) IN (SELECT workspace_id, idea_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE ideas AS owner SET account_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.account_id ORDER BY l.link) FROM idea_accounts AS l
                              WHERE l.workspace_id = t.workspace_id AND l.idea_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, idea_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.account_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_account_ids_of_insights_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM insights WHERE (workspace_id, id) IN (SELECT workspace_id, insight_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE insights AS owner SET account_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.account_id ORDER BY l.link) FROM insight_accounts AS l
                              WHERE l.workspace_id = t.workspace_id AND l.insight_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, insight_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.account_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_account_ids_of_insights_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM insights WHERE (workspace_id, id) IN (SELECT workspace_id, insight_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE insights AS owner SET account_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.account_id ORDER BY l.link) FROM insight_accounts AS l
                              WHERE l.workspace_id = t.workspace_id AND l.insight_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, insight_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.account_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_account_ids_of_insights_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM insights WHERE (workspace_id, id) IN (SELECT workspace_id, insight_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE insights AS owner SET account_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.account_id ORDER BY l.link) FROM insight_accounts AS l
                              WHERE l.workspace_id = t.workspace_id AND l.insight_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, insight_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.account_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_account_ids_of_signals_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM signals WHERE (workspace_id, id) IN (SELECT workspace_id, signal_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE signals AS owner SET account_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.account_id ORDER BY l.link) FROM signal_accounts AS l
                              WHERE l.workspace_id = t.workspace_id AND l.signal_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, signal_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.account_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_account_ids_of_signals_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM signals WHERE (workspace_id, id) IN (SELECT workspace_id, signal_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE signals AS owner SET account_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.account_id ORDER BY l.link) FROM signal_accounts AS l
                              WHERE l.workspace_id = t.workspace_id AND l.signal_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, signal_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.account_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_account_ids_of_signals_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM signals WHERE (workspace_id, id) IN (SELECT workspace_id, signal_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE signals AS owner SET account_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.account_id ORDER BY l.link) FROM signal_accounts AS l
                              WHERE l.workspace_id = t.workspace_id AND l.signal_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, signal_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.account_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_feature_ids_of_ideas_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM ideas WHERE (workspace_id, id) IN (SELECT workspace_id, idea_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE ideas AS owner SET feature_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.feature_id ORDER BY l.link) FROM idea_features AS l
                              WHERE l.workspace_id = t.workspace_id AND l.idea_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, idea_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.feature_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_feature_ids_of_ideas_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM ideas WHERE (workspace_id, id) IN (SELECT workspace_id, idea_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE ideas AS owner SET feature_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.feature_id ORDER BY l.link) FROM idea_features AS l
                              WHERE l.workspace_id = t.workspace_id AND l.idea_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, idea_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.feature_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_feature_ids_of_ideas_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM ideas WHERE (workspace_id, id) IN (SELECT workspace_id, idea_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE ideas AS owner SET feature_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.feature_id ORDER BY l.link) FROM idea_features AS l
                              WHERE l.workspace_id = t.workspace_id AND l.idea_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, idea_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.feature_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_feature_ids_of_initiatives_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM initiatives WHERE (workspace_id, id) IN (SELECT workspace_id, initiative_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE initiatives AS owner SET feature_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.feature_id ORDER BY l.link) FROM initiative_features AS l
                              WHERE l.workspace_id = t.workspace_id AND l.initiative_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, initiative_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.feature_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_feature_ids_of_initiatives_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM initiatives WHERE (workspace_id, id) IN (SELECT workspace_id, initiative_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE initiatives AS owner SET feature_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.feature_id ORDER BY l.link) FROM initiative_features AS l
                              WHERE l.workspace_id = t.workspace_id AND l.initiative_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, initiative_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.feature_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_feature_ids_of_initiatives_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM initiatives WHERE (workspace_id, id) IN (SELECT workspace_id, initiative_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE initiatives AS owner SET feature_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.feature_id ORDER BY l.link) FROM initiative_features AS l
                              WHERE l.workspace_id = t.workspace_id AND l.initiative_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, initiative_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.feature_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_idea_ids_of_studies_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM studies WHERE (workspace_id, id) IN (SELECT workspace_id, study_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE studies AS owner SET idea_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.idea_id ORDER BY l.link) FROM study_ideas AS l
                              WHERE l.workspace_id = t.workspace_id AND l.study_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, study_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.idea_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_idea_ids_of_studies_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM studies WHERE (workspace_id, id) IN (SELECT workspace_id, study_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE studies AS owner SET idea_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.idea_id ORDER BY l.link) FROM study_ideas AS l
                              WHERE l.workspace_id = t.workspace_id AND l.study_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, study_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.idea_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_idea_ids_of_studies_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM studies WHERE (workspace_id, id) IN (SELECT workspace_id, study_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE studies AS owner SET idea_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.idea_id ORDER BY l.link) FROM study_ideas AS l
                              WHERE l.workspace_id = t.workspace_id AND l.study_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, study_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.idea_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_idea_search() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.search := setweight(to_tsvector('simple', regexp_replace(NEW.name, '[-./:@_+~\\<>&]', ' ', 'g')), 'A')
               || to_tsvector('simple', regexp_replace(left(NEW.description, 100000), '[-./:@_+~\\<>&]', ' ', 'g'));
    RETURN NEW;
END $$;

CREATE FUNCTION public.keep_idea_votes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO idea_votes AS kept (workspace_id, idea_id, number, vote_count, imported)
    VALUES (NEW.workspace_id, NEW.id, NEW.number, NEW.vote_count, NEW.imported_vote_count)
    ON CONFLICT (workspace_id, idea_id) DO UPDATE SET number = excluded.number, imported = excluded.imported
     WHERE (kept.number, kept.imported) <> (excluded.number, excluded.imported);
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_initiative_ids_of_signals_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM signals WHERE (workspace_id, id) IN (SELECT workspace_id, signal_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE signals AS owner SET initiative_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.initiative_id ORDER BY l.link) FROM signal_initiatives AS l
                              WHERE l.workspace_id = t.workspace_id AND l.signal_id = t.owner_id AND l.accepted), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, signal_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.initiative_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_initiative_ids_of_signals_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM signals WHERE (workspace_id, id) IN (SELECT workspace_id, signal_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE signals AS owner SET initiative_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.initiative_id ORDER BY l.link) FROM signal_initiatives AS l
                              WHERE l.workspace_id = t.workspace_id AND l.signal_id = t.owner_id AND l.accepted), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, signal_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.initiative_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_initiative_ids_of_signals_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM signals WHERE (workspace_id, id) IN (SELECT workspace_id, signal_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE signals AS owner SET initiative_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.initiative_id ORDER BY l.link) FROM signal_initiatives AS l
                              WHERE l.workspace_id = t.workspace_id AND l.signal_id = t.owner_id AND l.accepted), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, signal_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.initiative_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_initiative_ids_of_studies_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM studies WHERE (workspace_id, id) IN (SELECT workspace_id, study_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE studies AS owner SET initiative_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.initiative_id ORDER BY l.link) FROM study_initiatives AS l
                              WHERE l.workspace_id = t.workspace_id AND l.study_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, study_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.initiative_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_initiative_ids_of_studies_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM studies WHERE (workspace_id, id) IN (SELECT workspace_id, study_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE studies AS owner SET initiative_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.initiative_id ORDER BY l.link) FROM study_initiatives AS l
                              WHERE l.workspace_id = t.workspace_id AND l.study_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, study_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.initiative_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_initiative_ids_of_studies_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM studies WHERE (workspace_id, id) IN (SELECT workspace_id, study_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE studies AS owner SET initiative_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.initiative_id ORDER BY l.link) FROM study_initiatives AS l
                              WHERE l.workspace_id = t.workspace_id AND l.study_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, study_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.initiative_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_insight_ids_of_ideas_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM ideas WHERE (workspace_id, id) IN (SELECT workspace_id, idea_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE ideas AS owner SET insight_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.insight_id ORDER BY l.link) FROM idea_insights AS l
                              WHERE l.workspace_id = t.workspace_id AND l.idea_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, idea_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.insight_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_insight_ids_of_ideas_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM ideas WHERE (workspace_id, id) IN (SELECT workspace_id, idea_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE ideas AS owner SET insight_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.insight_id ORDER BY l.link) FROM idea_insights AS l
                              WHERE l.workspace_id = t.workspace_id AND l.idea_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, idea_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.insight_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_insight_ids_of_ideas_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM ideas WHERE (workspace_id, id) IN (SELECT workspace_id, idea_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE ideas AS owner SET insight_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.insight_id ORDER BY l.link) FROM idea_insights AS l
                              WHERE l.workspace_id = t.workspace_id AND l.idea_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, idea_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.insight_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_insight_ids_of_signals_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM signals WHERE (workspace_id, id) IN (SELECT workspace_id, signal_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE signals AS owner SET insight_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.insight_id ORDER BY l.link) FROM insight_signals AS l
                              WHERE l.workspace_id = t.workspace_id AND l.signal_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, signal_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.insight_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_insight_ids_of_signals_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM signals WHERE (workspace_id, id) IN (SELECT workspace_id, signal_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE signals AS owner SET insight_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.insight_id ORDER BY l.link) FROM insight_signals AS l
                              WHERE l.workspace_id = t.workspace_id AND l.signal_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, signal_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.insight_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_insight_ids_of_signals_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM signals WHERE (workspace_id, id) IN (SELECT workspace_id, signal_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE signals AS owner SET insight_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.insight_id ORDER BY l.link) FROM insight_signals AS l
                              WHERE l.workspace_id = t.workspace_id AND l.signal_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, signal_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.insight_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_opportunity_ids_of_ideas_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM ideas WHERE (workspace_id, id) IN (SELECT workspace_id, idea_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE ideas AS owner SET opportunity_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.opportunity_id ORDER BY l.link) FROM idea_opportunities AS l
                              WHERE l.workspace_id = t.workspace_id AND l.idea_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, idea_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.opportunity_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_opportunity_ids_of_ideas_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM ideas WHERE (workspace_id, id) IN (SELECT workspace_id, idea_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE ideas AS owner SET opportunity_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.opportunity_id ORDER BY l.link) FROM idea_opportunities AS l
                              WHERE l.workspace_id = t.workspace_id AND l.idea_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, idea_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.opportunity_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_opportunity_ids_of_ideas_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM ideas WHERE (workspace_id, id) IN (SELECT workspace_id, idea_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE ideas AS owner SET opportunity_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.opportunity_id ORDER BY l.link) FROM idea_opportunities AS l
                              WHERE l.workspace_id = t.workspace_id AND l.idea_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, idea_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.opportunity_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_signal_ids_of_insights_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM insights WHERE (workspace_id, id) IN (SELECT workspace_id, insight_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE insights AS owner SET signal_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.signal_id ORDER BY l.link) FROM insight_signals AS l
                              WHERE l.workspace_id = t.workspace_id AND l.insight_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, insight_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.signal_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_signal_ids_of_insights_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM insights WHERE (workspace_id, id) IN (SELECT workspace_id, insight_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE insights AS owner SET signal_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.signal_id ORDER BY l.link) FROM insight_signals AS l
                              WHERE l.workspace_id = t.workspace_id AND l.insight_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, insight_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.signal_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_signal_ids_of_insights_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM insights WHERE (workspace_id, id) IN (SELECT workspace_id, insight_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE insights AS owner SET signal_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.signal_id ORDER BY l.link) FROM insight_signals AS l
                              WHERE l.workspace_id = t.workspace_id AND l.insight_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, insight_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.signal_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_study_ids_of_signals_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM signals WHERE (workspace_id, id) IN (SELECT workspace_id, signal_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE signals AS owner SET study_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.study_id ORDER BY l.link) FROM signal_studies AS l
                              WHERE l.workspace_id = t.workspace_id AND l.signal_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, signal_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.study_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_study_ids_of_signals_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM signals WHERE (workspace_id, id) IN (SELECT workspace_id, signal_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE signals AS owner SET study_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.study_id ORDER BY l.link) FROM signal_studies AS l
                              WHERE l.workspace_id = t.workspace_id AND l.signal_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, signal_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.study_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_study_ids_of_signals_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM signals WHERE (workspace_id, id) IN (SELECT workspace_id, signal_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE signals AS owner SET study_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.study_id ORDER BY l.link) FROM signal_studies AS l
                              WHERE l.workspace_id = t.workspace_id AND l.signal_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, signal_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.study_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_team_ids_of_initiatives_added() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM initiatives WHERE (workspace_id, id) IN (SELECT workspace_id, initiative_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE initiatives AS owner SET team_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.team_id ORDER BY l.link) FROM initiative_teams AS l
                              WHERE l.workspace_id = t.workspace_id AND l.initiative_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, initiative_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.team_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_team_ids_of_initiatives_changed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM initiatives WHERE (workspace_id, id) IN (SELECT workspace_id, initiative_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE initiatives AS owner SET team_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.team_id ORDER BY l.link) FROM initiative_teams AS l
                              WHERE l.workspace_id = t.workspace_id AND l.initiative_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, initiative_id AS owner_id FROM (SELECT * FROM before UNION ALL SELECT * FROM after) AS touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.team_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE FUNCTION public.keep_team_ids_of_initiatives_removed() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM initiatives WHERE (workspace_id, id) IN (SELECT workspace_id, initiative_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE initiatives AS owner SET team_ids = fresh.ids, version = owner.version + 1
      FROM (SELECT t.workspace_id, t.owner_id,
                   coalesce((SELECT array_agg(l.team_id ORDER BY l.link) FROM initiative_teams AS l
                              WHERE l.workspace_id = t.workspace_id AND l.initiative_id = t.owner_id AND true), '{}') AS ids
              FROM (SELECT DISTINCT workspace_id, initiative_id AS owner_id FROM touched) AS t) AS fresh
     WHERE owner.workspace_id = fresh.workspace_id AND owner.id = fresh.owner_id
       AND owner.team_ids IS DISTINCT FROM fresh.ids;
    RETURN NULL;
END $$;

CREATE TABLE public.signals (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    number bigint NOT NULL,
    key text,
    name text NOT NULL,
    status text NOT NULL,
    context text NOT NULL,
    signal_type text,
    processor_type text NOT NULL,
    provider_type text NOT NULL,
    evidence_kind text NOT NULL,
    analysis_profile text NOT NULL,
    source_facet text GENERATED ALWAYS AS (((provider_type || ':'::text) || evidence_kind)) STORED NOT NULL,
    source_label text NOT NULL,
    source_type text NOT NULL,
    external_data jsonb DEFAULT '{}'::jsonb NOT NULL,
    source_links jsonb DEFAULT '[]'::jsonb NOT NULL,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    transcript jsonb,
    import jsonb,
    integration_id uuid,
    source_key text,
    external_id text,
    origin text,
    account_id uuid,
    insight_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    account_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    initiative_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    study_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    failure text,
    process_after timestamp(3) with time zone,
    version integer DEFAULT ((random() * ('1000000000'::numeric)::double precision))::integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    processing_id uuid,
    CONSTRAINT signals_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'processing'::text, 'processed'::text, 'failed'::text])))
);

CREATE FUNCTION public.links_of(signal public.signals) RETURNS TABLE(kind text, record_id uuid)
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT 'account', unnest(signal.account_ids)
    UNION ALL SELECT 'initiative', unnest(signal.initiative_ids)
    UNION ALL SELECT 'insight', unnest(signal.insight_ids)
    UNION ALL SELECT 'study', unnest(signal.study_ids)
$$;

CREATE FUNCTION public.long_words(search tsvector) RETURNS SETOF text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT word FROM unnest(tsvector_to_array(search)) AS word
     WHERE char_length(word) BETWEEN 6 AND 60 AND word !~ '[0-9]'
$$;

CREATE FUNCTION public.moment_of_change() RETURNS timestamp with time zone
    LANGUAGE sql
    AS $$
    SELECT coalesce((SELECT at FROM changes WHERE written = pg_current_xact_id() ORDER BY id DESC LIMIT 1),
                    date_trunc('milliseconds', now()))
$$;

CREATE FUNCTION public.move_feed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    feed_name text := TG_ARGV[0];
    remembered text := 'sightline.moved_' || TG_ARGV[0];
    moved uuid;
BEGIN
    FOR moved IN SELECT DISTINCT workspace_id FROM touched LOOP
        CONTINUE WHEN current_setting(remembered, true) = moved::text;
        UPDATE feed_versions SET version = version + 1
         WHERE workspace_id = moved AND feed = feed_name
           AND slot = (SELECT slot FROM feed_versions WHERE workspace_id = moved AND feed = feed_name
                          FOR NO KEY UPDATE SKIP LOCKED LIMIT 1);
        IF NOT FOUND THEN
            INSERT INTO feed_versions (workspace_id, feed) VALUES (moved, feed_name);
        END IF;
        PERFORM set_config(remembered, moved::text, true);
    END LOOP;
    RETURN NULL;
END $$;

CREATE FUNCTION public.move_linked_signals(workspaces uuid[], signal_ids uuid[]) RETURNS void
    LANGUAGE sql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
    UPDATE linked_signals AS linked SET created_at = s.created_at, number = s.number, updated_at = s.updated_at
      FROM unnest(workspaces, signal_ids) AS moved (workspace_id, id) JOIN signals AS s USING (workspace_id, id)
     WHERE linked.workspace_id = s.workspace_id AND linked.signal_id = s.id
       AND (linked.created_at, linked.number, linked.updated_at) <> (s.created_at, s.number, s.updated_at)
$$;

CREATE FUNCTION public.move_map_version() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM products WHERE (workspace_id, id) IN (SELECT workspace_id, product_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE products SET map_version = map_version + 1, version = version + 1
        WHERE (workspace_id, id) IN (SELECT workspace_id, product_id FROM touched);
    RETURN NULL;
END $$;

CREATE FUNCTION public.move_map_versions_of_both() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    PERFORM 1 FROM products WHERE (workspace_id, id) IN (SELECT workspace_id, product_id FROM before UNION
                                                         SELECT workspace_id, product_id FROM after)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE products SET map_version = map_version + 1, version = version + 1
        WHERE (workspace_id, id) IN (SELECT workspace_id, product_id FROM before UNION
                                     SELECT workspace_id, product_id FROM after);
    RETURN NULL;
END $$;

CREATE FUNCTION public.move_time() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.updated_at := greatest(NEW.updated_at, moment_of_change());
    RETURN NEW;
END $$;

CREATE FUNCTION public.move_times_of_owners() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $_$
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
END $_$;

CREATE FUNCTION public.move_version() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
BEGIN
    EXECUTE format('UPDATE %s SET version = version + 1, updated_at = greatest(updated_at, $3) '
                   'WHERE workspace_id = $1 AND id = $2', TG_RELID::regclass)
      USING NEW.workspace_id, NEW.id, moment_of_change();
    RETURN NULL;
END $_$;

CREATE FUNCTION public.notify_access() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    touched jsonb := to_jsonb(coalesce(NEW, OLD));
BEGIN
    PERFORM pg_notify('sightline_access', coalesce(touched ->> 'workspace_id', touched ->> 'id'));
    RETURN NULL;
END $$;

CREATE FUNCTION public.refuse_alias_of_identity() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('sightline aliases ' || NEW.workspace_id, 0));
    IF EXISTS (SELECT FROM ideas
                WHERE workspace_id = NEW.workspace_id AND external_id = NEW.external_id
                  AND (source_key = NEW.source_key OR integration_id = NEW.integration_id)) THEN
        RAISE unique_violation USING MESSAGE = format('The alias %L is the identity of an idea', NEW.external_id);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.refuse_identity_of_alias() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('sightline aliases ' || NEW.workspace_id, 0));
    IF EXISTS (SELECT FROM idea_aliases
                WHERE workspace_id = NEW.workspace_id AND external_id = NEW.external_id
                  AND (source_key = NEW.source_key OR integration_id = NEW.integration_id)) THEN
        RAISE unique_violation USING MESSAGE = format('The identity %L is an alias of another idea', NEW.external_id);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION public.remove_hidden_words() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    hidden uuid[];
BEGIN
    IF NOT EXISTS (SELECT FROM after WHERE NOT portal_visible) OR NOT EXISTS (SELECT FROM before WHERE portal_visible) THEN
        RETURN NULL;
    END IF;
    hidden := ARRAY(SELECT id FROM before WHERE portal_visible EXCEPT SELECT id FROM after WHERE portal_visible);
    PERFORM remove_unused_words(workspace_id, array_agg(DISTINCT word))
       FROM (SELECT workspace_id, long_words(search) AS word FROM before WHERE id = ANY(hidden)) AS gone
      GROUP BY workspace_id;
    RETURN NULL;
END $$;

CREATE FUNCTION public.remove_idea_words() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM FROM idea_words
      WHERE (workspace_id, word) IN (SELECT workspace_id, long_words(search) FROM deleted)
      ORDER BY word COLLATE "C" FOR NO KEY UPDATE;
    PERFORM remove_unused_words(workspace_id, array_agg(DISTINCT word))
       FROM (SELECT workspace_id, long_words(search) AS word FROM deleted) AS gone
      GROUP BY workspace_id;
    RETURN NULL;
END $$;

CREATE FUNCTION public.remove_unused_words(workspace uuid, words text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    unused tid[];
BEGIN
    unused := ARRAY(SELECT ctid FROM idea_words AS known
                     WHERE workspace_id = workspace AND word = ANY(words)
                       AND NOT EXISTS (SELECT FROM ideas
                                        WHERE workspace_id = workspace AND portal_visible
                                          AND search @@ phraseto_tsquery('simple', known.word))
                       FOR UPDATE OF known SKIP LOCKED);
    -- Again, with what others have committed until the words were locked.
    DELETE FROM idea_words AS known
     WHERE ctid = ANY(unused)
       AND NOT EXISTS (SELECT FROM ideas
                        WHERE workspace_id = workspace AND portal_visible
                          AND search @@ phraseto_tsquery('simple', known.word));
END $$;

CREATE FUNCTION public.statement_hash(category text, title text, extracts jsonb) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT sha256(convert_to(category || chr(10) || coalesce(nullif(said.words, ''), title), 'UTF8'))
      FROM (SELECT CASE WHEN length(quote.words) > 120 AND strpos(quote.words, short.words) > 0
                        THEN substr(quote.words, strpos(quote.words, short.words)) ELSE short.words END AS words
              FROM (SELECT statement_words(title)) AS short (words),
                   (SELECT statement_words(extracts -> 0 ->> 'text')) AS quote (words)) AS said
$$;

CREATE FUNCTION public.statement_words(statement text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $_$
    SELECT regexp_replace(btrim(regexp_replace(regexp_replace(regexp_replace(
               lower(normalize(statement, NFKC)),
               '[''"`\u00b4\u2018-\u201f\u2039\u203a\u00ab\u00bb\u300c-\u300f\u200b-\u200d\ufe0e\ufe0f]', '', 'g'),
               '[.,;:!?()\[\]{}|~^*_\u00a1\u00bf\u00b7\u2010-\u2016\u2020-\u2027\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff'
               '\u3001-\u3003\u3008-\u301f\U0001f000-\U0001fbff]', ' ', 'g'),
               '(^|\s)-+(?=\D|$)|\s+', ' ', 'g')),
               '( (please|pls|kindly|thanks|thank you|many thanks|thx|cheers|bitte|danke|vielen dank)'
               '( (a lot|so much|very much|a million|again|in advance|you|all|team|im voraus))*)+$', '')
$_$;

CREATE FUNCTION public.step_linked_signals(steps public.linked_signal_step[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    INSERT INTO linked_signals (workspace_id, kind, record_id, signal_id, created_at, number, updated_at)
    SELECT added.workspace_id, added.kind, added.record_id, added.signal_id, s.created_at, s.number, s.updated_at
      FROM unnest(steps) AS added JOIN signals AS s ON s.workspace_id = added.workspace_id AND s.id = added.signal_id
     WHERE added.step > 0
    ON CONFLICT DO NOTHING;
    DELETE FROM linked_signals AS linked USING unnest(steps) AS gone
     WHERE (linked.workspace_id, linked.signal_id, linked.kind, linked.record_id)
           = (gone.workspace_id, gone.signal_id, gone.kind, gone.record_id)
       AND gone.step < 0;
END $$;

CREATE FUNCTION public.take_idea_votes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM idea_votes WHERE workspace_id = NEW.workspace_id AND idea_id = NEW.id
    RETURNING vote_count INTO NEW.vote_count;
    RETURN NEW;
END $$;

CREATE FUNCTION public.undo_deletion() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
    UPDATE changes SET is_undone = true
     WHERE record_id = new.record_id AND action = 'deleted' AND NOT is_undone
       AND (workspace_id = new.workspace_id AND kind = new.kind) IS TRUE;
    RETURN NULL;
END $$;

CREATE FUNCTION public.votes_on_portal(workspace uuid, idea uuid) RETURNS integer
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    AS $$
BEGIN
    RETURN (SELECT vote_count FROM idea_votes WHERE workspace_id = workspace AND idea_id = idea);
END $$;

CREATE FUNCTION public.without_quotes(extracts jsonb, signal_ids text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT jsonb_agg(extract ORDER BY place) FROM jsonb_array_elements(extracts) WITH ORDINALITY AS each (extract, place)
     WHERE (extract ->> 'signalId' = ANY (signal_ids)) IS NOT TRUE
$$;

CREATE FUNCTION public.without_signals(extracts jsonb, signal_ids text[]) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT jsonb_agg(CASE WHEN extract ->> 'signalId' = ANY (signal_ids) THEN extract || '{"signalId": null}'
                          ELSE extract END ORDER BY place)
      FROM jsonb_array_elements(extracts) WITH ORDINALITY AS each (extract, place)
$$;

CREATE TABLE public.account_contacts (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    email text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    "position" integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.accounts (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    key text,
    external_id text,
    name text NOT NULL,
    domain text,
    version integer DEFAULT ((random() * ('1000000000'::numeric)::double precision))::integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    search tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, ((name || ' '::text) || COALESCE(domain, ''::text)))) STORED NOT NULL
);

CREATE TABLE public.api_keys (
    id uuid NOT NULL,
    token_id text NOT NULL,
    secret_hash bytea NOT NULL,
    workspace_id uuid NOT NULL,
    member_id uuid,
    name text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    replaced_by uuid
);

CREATE TABLE public.changes (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL,
    record_id uuid NOT NULL,
    public_id text,
    action text NOT NULL,
    actor_kind text NOT NULL,
    actor_id text,
    at timestamp(3) with time zone NOT NULL,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL,
    written xid8 DEFAULT pg_current_xact_id() NOT NULL,
    is_undone boolean DEFAULT false NOT NULL,
    CONSTRAINT changes_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['key'::text, 'portal_user'::text, 'job'::text, 'file'::text, 'operator'::text])))
);

CREATE TABLE public.document_generations (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    initiative_id uuid NOT NULL,
    document_id uuid NOT NULL,
    type text NOT NULL,
    is_first boolean NOT NULL,
    status text NOT NULL,
    failure jsonb,
    run_after timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    requests integer DEFAULT 1 NOT NULL,
    CONSTRAINT document_generations_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text]))),
    CONSTRAINT document_generations_type_check CHECK ((type = ANY (ARRAY['INITIATIVE_BRIEF'::text, 'PRD'::text, 'TDD'::text])))
);

CREATE TABLE public.document_versions (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    content text NOT NULL,
    sources jsonb DEFAULT '[]'::jsonb NOT NULL,
    writer jsonb,
    written_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.documents (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    initiative_id uuid NOT NULL,
    key text,
    type text NOT NULL,
    version integer NOT NULL,
    content text NOT NULL,
    sources jsonb DEFAULT '[]'::jsonb NOT NULL,
    writer jsonb,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT documents_type_check CHECK ((type = ANY (ARRAY['INITIATIVE_BRIEF'::text, 'PRD'::text, 'TDD'::text]))),
    CONSTRAINT documents_version_check CHECK ((version >= 1))
);

CREATE TABLE public.features (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    product_id uuid NOT NULL,
    parent_id uuid,
    key text,
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    "position" integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT features_check CHECK ((parent_id <> id))
);

CREATE TABLE public.feed_versions (
    workspace_id uuid NOT NULL,
    feed text NOT NULL,
    slot bigint NOT NULL,
    version bigint DEFAULT ((EXTRACT(epoch FROM clock_timestamp()) * (1000000)::numeric))::bigint NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE public.feed_versions ALTER COLUMN slot ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.feed_versions_slot_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.idea_accounts (
    workspace_id uuid NOT NULL,
    idea_id uuid NOT NULL,
    account_id uuid NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.idea_accounts ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.idea_accounts_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.idea_aliases (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    idea_id uuid NOT NULL,
    source_key text,
    integration_id uuid,
    external_id text NOT NULL,
    CONSTRAINT idea_aliases_check CHECK (((source_key IS NOT NULL) OR (integration_id IS NOT NULL)))
);

CREATE TABLE public.idea_classifications (
    workspace_id uuid NOT NULL,
    idea_id uuid NOT NULL,
    group_id uuid NOT NULL,
    option_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    text_value text,
    review_state text DEFAULT 'unreviewed'::text NOT NULL,
    origin text,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT idea_classifications_origin_check CHECK ((origin = ANY (ARRAY['api'::text, 'suggested'::text, 'manual'::text]))),
    CONSTRAINT idea_classifications_review_state_check CHECK ((review_state = ANY (ARRAY['unreviewed'::text, 'accepted'::text, 'rejected'::text, 'corrected'::text, 'unassigned'::text])))
);

CREATE TABLE public.idea_comments (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    idea_id uuid NOT NULL,
    key text,
    member_id uuid,
    portal_user_id uuid,
    api_key_id uuid,
    body text NOT NULL,
    visibility text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT idea_comments_visibility_check CHECK ((visibility = ANY (ARRAY['internal'::text, 'portal'::text])))
);

CREATE TABLE public.idea_evidence (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    idea_id uuid NOT NULL,
    key text,
    title text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    category text NOT NULL,
    extracts jsonb,
    signal_id uuid,
    role text NOT NULL,
    origin text NOT NULL,
    resolved_at timestamp(3) with time zone,
    resolution text,
    resolved_by uuid,
    dismissed_at timestamp(3) with time zone,
    version integer DEFAULT ((random() * ('1000000000'::numeric)::double precision))::integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT idea_evidence_origin_check CHECK ((origin = ANY (ARRAY['entity_creation'::text, 'manual'::text, 'import'::text, 'study'::text, 'research'::text, 'portal'::text]))),
    CONSTRAINT idea_evidence_role_check CHECK ((role = ANY (ARRAY['supports'::text, 'qualifies'::text, 'contradicts'::text, 'context'::text])))
);

CREATE TABLE public.idea_features (
    workspace_id uuid NOT NULL,
    idea_id uuid NOT NULL,
    feature_id uuid NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.idea_features ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.idea_features_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.idea_insights (
    workspace_id uuid NOT NULL,
    idea_id uuid NOT NULL,
    insight_id uuid NOT NULL,
    validated boolean DEFAULT false NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.idea_insights ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.idea_insights_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.idea_opportunities (
    workspace_id uuid NOT NULL,
    idea_id uuid NOT NULL,
    opportunity_id uuid NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.idea_opportunities ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.idea_opportunities_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.idea_questions (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    idea_id uuid NOT NULL,
    key text,
    question text NOT NULL,
    answer text,
    placeholder text DEFAULT ''::text NOT NULL,
    reasoning text DEFAULT ''::text NOT NULL,
    status text NOT NULL,
    origin text DEFAULT 'manual'::text NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT idea_questions_origin_check CHECK ((origin = ANY (ARRAY['manual'::text, 'engine'::text]))),
    CONSTRAINT idea_questions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'skipped'::text, 'answered'::text, 'rejected'::text])))
);

CREATE TABLE public.idea_statuses (
    workspace_id uuid NOT NULL,
    label text NOT NULL,
    "position" integer NOT NULL,
    promotion boolean DEFAULT false NOT NULL,
    portal jsonb,
    provisional boolean DEFAULT false NOT NULL,
    CONSTRAINT idea_statuses_label_check CHECK (((char_length(label) >= 1) AND (char_length(label) <= 120)))
);

CREATE TABLE public.idea_votes (
    workspace_id uuid NOT NULL,
    idea_id uuid NOT NULL,
    number bigint NOT NULL,
    vote_count integer NOT NULL,
    imported integer NOT NULL,
    total integer GENERATED ALWAYS AS ((vote_count + imported)) STORED NOT NULL
);

CREATE TABLE public.idea_words (
    workspace_id uuid NOT NULL,
    word text NOT NULL,
    added_by xid8 DEFAULT pg_current_xact_id() NOT NULL
);

CREATE TABLE public.ideas (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    number bigint NOT NULL,
    key text,
    name text NOT NULL,
    description text NOT NULL,
    status text NOT NULL,
    product_id uuid,
    initiative_id uuid,
    integration_id uuid,
    sprint_id uuid,
    source_key text,
    external_id text,
    created_source text,
    provenance jsonb,
    feature_ownership text DEFAULT 'automatic'::text NOT NULL,
    feature_matching jsonb,
    matched_key text,
    feature_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    opportunity_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    insight_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    account_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    taxonomy_version_id uuid,
    portal_visible boolean DEFAULT false NOT NULL,
    vote_count integer DEFAULT 0 NOT NULL,
    version integer DEFAULT ((random() * ('1000000000'::numeric)::double precision))::integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    model_due_at timestamp(3) with time zone,
    model_attempts smallint DEFAULT 0 NOT NULL,
    name_drafted boolean DEFAULT false NOT NULL,
    search tsvector NOT NULL,
    official_answer text,
    imported_vote_count integer DEFAULT 0 NOT NULL,
    CONSTRAINT ideas_feature_ownership_check CHECK ((feature_ownership = ANY (ARRAY['automatic'::text, 'manual'::text]))),
    CONSTRAINT ideas_imported_vote_count_check CHECK ((imported_vote_count >= 0)),
    CONSTRAINT ideas_official_answer_check CHECK ((char_length(official_answer) <= 10000))
);

CREATE TABLE public.idempotency_keys (
    workspace_id uuid NOT NULL,
    key_id uuid NOT NULL,
    operation text NOT NULL,
    value text NOT NULL,
    body_hash bytea NOT NULL,
    status smallint NOT NULL,
    headers jsonb DEFAULT '{}'::jsonb NOT NULL,
    body bytea NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    record_id uuid,
    quoted_ids uuid[]
);

CREATE TABLE public.initiative_features (
    workspace_id uuid NOT NULL,
    initiative_id uuid NOT NULL,
    feature_id uuid NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.initiative_features ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.initiative_features_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.initiative_questions (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    initiative_id uuid NOT NULL,
    key text,
    question text NOT NULL,
    answer text,
    placeholder text DEFAULT ''::text NOT NULL,
    "position" integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    stale boolean DEFAULT false NOT NULL
);

CREATE TABLE public.initiative_teams (
    workspace_id uuid NOT NULL,
    initiative_id uuid NOT NULL,
    team_id uuid NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.initiative_teams ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.initiative_teams_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.initiatives (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    number bigint NOT NULL,
    key text,
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    status text NOT NULL,
    is_active boolean GENERATED ALWAYS AS ((status <> ALL (ARRAY['COMPLETED'::text, 'ARCHIVED'::text]))) STORED NOT NULL,
    priority text DEFAULT 'MEDIUM'::text NOT NULL,
    product_id uuid,
    start_date date,
    finish_date date,
    request_hash bytea,
    team_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    feature_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    version integer DEFAULT ((random() * ('1000000000'::numeric)::double precision))::integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    search tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, translate(((name || ' '::text) || description), '.-/:@_+~\<>&'::text, '            '::text))) STORED NOT NULL,
    CONSTRAINT initiatives_check CHECK ((start_date <= finish_date)),
    CONSTRAINT initiatives_priority_check CHECK ((priority = ANY (ARRAY['URGENT'::text, 'HIGH'::text, 'MEDIUM'::text, 'LOW'::text]))),
    CONSTRAINT initiatives_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'UNPLANNED'::text, 'PLANNED'::text, 'IN_PROGRESS'::text, 'COMPLETED'::text, 'ARCHIVED'::text])))
);

CREATE TABLE public.insight_accounts (
    workspace_id uuid NOT NULL,
    insight_id uuid NOT NULL,
    account_id uuid NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.insight_accounts ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.insight_accounts_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.insight_keys (
    workspace_id uuid NOT NULL,
    hash bytea NOT NULL,
    insight_id uuid
);

CREATE TABLE public.insight_signals (
    workspace_id uuid NOT NULL,
    insight_id uuid NOT NULL,
    signal_id uuid NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.insight_signals ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.insight_signals_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.insights (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    key text,
    external_id text,
    title text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    category text NOT NULL,
    extracts jsonb,
    review_state text DEFAULT 'unreviewed'::text NOT NULL,
    merged_into uuid,
    origin text DEFAULT 'manual'::text NOT NULL,
    account_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    signal_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    version integer DEFAULT ((random() * ('1000000000'::numeric)::double precision))::integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    account_count integer GENERATED ALWAYS AS (cardinality(account_ids)) STORED NOT NULL,
    search tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, translate(((title || ' '::text) || "left"(description, 100000)), '.-/:@_+~\<>&'::text, '            '::text))) STORED NOT NULL,
    CONSTRAINT insights_review_state_check CHECK ((review_state = ANY (ARRAY['unreviewed'::text, 'accepted'::text, 'edited'::text, 'rejected'::text, 'merged'::text])))
);

CREATE TABLE public.integrations (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    key text,
    kind text NOT NULL,
    name text NOT NULL,
    manages_status boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.job_totals (
    kind text NOT NULL,
    outcome text NOT NULL,
    jobs bigint NOT NULL,
    seconds double precision NOT NULL,
    CONSTRAINT job_totals_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'retried'::text, 'failed'::text])))
);

CREATE TABLE public.jobs (
    id bigint NOT NULL,
    kind text NOT NULL,
    workspace_id uuid NOT NULL,
    record_id uuid NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    run_after timestamp(3) with time zone DEFAULT now() NOT NULL,
    again_after timestamp(3) with time zone,
    run bigint DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    held_until timestamp(3) with time zone,
    error text,
    stop text,
    is_revived boolean DEFAULT false NOT NULL,
    added_at timestamp(3) with time zone DEFAULT now() NOT NULL,
    since timestamp(3) with time zone DEFAULT now() NOT NULL,
    CONSTRAINT jobs_check CHECK (((state = 'running'::text) = (held_until IS NOT NULL))),
    CONSTRAINT jobs_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'failed'::text])))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='1000', autovacuum_analyze_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');

ALTER TABLE public.jobs ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.linked_signals (
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    record_id uuid NOT NULL,
    signal_id uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    number bigint NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT linked_signals_kind_check CHECK ((kind = ANY (ARRAY['account'::text, 'initiative'::text, 'insight'::text, 'study'::text])))
);

CREATE TABLE public.members (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    key text,
    email text NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    active boolean DEFAULT true NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'editor'::text, 'viewer'::text])))
);

CREATE TABLE public.model_usage (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    task text NOT NULL,
    record_id uuid NOT NULL,
    model text NOT NULL,
    failure text,
    requests integer NOT NULL,
    unmeasured integer NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    seconds double precision NOT NULL,
    cost numeric,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.opportunities (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    key text,
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    version integer DEFAULT ((random() * ('1000000000'::numeric)::double precision))::integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.plans (
    workspace_id uuid NOT NULL,
    initiative_limit integer,
    active_initiative_limit integer,
    trial_ends_at timestamp(3) with time zone,
    ai_credits integer,
    ai_credits_used integer DEFAULT 0 NOT NULL,
    ai_credits_reserved integer DEFAULT 0 NOT NULL,
    research_policies text[] DEFAULT '{on_demand,daily,weekly}'::text[] NOT NULL,
    managed_schedule boolean DEFAULT false NOT NULL,
    CONSTRAINT plans_active_initiative_limit_check CHECK ((active_initiative_limit >= 0)),
    CONSTRAINT plans_ai_credits_check CHECK ((ai_credits >= 0)),
    CONSTRAINT plans_ai_credits_reserved_check CHECK ((ai_credits_reserved >= 0)),
    CONSTRAINT plans_ai_credits_used_check CHECK ((ai_credits_used >= 0)),
    CONSTRAINT plans_initiative_limit_check CHECK ((initiative_limit >= 0))
);

CREATE TABLE public.portal_requests (
    workspace_id uuid NOT NULL,
    idea_id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.portal_sessions (
    token_hash bytea NOT NULL,
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.portal_used_tokens (
    workspace_id uuid NOT NULL,
    jti_hash bytea NOT NULL,
    valid_until timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.portal_user_accounts (
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    account_id uuid NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.portal_user_accounts ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.portal_user_accounts_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.portal_users (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    key text,
    subject text,
    email text NOT NULL,
    first_name text DEFAULT ''::text NOT NULL,
    last_name text DEFAULT ''::text NOT NULL,
    last_seen_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    visited_at timestamp(3) with time zone,
    visited_before timestamp(3) with time zone
);

CREATE TABLE public.portal_votes (
    workspace_id uuid NOT NULL,
    idea_id uuid NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.portal_waiting_forms (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    browser_hash bytea NOT NULL,
    network_hash bytea NOT NULL,
    path text NOT NULL,
    fields jsonb NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.portals (
    workspace_id uuid NOT NULL,
    alias text NOT NULL,
    host text,
    name text NOT NULL,
    intro text DEFAULT ''::text NOT NULL,
    accent_color text DEFAULT '#0a7'::text NOT NULL,
    language text DEFAULT 'en'::text NOT NULL,
    facets text[] DEFAULT '{}'::text[] NOT NULL,
    comments_enabled boolean DEFAULT true NOT NULL,
    requests_visible boolean DEFAULT false NOT NULL,
    remote_login_url text,
    remote_logout_url text,
    secret bytea,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.products (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    key text,
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    map_version bigint DEFAULT ((random() * ('1000000000'::numeric)::double precision))::bigint NOT NULL,
    version integer DEFAULT ((random() * ('1000000000'::numeric)::double precision))::integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.public_numbers (
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    last bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.record_counts (
    workspace_id uuid NOT NULL,
    kind text NOT NULL,
    slot smallint NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT record_counts_slot_check CHECK (((slot >= 0) AND (slot <= 15)))
);

CREATE TABLE public.renames (
    workspace_id uuid NOT NULL,
    record_id uuid NOT NULL,
    renamed_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.research_briefs (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    key text,
    name text NOT NULL,
    question text DEFAULT ''::text NOT NULL,
    state text NOT NULL,
    row_version integer DEFAULT 1 NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    definition jsonb NOT NULL,
    run_policy text DEFAULT 'on_demand'::text NOT NULL,
    timezone text DEFAULT 'UTC'::text NOT NULL,
    next_run_at timestamp(3) with time zone,
    search tsvector,
    created_by uuid,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    kept_revision integer,
    kept_definition jsonb,
    CONSTRAINT research_briefs_run_policy_check CHECK ((run_policy = ANY (ARRAY['on_demand'::text, 'daily'::text, 'weekly'::text]))),
    CONSTRAINT research_briefs_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'active'::text, 'paused'::text, 'archived'::text])))
);

CREATE TABLE public.research_findings (
    workspace_id uuid NOT NULL,
    run_id uuid NOT NULL,
    section_id uuid NOT NULL,
    id uuid NOT NULL,
    source_id uuid,
    "position" integer NOT NULL,
    title text NOT NULL,
    url text NOT NULL,
    publisher text,
    published_at timestamp(3) with time zone,
    retrieved_at timestamp(3) with time zone NOT NULL,
    relevance jsonb NOT NULL,
    observations jsonb DEFAULT '[]'::jsonb NOT NULL,
    provenance jsonb NOT NULL
);

CREATE TABLE public.research_records (
    workspace_id uuid NOT NULL,
    run_id uuid NOT NULL,
    id uuid NOT NULL,
    section_id uuid,
    "position" integer NOT NULL,
    connector text NOT NULL,
    external_id text NOT NULL,
    label text NOT NULL,
    rating double precision,
    title text DEFAULT ''::text NOT NULL,
    body text DEFAULT ''::text NOT NULL,
    app_version text,
    storefront text,
    submitted_at timestamp(3) with time zone,
    url text
);

CREATE TABLE public.research_runs (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    brief_id uuid NOT NULL,
    operation_id uuid NOT NULL,
    request_id uuid,
    request_hash bytea,
    trigger text NOT NULL,
    slot timestamp(3) with time zone,
    status text NOT NULL,
    revision integer DEFAULT 1 NOT NULL,
    definition jsonb NOT NULL,
    from_date_time timestamp(3) with time zone,
    to_date_time timestamp(3) with time zone,
    native_read_count integer DEFAULT 0 NOT NULL,
    review_themes jsonb DEFAULT '[]'::jsonb NOT NULL,
    scores jsonb DEFAULT '[]'::jsonb NOT NULL,
    credits_reserved integer DEFAULT 0 NOT NULL,
    addition_status text,
    addition_product_id uuid,
    addition_signal_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    addition_failure text,
    failure text,
    created_at timestamp(3) with time zone NOT NULL,
    started_at timestamp(3) with time zone,
    finished_at timestamp(3) with time zone,
    CONSTRAINT research_runs_addition_status_check CHECK ((addition_status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text]))),
    CONSTRAINT research_runs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text, 'stopped'::text]))),
    CONSTRAINT research_runs_trigger_check CHECK ((trigger = ANY (ARRAY['manual'::text, 'schedule'::text])))
);

CREATE TABLE public.research_sections (
    workspace_id uuid NOT NULL,
    run_id uuid NOT NULL,
    id uuid NOT NULL,
    "position" integer NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    status text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    answer jsonb,
    failure text,
    sealed_at timestamp(3) with time zone,
    CONSTRAINT research_sections_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text, 'stopped'::text]))),
    CONSTRAINT research_sections_type_check CHECK ((type = ANY (ARRAY['competitors'::text, 'market'::text, 'custom'::text])))
);

CREATE TABLE public.research_sources (
    workspace_id uuid NOT NULL,
    run_id uuid NOT NULL,
    id uuid NOT NULL,
    url text NOT NULL,
    content_hash text NOT NULL,
    content text NOT NULL,
    retrieved_at timestamp(3) with time zone NOT NULL,
    language text
);

CREATE TABLE public.schema_revisions (
    revision text NOT NULL,
    applied_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.signal_accounts (
    workspace_id uuid NOT NULL,
    signal_id uuid NOT NULL,
    account_id uuid NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.signal_accounts ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.signal_accounts_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.signal_initiatives (
    workspace_id uuid NOT NULL,
    signal_id uuid NOT NULL,
    initiative_id uuid NOT NULL,
    accepted boolean DEFAULT false NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.signal_initiatives ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.signal_initiatives_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.signal_raw (
    workspace_id uuid NOT NULL,
    signal_id uuid NOT NULL,
    raw jsonb NOT NULL
);

CREATE TABLE public.signal_studies (
    workspace_id uuid NOT NULL,
    signal_id uuid NOT NULL,
    study_id uuid NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.signal_studies ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.signal_studies_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.sprints (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    key text,
    name text NOT NULL,
    state text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT sprints_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'active'::text, 'completed'::text])))
);

CREATE TABLE public.studies (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    number bigint NOT NULL,
    key text,
    name text NOT NULL,
    status text NOT NULL,
    type text NOT NULL,
    phase text NOT NULL,
    app_path text NOT NULL,
    initiative_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    idea_ids uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    version integer DEFAULT ((random() * ('1000000000'::numeric)::double precision))::integer NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.study_feedback (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    key text,
    external_id text,
    study_id uuid NOT NULL,
    rating double precision NOT NULL,
    metric text NOT NULL,
    subject_type text NOT NULL,
    subject_id uuid NOT NULL,
    comment text,
    submitted_at timestamp(3) with time zone NOT NULL,
    source text NOT NULL,
    account_id uuid,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT study_feedback_rating_check CHECK (((rating >= (0)::double precision) AND (rating <= (10)::double precision))),
    CONSTRAINT study_feedback_source_check CHECK ((source = ANY (ARRAY['study_completion'::text, 'live_interview'::text])))
);

CREATE TABLE public.study_ideas (
    workspace_id uuid NOT NULL,
    study_id uuid NOT NULL,
    idea_id uuid NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.study_ideas ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.study_ideas_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.study_initiatives (
    workspace_id uuid NOT NULL,
    study_id uuid NOT NULL,
    initiative_id uuid NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.study_initiatives ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.study_initiatives_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.taxonomy_groups (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    key text NOT NULL,
    label text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    kind text NOT NULL,
    selection_mode text,
    required boolean DEFAULT false NOT NULL,
    "position" integer NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    CONSTRAINT taxonomy_groups_check CHECK (((kind = 'list'::text) = (selection_mode IS NOT NULL))),
    CONSTRAINT taxonomy_groups_kind_check CHECK ((kind = ANY (ARRAY['list'::text, 'text'::text]))),
    CONSTRAINT taxonomy_groups_selection_mode_check CHECK ((selection_mode = ANY (ARRAY['single'::text, 'multi'::text])))
);

CREATE TABLE public.taxonomy_options (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    group_id uuid NOT NULL,
    key text NOT NULL,
    label text NOT NULL,
    "position" integer NOT NULL,
    is_active boolean DEFAULT true NOT NULL
);

CREATE TABLE public.taxonomy_versions (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    version integer NOT NULL,
    groups jsonb NOT NULL,
    activated_at timestamp(3) with time zone NOT NULL,
    is_active boolean NOT NULL
);

CREATE TABLE public.team_members (
    workspace_id uuid NOT NULL,
    team_id uuid NOT NULL,
    member_id uuid NOT NULL,
    link bigint NOT NULL
);

ALTER TABLE public.team_members ALTER COLUMN link ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.team_members_link_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.teams (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    key text,
    name text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);

CREATE TABLE public.workspaces (
    id uuid NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    updated_at timestamp(3) with time zone NOT NULL
);

ALTER TABLE ONLY public.account_contacts
    ADD CONSTRAINT account_contacts_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_token_id_key UNIQUE (token_id);

ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.document_generations
    ADD CONSTRAINT document_generations_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.document_versions
    ADD CONSTRAINT document_versions_pkey PRIMARY KEY (workspace_id, document_id, version);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_workspace_id_initiative_id_type_key UNIQUE (workspace_id, initiative_id, type);

ALTER TABLE ONLY public.features
    ADD CONSTRAINT features_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.features
    ADD CONSTRAINT features_workspace_id_product_id_id_key UNIQUE (workspace_id, product_id, id);

ALTER TABLE ONLY public.feed_versions
    ADD CONSTRAINT feed_versions_pkey PRIMARY KEY (workspace_id, feed, slot);

ALTER TABLE ONLY public.idea_accounts
    ADD CONSTRAINT idea_accounts_pkey PRIMARY KEY (workspace_id, idea_id, account_id);

ALTER TABLE ONLY public.idea_aliases
    ADD CONSTRAINT idea_aliases_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.idea_classifications
    ADD CONSTRAINT idea_classifications_pkey PRIMARY KEY (workspace_id, idea_id, group_id);

ALTER TABLE ONLY public.idea_comments
    ADD CONSTRAINT idea_comments_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.idea_evidence
    ADD CONSTRAINT idea_evidence_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.idea_features
    ADD CONSTRAINT idea_features_pkey PRIMARY KEY (workspace_id, idea_id, feature_id);

ALTER TABLE ONLY public.idea_insights
    ADD CONSTRAINT idea_insights_pkey PRIMARY KEY (workspace_id, idea_id, insight_id);

ALTER TABLE ONLY public.idea_opportunities
    ADD CONSTRAINT idea_opportunities_pkey PRIMARY KEY (workspace_id, idea_id, opportunity_id);

ALTER TABLE ONLY public.idea_questions
    ADD CONSTRAINT idea_questions_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.idea_statuses
    ADD CONSTRAINT idea_statuses_pkey PRIMARY KEY (workspace_id, label);

ALTER TABLE ONLY public.idea_votes
    ADD CONSTRAINT idea_votes_pkey PRIMARY KEY (workspace_id, idea_id);

ALTER TABLE ONLY public.idea_words
    ADD CONSTRAINT idea_words_pkey PRIMARY KEY (workspace_id, word, added_by);

ALTER TABLE ONLY public.ideas
    ADD CONSTRAINT ideas_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (workspace_id, key_id, operation, value);

ALTER TABLE ONLY public.initiative_features
    ADD CONSTRAINT initiative_features_pkey PRIMARY KEY (workspace_id, initiative_id, feature_id);

ALTER TABLE ONLY public.initiative_questions
    ADD CONSTRAINT initiative_questions_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.initiative_teams
    ADD CONSTRAINT initiative_teams_pkey PRIMARY KEY (workspace_id, initiative_id, team_id);

ALTER TABLE ONLY public.initiatives
    ADD CONSTRAINT initiatives_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.insight_accounts
    ADD CONSTRAINT insight_accounts_pkey PRIMARY KEY (workspace_id, insight_id, account_id);

ALTER TABLE ONLY public.insight_keys
    ADD CONSTRAINT insight_keys_pkey PRIMARY KEY (workspace_id, hash);

ALTER TABLE ONLY public.insight_signals
    ADD CONSTRAINT insight_signals_pkey PRIMARY KEY (workspace_id, insight_id, signal_id);

ALTER TABLE ONLY public.insights
    ADD CONSTRAINT insights_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.integrations
    ADD CONSTRAINT integrations_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.job_totals
    ADD CONSTRAINT job_totals_pkey PRIMARY KEY (kind, outcome);

ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.linked_signals
    ADD CONSTRAINT linked_signals_pkey PRIMARY KEY (workspace_id, signal_id, kind, record_id);

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.model_usage
    ADD CONSTRAINT model_usage_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.opportunities
    ADD CONSTRAINT opportunities_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY (workspace_id);

ALTER TABLE ONLY public.portal_requests
    ADD CONSTRAINT portal_requests_pkey PRIMARY KEY (workspace_id, idea_id, user_id);

ALTER TABLE ONLY public.portal_sessions
    ADD CONSTRAINT portal_sessions_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY public.portal_used_tokens
    ADD CONSTRAINT portal_used_tokens_pkey PRIMARY KEY (workspace_id, jti_hash);

ALTER TABLE ONLY public.portal_user_accounts
    ADD CONSTRAINT portal_user_accounts_pkey PRIMARY KEY (workspace_id, user_id, account_id);

ALTER TABLE ONLY public.portal_users
    ADD CONSTRAINT portal_users_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.portal_votes
    ADD CONSTRAINT portal_votes_pkey PRIMARY KEY (workspace_id, idea_id, user_id);

ALTER TABLE ONLY public.portal_waiting_forms
    ADD CONSTRAINT portal_waiting_forms_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_alias_key UNIQUE (alias);

ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_host_key UNIQUE (host);

ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_pkey PRIMARY KEY (workspace_id);

ALTER TABLE ONLY public.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.public_numbers
    ADD CONSTRAINT public_numbers_pkey PRIMARY KEY (workspace_id, kind);

ALTER TABLE ONLY public.record_counts
    ADD CONSTRAINT record_counts_pkey PRIMARY KEY (workspace_id, kind, slot);

ALTER TABLE ONLY public.renames
    ADD CONSTRAINT renames_pkey PRIMARY KEY (workspace_id, record_id, renamed_at);

ALTER TABLE ONLY public.research_briefs
    ADD CONSTRAINT research_briefs_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.research_findings
    ADD CONSTRAINT research_findings_pkey PRIMARY KEY (workspace_id, run_id, id);

ALTER TABLE ONLY public.research_records
    ADD CONSTRAINT research_records_pkey PRIMARY KEY (workspace_id, run_id, id);

ALTER TABLE ONLY public.research_runs
    ADD CONSTRAINT research_runs_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.research_sections
    ADD CONSTRAINT research_sections_pkey PRIMARY KEY (workspace_id, run_id, id);

ALTER TABLE ONLY public.research_sources
    ADD CONSTRAINT research_sources_pkey PRIMARY KEY (workspace_id, run_id, id);

ALTER TABLE ONLY public.schema_revisions
    ADD CONSTRAINT schema_revisions_pkey PRIMARY KEY (revision);

ALTER TABLE ONLY public.signal_accounts
    ADD CONSTRAINT signal_accounts_pkey PRIMARY KEY (workspace_id, signal_id, account_id);

ALTER TABLE ONLY public.signal_initiatives
    ADD CONSTRAINT signal_initiatives_pkey PRIMARY KEY (workspace_id, signal_id, initiative_id);

ALTER TABLE ONLY public.signal_raw
    ADD CONSTRAINT signal_raw_pkey PRIMARY KEY (workspace_id, signal_id);

ALTER TABLE ONLY public.signal_studies
    ADD CONSTRAINT signal_studies_pkey PRIMARY KEY (workspace_id, signal_id, study_id);

ALTER TABLE ONLY public.signals
    ADD CONSTRAINT signals_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.sprints
    ADD CONSTRAINT sprints_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.studies
    ADD CONSTRAINT studies_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.study_feedback
    ADD CONSTRAINT study_feedback_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.study_ideas
    ADD CONSTRAINT study_ideas_pkey PRIMARY KEY (workspace_id, study_id, idea_id);

ALTER TABLE ONLY public.study_initiatives
    ADD CONSTRAINT study_initiatives_pkey PRIMARY KEY (workspace_id, study_id, initiative_id);

ALTER TABLE ONLY public.taxonomy_groups
    ADD CONSTRAINT taxonomy_groups_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.taxonomy_groups
    ADD CONSTRAINT taxonomy_groups_workspace_id_key_key UNIQUE (workspace_id, key);

ALTER TABLE ONLY public.taxonomy_options
    ADD CONSTRAINT taxonomy_options_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.taxonomy_options
    ADD CONSTRAINT taxonomy_options_workspace_id_group_id_key_key UNIQUE (workspace_id, group_id, key);

ALTER TABLE ONLY public.taxonomy_versions
    ADD CONSTRAINT taxonomy_versions_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.taxonomy_versions
    ADD CONSTRAINT taxonomy_versions_workspace_id_version_key UNIQUE (workspace_id, version);

ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_pkey PRIMARY KEY (workspace_id, team_id, member_id);

ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_pkey PRIMARY KEY (workspace_id, id);

ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_slug_key UNIQUE (slug);

CREATE INDEX account_contacts_email ON public.account_contacts USING btree (workspace_id, lower(email));

CREATE UNIQUE INDEX account_contacts_of_account ON public.account_contacts USING btree (workspace_id, account_id, lower(email));

CREATE INDEX accounts_by_name ON public.accounts USING btree (workspace_id, name, id);

CREATE INDEX accounts_changed ON public.accounts USING btree (workspace_id, updated_at, id);

CREATE INDEX accounts_domain ON public.accounts USING btree (workspace_id, lower(domain)) WHERE (domain IS NOT NULL);

CREATE UNIQUE INDEX accounts_external_id ON public.accounts USING btree (workspace_id, external_id) WHERE (external_id IS NOT NULL);

CREATE UNIQUE INDEX accounts_key ON public.accounts USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE INDEX accounts_newest ON public.accounts USING btree (workspace_id, created_at DESC, id DESC);

CREATE INDEX accounts_search ON public.accounts USING gin (search);

CREATE INDEX api_keys_of_member ON public.api_keys USING btree (workspace_id, member_id) WHERE (member_id IS NOT NULL);

CREATE INDEX api_keys_of_workspace ON public.api_keys USING btree (workspace_id, created_at);

CREATE INDEX changes_by_time ON public.changes USING btree (workspace_id, at, id);

CREATE INDEX changes_by_writing ON public.changes USING btree (written, id);

CREATE INDEX changes_deleted ON public.changes USING btree (workspace_id, kind, is_undone, at, id) WHERE (action = 'deleted'::text);

CREATE INDEX changes_deleted_of ON public.changes USING btree (record_id) WHERE ((action = 'deleted'::text) AND (NOT is_undone));

CREATE INDEX changes_of_record ON public.changes USING btree (workspace_id, record_id, at, id);

CREATE UNIQUE INDEX document_generations_active ON public.document_generations USING btree (workspace_id, initiative_id, type) WHERE (status = 'pending'::text);

CREATE INDEX document_generations_of_initiative ON public.document_generations USING btree (workspace_id, initiative_id, created_at);

CREATE UNIQUE INDEX documents_key ON public.documents USING btree (workspace_id, initiative_id, key) WHERE (key IS NOT NULL);

CREATE UNIQUE INDEX features_key ON public.features USING btree (workspace_id, product_id, key) WHERE (key IS NOT NULL);

CREATE INDEX features_of_parent ON public.features USING btree (workspace_id, product_id, parent_id) WHERE (parent_id IS NOT NULL);

CREATE INDEX features_of_product ON public.features USING btree (workspace_id, product_id, "position", id);

CREATE INDEX idea_accounts_of_account ON public.idea_accounts USING btree (workspace_id, account_id, idea_id);

CREATE UNIQUE INDEX idea_aliases_integration ON public.idea_aliases USING btree (workspace_id, external_id, integration_id);

CREATE INDEX idea_aliases_of_idea ON public.idea_aliases USING btree (workspace_id, idea_id);

CREATE INDEX idea_aliases_of_integration ON public.idea_aliases USING btree (workspace_id, integration_id) WHERE (integration_id IS NOT NULL);

CREATE UNIQUE INDEX idea_aliases_source ON public.idea_aliases USING btree (workspace_id, external_id, source_key);

CREATE INDEX idea_classifications_of_group ON public.idea_classifications USING btree (workspace_id, group_id, idea_id);

CREATE UNIQUE INDEX idea_comments_key ON public.idea_comments USING btree (workspace_id, idea_id, key) WHERE (key IS NOT NULL);

CREATE INDEX idea_comments_of_idea ON public.idea_comments USING btree (workspace_id, idea_id, created_at, id);

CREATE UNIQUE INDEX idea_evidence_key ON public.idea_evidence USING btree (workspace_id, idea_id, key) WHERE (key IS NOT NULL);

CREATE INDEX idea_evidence_of_idea ON public.idea_evidence USING btree (workspace_id, idea_id, created_at DESC, id);

CREATE INDEX idea_evidence_of_signal ON public.idea_evidence USING btree (workspace_id, signal_id) WHERE (signal_id IS NOT NULL);

CREATE INDEX idea_evidence_quoting ON public.idea_evidence USING gin (jsonb_path_query_array(extracts, '$[*]."signalId"'::jsonpath) jsonb_path_ops) WHERE (extracts IS NOT NULL);

CREATE INDEX idea_features_of_feature ON public.idea_features USING btree (workspace_id, feature_id, idea_id);

CREATE INDEX idea_insights_of_insight ON public.idea_insights USING btree (workspace_id, insight_id, idea_id);

CREATE INDEX idea_opportunities_of_opportunity ON public.idea_opportunities USING btree (workspace_id, opportunity_id, idea_id);

CREATE UNIQUE INDEX idea_questions_key ON public.idea_questions USING btree (workspace_id, idea_id, key) WHERE (key IS NOT NULL);

CREATE INDEX idea_questions_of_idea ON public.idea_questions USING btree (workspace_id, idea_id, created_at, id);

CREATE INDEX idea_statuses_in_order ON public.idea_statuses USING btree (workspace_id, "position", label);

CREATE UNIQUE INDEX idea_statuses_promotion ON public.idea_statuses USING btree (workspace_id) WHERE promotion;

CREATE INDEX idea_votes_most ON public.idea_votes USING btree (workspace_id, total DESC, number DESC);

CREATE INDEX ideas_by_status ON public.ideas USING btree (workspace_id, status, created_at DESC, number DESC);

CREATE INDEX ideas_changed ON public.ideas USING btree (workspace_id, updated_at, id);

CREATE INDEX ideas_due ON public.ideas USING btree (model_due_at) WHERE (model_due_at IS NOT NULL);

CREATE INDEX ideas_external_id ON public.ideas USING btree (workspace_id, external_id) WHERE (external_id IS NOT NULL);

CREATE UNIQUE INDEX ideas_integration_identity ON public.ideas USING btree (workspace_id, integration_id, external_id) WHERE (integration_id IS NOT NULL);

CREATE UNIQUE INDEX ideas_key ON public.ideas USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE INDEX ideas_newest ON public.ideas USING btree (workspace_id, created_at DESC, number DESC) INCLUDE (id);

CREATE UNIQUE INDEX ideas_number ON public.ideas USING btree (workspace_id, number);

CREATE INDEX ideas_of_initiative ON public.ideas USING btree (workspace_id, initiative_id, id) WHERE (initiative_id IS NOT NULL);

CREATE INDEX ideas_of_integration ON public.ideas USING btree (workspace_id, integration_id, created_at DESC, number DESC) INCLUDE (id) WHERE (integration_id IS NOT NULL);

CREATE INDEX ideas_of_product ON public.ideas USING btree (workspace_id, product_id, id) WHERE (product_id IS NOT NULL);

CREATE INDEX ideas_of_source ON public.ideas USING btree (workspace_id, source_key, created_at DESC, number DESC) INCLUDE (id) WHERE (source_key IS NOT NULL);

CREATE INDEX ideas_of_sprint ON public.ideas USING btree (workspace_id, sprint_id) WHERE (sprint_id IS NOT NULL);

CREATE INDEX ideas_on_portal ON public.ideas USING btree (workspace_id, created_at DESC, number DESC) WHERE portal_visible;

CREATE INDEX ideas_search ON public.ideas USING gin (search);

CREATE UNIQUE INDEX ideas_source_identity ON public.ideas USING btree (workspace_id, source_key, external_id) WHERE (source_key IS NOT NULL);

CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);

CREATE INDEX idempotency_keys_of_quoted ON public.idempotency_keys USING gin (quoted_ids) WHERE (quoted_ids IS NOT NULL);

CREATE INDEX idempotency_keys_of_record ON public.idempotency_keys USING btree (workspace_id, record_id) WHERE (record_id IS NOT NULL);

CREATE INDEX initiative_features_of_feature ON public.initiative_features USING btree (workspace_id, feature_id, initiative_id);

CREATE UNIQUE INDEX initiative_questions_key ON public.initiative_questions USING btree (workspace_id, initiative_id, key) WHERE (key IS NOT NULL);

CREATE INDEX initiative_questions_of_initiative ON public.initiative_questions USING btree (workspace_id, initiative_id, "position", id);

CREATE INDEX initiative_teams_of_team ON public.initiative_teams USING btree (workspace_id, team_id, initiative_id);

CREATE INDEX initiatives_active ON public.initiatives USING btree (workspace_id) WHERE is_active;

CREATE INDEX initiatives_by_status ON public.initiatives USING btree (workspace_id, status, updated_at DESC, number DESC);

CREATE INDEX initiatives_by_update ON public.initiatives USING btree (workspace_id, updated_at DESC, number DESC) INCLUDE (id);

CREATE UNIQUE INDEX initiatives_key ON public.initiatives USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE UNIQUE INDEX initiatives_number ON public.initiatives USING btree (workspace_id, number);

CREATE INDEX initiatives_of_product ON public.initiatives USING btree (workspace_id, product_id, updated_at DESC, number DESC) WHERE (product_id IS NOT NULL);

CREATE INDEX initiatives_search ON public.initiatives USING gin (search);

CREATE INDEX insight_accounts_of_account ON public.insight_accounts USING btree (workspace_id, account_id, insight_id);

CREATE INDEX insight_keys_of_insight ON public.insight_keys USING btree (workspace_id, insight_id) WHERE (insight_id IS NOT NULL);

CREATE INDEX insight_signals_of_signal ON public.insight_signals USING btree (workspace_id, signal_id, insight_id);

CREATE INDEX insights_by_accounts ON public.insights USING btree (workspace_id, account_count DESC, id DESC);

CREATE INDEX insights_by_category ON public.insights USING btree (workspace_id, category, created_at DESC, id DESC);

CREATE INDEX insights_by_review_state ON public.insights USING btree (workspace_id, review_state, created_at DESC, id DESC);

CREATE INDEX insights_changed ON public.insights USING btree (workspace_id, updated_at, id);

CREATE UNIQUE INDEX insights_external_id ON public.insights USING btree (workspace_id, external_id) WHERE (external_id IS NOT NULL);

CREATE UNIQUE INDEX insights_key ON public.insights USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE INDEX insights_merged ON public.insights USING btree (workspace_id, merged_into) WHERE (merged_into IS NOT NULL);

CREATE INDEX insights_newest ON public.insights USING btree (workspace_id, created_at DESC, id DESC);

CREATE INDEX insights_quoting ON public.insights USING gin (jsonb_path_query_array(extracts, '$[*]."signalId"'::jsonpath) jsonb_path_ops) WHERE (extracts IS NOT NULL);

CREATE INDEX insights_search ON public.insights USING gin (search);

CREATE UNIQUE INDEX integrations_key ON public.integrations USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE INDEX jobs_due ON public.jobs USING btree (COALESCE(held_until, run_after), id) WHERE (state <> 'failed'::text);

CREATE UNIQUE INDEX jobs_of_records ON public.jobs USING btree (workspace_id, record_id, kind) WHERE (state <> 'failed'::text);

CREATE INDEX linked_signals_changed ON public.linked_signals USING btree (workspace_id, kind, record_id, updated_at, signal_id);

CREATE INDEX linked_signals_newest ON public.linked_signals USING btree (workspace_id, kind, record_id, created_at DESC, number DESC) INCLUDE (signal_id);

CREATE UNIQUE INDEX members_email ON public.members USING btree (workspace_id, lower(email));

CREATE UNIQUE INDEX members_key ON public.members USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE INDEX model_usage_by_time ON public.model_usage USING btree (workspace_id, created_at);

CREATE INDEX opportunities_changed ON public.opportunities USING btree (workspace_id, updated_at, id);

CREATE UNIQUE INDEX opportunities_key ON public.opportunities USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE INDEX opportunities_newest ON public.opportunities USING btree (workspace_id, created_at DESC, id DESC);

CREATE INDEX portal_requests_of_user ON public.portal_requests USING btree (workspace_id, user_id, created_at);

CREATE INDEX portal_sessions_by_end ON public.portal_sessions USING btree (expires_at);

CREATE INDEX portal_sessions_of_user ON public.portal_sessions USING btree (workspace_id, user_id);

CREATE INDEX portal_used_tokens_by_end ON public.portal_used_tokens USING btree (valid_until);

CREATE INDEX portal_user_accounts_of_account ON public.portal_user_accounts USING btree (workspace_id, account_id, user_id);

CREATE INDEX portal_users_by_email ON public.portal_users USING btree (workspace_id, lower(email));

CREATE UNIQUE INDEX portal_users_email ON public.portal_users USING btree (workspace_id, lower(email)) WHERE (subject IS NULL);

CREATE UNIQUE INDEX portal_users_key ON public.portal_users USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE UNIQUE INDEX portal_users_subject ON public.portal_users USING btree (workspace_id, subject) WHERE (subject IS NOT NULL);

CREATE INDEX portal_votes_of_idea ON public.portal_votes USING btree (workspace_id, idea_id, created_at);

CREATE INDEX portal_votes_of_user ON public.portal_votes USING btree (workspace_id, user_id, created_at);

CREATE UNIQUE INDEX products_key ON public.products USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE INDEX products_newest ON public.products USING btree (workspace_id, created_at DESC, id DESC);

CREATE INDEX research_briefs_due ON public.research_briefs USING btree (next_run_at) WHERE ((next_run_at IS NOT NULL) AND (state = 'active'::text));

CREATE UNIQUE INDEX research_briefs_key ON public.research_briefs USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE INDEX research_briefs_newest ON public.research_briefs USING btree (workspace_id, created_at DESC, id DESC);

CREATE INDEX research_findings_of_section ON public.research_findings USING btree (workspace_id, run_id, section_id, "position", id);

CREATE INDEX research_records_of_run ON public.research_records USING btree (workspace_id, run_id, "position", id);

CREATE UNIQUE INDEX research_runs_active ON public.research_runs USING btree (workspace_id, brief_id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX research_runs_of_brief ON public.research_runs USING btree (workspace_id, brief_id, created_at DESC, id DESC);

CREATE UNIQUE INDEX research_runs_request ON public.research_runs USING btree (workspace_id, request_id) WHERE (request_id IS NOT NULL);

CREATE UNIQUE INDEX research_runs_slot ON public.research_runs USING btree (workspace_id, brief_id, slot) WHERE (slot IS NOT NULL);

CREATE UNIQUE INDEX research_sources_once ON public.research_sources USING btree (workspace_id, run_id, content_hash, md5(url));

CREATE INDEX signal_accounts_of_account ON public.signal_accounts USING btree (workspace_id, account_id, signal_id);

CREATE INDEX signal_initiatives_of_initiative ON public.signal_initiatives USING btree (workspace_id, initiative_id, signal_id) WHERE accepted;

CREATE INDEX signal_studies_of_study ON public.signal_studies USING btree (workspace_id, study_id, signal_id);

CREATE INDEX signals_by_facet_changed ON public.signals USING btree (workspace_id, source_facet, status, updated_at, id);

CREATE INDEX signals_by_facet_newest ON public.signals USING btree (workspace_id, source_facet, status, created_at DESC, number DESC) INCLUDE (id, provider_type);

CREATE INDEX signals_by_provider_changed ON public.signals USING btree (workspace_id, provider_type, status, updated_at, id);

CREATE INDEX signals_by_provider_newest ON public.signals USING btree (workspace_id, provider_type, status, created_at DESC, number DESC) INCLUDE (id);

CREATE INDEX signals_by_source_type_changed ON public.signals USING btree (workspace_id, source_type, status, updated_at, id) WHERE ((source_type <> provider_type) AND (source_type <> source_facet));

CREATE INDEX signals_by_source_type_newest ON public.signals USING btree (workspace_id, source_type, status, created_at DESC, number DESC) INCLUDE (id, provider_type, source_facet) WHERE ((source_type <> provider_type) AND (source_type <> source_facet));

CREATE INDEX signals_by_status_changed ON public.signals USING btree (workspace_id, status, updated_at, id);

CREATE INDEX signals_by_status_newest ON public.signals USING btree (workspace_id, status, created_at DESC, number DESC) INCLUDE (id);

CREATE INDEX signals_changed ON public.signals USING btree (workspace_id, updated_at, id);

CREATE INDEX signals_external_id ON public.signals USING btree (workspace_id, external_id) WHERE (external_id IS NOT NULL);

CREATE UNIQUE INDEX signals_key ON public.signals USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE INDEX signals_newest ON public.signals USING btree (workspace_id, created_at DESC, number DESC) INCLUDE (id);

CREATE UNIQUE INDEX signals_number ON public.signals USING btree (workspace_id, number);

CREATE INDEX signals_of_account ON public.signals USING btree (workspace_id, account_id) WHERE (account_id IS NOT NULL);

CREATE INDEX signals_of_integration_changed ON public.signals USING btree (workspace_id, integration_id, status, updated_at, id) WHERE (integration_id IS NOT NULL);

CREATE INDEX signals_of_integration_newest ON public.signals USING btree (workspace_id, integration_id, status, created_at DESC, number DESC) INCLUDE (id) WHERE (integration_id IS NOT NULL);

CREATE UNIQUE INDEX signals_origin ON public.signals USING btree (workspace_id, origin) WHERE (origin IS NOT NULL);

CREATE UNIQUE INDEX signals_source ON public.signals USING btree (workspace_id, source_key, external_id) WHERE (source_key IS NOT NULL);

CREATE INDEX signals_waiting ON public.signals USING btree (workspace_id, id) WHERE (status = ANY (ARRAY['pending'::text, 'processing'::text]));

CREATE UNIQUE INDEX sprints_key ON public.sprints USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE UNIQUE INDEX studies_key ON public.studies USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE UNIQUE INDEX studies_number ON public.studies USING btree (workspace_id, number);

CREATE INDEX study_feedback_by_metric ON public.study_feedback USING btree (workspace_id, metric, submitted_at, id);

CREATE INDEX study_feedback_by_subject_type ON public.study_feedback USING btree (workspace_id, subject_type, submitted_at, id);

CREATE INDEX study_feedback_changed ON public.study_feedback USING btree (workspace_id, updated_at, id);

CREATE UNIQUE INDEX study_feedback_external_id ON public.study_feedback USING btree (workspace_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX study_feedback_in_order ON public.study_feedback USING btree (workspace_id, submitted_at, id);

CREATE UNIQUE INDEX study_feedback_key ON public.study_feedback USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE INDEX study_feedback_of_account ON public.study_feedback USING btree (workspace_id, account_id, submitted_at, id) WHERE (account_id IS NOT NULL);

CREATE INDEX study_feedback_of_study ON public.study_feedback USING btree (workspace_id, study_id, submitted_at, id);

CREATE INDEX study_feedback_of_study_changed ON public.study_feedback USING btree (workspace_id, study_id, updated_at, id);

CREATE INDEX study_feedback_of_subject ON public.study_feedback USING btree (workspace_id, subject_type, subject_id, submitted_at, id);

CREATE INDEX study_feedback_of_subject_id ON public.study_feedback USING btree (workspace_id, subject_id, submitted_at, id);

CREATE INDEX study_ideas_of_idea ON public.study_ideas USING btree (workspace_id, idea_id, study_id);

CREATE INDEX study_initiatives_of_initiative ON public.study_initiatives USING btree (workspace_id, initiative_id, study_id);

CREATE UNIQUE INDEX taxonomy_versions_active ON public.taxonomy_versions USING btree (workspace_id) WHERE is_active;

CREATE INDEX team_members_of_member ON public.team_members USING btree (workspace_id, member_id);

CREATE INDEX teams_by_name ON public.teams USING btree (workspace_id, name, id);

CREATE UNIQUE INDEX teams_key ON public.teams USING btree (workspace_id, key) WHERE (key IS NOT NULL);

CREATE TRIGGER add_idea_words AFTER INSERT OR UPDATE OF name, description, portal_visible ON public.ideas FOR EACH ROW WHEN (new.portal_visible) EXECUTE FUNCTION public.add_idea_words();

CREATE TRIGGER api_keys_notify_added AFTER INSERT OR DELETE ON public.api_keys FOR EACH ROW EXECUTE FUNCTION public.notify_access();

CREATE TRIGGER api_keys_notify_changed AFTER UPDATE ON public.api_keys FOR EACH ROW WHEN (((((((old.secret_hash IS DISTINCT FROM new.secret_hash) OR (old.scopes IS DISTINCT FROM new.scopes)) OR (old.member_id IS DISTINCT FROM new.member_id)) OR (old.name IS DISTINCT FROM new.name)) OR (old.expires_at IS DISTINCT FROM new.expires_at)) OR (old.revoked_at IS DISTINCT FROM new.revoked_at))) EXECUTE FUNCTION public.notify_access();

CREATE TRIGGER empty_kept_answers AFTER DELETE ON public.idea_comments REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION public.empty_kept_answers();

CREATE TRIGGER empty_kept_answers AFTER DELETE ON public.idea_evidence REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION public.empty_kept_answers();

CREATE TRIGGER empty_kept_answers AFTER DELETE ON public.ideas REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION public.empty_kept_answers();

CREATE TRIGGER empty_kept_answers AFTER DELETE ON public.initiatives REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION public.empty_kept_answers();

CREATE TRIGGER empty_kept_answers AFTER DELETE ON public.research_briefs REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION public.empty_kept_answers();

CREATE TRIGGER empty_kept_answers AFTER DELETE ON public.signals REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION public.empty_kept_answers();

CREATE TRIGGER empty_kept_quotes AFTER DELETE ON public.accounts REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION public.empty_kept_quotes();

CREATE TRIGGER empty_kept_quotes AFTER DELETE ON public.features REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION public.empty_kept_quotes();

CREATE TRIGGER empty_kept_quotes AFTER DELETE ON public.members REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION public.empty_kept_quotes();

CREATE TRIGGER empty_kept_quotes AFTER DELETE ON public.signals REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION public.empty_kept_quotes();

CREATE TRIGGER features_added AFTER INSERT ON public.features REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_map_version();

CREATE TRIGGER features_changed AFTER UPDATE ON public.features REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.move_map_versions_of_both();

CREATE TRIGGER features_removed AFTER DELETE ON public.features REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_map_version();

CREATE CONSTRAINT TRIGGER follow_account_external_id AFTER UPDATE OF external_id ON public.accounts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.external_id IS DISTINCT FROM new.external_id)) EXECUTE FUNCTION public.follow_account_external_id();

CREATE TRIGGER follow_signals_added AFTER INSERT ON public.signals REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.follow_signals();

CREATE TRIGGER follow_signals_changed AFTER UPDATE ON public.signals REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.follow_signals();

CREATE CONSTRAINT TRIGGER follow_team_name AFTER UPDATE OF name ON public.teams DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.name <> new.name)) EXECUTE FUNCTION public.follow_team_name();

CREATE TRIGGER ideas_lose_reference AFTER UPDATE ON public.ideas FOR EACH ROW WHEN (((new.version = old.version) AND (((old.product_id IS DISTINCT FROM new.product_id) OR (old.initiative_id IS DISTINCT FROM new.initiative_id)) OR (old.integration_id IS DISTINCT FROM new.integration_id)))) EXECUTE FUNCTION public.move_version();

CREATE TRIGGER initiatives_lose_reference AFTER UPDATE ON public.initiatives FOR EACH ROW WHEN (((new.version = old.version) AND (old.product_id IS DISTINCT FROM new.product_id))) EXECUTE FUNCTION public.move_version();

CREATE TRIGGER insights_lose_reference AFTER UPDATE ON public.insights FOR EACH ROW WHEN (((new.version = old.version) AND (old.merged_into IS DISTINCT FROM new.merged_into))) EXECUTE FUNCTION public.move_version();

CREATE TRIGGER keep_account_ids_of_ideas_added AFTER INSERT ON public.idea_accounts REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_account_ids_of_ideas_added();

CREATE TRIGGER keep_account_ids_of_ideas_changed AFTER UPDATE ON public.idea_accounts REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_account_ids_of_ideas_changed();

CREATE TRIGGER keep_account_ids_of_ideas_removed AFTER DELETE ON public.idea_accounts REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_account_ids_of_ideas_removed();

CREATE TRIGGER keep_account_ids_of_insights_added AFTER INSERT ON public.insight_accounts REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_account_ids_of_insights_added();

CREATE TRIGGER keep_account_ids_of_insights_changed AFTER UPDATE ON public.insight_accounts REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_account_ids_of_insights_changed();

CREATE TRIGGER keep_account_ids_of_insights_removed AFTER DELETE ON public.insight_accounts REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_account_ids_of_insights_removed();

CREATE TRIGGER keep_account_ids_of_signals_added AFTER INSERT ON public.signal_accounts REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_account_ids_of_signals_added();

CREATE TRIGGER keep_account_ids_of_signals_changed AFTER UPDATE ON public.signal_accounts REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_account_ids_of_signals_changed();

CREATE TRIGGER keep_account_ids_of_signals_removed AFTER DELETE ON public.signal_accounts REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_account_ids_of_signals_removed();

CREATE TRIGGER keep_feature_ids_of_ideas_added AFTER INSERT ON public.idea_features REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_feature_ids_of_ideas_added();

CREATE TRIGGER keep_feature_ids_of_ideas_changed AFTER UPDATE ON public.idea_features REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_feature_ids_of_ideas_changed();

CREATE TRIGGER keep_feature_ids_of_ideas_removed AFTER DELETE ON public.idea_features REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_feature_ids_of_ideas_removed();

CREATE TRIGGER keep_feature_ids_of_initiatives_added AFTER INSERT ON public.initiative_features REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_feature_ids_of_initiatives_added();

CREATE TRIGGER keep_feature_ids_of_initiatives_changed AFTER UPDATE ON public.initiative_features REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_feature_ids_of_initiatives_changed();

CREATE TRIGGER keep_feature_ids_of_initiatives_removed AFTER DELETE ON public.initiative_features REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_feature_ids_of_initiatives_removed();

CREATE TRIGGER keep_idea_ids_of_studies_added AFTER INSERT ON public.study_ideas REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_idea_ids_of_studies_added();

CREATE TRIGGER keep_idea_ids_of_studies_changed AFTER UPDATE ON public.study_ideas REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_idea_ids_of_studies_changed();

CREATE TRIGGER keep_idea_ids_of_studies_removed AFTER DELETE ON public.study_ideas REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_idea_ids_of_studies_removed();

CREATE TRIGGER keep_idea_search BEFORE INSERT OR UPDATE OF name, description ON public.ideas FOR EACH ROW EXECUTE FUNCTION public.keep_idea_search();

CREATE TRIGGER keep_idea_votes AFTER INSERT OR UPDATE OF number, imported_vote_count, portal_visible ON public.ideas FOR EACH ROW WHEN (new.portal_visible) EXECUTE FUNCTION public.keep_idea_votes();

CREATE TRIGGER keep_initiative_ids_of_signals_added AFTER INSERT ON public.signal_initiatives REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_initiative_ids_of_signals_added();

CREATE TRIGGER keep_initiative_ids_of_signals_changed AFTER UPDATE ON public.signal_initiatives REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_initiative_ids_of_signals_changed();

CREATE TRIGGER keep_initiative_ids_of_signals_removed AFTER DELETE ON public.signal_initiatives REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_initiative_ids_of_signals_removed();

CREATE TRIGGER keep_initiative_ids_of_studies_added AFTER INSERT ON public.study_initiatives REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_initiative_ids_of_studies_added();

CREATE TRIGGER keep_initiative_ids_of_studies_changed AFTER UPDATE ON public.study_initiatives REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_initiative_ids_of_studies_changed();

CREATE TRIGGER keep_initiative_ids_of_studies_removed AFTER DELETE ON public.study_initiatives REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_initiative_ids_of_studies_removed();

CREATE TRIGGER keep_insight_ids_of_ideas_added AFTER INSERT ON public.idea_insights REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_insight_ids_of_ideas_added();

CREATE TRIGGER keep_insight_ids_of_ideas_changed AFTER UPDATE ON public.idea_insights REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_insight_ids_of_ideas_changed();

CREATE TRIGGER keep_insight_ids_of_ideas_removed AFTER DELETE ON public.idea_insights REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_insight_ids_of_ideas_removed();

CREATE TRIGGER keep_insight_ids_of_signals_added AFTER INSERT ON public.insight_signals REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_insight_ids_of_signals_added();

CREATE TRIGGER keep_insight_ids_of_signals_changed AFTER UPDATE ON public.insight_signals REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_insight_ids_of_signals_changed();

CREATE TRIGGER keep_insight_ids_of_signals_removed AFTER DELETE ON public.insight_signals REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_insight_ids_of_signals_removed();

CREATE TRIGGER keep_opportunity_ids_of_ideas_added AFTER INSERT ON public.idea_opportunities REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_opportunity_ids_of_ideas_added();

CREATE TRIGGER keep_opportunity_ids_of_ideas_changed AFTER UPDATE ON public.idea_opportunities REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_opportunity_ids_of_ideas_changed();

CREATE TRIGGER keep_opportunity_ids_of_ideas_removed AFTER DELETE ON public.idea_opportunities REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_opportunity_ids_of_ideas_removed();

CREATE TRIGGER keep_signal_ids_of_insights_added AFTER INSERT ON public.insight_signals REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_signal_ids_of_insights_added();

CREATE TRIGGER keep_signal_ids_of_insights_changed AFTER UPDATE ON public.insight_signals REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_signal_ids_of_insights_changed();

CREATE TRIGGER keep_signal_ids_of_insights_removed AFTER DELETE ON public.insight_signals REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_signal_ids_of_insights_removed();

CREATE TRIGGER keep_study_ids_of_signals_added AFTER INSERT ON public.signal_studies REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_study_ids_of_signals_added();

CREATE TRIGGER keep_study_ids_of_signals_changed AFTER UPDATE ON public.signal_studies REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_study_ids_of_signals_changed();

CREATE TRIGGER keep_study_ids_of_signals_removed AFTER DELETE ON public.signal_studies REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_study_ids_of_signals_removed();

CREATE TRIGGER keep_team_ids_of_initiatives_added AFTER INSERT ON public.initiative_teams REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_team_ids_of_initiatives_added();

CREATE TRIGGER keep_team_ids_of_initiatives_changed AFTER UPDATE ON public.initiative_teams REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.keep_team_ids_of_initiatives_changed();

CREATE TRIGGER keep_team_ids_of_initiatives_removed AFTER DELETE ON public.initiative_teams REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.keep_team_ids_of_initiatives_removed();

CREATE TRIGGER members_notify AFTER DELETE OR UPDATE ON public.members FOR EACH ROW EXECUTE FUNCTION public.notify_access();

CREATE TRIGGER move_feed_added AFTER INSERT ON public.insight_accounts REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('signals');

CREATE TRIGGER move_feed_added AFTER INSERT ON public.linked_signals REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('signals');

CREATE TRIGGER move_feed_added AFTER INSERT ON public.signals REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('signals');

CREATE TRIGGER move_feed_added AFTER INSERT ON public.study_feedback REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('study_feedback');

CREATE TRIGGER move_feed_added AFTER INSERT ON public.study_ideas REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('study_feedback');

CREATE TRIGGER move_feed_added AFTER INSERT ON public.study_initiatives REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('study_feedback');

CREATE TRIGGER move_feed_changed AFTER UPDATE ON public.insight_accounts REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('signals');

CREATE TRIGGER move_feed_changed AFTER UPDATE ON public.linked_signals REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('signals');

CREATE TRIGGER move_feed_changed AFTER UPDATE ON public.signals REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('signals');

CREATE TRIGGER move_feed_changed AFTER UPDATE ON public.study_feedback REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('study_feedback');

CREATE TRIGGER move_feed_changed AFTER UPDATE ON public.study_ideas REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('study_feedback');

CREATE TRIGGER move_feed_changed AFTER UPDATE ON public.study_initiatives REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('study_feedback');

CREATE TRIGGER move_feed_removed AFTER DELETE ON public.insight_accounts REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('signals');

CREATE TRIGGER move_feed_removed AFTER DELETE ON public.linked_signals REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('signals');

CREATE TRIGGER move_feed_removed AFTER DELETE ON public.signals REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('signals');

CREATE TRIGGER move_feed_removed AFTER DELETE ON public.study_feedback REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('study_feedback');

CREATE TRIGGER move_feed_removed AFTER DELETE ON public.study_ideas REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('study_feedback');

CREATE TRIGGER move_feed_removed AFTER DELETE ON public.study_initiatives REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_feed('study_feedback');

CREATE TRIGGER move_times_of_ideas AFTER DELETE ON public.idea_accounts REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_times_of_owners('ideas', 'idea_id', 'accounts', 'account_id');

CREATE TRIGGER move_times_of_ideas AFTER DELETE ON public.idea_features REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_times_of_owners('ideas', 'idea_id', 'features', 'feature_id');

CREATE TRIGGER move_times_of_ideas AFTER DELETE ON public.idea_insights REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_times_of_owners('ideas', 'idea_id', 'insights', 'insight_id');

CREATE TRIGGER move_times_of_initiatives AFTER DELETE ON public.initiative_teams REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_times_of_owners('initiatives', 'initiative_id', 'teams', 'team_id');

CREATE TRIGGER move_times_of_insights AFTER DELETE ON public.insight_accounts REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_times_of_owners('insights', 'insight_id', 'accounts', 'account_id');

CREATE TRIGGER move_times_of_insights AFTER DELETE ON public.insight_signals REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_times_of_owners('insights', 'insight_id', 'signals', 'signal_id');

CREATE TRIGGER move_times_of_signals AFTER DELETE ON public.signal_accounts REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION public.move_times_of_owners('signals', 'signal_id', 'accounts', 'account_id');

CREATE CONSTRAINT TRIGGER refuse_alias_added AFTER INSERT OR UPDATE OF source_key, integration_id, external_id ON public.idea_aliases DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.refuse_alias_of_identity();

CREATE TRIGGER refuse_identity_added AFTER INSERT ON public.ideas FOR EACH ROW WHEN (((new.external_id IS NOT NULL) AND ((new.source_key IS NOT NULL) OR (new.integration_id IS NOT NULL)))) EXECUTE FUNCTION public.refuse_identity_of_alias();

CREATE TRIGGER refuse_identity_changed AFTER UPDATE OF source_key, integration_id, external_id ON public.ideas FOR EACH ROW WHEN ((((new.source_key IS NOT NULL) AND ((new.source_key IS DISTINCT FROM old.source_key) OR (new.external_id IS DISTINCT FROM old.external_id))) OR ((new.integration_id IS NOT NULL) AND ((new.integration_id IS DISTINCT FROM old.integration_id) OR (new.external_id IS DISTINCT FROM old.external_id))))) EXECUTE FUNCTION public.refuse_identity_of_alias();

CREATE TRIGGER remove_hidden_words AFTER UPDATE ON public.ideas REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION public.remove_hidden_words();

CREATE TRIGGER remove_idea_words AFTER DELETE ON public.ideas REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION public.remove_idea_words();

CREATE TRIGGER signals_forgotten AFTER DELETE ON public.signals REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.forget_signals();

CREATE TRIGGER signals_lose_reference AFTER UPDATE ON public.signals FOR EACH ROW WHEN (((new.version = old.version) AND ((old.account_id IS DISTINCT FROM new.account_id) OR (old.integration_id IS DISTINCT FROM new.integration_id)))) EXECUTE FUNCTION public.move_version();

CREATE TRIGGER study_feedback_lose_reference BEFORE UPDATE OF account_id ON public.study_feedback FOR EACH ROW WHEN (((new.account_id IS NULL) AND (old.account_id IS NOT NULL) AND (new.updated_at = old.updated_at))) EXECUTE FUNCTION public.move_time();

CREATE TRIGGER take_idea_votes BEFORE UPDATE OF portal_visible ON public.ideas FOR EACH ROW WHEN ((old.portal_visible AND (NOT new.portal_visible))) EXECUTE FUNCTION public.take_idea_votes();

CREATE TRIGGER undo_deletion AFTER INSERT ON public.changes FOR EACH ROW WHEN ((new.action = 'created'::text)) EXECUTE FUNCTION public.undo_deletion();

CREATE TRIGGER workspaces_notify AFTER DELETE OR UPDATE ON public.workspaces FOR EACH ROW EXECUTE FUNCTION public.notify_access();

ALTER TABLE ONLY public.account_contacts
    ADD CONSTRAINT account_contacts_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES public.accounts(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_replaced_by_fkey FOREIGN KEY (replaced_by) REFERENCES public.api_keys(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_workspace_id_member_id_fkey FOREIGN KEY (workspace_id, member_id) REFERENCES public.members(workspace_id, id) ON DELETE SET NULL (member_id);

ALTER TABLE ONLY public.document_generations
    ADD CONSTRAINT document_generations_workspace_id_initiative_id_fkey FOREIGN KEY (workspace_id, initiative_id) REFERENCES public.initiatives(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.document_versions
    ADD CONSTRAINT document_versions_workspace_id_document_id_fkey FOREIGN KEY (workspace_id, document_id) REFERENCES public.documents(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_workspace_id_initiative_id_fkey FOREIGN KEY (workspace_id, initiative_id) REFERENCES public.initiatives(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.features
    ADD CONSTRAINT features_workspace_id_product_id_fkey FOREIGN KEY (workspace_id, product_id) REFERENCES public.products(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.features
    ADD CONSTRAINT features_workspace_id_product_id_parent_id_fkey FOREIGN KEY (workspace_id, product_id, parent_id) REFERENCES public.features(workspace_id, product_id, id) ON DELETE SET NULL (parent_id);

ALTER TABLE ONLY public.idea_accounts
    ADD CONSTRAINT idea_accounts_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES public.accounts(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_accounts
    ADD CONSTRAINT idea_accounts_workspace_id_idea_id_fkey FOREIGN KEY (workspace_id, idea_id) REFERENCES public.ideas(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_aliases
    ADD CONSTRAINT idea_aliases_workspace_id_idea_id_fkey FOREIGN KEY (workspace_id, idea_id) REFERENCES public.ideas(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_aliases
    ADD CONSTRAINT idea_aliases_workspace_id_integration_id_fkey FOREIGN KEY (workspace_id, integration_id) REFERENCES public.integrations(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_classifications
    ADD CONSTRAINT idea_classifications_workspace_id_group_id_fkey FOREIGN KEY (workspace_id, group_id) REFERENCES public.taxonomy_groups(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_classifications
    ADD CONSTRAINT idea_classifications_workspace_id_idea_id_fkey FOREIGN KEY (workspace_id, idea_id) REFERENCES public.ideas(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_comments
    ADD CONSTRAINT idea_comments_workspace_id_idea_id_fkey FOREIGN KEY (workspace_id, idea_id) REFERENCES public.ideas(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_comments
    ADD CONSTRAINT idea_comments_workspace_id_member_id_fkey FOREIGN KEY (workspace_id, member_id) REFERENCES public.members(workspace_id, id) ON DELETE SET NULL (member_id);

ALTER TABLE ONLY public.idea_comments
    ADD CONSTRAINT idea_comments_workspace_id_portal_user_id_fkey FOREIGN KEY (workspace_id, portal_user_id) REFERENCES public.portal_users(workspace_id, id) ON DELETE SET NULL (portal_user_id);

ALTER TABLE ONLY public.idea_evidence
    ADD CONSTRAINT idea_evidence_workspace_id_idea_id_fkey FOREIGN KEY (workspace_id, idea_id) REFERENCES public.ideas(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_evidence
    ADD CONSTRAINT idea_evidence_workspace_id_resolved_by_fkey FOREIGN KEY (workspace_id, resolved_by) REFERENCES public.members(workspace_id, id) ON DELETE SET NULL (resolved_by);

ALTER TABLE ONLY public.idea_evidence
    ADD CONSTRAINT idea_evidence_workspace_id_signal_id_fkey FOREIGN KEY (workspace_id, signal_id) REFERENCES public.signals(workspace_id, id) ON DELETE SET NULL (signal_id);

ALTER TABLE ONLY public.idea_features
    ADD CONSTRAINT idea_features_workspace_id_feature_id_fkey FOREIGN KEY (workspace_id, feature_id) REFERENCES public.features(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_features
    ADD CONSTRAINT idea_features_workspace_id_idea_id_fkey FOREIGN KEY (workspace_id, idea_id) REFERENCES public.ideas(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_insights
    ADD CONSTRAINT idea_insights_workspace_id_idea_id_fkey FOREIGN KEY (workspace_id, idea_id) REFERENCES public.ideas(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_insights
    ADD CONSTRAINT idea_insights_workspace_id_insight_id_fkey FOREIGN KEY (workspace_id, insight_id) REFERENCES public.insights(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_opportunities
    ADD CONSTRAINT idea_opportunities_workspace_id_idea_id_fkey FOREIGN KEY (workspace_id, idea_id) REFERENCES public.ideas(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_opportunities
    ADD CONSTRAINT idea_opportunities_workspace_id_opportunity_id_fkey FOREIGN KEY (workspace_id, opportunity_id) REFERENCES public.opportunities(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_questions
    ADD CONSTRAINT idea_questions_workspace_id_idea_id_fkey FOREIGN KEY (workspace_id, idea_id) REFERENCES public.ideas(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_statuses
    ADD CONSTRAINT idea_statuses_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_votes
    ADD CONSTRAINT idea_votes_workspace_id_idea_id_fkey FOREIGN KEY (workspace_id, idea_id) REFERENCES public.ideas(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idea_words
    ADD CONSTRAINT idea_words_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.ideas
    ADD CONSTRAINT ideas_workspace_id_initiative_id_fkey FOREIGN KEY (workspace_id, initiative_id) REFERENCES public.initiatives(workspace_id, id) ON DELETE SET NULL (initiative_id);

ALTER TABLE ONLY public.ideas
    ADD CONSTRAINT ideas_workspace_id_integration_id_fkey FOREIGN KEY (workspace_id, integration_id) REFERENCES public.integrations(workspace_id, id) ON DELETE SET NULL (integration_id);

ALTER TABLE ONLY public.ideas
    ADD CONSTRAINT ideas_workspace_id_product_id_fkey FOREIGN KEY (workspace_id, product_id) REFERENCES public.products(workspace_id, id) ON DELETE SET NULL (product_id);

ALTER TABLE ONLY public.ideas
    ADD CONSTRAINT ideas_workspace_id_sprint_id_fkey FOREIGN KEY (workspace_id, sprint_id) REFERENCES public.sprints(workspace_id, id) ON DELETE SET NULL (sprint_id);

ALTER TABLE ONLY public.initiative_features
    ADD CONSTRAINT initiative_features_workspace_id_feature_id_fkey FOREIGN KEY (workspace_id, feature_id) REFERENCES public.features(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.initiative_features
    ADD CONSTRAINT initiative_features_workspace_id_initiative_id_fkey FOREIGN KEY (workspace_id, initiative_id) REFERENCES public.initiatives(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.initiative_questions
    ADD CONSTRAINT initiative_questions_workspace_id_initiative_id_fkey FOREIGN KEY (workspace_id, initiative_id) REFERENCES public.initiatives(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.initiative_teams
    ADD CONSTRAINT initiative_teams_workspace_id_initiative_id_fkey FOREIGN KEY (workspace_id, initiative_id) REFERENCES public.initiatives(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.initiative_teams
    ADD CONSTRAINT initiative_teams_workspace_id_team_id_fkey FOREIGN KEY (workspace_id, team_id) REFERENCES public.teams(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.initiatives
    ADD CONSTRAINT initiatives_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.initiatives
    ADD CONSTRAINT initiatives_workspace_id_product_id_fkey FOREIGN KEY (workspace_id, product_id) REFERENCES public.products(workspace_id, id) ON DELETE SET NULL (product_id);

ALTER TABLE ONLY public.insight_accounts
    ADD CONSTRAINT insight_accounts_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES public.accounts(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.insight_accounts
    ADD CONSTRAINT insight_accounts_workspace_id_insight_id_fkey FOREIGN KEY (workspace_id, insight_id) REFERENCES public.insights(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.insight_keys
    ADD CONSTRAINT insight_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.insight_keys
    ADD CONSTRAINT insight_keys_workspace_id_insight_id_fkey FOREIGN KEY (workspace_id, insight_id) REFERENCES public.insights(workspace_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE ONLY public.insight_signals
    ADD CONSTRAINT insight_signals_workspace_id_insight_id_fkey FOREIGN KEY (workspace_id, insight_id) REFERENCES public.insights(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.insight_signals
    ADD CONSTRAINT insight_signals_workspace_id_signal_id_fkey FOREIGN KEY (workspace_id, signal_id) REFERENCES public.signals(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.insights
    ADD CONSTRAINT insights_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.insights
    ADD CONSTRAINT insights_workspace_id_merged_into_fkey FOREIGN KEY (workspace_id, merged_into) REFERENCES public.insights(workspace_id, id) ON DELETE SET NULL (merged_into);

ALTER TABLE ONLY public.integrations
    ADD CONSTRAINT integrations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.linked_signals
    ADD CONSTRAINT linked_signals_workspace_id_signal_id_fkey FOREIGN KEY (workspace_id, signal_id) REFERENCES public.signals(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.model_usage
    ADD CONSTRAINT model_usage_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.opportunities
    ADD CONSTRAINT opportunities_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_requests
    ADD CONSTRAINT portal_requests_workspace_id_idea_id_fkey FOREIGN KEY (workspace_id, idea_id) REFERENCES public.ideas(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_requests
    ADD CONSTRAINT portal_requests_workspace_id_user_id_fkey FOREIGN KEY (workspace_id, user_id) REFERENCES public.portal_users(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_sessions
    ADD CONSTRAINT portal_sessions_workspace_id_user_id_fkey FOREIGN KEY (workspace_id, user_id) REFERENCES public.portal_users(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_used_tokens
    ADD CONSTRAINT portal_used_tokens_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_user_accounts
    ADD CONSTRAINT portal_user_accounts_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES public.accounts(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_user_accounts
    ADD CONSTRAINT portal_user_accounts_workspace_id_user_id_fkey FOREIGN KEY (workspace_id, user_id) REFERENCES public.portal_users(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_users
    ADD CONSTRAINT portal_users_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_votes
    ADD CONSTRAINT portal_votes_workspace_id_idea_id_fkey FOREIGN KEY (workspace_id, idea_id) REFERENCES public.ideas(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_votes
    ADD CONSTRAINT portal_votes_workspace_id_user_id_fkey FOREIGN KEY (workspace_id, user_id) REFERENCES public.portal_users(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portal_waiting_forms
    ADD CONSTRAINT portal_waiting_forms_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.products
    ADD CONSTRAINT products_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.renames
    ADD CONSTRAINT renames_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id);

ALTER TABLE ONLY public.research_briefs
    ADD CONSTRAINT research_briefs_workspace_id_created_by_fkey FOREIGN KEY (workspace_id, created_by) REFERENCES public.members(workspace_id, id) ON DELETE SET NULL (created_by);

ALTER TABLE ONLY public.research_briefs
    ADD CONSTRAINT research_briefs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.research_findings
    ADD CONSTRAINT research_findings_workspace_id_run_id_section_id_fkey FOREIGN KEY (workspace_id, run_id, section_id) REFERENCES public.research_sections(workspace_id, run_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.research_records
    ADD CONSTRAINT research_records_workspace_id_run_id_fkey FOREIGN KEY (workspace_id, run_id) REFERENCES public.research_runs(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.research_runs
    ADD CONSTRAINT research_runs_workspace_id_addition_product_id_fkey FOREIGN KEY (workspace_id, addition_product_id) REFERENCES public.products(workspace_id, id) ON DELETE SET NULL (addition_product_id);

ALTER TABLE ONLY public.research_runs
    ADD CONSTRAINT research_runs_workspace_id_brief_id_fkey FOREIGN KEY (workspace_id, brief_id) REFERENCES public.research_briefs(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.research_sections
    ADD CONSTRAINT research_sections_workspace_id_run_id_fkey FOREIGN KEY (workspace_id, run_id) REFERENCES public.research_runs(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.research_sources
    ADD CONSTRAINT research_sources_workspace_id_run_id_fkey FOREIGN KEY (workspace_id, run_id) REFERENCES public.research_runs(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.signal_accounts
    ADD CONSTRAINT signal_accounts_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES public.accounts(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.signal_accounts
    ADD CONSTRAINT signal_accounts_workspace_id_signal_id_fkey FOREIGN KEY (workspace_id, signal_id) REFERENCES public.signals(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.signal_initiatives
    ADD CONSTRAINT signal_initiatives_workspace_id_initiative_id_fkey FOREIGN KEY (workspace_id, initiative_id) REFERENCES public.initiatives(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.signal_initiatives
    ADD CONSTRAINT signal_initiatives_workspace_id_signal_id_fkey FOREIGN KEY (workspace_id, signal_id) REFERENCES public.signals(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.signal_raw
    ADD CONSTRAINT signal_raw_workspace_id_signal_id_fkey FOREIGN KEY (workspace_id, signal_id) REFERENCES public.signals(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.signal_studies
    ADD CONSTRAINT signal_studies_workspace_id_signal_id_fkey FOREIGN KEY (workspace_id, signal_id) REFERENCES public.signals(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.signal_studies
    ADD CONSTRAINT signal_studies_workspace_id_study_id_fkey FOREIGN KEY (workspace_id, study_id) REFERENCES public.studies(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.signals
    ADD CONSTRAINT signals_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES public.accounts(workspace_id, id) ON DELETE SET NULL (account_id);

ALTER TABLE ONLY public.signals
    ADD CONSTRAINT signals_workspace_id_integration_id_fkey FOREIGN KEY (workspace_id, integration_id) REFERENCES public.integrations(workspace_id, id) ON DELETE SET NULL (integration_id);

ALTER TABLE ONLY public.sprints
    ADD CONSTRAINT sprints_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.studies
    ADD CONSTRAINT studies_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.study_feedback
    ADD CONSTRAINT study_feedback_workspace_id_account_id_fkey FOREIGN KEY (workspace_id, account_id) REFERENCES public.accounts(workspace_id, id) ON DELETE SET NULL (account_id);

ALTER TABLE ONLY public.study_feedback
    ADD CONSTRAINT study_feedback_workspace_id_study_id_fkey FOREIGN KEY (workspace_id, study_id) REFERENCES public.studies(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.study_ideas
    ADD CONSTRAINT study_ideas_workspace_id_idea_id_fkey FOREIGN KEY (workspace_id, idea_id) REFERENCES public.ideas(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.study_ideas
    ADD CONSTRAINT study_ideas_workspace_id_study_id_fkey FOREIGN KEY (workspace_id, study_id) REFERENCES public.studies(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.study_initiatives
    ADD CONSTRAINT study_initiatives_workspace_id_initiative_id_fkey FOREIGN KEY (workspace_id, initiative_id) REFERENCES public.initiatives(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.study_initiatives
    ADD CONSTRAINT study_initiatives_workspace_id_study_id_fkey FOREIGN KEY (workspace_id, study_id) REFERENCES public.studies(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.taxonomy_groups
    ADD CONSTRAINT taxonomy_groups_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.taxonomy_options
    ADD CONSTRAINT taxonomy_options_workspace_id_group_id_fkey FOREIGN KEY (workspace_id, group_id) REFERENCES public.taxonomy_groups(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.taxonomy_versions
    ADD CONSTRAINT taxonomy_versions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_workspace_id_member_id_fkey FOREIGN KEY (workspace_id, member_id) REFERENCES public.members(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_workspace_id_team_id_fkey FOREIGN KEY (workspace_id, team_id) REFERENCES public.teams(workspace_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;
