CREATE TABLE products (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id           uuid NOT NULL,
    key          text,
    name         text NOT NULL,
    description  text NOT NULL DEFAULT '',
    map_version  bigint NOT NULL DEFAULT 1,
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX products_key ON products (workspace_id, key) WHERE key IS NOT NULL;
CREATE INDEX products_newest ON products (workspace_id, created_at DESC, id DESC);

CREATE TABLE features (
    workspace_id uuid NOT NULL,
    id           uuid NOT NULL,
    product_id   uuid NOT NULL,
    parent_id    uuid,
    key          text,
    name         text NOT NULL,
    description  text NOT NULL DEFAULT '',
    position     integer NOT NULL DEFAULT 0,
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, product_id, id),
    FOREIGN KEY (workspace_id, product_id) REFERENCES products ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, product_id, parent_id) REFERENCES features (workspace_id, product_id, id)
        ON DELETE SET NULL (parent_id),
    CHECK (parent_id <> id)
);
CREATE UNIQUE INDEX features_key ON features (workspace_id, product_id, key) WHERE key IS NOT NULL;
CREATE INDEX features_of_product ON features (workspace_id, product_id, position, id);
CREATE INDEX features_of_parent ON features (workspace_id, product_id, parent_id) WHERE parent_id IS NOT NULL;

-- The feature map's version moves with every change of a product's features: what was matched against it is stale then.
-- A feature that moves to another product changes both. On the settings see 12_links.sql.
CREATE FUNCTION move_map_version() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    PERFORM 1 FROM products WHERE (workspace_id, id) IN (SELECT workspace_id, product_id FROM touched)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE products SET map_version = map_version + 1, version = version + 1
        WHERE (workspace_id, id) IN (SELECT workspace_id, product_id FROM touched);
    RETURN NULL;
END $$;
CREATE FUNCTION move_map_versions_of_both() RETURNS trigger LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    PERFORM 1 FROM products WHERE (workspace_id, id) IN (SELECT workspace_id, product_id FROM before UNION
                                                         SELECT workspace_id, product_id FROM after)
        ORDER BY workspace_id, id FOR NO KEY UPDATE;
    UPDATE products SET map_version = map_version + 1, version = version + 1
        WHERE (workspace_id, id) IN (SELECT workspace_id, product_id FROM before UNION
                                     SELECT workspace_id, product_id FROM after);
    RETURN NULL;
END $$;
CREATE TRIGGER features_added AFTER INSERT ON features
    REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION move_map_version();
CREATE TRIGGER features_changed AFTER UPDATE ON features
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION move_map_versions_of_both();
CREATE TRIGGER features_removed AFTER DELETE ON features
    REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION move_map_version();

CREATE TABLE teams (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id           uuid NOT NULL,
    key          text,
    name         text NOT NULL,
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX teams_key ON teams (workspace_id, key) WHERE key IS NOT NULL;
CREATE INDEX teams_by_name ON teams (workspace_id, name, id);

CREATE TABLE team_members (
    workspace_id uuid NOT NULL,
    team_id      uuid NOT NULL,
    member_id    uuid NOT NULL,
    link         bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (workspace_id, team_id, member_id),
    FOREIGN KEY (workspace_id, team_id) REFERENCES teams ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, member_id) REFERENCES members ON DELETE CASCADE
);
CREATE INDEX team_members_of_member ON team_members (workspace_id, member_id);

-- The workflow of ideas: the first label is initial, at most one is reserved for promotion. `portal` says how the portal
-- shows a label (kind, name, shown); null: as its name suggests. A `provisional` label was made by default: it goes when a
-- workspace file brings labels of its own, if no idea has it.
CREATE TABLE idea_statuses (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    label        text NOT NULL CHECK (char_length(label) BETWEEN 1 AND 120),
    position     integer NOT NULL,
    promotion    boolean NOT NULL DEFAULT false,
    portal       jsonb,
    provisional  boolean NOT NULL DEFAULT false,
    PRIMARY KEY (workspace_id, label)
);
CREATE UNIQUE INDEX idea_statuses_promotion ON idea_statuses (workspace_id) WHERE promotion;
CREATE INDEX idea_statuses_in_order ON idea_statuses (workspace_id, position, label);

-- Every version the taxonomy ever had, whole; the newest is active. Groups and options below are the active ones.
CREATE TABLE taxonomy_versions (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id           uuid NOT NULL,
    version      integer NOT NULL,
    groups       jsonb NOT NULL,
    activated_at timestamptz(3) NOT NULL,
    is_active    boolean NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, version)
);
CREATE UNIQUE INDEX taxonomy_versions_active ON taxonomy_versions (workspace_id) WHERE is_active;

-- Groups and options keep their ids by key across versions; one that a later version left out is retired, not deleted.
CREATE TABLE taxonomy_groups (
    workspace_id   uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id             uuid NOT NULL,
    key            text NOT NULL,
    label          text NOT NULL,
    description    text NOT NULL DEFAULT '',
    kind           text NOT NULL CHECK (kind IN ('list', 'text')),
    selection_mode text CHECK (selection_mode IN ('single', 'multi')),
    required       boolean NOT NULL DEFAULT false,
    position       integer NOT NULL,
    is_active      boolean NOT NULL DEFAULT true,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, key),
    CHECK ((kind = 'list') = (selection_mode IS NOT NULL))
);

CREATE TABLE taxonomy_options (
    workspace_id uuid NOT NULL,
    id           uuid NOT NULL,
    group_id     uuid NOT NULL,
    key          text NOT NULL,
    label        text NOT NULL,
    position     integer NOT NULL,
    is_active    boolean NOT NULL DEFAULT true,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, group_id, key),
    FOREIGN KEY (workspace_id, group_id) REFERENCES taxonomy_groups ON DELETE CASCADE
);

CREATE TABLE accounts (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id           uuid NOT NULL,
    key          text,
    external_id  text,
    name         text NOT NULL,
    domain       text,
    version      integer NOT NULL DEFAULT 1,
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    search       tsvector NOT NULL GENERATED ALWAYS AS
                 (to_tsvector('simple'::regconfig, name || ' ' || coalesce(domain, ''))) STORED,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX accounts_key ON accounts (workspace_id, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX accounts_external_id ON accounts (workspace_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX accounts_domain ON accounts (workspace_id, lower(domain)) WHERE domain IS NOT NULL;
CREATE INDEX accounts_by_name ON accounts (workspace_id, name, id);
CREATE INDEX accounts_newest ON accounts (workspace_id, created_at DESC, id DESC);
CREATE INDEX accounts_changed ON accounts (workspace_id, updated_at, id);
CREATE INDEX accounts_search ON accounts USING gin (search);

CREATE TABLE account_contacts (
    workspace_id uuid NOT NULL,
    id           uuid NOT NULL,
    account_id   uuid NOT NULL,
    email        text NOT NULL,
    name         text NOT NULL DEFAULT '',
    position     integer NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts ON DELETE CASCADE
);
CREATE UNIQUE INDEX account_contacts_of_account ON account_contacts (workspace_id, account_id, lower(email));
CREATE INDEX account_contacts_email ON account_contacts (workspace_id, lower(email));

CREATE TABLE integrations (
    workspace_id   uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id             uuid NOT NULL,
    key            text,
    kind           text NOT NULL,
    name           text NOT NULL,
    manages_status boolean NOT NULL DEFAULT false,
    created_at     timestamptz(3) NOT NULL,
    updated_at     timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX integrations_key ON integrations (workspace_id, key) WHERE key IS NOT NULL;

CREATE TABLE sprints (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id           uuid NOT NULL,
    key          text,
    name         text NOT NULL,
    state        text NOT NULL CHECK (state IN ('planned', 'active', 'completed')),
    created_at   timestamptz(3) NOT NULL,
    updated_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX sprints_key ON sprints (workspace_id, key) WHERE key IS NOT NULL;
