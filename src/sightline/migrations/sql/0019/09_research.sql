-- `kept_definition` is the plan that was kept last, which scheduled runs keep to; null: none was kept.
CREATE TABLE research_briefs (
    workspace_id   uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id             uuid NOT NULL,
    key            text,
    name           text NOT NULL,
    question       text NOT NULL DEFAULT '',
    state          text NOT NULL CHECK (state IN ('draft', 'active', 'paused', 'archived')),
    row_version    integer NOT NULL DEFAULT 1,
    revision       integer NOT NULL DEFAULT 1,
    definition     jsonb NOT NULL,
    run_policy     text NOT NULL DEFAULT 'on_demand' CHECK (run_policy IN ('on_demand', 'daily', 'weekly')),
    timezone       text NOT NULL DEFAULT 'UTC',
    next_run_at    timestamptz(3),
    search         tsvector,
    created_by     uuid,
    created_at     timestamptz(3) NOT NULL,
    updated_at     timestamptz(3) NOT NULL,
    kept_revision  integer,
    kept_definition jsonb,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, created_by) REFERENCES members ON DELETE SET NULL (created_by)
);
CREATE UNIQUE INDEX research_briefs_key ON research_briefs (workspace_id, key) WHERE key IS NOT NULL;
CREATE INDEX research_briefs_newest ON research_briefs (workspace_id, created_at DESC, id DESC);
CREATE INDEX research_briefs_due ON research_briefs (next_run_at) WHERE next_run_at IS NOT NULL AND state = 'active';

-- A run keeps its own definition and dates; editing the plan never changes them.
CREATE TABLE research_runs (
    workspace_id         uuid NOT NULL,
    id                   uuid NOT NULL,
    brief_id             uuid NOT NULL,
    operation_id         uuid NOT NULL,
    request_id           uuid,
    request_hash         bytea,
    trigger              text NOT NULL CHECK (trigger IN ('manual', 'schedule')),
    slot                 timestamptz(3),
    status               text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'stopped')),
    revision             integer NOT NULL DEFAULT 1,
    definition           jsonb NOT NULL,
    from_date_time       timestamptz(3),
    to_date_time         timestamptz(3),
    native_read_count    integer NOT NULL DEFAULT 0,
    review_themes        jsonb NOT NULL DEFAULT '[]',
    scores               jsonb NOT NULL DEFAULT '[]',
    credits_reserved     integer NOT NULL DEFAULT 0,
    addition_status      text CHECK (addition_status IN ('queued', 'running', 'completed', 'failed')),
    addition_product_id  uuid,
    addition_signal_ids  uuid[] NOT NULL DEFAULT '{}',
    addition_failure     text,
    failure              text,
    created_at           timestamptz(3) NOT NULL,
    started_at           timestamptz(3),
    finished_at          timestamptz(3),
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, brief_id) REFERENCES research_briefs ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, addition_product_id) REFERENCES products ON DELETE SET NULL (addition_product_id)
);
CREATE UNIQUE INDEX research_runs_request ON research_runs (workspace_id, request_id) WHERE request_id IS NOT NULL;
CREATE UNIQUE INDEX research_runs_slot ON research_runs (workspace_id, brief_id, slot) WHERE slot IS NOT NULL;
CREATE UNIQUE INDEX research_runs_active ON research_runs (workspace_id, brief_id) WHERE status IN ('queued', 'running');
CREATE INDEX research_runs_of_brief ON research_runs (workspace_id, brief_id, created_at DESC, id DESC);

-- A section is sealed once, by one UPDATE that only succeeds while it is not.
CREATE TABLE research_sections (
    workspace_id uuid NOT NULL,
    run_id       uuid NOT NULL,
    id           uuid NOT NULL,
    position     integer NOT NULL,
    name         text NOT NULL,
    type         text NOT NULL CHECK (type IN ('competitors', 'market', 'custom')),
    status       text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'stopped')),
    attempts     integer NOT NULL DEFAULT 0,
    answer       jsonb,
    failure      text,
    sealed_at    timestamptz(3),
    PRIMARY KEY (workspace_id, run_id, id),
    FOREIGN KEY (workspace_id, run_id) REFERENCES research_runs ON DELETE CASCADE
);

-- The text of what was read, so that every quote can be checked again, and the language of the page, for sections that
-- are limited to some.
CREATE TABLE research_sources (
    workspace_id uuid NOT NULL,
    run_id       uuid NOT NULL,
    id           uuid NOT NULL,
    url          text NOT NULL,
    content_hash text NOT NULL,
    content      text NOT NULL,
    retrieved_at timestamptz(3) NOT NULL,
    language     text,
    PRIMARY KEY (workspace_id, run_id, id),
    FOREIGN KEY (workspace_id, run_id) REFERENCES research_runs ON DELETE CASCADE
);
CREATE UNIQUE INDEX research_sources_once ON research_sources (workspace_id, run_id, content_hash, md5(url));

CREATE TABLE research_findings (
    workspace_id uuid NOT NULL,
    run_id       uuid NOT NULL,
    section_id   uuid NOT NULL,
    id           uuid NOT NULL,
    source_id    uuid,
    position     integer NOT NULL,
    title        text NOT NULL,
    url          text NOT NULL,
    publisher    text,
    published_at timestamptz(3),
    retrieved_at timestamptz(3) NOT NULL,
    relevance    jsonb NOT NULL,
    observations jsonb NOT NULL DEFAULT '[]',
    provenance   jsonb NOT NULL,
    PRIMARY KEY (workspace_id, run_id, id),
    FOREIGN KEY (workspace_id, run_id, section_id) REFERENCES research_sections ON DELETE CASCADE
);
CREATE INDEX research_findings_of_section ON research_findings (workspace_id, run_id, section_id, position, id);

CREATE TABLE research_records (
    workspace_id uuid NOT NULL,
    run_id       uuid NOT NULL,
    id           uuid NOT NULL,
    section_id   uuid,
    position     integer NOT NULL,
    connector    text NOT NULL,
    external_id  text NOT NULL,
    label        text NOT NULL,
    rating       double precision,
    title        text NOT NULL DEFAULT '',
    body         text NOT NULL DEFAULT '',
    app_version  text,
    storefront   text,
    submitted_at timestamptz(3),
    url          text,
    PRIMARY KEY (workspace_id, run_id, id),
    FOREIGN KEY (workspace_id, run_id) REFERENCES research_runs ON DELETE CASCADE
);
CREATE INDEX research_records_of_run ON research_records (workspace_id, run_id, position, id);
