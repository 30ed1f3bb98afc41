-- Candidate solutions. The status label has no foreign key on purpose: thousands of creators a second would lock one
-- and the same label row; removing a label locks the table instead (see workspace_file).
-- `model_due_at` says when a model reads the idea again, null that it waits for none; `model_attempts` how often it was
-- tried; `name_drafted` whether an engine made the first name. `search` has each word of `CSV/Excel` and `TLS 1.3`, not only
-- the whole; words of the name weigh more. `imported_vote_count` are the votes counted before the portal.
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
    version             integer NOT NULL DEFAULT 1,
    created_at          timestamptz(3) NOT NULL,
    updated_at          timestamptz(3) NOT NULL,
    model_due_at        timestamptz(3),
    model_attempts      smallint NOT NULL DEFAULT 0,
    name_drafted        boolean NOT NULL DEFAULT false,
    search              tsvector NOT NULL GENERATED ALWAYS AS
                        (setweight(to_tsvector('simple'::regconfig, translate(name, '.-/:@_+~\<>&', '            ')), 'A')
                         || to_tsvector('simple'::regconfig,
                                        translate(left(description, 100000), '.-/:@_+~\<>&', '            '))) STORED,
    official_answer     text CHECK (char_length(official_answer) <= 10000),
    imported_vote_count integer NOT NULL DEFAULT 0 CHECK (imported_vote_count >= 0),
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
CREATE INDEX ideas_on_portal_by_votes
    ON ideas (workspace_id, ((vote_count + imported_vote_count)) DESC, number DESC) INCLUDE (id) WHERE portal_visible;
CREATE INDEX ideas_due ON ideas (model_due_at) WHERE model_due_at IS NOT NULL;
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
CREATE INDEX idea_evidence_quoting ON idea_evidence
    USING gin (jsonb_path_query_array(extracts, '$[*].signalId') jsonb_path_ops) WHERE extracts IS NOT NULL;

-- Identities that an idea had elsewhere, such as those of posts that another tool merged into it. An identity names the
-- idea that has it itself, else the one that has it here.
CREATE TABLE idea_aliases (
    workspace_id   uuid NOT NULL,
    id             uuid NOT NULL,
    idea_id        uuid NOT NULL,
    source_key     text,
    integration_id uuid,
    external_id    text NOT NULL,
    PRIMARY KEY (workspace_id, id),
    CHECK (source_key IS NOT NULL OR integration_id IS NOT NULL),
    FOREIGN KEY (workspace_id, idea_id) REFERENCES ideas ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, integration_id) REFERENCES integrations ON DELETE CASCADE
);
CREATE UNIQUE INDEX idea_aliases_source ON idea_aliases (workspace_id, external_id, source_key);
CREATE UNIQUE INDEX idea_aliases_integration ON idea_aliases (workspace_id, external_id, integration_id);
CREATE INDEX idea_aliases_of_idea ON idea_aliases (workspace_id, idea_id);
CREATE INDEX idea_aliases_of_integration ON idea_aliases (workspace_id, integration_id) WHERE integration_id IS NOT NULL;

-- The long words of the ideas on a portal, in which a search finds a part: `vertretung` in `stundenvertretungsplan`.
-- Only this trigger adds words. The transaction is part of the key, so that none waits for another one that adds the
-- same word: whoever reads takes each word once. A word that no idea has any more finds nothing.
CREATE TABLE idea_words (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    word         text NOT NULL,
    added_by     xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (workspace_id, word, added_by)
);

-- A word that is there already is locked until the transaction ends: a deletion waits, and then sees who has the word.
-- Both lock in the order of bytes, which is that of a tsvector.

-- From six letters on, as a part has five or more and does not begin the word.
CREATE FUNCTION long_words(search tsvector) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT word FROM unnest(tsvector_to_array(search)) AS word
     WHERE char_length(word) BETWEEN 6 AND 60 AND word !~ '[0-9]'
$$;

CREATE FUNCTION add_idea_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO idea_words (workspace_id, word)
    SELECT new.workspace_id, word FROM long_words(new.search) AS found (word)
     WHERE NOT EXISTS (SELECT FROM idea_words AS known
                        WHERE known.workspace_id = new.workspace_id AND known.word = found.word FOR KEY SHARE)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER add_idea_words AFTER INSERT OR UPDATE OF name, description, portal_visible ON ideas
    FOR EACH ROW WHEN (new.portal_visible) EXECUTE FUNCTION add_idea_words();

-- Nothing is kept of the text of deleted ideas.
CREATE FUNCTION remove_idea_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM idea_words
      WHERE (workspace_id, word) IN (SELECT workspace_id, long_words(search) FROM deleted)
      ORDER BY word COLLATE "C" FOR UPDATE;
    DELETE FROM idea_words AS known
     USING (SELECT DISTINCT workspace_id, long_words(search) AS word FROM deleted) AS gone
     WHERE known.workspace_id = gone.workspace_id AND known.word = gone.word
       AND NOT EXISTS (SELECT FROM ideas
                        WHERE workspace_id = gone.workspace_id AND portal_visible
                          AND search @@ phraseto_tsquery('simple', gone.word));
    RETURN NULL;
END $$;

CREATE TRIGGER remove_idea_words AFTER DELETE ON ideas
    REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION remove_idea_words();
