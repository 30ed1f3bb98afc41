-- What each task with a model took. `failure` says why the embedded engine did the task in the end.
CREATE TABLE model_usage (
    workspace_id  uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id            uuid NOT NULL,
    task          text NOT NULL,
    record_id     uuid NOT NULL,
    model         text NOT NULL,
    failure       text,
    requests      integer NOT NULL,
    unmeasured    integer NOT NULL,
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    seconds       double precision NOT NULL,
    cost          numeric,
    created_at    timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX model_usage_by_time ON model_usage (workspace_id, created_at);
