CREATE TABLE studies (
    workspace_id   uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id             uuid NOT NULL,
    number         bigint NOT NULL,
    key            text,
    name           text NOT NULL,
    status         text NOT NULL,
    type           text NOT NULL,
    phase          text NOT NULL,
    app_path       text NOT NULL,
    initiative_ids uuid[] NOT NULL DEFAULT '{}',
    idea_ids       uuid[] NOT NULL DEFAULT '{}',
    version        integer NOT NULL DEFAULT 1,
    created_at     timestamptz(3) NOT NULL,
    updated_at     timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX studies_number ON studies (workspace_id, number);
CREATE UNIQUE INDEX studies_key ON studies (workspace_id, key) WHERE key IS NOT NULL;

-- The accepted context of a study: what its feedback counts for now.
CREATE TABLE study_initiatives (
    workspace_id  uuid NOT NULL,
    study_id      uuid NOT NULL,
    initiative_id uuid NOT NULL,
    link          bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, study_id, initiative_id),
    FOREIGN KEY (workspace_id, study_id) REFERENCES studies ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, initiative_id) REFERENCES initiatives ON DELETE CASCADE
);
CREATE INDEX study_initiatives_of_initiative ON study_initiatives (workspace_id, initiative_id, study_id);

CREATE TABLE study_ideas (
    workspace_id uuid NOT NULL,
    study_id     uuid NOT NULL,
    idea_id      uuid NOT NULL,
    link         bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, study_id, idea_id),
    FOREIGN KEY (workspace_id, study_id) REFERENCES studies ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, idea_id) REFERENCES ideas ON DELETE CASCADE
);
CREATE INDEX study_ideas_of_idea ON study_ideas (workspace_id, idea_id, study_id);

CREATE TABLE signal_studies (
    workspace_id uuid NOT NULL,
    signal_id    uuid NOT NULL,
    study_id     uuid NOT NULL,
    link         bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, signal_id, study_id),
    FOREIGN KEY (workspace_id, signal_id) REFERENCES signals ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, study_id) REFERENCES studies ON DELETE CASCADE
);
CREATE INDEX signal_studies_of_study ON signal_studies (workspace_id, study_id, signal_id);

-- Single ratings: an append-only feed. The subject never changes; the context is the study's.
CREATE TABLE study_feedback (
    workspace_id uuid NOT NULL,
    id           uuid NOT NULL,
    key          text,
    external_id  text,
    study_id     uuid NOT NULL,
    rating       double precision NOT NULL CHECK (rating BETWEEN 0 AND 10),
    metric       text NOT NULL,
    subject_type text NOT NULL,
    subject_id   uuid NOT NULL,
    comment      text,
    submitted_at timestamptz(3) NOT NULL,
    source       text NOT NULL CHECK (source IN ('study_completion', 'live_interview')),
    account_id   uuid,
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, study_id) REFERENCES studies ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts ON DELETE SET NULL (account_id)
);
CREATE UNIQUE INDEX study_feedback_key ON study_feedback (workspace_id, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX study_feedback_external_id ON study_feedback (workspace_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX study_feedback_in_order ON study_feedback (workspace_id, submitted_at, id);
CREATE INDEX study_feedback_of_study ON study_feedback (workspace_id, study_id, submitted_at, id);
CREATE INDEX study_feedback_by_metric ON study_feedback (workspace_id, metric, submitted_at, id);
CREATE INDEX study_feedback_of_subject ON study_feedback (workspace_id, subject_type, subject_id, submitted_at, id);
CREATE INDEX study_feedback_of_subject_id ON study_feedback (workspace_id, subject_id, submitted_at, id);
CREATE INDEX study_feedback_of_account ON study_feedback (workspace_id, account_id, submitted_at, id) WHERE account_id IS NOT NULL;
CREATE INDEX study_feedback_by_subject_type ON study_feedback (workspace_id, subject_type, submitted_at, id);
-- The order of the feed with `updatedSince`. A window of changes is read, and other filters are checked in it; the studies of
-- an initiative or an idea have their own.
CREATE INDEX study_feedback_changed ON study_feedback (workspace_id, updated_at, id);
CREATE INDEX study_feedback_of_study_changed ON study_feedback (workspace_id, study_id, updated_at, id);
