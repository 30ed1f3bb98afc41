-- A word that a deletion has locked is added once more, so that nobody who writes an idea waits for a deletion: this one
-- may wait for another word that the same transaction has written before.
CREATE OR REPLACE FUNCTION add_idea_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO idea_words (workspace_id, word)
    SELECT new.workspace_id, word FROM long_words(new.search) AS found (word)
     WHERE NOT EXISTS (SELECT FROM idea_words AS known
                        WHERE known.workspace_id = new.workspace_id AND known.word = found.word FOR KEY SHARE SKIP LOCKED)
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
