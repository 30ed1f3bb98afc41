-- Candidate solutions. The status label has no foreign key on purpose: thousands of creators a second would lock one
-- and the same label row; removing a label locks the table instead (see workspace_file).
CREATE TABLE ideas (
    workspace_id        uuid NOT NULL,
    id                  uuid NOT NULL,
    number              bigint NOT NULL,
    key                 text,
    name                text NOT NULL,
    description         text NOT NULL,
    status              text NOT NULL,
    product_id          uuid,
    initiative_id       uuid,
    integration_id      uuid,
    sprint_id           uuid,
    source_key          text,
    external_id         text,
    created_source      text,
    provenance          jsonb,
    feature_ownership   text NOT NULL DEFAULT 'automatic' CHECK (feature_ownership IN ('automatic', 'manual')),
    feature_matching    jsonb,
    matched_key         text,
    feature_ids         uuid[] NOT NULL DEFAULT '{}',
    opportunity_ids     uuid[] NOT NULL DEFAULT '{}',
    insight_ids         uuid[] NOT NULL DEFAULT '{}',
    account_ids         uuid[] NOT NULL DEFAULT '{}',
    taxonomy_version_id uuid,
    portal_visible      boolean NOT NULL DEFAULT false,
    vote_count          integer NOT NULL DEFAULT 0,
    search              tsvector NOT NULL GENERATED ALWAYS AS
                        (to_tsvector('simple'::regconfig, name || ' ' || left(description, 100000))) STORED,
    version             integer NOT NULL DEFAULT 1,
    created_at          timestamptz(3) NOT NULL,
    updated_at          timestamptz(3) NOT NULL,
    written             xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, product_id) REFERENCES products ON DELETE SET NULL (product_id),
    FOREIGN KEY (workspace_id, initiative_id) REFERENCES initiatives ON DELETE SET NULL (initiative_id),
    FOREIGN KEY (workspace_id, integration_id) REFERENCES integrations ON DELETE SET NULL (integration_id),
    FOREIGN KEY (workspace_id, sprint_id) REFERENCES sprints ON DELETE SET NULL (sprint_id)
);
CREATE UNIQUE INDEX ideas_number ON ideas (workspace_id, number);
CREATE UNIQUE INDEX ideas_key ON ideas (workspace_id, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX ideas_source_identity ON ideas (workspace_id, source_key, external_id) WHERE source_key IS NOT NULL;
CREATE UNIQUE INDEX ideas_integration_identity ON ideas (workspace_id, integration_id, external_id) WHERE integration_id IS NOT NULL;
CREATE INDEX ideas_newest ON ideas (workspace_id, created_at DESC, number DESC) INCLUDE (id);
CREATE INDEX ideas_changed ON ideas (workspace_id, updated_at, id);
CREATE INDEX ideas_external_id ON ideas (workspace_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX ideas_of_source ON ideas (workspace_id, source_key, created_at DESC, number DESC) INCLUDE (id) WHERE source_key IS NOT NULL;
CREATE INDEX ideas_of_integration ON ideas (workspace_id, integration_id, created_at DESC, number DESC) INCLUDE (id) WHERE integration_id IS NOT NULL;
CREATE INDEX ideas_of_product ON ideas (workspace_id, product_id, id) WHERE product_id IS NOT NULL;
CREATE INDEX ideas_of_initiative ON ideas (workspace_id, initiative_id, id) WHERE initiative_id IS NOT NULL;
CREATE INDEX ideas_of_sprint ON ideas (workspace_id, sprint_id) WHERE sprint_id IS NOT NULL;
CREATE INDEX ideas_by_status ON ideas (workspace_id, status, created_at DESC, number DESC);
CREATE INDEX ideas_on_portal ON ideas (workspace_id, created_at DESC, number DESC) WHERE portal_visible;
CREATE INDEX ideas_search ON ideas USING gin (search);

CREATE TABLE idea_features (
    workspace_id uuid NOT NULL,
    idea_id      uuid NOT NULL,
    feature_id   uuid NOT NULL,
    link         bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, idea_id, feature_id),
    FOREIGN KEY (workspace_id, idea_id) REFERENCES ideas ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, feature_id) REFERENCES features ON DELETE CASCADE
);
CREATE INDEX idea_features_of_feature ON idea_features (workspace_id, feature_id, idea_id);

CREATE TABLE idea_opportunities (
    workspace_id   uuid NOT NULL,
    idea_id        uuid NOT NULL,
    opportunity_id uuid NOT NULL,
    link           bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, idea_id, opportunity_id),
    FOREIGN KEY (workspace_id, idea_id) REFERENCES ideas ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, opportunity_id) REFERENCES opportunities ON DELETE CASCADE
);
CREATE INDEX idea_opportunities_of_opportunity ON idea_opportunities (workspace_id, opportunity_id, idea_id);

CREATE TABLE idea_insights (
    workspace_id uuid NOT NULL,
    idea_id      uuid NOT NULL,
    insight_id   uuid NOT NULL,
    validated    boolean NOT NULL DEFAULT false,
    link         bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, idea_id, insight_id),
    FOREIGN KEY (workspace_id, idea_id) REFERENCES ideas ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, insight_id) REFERENCES insights ON DELETE CASCADE
);
CREATE INDEX idea_insights_of_insight ON idea_insights (workspace_id, insight_id, idea_id);

CREATE TABLE idea_accounts (
    workspace_id uuid NOT NULL,
    idea_id      uuid NOT NULL,
    account_id   uuid NOT NULL,
    link         bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, idea_id, account_id),
    FOREIGN KEY (workspace_id, idea_id) REFERENCES ideas ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts ON DELETE CASCADE
);
CREATE INDEX idea_accounts_of_account ON idea_accounts (workspace_id, account_id, idea_id);

-- A value without options and text is a group that was reviewed as unassigned, or whose value was rejected.
CREATE TABLE idea_classifications (
    workspace_id uuid NOT NULL,
    idea_id      uuid NOT NULL,
    group_id     uuid NOT NULL,
    option_ids   uuid[] NOT NULL DEFAULT '{}',
    text_value   text,
    review_state text NOT NULL DEFAULT 'unreviewed'
                 CHECK (review_state IN ('unreviewed', 'accepted', 'rejected', 'corrected', 'unassigned')),
    origin       text CHECK (origin IN ('api', 'suggested', 'manual')),
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, idea_id, group_id),
    FOREIGN KEY (workspace_id, idea_id) REFERENCES ideas ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, group_id) REFERENCES taxonomy_groups ON DELETE CASCADE
);
CREATE INDEX idea_classifications_of_group ON idea_classifications (workspace_id, group_id, idea_id);

CREATE TABLE idea_questions (
    workspace_id uuid NOT NULL,
    id           uuid NOT NULL,
    idea_id      uuid NOT NULL,
    key          text,
    question     text NOT NULL,
    answer       text,
    placeholder  text NOT NULL DEFAULT '',
    reasoning    text NOT NULL DEFAULT '',
    status       text NOT NULL CHECK (status IN ('pending', 'skipped', 'answered', 'rejected')),
    origin       text NOT NULL DEFAULT 'manual' CHECK (origin IN ('manual', 'engine')),
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, idea_id) REFERENCES ideas ON DELETE CASCADE
);
CREATE UNIQUE INDEX idea_questions_key ON idea_questions (workspace_id, idea_id, key) WHERE key IS NOT NULL;
CREATE INDEX idea_questions_of_idea ON idea_questions (workspace_id, idea_id, created_at, id);

CREATE TABLE idea_evidence (
    workspace_id uuid NOT NULL,
    id           uuid NOT NULL,
    idea_id      uuid NOT NULL,
    key          text,
    title        text NOT NULL,
    description  text NOT NULL DEFAULT '',
    category     text NOT NULL,
    extracts     jsonb,
    signal_id    uuid,
    role         text NOT NULL CHECK (role IN ('supports', 'qualifies', 'contradicts', 'context')),
    origin       text NOT NULL CHECK (origin IN ('entity_creation', 'manual', 'import', 'study', 'research', 'portal')),
    resolved_at  timestamptz(3),
    resolution   text,
    resolved_by  uuid,
    dismissed_at timestamptz(3),
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, idea_id) REFERENCES ideas ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, signal_id) REFERENCES signals ON DELETE SET NULL (signal_id),
    FOREIGN KEY (workspace_id, resolved_by) REFERENCES members ON DELETE SET NULL (resolved_by)
);
CREATE UNIQUE INDEX idea_evidence_key ON idea_evidence (workspace_id, idea_id, key) WHERE key IS NOT NULL;
CREATE INDEX idea_evidence_of_idea ON idea_evidence (workspace_id, idea_id, created_at DESC, id);
CREATE INDEX idea_evidence_of_signal ON idea_evidence (workspace_id, signal_id) WHERE signal_id IS NOT NULL;
