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

INSERT INTO idea_words (workspace_id, word)
SELECT DISTINCT workspace_id, long_words(search) FROM ideas WHERE portal_visible;

-- The recent votes of an idea, for the order "trending".
CREATE INDEX portal_votes_of_idea ON portal_votes (workspace_id, idea_id, created_at);
