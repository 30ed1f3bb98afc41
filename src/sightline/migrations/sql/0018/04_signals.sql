-- One insight a statement: a key leads from the words in which customers say something to the insight that says it.
-- What differs in case, spaces, punctuation, quotes, emoji or thanks at the end is one statement. Signs that change the
-- meaning stay: C++ is not C#, and -30 is not 30.
CREATE FUNCTION statement_words(statement text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(btrim(regexp_replace(regexp_replace(regexp_replace(
               lower(normalize(statement, NFKC)),
               '[''"`\u00b4\u2018-\u201f\u2039\u203a\u00ab\u00bb\u300c-\u300f\u200b-\u200d\ufe0e\ufe0f]', '', 'g'),
               '[.,;:!?()\[\]{}|~^*_\u00a1\u00bf\u00b7\u2010-\u2016\u2020-\u2027\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff'
               '\u3001-\u3003\u3008-\u301f\U0001f000-\U0001fbff]', ' ', 'g'),
               '(^|\s)-+(?=\D|$)|\s+', ' ', 'g')),
               '( (please|pls|kindly|thanks|thank you|many thanks|thx|cheers|bitte|danke|vielen dank)'
               '( (a lot|so much|very much|a million|again|in advance|you|all|team|im voraus))*)+$', '')
$$;

-- A title shortened from a long quote says less than the quote does: then the quote is the statement.
CREATE FUNCTION statement_hash(category text, title text, extracts jsonb) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT sha256(convert_to(category || chr(10) || coalesce(nullif(said.words, ''), title), 'UTF8'))
      FROM (SELECT CASE WHEN length(quote.words) > 120 AND strpos(quote.words, short.words) > 0
                        THEN substr(quote.words, strpos(quote.words, short.words)) ELSE short.words END AS words
              FROM (SELECT statement_words(title)) AS short (words),
                   (SELECT statement_words(extracts -> 0 ->> 'text')) AS quote (words)) AS said
$$;

-- Checked at the end of a transaction: a key is taken before its insight is added. Without an insight the statement was
-- rejected, and all who said it are gone: it is not made again.
CREATE TABLE insight_keys (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    hash         bytea NOT NULL,
    insight_id   uuid,
    PRIMARY KEY (workspace_id, hash),
    FOREIGN KEY (workspace_id, insight_id) REFERENCES insights ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX insight_keys_of_insight ON insight_keys (workspace_id, insight_id) WHERE insight_id IS NOT NULL;

-- Of equal statements that were found before, the oldest has the key. None is merged unseen.
INSERT INTO insight_keys (workspace_id, hash, insight_id)
SELECT workspace_id, statement_hash(category, title, extracts), id FROM insights WHERE origin = 'processing'
 ORDER BY created_at, id
ON CONFLICT DO NOTHING;

ALTER TABLE insights ADD COLUMN account_count integer NOT NULL GENERATED ALWAYS AS (cardinality(account_ids)) STORED;
CREATE INDEX insights_by_accounts ON insights (workspace_id, account_count DESC, id DESC);

-- linked_signals has one row for each link of a signal, and so grows with the links alone: the list finds the signals of
-- an account's insights by the insight. A signal's row is locked while its arrays change, and its links with it.
LOCK TABLE signals IN SHARE MODE;
DROP TRIGGER follow_insights_added ON insights;
DROP TRIGGER follow_insights_changed ON insights;
DROP TRIGGER follow_insights_removed ON insights;
DROP FUNCTION follow_insights();
ALTER TABLE linked_signals DROP COLUMN paths, DROP CONSTRAINT linked_signals_kind_check,
    ADD CONSTRAINT linked_signals_kind_check CHECK (kind IN ('account', 'initiative', 'insight', 'study'));

CREATE OR REPLACE FUNCTION links_of(signal signals) RETURNS TABLE (kind text, record_id uuid)
    LANGUAGE sql IMMUTABLE AS $$
    SELECT 'account', unnest(signal.account_ids)
    UNION ALL SELECT 'initiative', unnest(signal.initiative_ids)
    UNION ALL SELECT 'insight', unnest(signal.insight_ids)
    UNION ALL SELECT 'study', unnest(signal.study_ids)
$$;

CREATE OR REPLACE FUNCTION step_linked_signals(steps linked_signal_step[]) RETURNS void LANGUAGE plpgsql
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

CREATE OR REPLACE FUNCTION follow_signals() RETURNS trigger LANGUAGE plpgsql
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

TRUNCATE linked_signals;
INSERT INTO linked_signals (workspace_id, kind, record_id, signal_id, created_at, number, updated_at)
SELECT signals.workspace_id, link.kind, link.record_id, signals.id, signals.created_at, signals.number, signals.updated_at
  FROM signals CROSS JOIN LATERAL links_of(signals) AS link;

-- The list of signals is filtered by these links too.
CREATE TRIGGER move_feed_added AFTER INSERT ON insight_accounts REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION move_feed('signals');
CREATE TRIGGER move_feed_changed AFTER UPDATE ON insight_accounts REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION move_feed('signals');
CREATE TRIGGER move_feed_removed AFTER DELETE ON insight_accounts REFERENCING OLD TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION move_feed('signals');

-- A deleted signal takes its quotes in insights along; evidence keeps them. DELETE of the API does so before, with the
-- insights of which nothing is left; a file that prunes signals leaves it to this.
CREATE FUNCTION without_quotes(extracts jsonb, signal_ids text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_agg(extract ORDER BY place) FROM jsonb_array_elements(extracts) WITH ORDINALITY AS each (extract, place)
     WHERE (extract ->> 'signalId' = ANY (signal_ids)) IS NOT TRUE
$$;
CREATE OR REPLACE FUNCTION forget_signals() RETURNS trigger LANGUAGE plpgsql
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
