CREATE TABLE initiatives (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id           uuid NOT NULL,
    number       bigint NOT NULL,
    key          text,
    name         text NOT NULL,
    description  text NOT NULL DEFAULT '',
    status       text NOT NULL CHECK (status IN ('PENDING', 'UNPLANNED', 'PLANNED', 'IN_PROGRESS', 'COMPLETED', 'ARCHIVED')),
    is_active    boolean NOT NULL GENERATED ALWAYS AS (status NOT IN ('COMPLETED', 'ARCHIVED')) STORED,
    priority     text NOT NULL DEFAULT 'MEDIUM' CHECK (priority IN ('URGENT', 'HIGH', 'MEDIUM', 'LOW')),
    product_id   uuid,
    start_date   date,
    finish_date  date,
    request_hash bytea,
    team_ids     uuid[] NOT NULL DEFAULT '{}',
    feature_ids  uuid[] NOT NULL DEFAULT '{}',
    search       tsvector NOT NULL GENERATED ALWAYS AS
                 (to_tsvector('simple'::regconfig, name || ' ' || description)) STORED,
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, product_id) REFERENCES products ON DELETE SET NULL (product_id),
    CHECK (start_date <= finish_date)
);
CREATE UNIQUE INDEX initiatives_number ON initiatives (workspace_id, number);
CREATE UNIQUE INDEX initiatives_key ON initiatives (workspace_id, key) WHERE key IS NOT NULL;
CREATE INDEX initiatives_by_update ON initiatives (workspace_id, updated_at DESC, number DESC) INCLUDE (id);
CREATE INDEX initiatives_by_status ON initiatives (workspace_id, status, updated_at DESC, number DESC);
CREATE INDEX initiatives_of_product ON initiatives (workspace_id, product_id, updated_at DESC, number DESC) WHERE product_id IS NOT NULL;
CREATE INDEX initiatives_active ON initiatives (workspace_id) WHERE is_active;
CREATE INDEX initiatives_search ON initiatives USING gin (search);

CREATE TABLE initiative_teams (
    workspace_id  uuid NOT NULL,
    initiative_id uuid NOT NULL,
    team_id       uuid NOT NULL,
    link          bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, initiative_id, team_id),
    FOREIGN KEY (workspace_id, initiative_id) REFERENCES initiatives ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, team_id) REFERENCES teams ON DELETE CASCADE
);
CREATE INDEX initiative_teams_of_team ON initiative_teams (workspace_id, team_id, initiative_id);

CREATE TABLE initiative_features (
    workspace_id  uuid NOT NULL,
    initiative_id uuid NOT NULL,
    feature_id    uuid NOT NULL,
    link          bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, initiative_id, feature_id),
    FOREIGN KEY (workspace_id, initiative_id) REFERENCES initiatives ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, feature_id) REFERENCES features ON DELETE CASCADE
);
CREATE INDEX initiative_features_of_feature ON initiative_features (workspace_id, feature_id, initiative_id);

-- The answer of a `stale` question does not hold any more: documents leave it out.
CREATE TABLE initiative_questions (
    workspace_id  uuid NOT NULL,
    id            uuid NOT NULL,
    initiative_id uuid NOT NULL,
    key           text,
    question      text NOT NULL,
    answer        text,
    placeholder   text NOT NULL DEFAULT '',
    position      integer NOT NULL DEFAULT 0,
    created_at    timestamptz(3) NOT NULL,
    updated_at    timestamptz(3) NOT NULL,
    stale         boolean NOT NULL DEFAULT false,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, initiative_id) REFERENCES initiatives ON DELETE CASCADE
);
CREATE UNIQUE INDEX initiative_questions_key ON initiative_questions (workspace_id, initiative_id, key) WHERE key IS NOT NULL;
CREATE INDEX initiative_questions_of_initiative ON initiative_questions (workspace_id, initiative_id, position, id);

CREATE TABLE signal_initiatives (
    workspace_id  uuid NOT NULL,
    signal_id     uuid NOT NULL,
    initiative_id uuid NOT NULL,
    accepted      boolean NOT NULL DEFAULT false,
    link          bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, signal_id, initiative_id),
    FOREIGN KEY (workspace_id, signal_id) REFERENCES signals ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, initiative_id) REFERENCES initiatives ON DELETE CASCADE
);
CREATE INDEX signal_initiatives_of_initiative ON signal_initiatives (workspace_id, initiative_id, signal_id) WHERE accepted;
