-- The signals of an account, an initiative or a study, in both orders of the list: so that a page of them reads no more
-- rows than it shows. `paths` counts the ways that lead there: a direct link, and each insight of an account.
-- Filled from the id arrays of signals and insights alone, by the difference between a row before and after; the row's
-- lock puts writers in line.
CREATE TABLE linked_signals (
    workspace_id uuid NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('account', 'initiative', 'insight', 'study')),
    record_id    uuid NOT NULL,
    signal_id    uuid NOT NULL,
    created_at   timestamptz(3) NOT NULL,
    number       bigint NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, signal_id, kind, record_id),
    FOREIGN KEY (workspace_id, signal_id) REFERENCES signals ON DELETE CASCADE
);
CREATE INDEX linked_signals_newest ON linked_signals (workspace_id, kind, record_id, created_at DESC, number DESC) INCLUDE (signal_id);
CREATE INDEX linked_signals_changed ON linked_signals (workspace_id, kind, record_id, updated_at, signal_id);

CREATE FUNCTION links_of(signal signals) RETURNS TABLE (kind text, record_id uuid)
    LANGUAGE sql IMMUTABLE AS $$
    SELECT 'account', unnest(signal.account_ids)
    UNION ALL SELECT 'initiative', unnest(signal.initiative_ids)
    UNION ALL SELECT 'insight', unnest(signal.insight_ids)
    UNION ALL SELECT 'study', unnest(signal.study_ids)
$$;

CREATE TYPE linked_signal_step AS (workspace_id uuid, kind text, record_id uuid, signal_id uuid, step integer);

-- In the order of the primary key, so that two who write the same rows meet in the same order.
CREATE FUNCTION step_linked_signals(steps linked_signal_step[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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

-- For signals whose place in the order has changed.
CREATE FUNCTION move_linked_signals(workspaces uuid[], signal_ids uuid[]) RETURNS void LANGUAGE sql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    UPDATE linked_signals AS linked SET created_at = s.created_at, number = s.number, updated_at = s.updated_at
      FROM unnest(workspaces, signal_ids) AS moved (workspace_id, id) JOIN signals AS s USING (workspace_id, id)
     WHERE linked.workspace_id = s.workspace_id AND linked.signal_id = s.id
       AND (linked.created_at, linked.number, linked.updated_at) <> (s.created_at, s.number, s.updated_at)
$$;

-- The two that follow run for rows before and after a statement; where rows came there is nothing before, and where
-- they went nothing after. Signals that go take their rows along by themselves. Without nested loops, since a session
-- keeps the plan of its first call, and that for one row would compare each of a bulk load with every other.
CREATE FUNCTION follow_signals() RETURNS trigger LANGUAGE plpgsql
SET enable_nestloop = off SET jit = off AS $$
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

CREATE TRIGGER follow_signals_added AFTER INSERT ON signals REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION follow_signals();
CREATE TRIGGER follow_signals_changed AFTER UPDATE ON signals REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION follow_signals();

CREATE FUNCTION without_signals(extracts jsonb, signal_ids text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_agg(CASE WHEN extract ->> 'signalId' = ANY (signal_ids) THEN extract || '{"signalId": null}'
                          ELSE extract END ORDER BY place)
      FROM jsonb_array_elements(extracts) WITH ORDINALITY AS each (extract, place)
$$;

-- A deleted signal takes its quotes in insights along; evidence keeps them. DELETE of the API does so before, with the
-- insights of which nothing is left; a file that prunes signals leaves it to this.
CREATE FUNCTION without_quotes(extracts jsonb, signal_ids text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_agg(extract ORDER BY place) FROM jsonb_array_elements(extracts) WITH ORDINALITY AS each (extract, place)
     WHERE (extract ->> 'signalId' = ANY (signal_ids)) IS NOT TRUE
$$;
CREATE FUNCTION forget_signals() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    gone record;
BEGIN
    FOR gone IN SELECT workspace_id, array_agg(id::text) AS ids FROM removed GROUP BY workspace_id LOOP
        UPDATE insights AS quoting
           SET extracts = without_quotes(quoting.extracts, gone.ids), version = quoting.version + 1,
               updated_at = greatest(quoting.updated_at, date_trunc('milliseconds', clock_timestamp()))
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
END $$;
CREATE TRIGGER signals_forgotten AFTER DELETE ON signals REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION forget_signals();
