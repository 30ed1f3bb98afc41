-- What can be looked up, in both orders of its list, by what it is filtered, and by words.
ALTER TABLE accounts ADD COLUMN search tsvector NOT NULL
    GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, name || ' ' || coalesce(domain, ''))) STORED;
ALTER TABLE insights ADD COLUMN search tsvector NOT NULL
    GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, title || ' ' || left(description, 100000))) STORED;
CREATE INDEX accounts_search ON accounts USING gin (search);
CREATE INDEX insights_search ON insights USING gin (search);

CREATE INDEX products_newest ON products (workspace_id, created_at DESC, id DESC);
CREATE INDEX accounts_newest ON accounts (workspace_id, created_at DESC, id DESC);
CREATE INDEX accounts_changed ON accounts (workspace_id, updated_at, id);
CREATE INDEX opportunities_changed ON opportunities (workspace_id, updated_at, id);
CREATE INDEX insights_by_category ON insights (workspace_id, category, created_at DESC, id DESC);
CREATE INDEX insights_by_review_state ON insights (workspace_id, review_state, created_at DESC, id DESC);
