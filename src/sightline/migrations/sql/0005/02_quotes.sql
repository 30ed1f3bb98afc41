-- Quotes keep their words when their signal is deleted, and no longer name it. The indexes find them by signal.
CREATE INDEX insights_quoting ON insights USING gin (jsonb_path_query_array(extracts, '$[*].signalId') jsonb_path_ops)
    WHERE extracts IS NOT NULL;
CREATE INDEX idea_evidence_quoting ON idea_evidence
    USING gin (jsonb_path_query_array(extracts, '$[*].signalId') jsonb_path_ops) WHERE extracts IS NOT NULL;

CREATE FUNCTION without_signals(extracts jsonb, signal_ids text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_agg(CASE WHEN extract ->> 'signalId' = ANY (signal_ids) THEN extract || '{"signalId": null}'
                          ELSE extract END ORDER BY place)
      FROM jsonb_array_elements(extracts) WITH ORDINALITY AS each (extract, place)
$$;

-- Versions move, moments do not: deleting a signal is a change of the signal, and /deletions reports it.
CREATE FUNCTION forget_signals() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    gone record;
BEGIN
    FOR gone IN SELECT workspace_id, array_agg(id::text) AS ids FROM removed GROUP BY workspace_id LOOP
        UPDATE insights AS quoting
           SET extracts = without_signals(quoting.extracts, gone.ids), version = quoting.version + 1
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
