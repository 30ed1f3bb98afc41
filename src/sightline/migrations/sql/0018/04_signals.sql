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

-- The accounts whose signals an insight brings together. Those of an insight that processing found are the accounts that
-- say it: what many customers say in the same words makes nobody's signal another's.
CREATE FUNCTION linking_accounts(insight insights) RETURNS uuid[] LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN insight.origin = 'processing' THEN '{}' ELSE insight.account_ids END
$$;

CREATE OR REPLACE FUNCTION follow_insights() RETURNS trigger LANGUAGE plpgsql
SET enable_nestloop = off SET jit = off AS $$
DECLARE
    steps linked_signal_step[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(ROW(later.workspace_id, 'account', account, signal, 1)::linked_signal_step) INTO steps
          FROM after AS later
         CROSS JOIN unnest(linking_accounts(later)) AS account CROSS JOIN unnest(later.signal_ids) AS signal;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT array_agg(ROW(earlier.workspace_id, 'account', account, signal, -1)::linked_signal_step) INTO steps
          FROM before AS earlier
         CROSS JOIN unnest(linking_accounts(earlier)) AS account CROSS JOIN unnest(earlier.signal_ids) AS signal;
    ELSE
        SELECT array_agg(ROW(earlier.workspace_id, 'account', account, signal, side.step)::linked_signal_step) INTO steps
          FROM before AS earlier
          JOIN after AS later ON (later.workspace_id, later.id) = (earlier.workspace_id, earlier.id)
         CROSS JOIN LATERAL (VALUES (linking_accounts(earlier), earlier.signal_ids, -1),
                                    (linking_accounts(later), later.signal_ids, 1)) AS side (account_ids, signal_ids, step)
         CROSS JOIN unnest(side.account_ids) AS account CROSS JOIN unnest(side.signal_ids) AS signal
         WHERE (linking_accounts(earlier), earlier.signal_ids)
               IS DISTINCT FROM (linking_accounts(later), later.signal_ids);
    END IF;
    IF steps IS NOT NULL THEN
        PERFORM step_linked_signals(steps);
    END IF;
    RETURN NULL;
END $$;

SELECT step_linked_signals(array_agg(ROW(workspace_id, 'account', account, signal, -1)::linked_signal_step))
  FROM insights CROSS JOIN unnest(account_ids) AS account CROSS JOIN unnest(signal_ids) AS signal
 WHERE origin = 'processing' GROUP BY workspace_id;

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
