-- What a feed shows, or by what it is filtered. The records of a link are on rows of these tables too.
DO $do$
DECLARE
    kept record;
BEGIN
    FOR kept IN SELECT * FROM (VALUES
        ('signals', 'signals'), ('linked_signals', 'signals'), ('insight_accounts', 'signals'),
        ('study_feedback', 'study_feedback'), ('study_ideas', 'study_feedback'), ('study_initiatives', 'study_feedback')
    ) AS t (name, feed)
    LOOP
        EXECUTE format('CREATE TRIGGER move_feed_added AFTER INSERT ON %1$I REFERENCING NEW TABLE AS touched '
                       'FOR EACH STATEMENT EXECUTE FUNCTION move_feed(%2$L)', kept.name, kept.feed);
        EXECUTE format('CREATE TRIGGER move_feed_changed AFTER UPDATE ON %1$I REFERENCING NEW TABLE AS touched '
                       'FOR EACH STATEMENT EXECUTE FUNCTION move_feed(%2$L)', kept.name, kept.feed);
        EXECUTE format('CREATE TRIGGER move_feed_removed AFTER DELETE ON %1$I REFERENCING OLD TABLE AS touched '
                       'FOR EACH STATEMENT EXECUTE FUNCTION move_feed(%2$L)', kept.name, kept.feed);
    END LOOP;
END $do$;
