-- An insight that loses a quote changes at the moment of the deletion, by the same clock as every write.
CREATE OR REPLACE FUNCTION forget_signals() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
END $$;
