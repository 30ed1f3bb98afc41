CREATE TABLE documents (
    workspace_id  uuid NOT NULL,
    id            uuid NOT NULL,
    initiative_id uuid NOT NULL,
    key           text,
    type          text NOT NULL CHECK (type IN ('INITIATIVE_BRIEF', 'PRD', 'TDD')),
    version       integer NOT NULL CHECK (version >= 1),
    content       text NOT NULL,
    sources       jsonb NOT NULL DEFAULT '[]',
    writer        jsonb,
    created_at    timestamptz(3) NOT NULL,
    updated_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, initiative_id, type),
    FOREIGN KEY (workspace_id, initiative_id) REFERENCES initiatives ON DELETE CASCADE
);
CREATE UNIQUE INDEX documents_key ON documents (workspace_id, initiative_id, key) WHERE key IS NOT NULL;

-- What a document said before it was replaced.
CREATE TABLE document_versions (
    workspace_id uuid NOT NULL,
    document_id  uuid NOT NULL,
    version      integer NOT NULL,
    content      text NOT NULL,
    sources      jsonb NOT NULL DEFAULT '[]',
    writer       jsonb,
    written_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, document_id, version),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);

-- Receipts of generations. At most one is active for an initiative and type: the index says so. `requests` counts how
-- often it was asked for meanwhile: what was read before the last request is not what is stored.
CREATE TABLE document_generations (
    workspace_id  uuid NOT NULL,
    id            uuid NOT NULL,
    initiative_id uuid NOT NULL,
    document_id   uuid NOT NULL,
    type          text NOT NULL CHECK (type IN ('INITIATIVE_BRIEF', 'PRD', 'TDD')),
    is_first      boolean NOT NULL,
    status        text NOT NULL CHECK (status IN ('pending', 'completed', 'failed')),
    failure       jsonb,
    run_after     timestamptz(3) NOT NULL,
    created_at    timestamptz(3) NOT NULL,
    updated_at    timestamptz(3) NOT NULL,
    requests      integer NOT NULL DEFAULT 1,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, initiative_id) REFERENCES initiatives ON DELETE CASCADE
);
CREATE UNIQUE INDEX document_generations_active ON document_generations (workspace_id, initiative_id, type) WHERE status = 'pending';
CREATE INDEX document_generations_of_initiative ON document_generations (workspace_id, initiative_id, created_at);
