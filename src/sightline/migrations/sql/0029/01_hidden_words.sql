-- Searches for parts of words look at so many words of `idea_words` only, so the words of an idea go when it is hidden.
-- Whoever adds a visible idea waits only for words that no other one has; a word that another transaction locks stays.
CREATE FUNCTION remove_hidden_words() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    hidden uuid[];
    unused tid[];
BEGIN
    IF NOT EXISTS (SELECT FROM after WHERE NOT portal_visible) OR NOT EXISTS (SELECT FROM before WHERE portal_visible) THEN
        RETURN NULL;
    END IF;
    hidden := ARRAY(SELECT id FROM before WHERE portal_visible EXCEPT SELECT id FROM after WHERE portal_visible);
    unused := ARRAY(SELECT known.ctid
                      FROM (SELECT DISTINCT workspace_id, long_words(search) AS word
                              FROM before WHERE id = ANY(hidden)) AS gone
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

CREATE TRIGGER remove_hidden_words AFTER UPDATE ON ideas
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION remove_hidden_words();

DELETE FROM idea_words AS known
 WHERE NOT EXISTS (SELECT FROM (SELECT DISTINCT workspace_id, long_words(search) AS word
                                  FROM ideas WHERE portal_visible) AS shown
                    WHERE shown.workspace_id = known.workspace_id AND shown.word = known.word);
