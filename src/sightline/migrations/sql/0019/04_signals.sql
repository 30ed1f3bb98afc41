-- Imported evidence. The big column lives in a table of its own, so that a page never reads it by accident.
-- The id arrays repeat the link tables below and are kept by triggers (12_links.sql). `processing_id` is the latest request
-- to process the signal: what was read for an earlier one is not stored.
CREATE TABLE signals (
    workspace_id     uuid NOT NULL,
    id               uuid NOT NULL,
    number           bigint NOT NULL,
    key              text,
    name             text NOT NULL,
    status           text NOT NULL CHECK (status IN ('pending', 'processing', 'processed', 'failed')),
    context          text NOT NULL,
    signal_type      text,
    processor_type   text NOT NULL,
    provider_type    text NOT NULL,
    evidence_kind    text NOT NULL,
    analysis_profile text NOT NULL,
    source_facet     text NOT NULL GENERATED ALWAYS AS (provider_type || ':' || evidence_kind) STORED,
    source_label     text NOT NULL,
    source_type      text NOT NULL,
    external_data    jsonb NOT NULL DEFAULT '{}',
    source_links     jsonb NOT NULL DEFAULT '[]',
    data             jsonb NOT NULL DEFAULT '{}',
    transcript       jsonb,
    import           jsonb,
    integration_id   uuid,
    source_key       text,
    external_id      text,
    origin           text,
    account_id       uuid,
    insight_ids      uuid[] NOT NULL DEFAULT '{}',
    account_ids      uuid[] NOT NULL DEFAULT '{}',
    initiative_ids   uuid[] NOT NULL DEFAULT '{}',
    study_ids        uuid[] NOT NULL DEFAULT '{}',
    failure          text,
    process_after    timestamptz(3),
    version          integer NOT NULL DEFAULT 1,
    created_at       timestamptz(3) NOT NULL,
    updated_at       timestamptz(3) NOT NULL,
    processing_id    uuid,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts ON DELETE SET NULL (account_id),
    FOREIGN KEY (workspace_id, integration_id) REFERENCES integrations ON DELETE SET NULL (integration_id)
);
CREATE UNIQUE INDEX signals_number ON signals (workspace_id, number);
CREATE UNIQUE INDEX signals_key ON signals (workspace_id, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX signals_source ON signals (workspace_id, source_key, external_id) WHERE source_key IS NOT NULL;
CREATE UNIQUE INDEX signals_origin ON signals (workspace_id, origin) WHERE origin IS NOT NULL;
CREATE INDEX signals_newest ON signals (workspace_id, created_at DESC, number DESC) INCLUDE (id);
CREATE INDEX signals_changed ON signals (workspace_id, updated_at, id);
CREATE INDEX signals_external_id ON signals (workspace_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX signals_of_account ON signals (workspace_id, account_id) WHERE account_id IS NOT NULL;
-- Signals that wait, in any workspace: a worker looks for those without a job.
CREATE INDEX signals_waiting ON signals (workspace_id, id) WHERE status IN ('pending', 'processing');

-- Every filter of the list in both of its orders, and by status within: a page of any filter, and of any filter and
-- some statuses, is read from the front of an index. The ids come along, so that an offset touches no row, and what
-- tells apart the three ways in which one word may name a source, so that counting touches none either.
DO $do$
DECLARE
    kept record;
BEGIN
    FOR kept IN SELECT * FROM (VALUES
        ('signals_by_status',      'status',                 'id',                              ''),
        ('signals_by_provider',    'provider_type, status',  'id',                              ''),
        ('signals_by_facet',       'source_facet, status',   'id, provider_type',               ''),
        ('signals_by_source_type', 'source_type, status',    'id, provider_type, source_facet',
                                   'WHERE source_type <> provider_type AND source_type <> source_facet'),
        ('signals_of_integration', 'integration_id, status', 'id', 'WHERE integration_id IS NOT NULL')
    ) AS t (name, columns, carried, condition)
    LOOP
        EXECUTE format('CREATE INDEX %1$s_newest ON signals (workspace_id, %2$s, created_at DESC, number DESC) '
                       'INCLUDE (%3$s) %4$s', kept.name, kept.columns, kept.carried, kept.condition);
        EXECUTE format('CREATE INDEX %1$s_changed ON signals (workspace_id, %2$s, updated_at, id) %3$s',
                       kept.name, kept.columns, kept.condition);
    END LOOP;
END $do$;

CREATE TABLE signal_raw (
    workspace_id uuid NOT NULL,
    signal_id    uuid NOT NULL,
    raw          jsonb NOT NULL,
    PRIMARY KEY (workspace_id, signal_id),
    FOREIGN KEY (workspace_id, signal_id) REFERENCES signals ON DELETE CASCADE
);

CREATE TABLE signal_accounts (
    workspace_id uuid NOT NULL,
    signal_id    uuid NOT NULL,
    account_id   uuid NOT NULL,
    link         bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, signal_id, account_id),
    FOREIGN KEY (workspace_id, signal_id) REFERENCES signals ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts ON DELETE CASCADE
);
CREATE INDEX signal_accounts_of_account ON signal_accounts (workspace_id, account_id, signal_id);

-- Short reviewable statements, with the quotes they rest on.
CREATE TABLE insights (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id           uuid NOT NULL,
    key          text,
    external_id  text,
    title        text NOT NULL,
    description  text NOT NULL DEFAULT '',
    category     text NOT NULL,
    extracts     jsonb,
    review_state text NOT NULL DEFAULT 'unreviewed'
                 CHECK (review_state IN ('unreviewed', 'accepted', 'edited', 'rejected', 'merged')),
    merged_into  uuid,
    origin       text NOT NULL DEFAULT 'manual',
    account_ids  uuid[] NOT NULL DEFAULT '{}',
    signal_ids   uuid[] NOT NULL DEFAULT '{}',
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    search       tsvector NOT NULL GENERATED ALWAYS AS
                 (to_tsvector('simple'::regconfig, title || ' ' || left(description, 100000))) STORED,
    account_count integer NOT NULL GENERATED ALWAYS AS (cardinality(account_ids)) STORED,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, merged_into) REFERENCES insights (workspace_id, id) ON DELETE SET NULL (merged_into)
);
CREATE UNIQUE INDEX insights_key ON insights (workspace_id, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX insights_external_id ON insights (workspace_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX insights_newest ON insights (workspace_id, created_at DESC, id DESC);
CREATE INDEX insights_changed ON insights (workspace_id, updated_at, id);
CREATE INDEX insights_by_category ON insights (workspace_id, category, created_at DESC, id DESC);
CREATE INDEX insights_by_review_state ON insights (workspace_id, review_state, created_at DESC, id DESC);
CREATE INDEX insights_by_accounts ON insights (workspace_id, account_count DESC, id DESC);
CREATE INDEX insights_search ON insights USING gin (search);
CREATE INDEX insights_quoting ON insights USING gin (jsonb_path_query_array(extracts, '$[*].signalId') jsonb_path_ops)
    WHERE extracts IS NOT NULL;
CREATE INDEX insights_merged ON insights (workspace_id, merged_into) WHERE merged_into IS NOT NULL;

CREATE TABLE insight_signals (
    workspace_id uuid NOT NULL,
    insight_id   uuid NOT NULL,
    signal_id    uuid NOT NULL,
    link         bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, insight_id, signal_id),
    FOREIGN KEY (workspace_id, insight_id) REFERENCES insights ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, signal_id) REFERENCES signals ON DELETE CASCADE
);
CREATE INDEX insight_signals_of_signal ON insight_signals (workspace_id, signal_id, insight_id);

CREATE TABLE insight_accounts (
    workspace_id uuid NOT NULL,
    insight_id   uuid NOT NULL,
    account_id   uuid NOT NULL,
    link         bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, insight_id, account_id),
    FOREIGN KEY (workspace_id, insight_id) REFERENCES insights ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts ON DELETE CASCADE
);
CREATE INDEX insight_accounts_of_account ON insight_accounts (workspace_id, account_id, insight_id);

CREATE TABLE opportunities (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id           uuid NOT NULL,
    key          text,
    name         text NOT NULL,
    description  text NOT NULL DEFAULT '',
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX opportunities_key ON opportunities (workspace_id, key) WHERE key IS NOT NULL;
CREATE INDEX opportunities_newest ON opportunities (workspace_id, created_at DESC, id DESC);
CREATE INDEX opportunities_changed ON opportunities (workspace_id, updated_at, id);

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
