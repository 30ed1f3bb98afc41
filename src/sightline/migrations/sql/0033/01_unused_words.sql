-- Removes those of the words that no visible idea of the workspace has. One that another transaction locks stays.
CREATE FUNCTION remove_unused_words(workspace uuid, words text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    unused tid[];
BEGIN
    unused := ARRAY(SELECT ctid FROM idea_words AS known
                     WHERE workspace_id = workspace AND word = ANY(words)
                       AND NOT EXISTS (SELECT FROM ideas
                                        WHERE workspace_id = workspace AND portal_visible
                                          AND search @@ phraseto_tsquery('simple', known.word))
                       FOR UPDATE OF known SKIP LOCKED);
    -- Again, with what others have committed until the words were locked.
    DELETE FROM idea_words AS known
     WHERE ctid = ANY(unused)
       AND NOT EXISTS (SELECT FROM ideas
                        WHERE workspace_id = workspace AND portal_visible
                          AND search @@ phraseto_tsquery('simple', known.word));
END $$;

CREATE OR REPLACE FUNCTION remove_hidden_words() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    hidden uuid[];
BEGIN
    IF NOT EXISTS (SELECT FROM after WHERE NOT portal_visible) OR NOT EXISTS (SELECT FROM before WHERE portal_visible) THEN
        RETURN NULL;
    END IF;
    hidden := ARRAY(SELECT id FROM before WHERE portal_visible EXCEPT SELECT id FROM after WHERE portal_visible);
    PERFORM remove_unused_words(workspace_id, array_agg(DISTINCT word))
       FROM (SELECT workspace_id, long_words(search) AS word FROM before WHERE id = ANY(hidden)) AS gone
      GROUP BY workspace_id;
    RETURN NULL;
END $$;

-- Deletions wait for each other, so that the last one removes a word that their ideas share.
CREATE OR REPLACE FUNCTION remove_idea_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM idea_words
      WHERE (workspace_id, word) IN (SELECT workspace_id, long_words(search) FROM deleted)
      ORDER BY word COLLATE "C" FOR NO KEY UPDATE;
    PERFORM remove_unused_words(workspace_id, array_agg(DISTINCT word))
       FROM (SELECT workspace_id, long_words(search) AS word FROM deleted) AS gone
      GROUP BY workspace_id;
    RETURN NULL;
END $$;
