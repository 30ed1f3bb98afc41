-- Deletions wait for each other, so that the last one removes a word that their ideas share. Deletions and writers do
-- not, as a file writes many ideas in one transaction, and may change the one that is deleted: a writer adds a word that
-- a deletion has locked a second time, and a deletion leaves a word that a writer has locked.
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
