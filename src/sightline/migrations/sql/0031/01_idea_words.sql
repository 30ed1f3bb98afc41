-- Whoever writes an idea and whoever deletes one do not wait for each other's words: a file writes many ideas in one
-- transaction, and may change the one that is deleted. A word that a deletion has locked is added once more; of a
-- deleted idea a word stays that a transaction is writing for another idea. Deletions wait for each other.
CREATE OR REPLACE FUNCTION add_idea_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO idea_words (workspace_id, word)
    SELECT new.workspace_id, word FROM long_words(new.search) AS found (word)
     WHERE NOT EXISTS (SELECT FROM idea_words AS known
                        WHERE known.workspace_id = new.workspace_id AND known.word = found.word FOR KEY SHARE SKIP LOCKED)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION remove_idea_words() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    unused tid[];
BEGIN
    PERFORM FROM idea_words
      WHERE (workspace_id, word) IN (SELECT workspace_id, long_words(search) FROM deleted)
      ORDER BY word COLLATE "C" FOR NO KEY UPDATE;
    unused := ARRAY(SELECT known.ctid
                      FROM (SELECT DISTINCT workspace_id, long_words(search) AS word FROM deleted) AS gone
                      JOIN idea_words AS known ON known.workspace_id = gone.workspace_id AND known.word = gone.word
                     WHERE NOT EXISTS (SELECT FROM ideas
                                        WHERE workspace_id = gone.workspace_id AND portal_visible
                                          AND search @@ phraseto_tsquery('simple', gone.word))
                       FOR UPDATE OF known SKIP LOCKED);
    -- Again, with what others have committed until the words were locked.
    DELETE FROM idea_words AS known
     WHERE ctid = ANY(unused)
       AND NOT EXISTS (SELECT FROM ideas
                        WHERE workspace_id = known.workspace_id AND portal_visible
                          AND search @@ phraseto_tsquery('simple', known.word));
    RETURN NULL;
END $$;
