-- Kept answers of POSTs go with the records that they show, quote or name.
DO $do$
DECLARE
    kept record;
BEGIN
    FOR kept IN SELECT * FROM (VALUES
        ('ideas', 'answers'), ('idea_comments', 'answers'), ('idea_evidence', 'answers'), ('initiatives', 'answers'),
        ('research_briefs', 'answers'), ('signals', 'answers'),
        ('members', 'quotes'), ('signals', 'quotes'), ('teams', 'quotes')
    ) AS t (name, what)
    LOOP
        EXECUTE format('CREATE TRIGGER empty_kept_%2$s AFTER DELETE ON %1$I REFERENCING OLD TABLE AS deleted '
                       'FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_%2$s()', kept.name, kept.what);
    END LOOP;
END $do$;
