-- How the API writes a moment: ISO 8601, UTC, milliseconds. STABLE so that PostgreSQL inlines it.
CREATE FUNCTION iso(moment timestamptz) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Public numbers only grow. A number is taken by a statement of its own before the transaction that uses it.
CREATE TABLE public_numbers (
    workspace_id uuid NOT NULL,
    kind         text NOT NULL,
    last         bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, kind)
);

-- How many records an unfiltered list has: 16 slots a kind, so that concurrent creators do not queue.
CREATE TABLE record_counts (
    workspace_id uuid NOT NULL,
    kind         text NOT NULL,
    slot         smallint NOT NULL CHECK (slot BETWEEN 0 AND 15),
    count        bigint NOT NULL,
    PRIMARY KEY (workspace_id, kind, slot)
);

-- The trail of every write: audit, status history, tombstones of deleted records, outbox.
CREATE TABLE changes (
    workspace_id uuid NOT NULL,
    id           uuid NOT NULL,
    kind         text NOT NULL,
    record_id    uuid NOT NULL,
    public_id    text,
    action       text NOT NULL,
    actor_kind   text NOT NULL CHECK (actor_kind IN ('key', 'portal_user', 'job', 'file', 'operator')),
    actor_id     text,
    at           timestamptz(3) NOT NULL,
    detail       jsonb NOT NULL DEFAULT '{}',
    written      xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX changes_of_record ON changes (workspace_id, record_id, at, id);
CREATE INDEX changes_by_time ON changes (workspace_id, at, id);
CREATE INDEX changes_deleted ON changes (workspace_id, kind, at, id) WHERE action = 'deleted';

-- Answers kept for 24 hours under the caller's Idempotency-Key, written in the creating transaction.
CREATE TABLE idempotency_keys (
    workspace_id uuid NOT NULL,
    key_id       uuid NOT NULL,
    operation    text NOT NULL,
    value        text NOT NULL,
    body_hash    bytea NOT NULL,
    status       smallint NOT NULL,
    headers      jsonb NOT NULL DEFAULT '{}',
    body         bytea NOT NULL,
    created_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, key_id, operation, value)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
