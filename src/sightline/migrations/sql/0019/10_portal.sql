-- A directory table: found by alias or host before the workspace is known.
CREATE TABLE portals (
    workspace_id      uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    alias             text NOT NULL UNIQUE,
    host              text UNIQUE,
    name              text NOT NULL,
    intro             text NOT NULL DEFAULT '',
    accent_color      text NOT NULL DEFAULT '#0a7',
    language          text NOT NULL DEFAULT 'en',
    facets            text[] NOT NULL DEFAULT '{}',
    comments_enabled  boolean NOT NULL DEFAULT true,
    requests_visible  boolean NOT NULL DEFAULT false,
    remote_login_url  text,
    remote_logout_url text,
    secret            bytea,
    created_at        timestamptz(3) NOT NULL,
    updated_at        timestamptz(3) NOT NULL
);

-- `visited_at` is when a person last opened "My ideas", and `visited_before` the visit before that: what changed since
-- then is new to them.
CREATE TABLE portal_users (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id           uuid NOT NULL,
    key          text,
    subject      text,
    email        text NOT NULL,
    first_name   text NOT NULL DEFAULT '',
    last_name    text NOT NULL DEFAULT '',
    last_seen_at timestamptz(3),
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    visited_at   timestamptz(3),
    visited_before timestamptz(3),
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX portal_users_key ON portal_users (workspace_id, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX portal_users_subject ON portal_users (workspace_id, subject) WHERE subject IS NOT NULL;
CREATE UNIQUE INDEX portal_users_email ON portal_users (workspace_id, lower(email)) WHERE subject IS NULL;
CREATE INDEX portal_users_by_email ON portal_users (workspace_id, lower(email));

CREATE TABLE portal_user_accounts (
    workspace_id uuid NOT NULL,
    user_id      uuid NOT NULL,
    account_id   uuid NOT NULL,
    link         bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, user_id, account_id),
    FOREIGN KEY (workspace_id, user_id) REFERENCES portal_users ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts ON DELETE CASCADE
);
CREATE INDEX portal_user_accounts_of_account ON portal_user_accounts (workspace_id, account_id, user_id);

CREATE TABLE portal_votes (
    workspace_id uuid NOT NULL,
    idea_id      uuid NOT NULL,
    user_id      uuid NOT NULL,
    created_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, idea_id, user_id),
    FOREIGN KEY (workspace_id, idea_id) REFERENCES ideas ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, user_id) REFERENCES portal_users ON DELETE CASCADE
);
-- The recent votes of an idea, for the order "trending".
CREATE INDEX portal_votes_of_idea ON portal_votes (workspace_id, idea_id, created_at);
CREATE INDEX portal_votes_of_user ON portal_votes (workspace_id, user_id, created_at);

-- Who asked for an idea through the portal.
CREATE TABLE portal_requests (
    workspace_id uuid NOT NULL,
    idea_id      uuid NOT NULL,
    user_id      uuid NOT NULL,
    created_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, idea_id, user_id),
    FOREIGN KEY (workspace_id, idea_id) REFERENCES ideas ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, user_id) REFERENCES portal_users ON DELETE CASCADE
);
CREATE INDEX portal_requests_of_user ON portal_requests (workspace_id, user_id, created_at);

CREATE TABLE portal_sessions (
    token_hash   bytea PRIMARY KEY,
    workspace_id uuid NOT NULL,
    user_id      uuid NOT NULL,
    created_at   timestamptz(3) NOT NULL,
    expires_at   timestamptz(3) NOT NULL,
    FOREIGN KEY (workspace_id, user_id) REFERENCES portal_users ON DELETE CASCADE
);
CREATE INDEX portal_sessions_of_user ON portal_sessions (workspace_id, user_id);
CREATE INDEX portal_sessions_by_end ON portal_sessions (expires_at);

-- Token ids that were used, kept until they can no longer be valid.
CREATE TABLE portal_used_tokens (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    jti_hash     bytea NOT NULL,
    valid_until  timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, jti_hash)
);
CREATE INDEX portal_used_tokens_by_end ON portal_used_tokens (valid_until);

-- Forms that people sent while they were signed out. They wait for the sign-in of the same browser.
CREATE TABLE portal_waiting_forms (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id           uuid NOT NULL,
    browser_hash bytea NOT NULL,
    network_hash bytea NOT NULL,
    path         text NOT NULL,
    fields       jsonb NOT NULL,
    created_at   timestamptz(3) NOT NULL,
    expires_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

-- People's words on an idea: a member's, a portal user's, or a key's.
CREATE TABLE idea_comments (
    workspace_id   uuid NOT NULL,
    id             uuid NOT NULL,
    idea_id        uuid NOT NULL,
    key            text,
    member_id      uuid,
    portal_user_id uuid,
    api_key_id     uuid,
    body           text NOT NULL,
    visibility     text NOT NULL CHECK (visibility IN ('internal', 'portal')),
    created_at     timestamptz(3) NOT NULL,
    updated_at     timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, idea_id) REFERENCES ideas ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, member_id) REFERENCES members ON DELETE SET NULL (member_id),
    FOREIGN KEY (workspace_id, portal_user_id) REFERENCES portal_users ON DELETE SET NULL (portal_user_id)
);
CREATE UNIQUE INDEX idea_comments_key ON idea_comments (workspace_id, idea_id, key) WHERE key IS NOT NULL;
CREATE INDEX idea_comments_of_idea ON idea_comments (workspace_id, idea_id, created_at, id);
