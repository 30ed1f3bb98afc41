-- Imported evidence. The big column lives in a table of its own, so that a page never reads it by accident.
-- The id arrays repeat the link tables below and are kept by triggers (11_links.sql).
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
    written          xid8 NOT NULL DEFAULT pg_current_xact_id(),
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
CREATE INDEX signals_of_integration ON signals (workspace_id, integration_id, created_at DESC, number DESC) WHERE integration_id IS NOT NULL;
CREATE INDEX signals_of_account ON signals (workspace_id, account_id) WHERE account_id IS NOT NULL;
CREATE INDEX signals_by_status ON signals (workspace_id, status, created_at DESC, number DESC);
CREATE INDEX signals_by_provider ON signals (workspace_id, provider_type, created_at DESC, number DESC);
CREATE INDEX signals_by_facet ON signals (workspace_id, source_facet, created_at DESC, number DESC);
CREATE INDEX signals_by_source_type ON signals (workspace_id, source_type, created_at DESC, number DESC);

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
    review_state text NOT NULL DEFAULT 'unreviewed' CHECK (review_state IN ('unreviewed', 'accepted', 'edited', 'merged')),
    merged_into  uuid,
    origin       text NOT NULL DEFAULT 'manual',
    account_ids  uuid[] NOT NULL DEFAULT '{}',
    signal_ids   uuid[] NOT NULL DEFAULT '{}',
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    written      xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, merged_into) REFERENCES insights (workspace_id, id) ON DELETE SET NULL (merged_into)
);
CREATE UNIQUE INDEX insights_key ON insights (workspace_id, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX insights_external_id ON insights (workspace_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX insights_newest ON insights (workspace_id, created_at DESC, id DESC);
CREATE INDEX insights_changed ON insights (workspace_id, updated_at, id);
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
    written      xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX opportunities_key ON opportunities (workspace_id, key) WHERE key IS NOT NULL;
CREATE INDEX opportunities_newest ON opportunities (workspace_id, created_at DESC, id DESC);
