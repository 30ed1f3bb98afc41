CREATE TABLE workspaces (
    id         uuid PRIMARY KEY,
    slug       text NOT NULL UNIQUE,
    name       text NOT NULL,
    settings   jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL
);

-- What the workspace may use. Locked (FOR NO KEY UPDATE) before anything is counted against a limit.
-- null limits mean: no limit.
CREATE TABLE plans (
    workspace_id            uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    initiative_limit        integer CHECK (initiative_limit >= 0),
    active_initiative_limit integer CHECK (active_initiative_limit >= 0),
    trial_ends_at           timestamptz(3),
    ai_credits              integer CHECK (ai_credits >= 0),
    ai_credits_used         integer NOT NULL DEFAULT 0 CHECK (ai_credits_used >= 0),
    ai_credits_reserved     integer NOT NULL DEFAULT 0 CHECK (ai_credits_reserved >= 0),
    research_policies       text[] NOT NULL DEFAULT '{on_demand,daily,weekly}',
    managed_schedule        boolean NOT NULL DEFAULT false
);

CREATE TABLE members (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id           uuid NOT NULL,
    key          text,
    email        text NOT NULL,
    name         text NOT NULL,
    role         text NOT NULL CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
    active       boolean NOT NULL DEFAULT true,
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX members_key ON members (workspace_id, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX members_email ON members (workspace_id, lower(email));

-- A directory table: found by its id before the workspace is known. The secret is stored as SHA-256 only.
CREATE TABLE api_keys (
    id                uuid PRIMARY KEY,
    token_id          text NOT NULL UNIQUE,
    secret_hash       bytea NOT NULL,
    workspace_id      uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    member_id         uuid,
    name              text NOT NULL,
    scopes            text[] NOT NULL,
    created_at        timestamptz(3) NOT NULL,
    expires_at        timestamptz(3),
    revoked_at        timestamptz(3),
    last_used_at      timestamptz(3),
    replaced_by       uuid REFERENCES api_keys ON DELETE SET NULL,
    FOREIGN KEY (workspace_id, member_id) REFERENCES members ON DELETE SET NULL (member_id)
);
CREATE INDEX api_keys_of_workspace ON api_keys (workspace_id, created_at);
CREATE INDEX api_keys_of_member ON api_keys (workspace_id, member_id) WHERE member_id IS NOT NULL;

-- Tells every process to forget what it cached about the keys of a workspace.
CREATE FUNCTION notify_access() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    touched jsonb := to_jsonb(coalesce(NEW, OLD));
BEGIN
    PERFORM pg_notify('sightline_access', coalesce(touched ->> 'workspace_id', touched ->> 'id'));
    RETURN NULL;
END $$;

CREATE TRIGGER api_keys_notify_added AFTER INSERT OR DELETE ON api_keys
    FOR EACH ROW EXECUTE FUNCTION notify_access();
CREATE TRIGGER api_keys_notify_changed AFTER UPDATE ON api_keys
    FOR EACH ROW WHEN ((OLD.secret_hash, OLD.scopes, OLD.member_id, OLD.name, OLD.expires_at, OLD.revoked_at)
        IS DISTINCT FROM (NEW.secret_hash, NEW.scopes, NEW.member_id, NEW.name, NEW.expires_at, NEW.revoked_at))
    EXECUTE FUNCTION notify_access();
CREATE TRIGGER members_notify AFTER UPDATE OR DELETE ON members
    FOR EACH ROW EXECUTE FUNCTION notify_access();
CREATE TRIGGER workspaces_notify AFTER UPDATE OR DELETE ON workspaces
    FOR EACH ROW EXECUTE FUNCTION notify_access();

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
-- The transaction that wrote a record is known from its lines here, which a reader follows in this order.
CREATE INDEX changes_by_writing ON changes (written, id);
CREATE INDEX changes_of_record ON changes (workspace_id, record_id, at, id);
CREATE INDEX changes_by_time ON changes (workspace_id, at, id);
CREATE INDEX changes_deleted ON changes (workspace_id, kind, at, id) WHERE action = 'deleted';
