-- The signals of an account, an initiative or a study, in both orders of the list: so that a page of them reads no more
-- rows than it shows. `paths` counts the ways that lead there: a direct link, and each insight of an account.
-- Filled from the id arrays of signals and insights alone, by the difference between a row before and after; the row's
-- lock puts writers in line.
CREATE TABLE linked_signals (
    workspace_id uuid NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('account', 'initiative', 'study')),
    record_id    uuid NOT NULL,
    signal_id    uuid NOT NULL,
    paths        bigint NOT NULL,
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
    UNION ALL SELECT 'study', unnest(signal.study_ids)
$$;

CREATE TYPE linked_signal_step AS (workspace_id uuid, kind text, record_id uuid, signal_id uuid, step integer);

-- In the order of the primary key, so that two who write the same rows meet in the same order.
CREATE FUNCTION step_linked_signals(steps linked_signal_step[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO linked_signals AS linked (workspace_id, kind, record_id, signal_id, paths, created_at, number, updated_at)
    SELECT moved.workspace_id, moved.kind, moved.record_id, moved.signal_id, moved.step, s.created_at, s.number,
           s.updated_at
      FROM (SELECT workspace_id, kind, record_id, signal_id, sum(step) AS step FROM unnest(steps)
             GROUP BY 1, 2, 3, 4 HAVING sum(step) <> 0) AS moved
      JOIN signals AS s ON s.workspace_id = moved.workspace_id AND s.id = moved.signal_id
     ORDER BY moved.workspace_id, moved.signal_id, moved.kind, moved.record_id
    ON CONFLICT (workspace_id, signal_id, kind, record_id) DO UPDATE SET paths = linked.paths + excluded.paths;
    DELETE FROM linked_signals AS linked USING (SELECT DISTINCT workspace_id, kind, record_id, signal_id
                                                  FROM unnest(steps) WHERE step < 0) AS gone
     WHERE (linked.workspace_id, linked.signal_id, linked.kind, linked.record_id)
           = (gone.workspace_id, gone.signal_id, gone.kind, gone.record_id)
       AND linked.paths <= 0;
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
         CROSS JOIN LATERAL (SELECT kind, record_id, -1 AS step FROM links_of(earlier)
                              UNION ALL SELECT kind, record_id, 1 FROM links_of(later)) AS side
         WHERE (earlier.account_ids, earlier.initiative_ids, earlier.study_ids)
               IS DISTINCT FROM (later.account_ids, later.initiative_ids, later.study_ids);
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

CREATE FUNCTION follow_insights() RETURNS trigger LANGUAGE plpgsql
SET enable_nestloop = off SET jit = off AS $$
DECLARE
    steps linked_signal_step[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(ROW(later.workspace_id, 'account', account, signal, 1)::linked_signal_step) INTO steps
          FROM after AS later CROSS JOIN unnest(later.account_ids) AS account CROSS JOIN unnest(later.signal_ids) AS signal;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT array_agg(ROW(earlier.workspace_id, 'account', account, signal, -1)::linked_signal_step) INTO steps
          FROM before AS earlier
         CROSS JOIN unnest(earlier.account_ids) AS account CROSS JOIN unnest(earlier.signal_ids) AS signal;
    ELSE
        SELECT array_agg(ROW(earlier.workspace_id, 'account', account, signal, side.step)::linked_signal_step) INTO steps
          FROM before AS earlier
          JOIN after AS later ON (later.workspace_id, later.id) = (earlier.workspace_id, earlier.id)
         CROSS JOIN LATERAL (VALUES (earlier.account_ids, earlier.signal_ids, -1),
                                    (later.account_ids, later.signal_ids, 1)) AS side (account_ids, signal_ids, step)
         CROSS JOIN unnest(side.account_ids) AS account CROSS JOIN unnest(side.signal_ids) AS signal
         WHERE (earlier.account_ids, earlier.signal_ids) IS DISTINCT FROM (later.account_ids, later.signal_ids);
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
CREATE TRIGGER follow_insights_added AFTER INSERT ON insights REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION follow_insights();
CREATE TRIGGER follow_insights_changed AFTER UPDATE ON insights REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION follow_insights();
CREATE TRIGGER follow_insights_removed AFTER DELETE ON insights REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION follow_insights();

INSERT INTO linked_signals (workspace_id, kind, record_id, signal_id, paths, created_at, number, updated_at)
SELECT ways.workspace_id, ways.kind, ways.record_id, ways.signal_id, count(*), s.created_at, s.number,
       s.updated_at
  FROM (SELECT signals.workspace_id, link.kind, link.record_id, signals.id AS signal_id
          FROM signals CROSS JOIN LATERAL links_of(signals) AS link
        UNION ALL
        SELECT insights.workspace_id, 'account', account, signal
          FROM insights CROSS JOIN unnest(account_ids) AS account CROSS JOIN unnest(signal_ids) AS signal) AS ways
  JOIN signals AS s ON s.workspace_id = ways.workspace_id AND s.id = ways.signal_id
 GROUP BY ways.workspace_id, ways.kind, ways.record_id, ways.signal_id, s.created_at, s.number, s.updated_at;
