-- How often what a feed shows has moved: the sum of its slots, which only grows. Who counted at one sum need not count
-- again at the same. A transaction takes any slot that nobody holds, so writers never wait for each other here; a new
-- slot starts at the present moment, so no sum ever comes back, also after a restore.
CREATE TABLE feed_versions (
    workspace_id uuid NOT NULL,
    feed         text NOT NULL,
    slot         bigint GENERATED ALWAYS AS IDENTITY,
    version      bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
    PRIMARY KEY (workspace_id, feed, slot)
) WITH (fillfactor = 50);

-- Once in a transaction: what it writes afterwards is seen together with the first.
CREATE FUNCTION move_feed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    feed_name text := TG_ARGV[0];
    remembered text := 'sightline.moved_' || TG_ARGV[0];
    moved uuid;
BEGIN
    FOR moved IN SELECT DISTINCT workspace_id FROM touched LOOP
        CONTINUE WHEN current_setting(remembered, true) = moved::text;
        UPDATE feed_versions SET version = version + 1
         WHERE workspace_id = moved AND feed = feed_name
           AND slot = (SELECT slot FROM feed_versions WHERE workspace_id = moved AND feed = feed_name
                          FOR NO KEY UPDATE SKIP LOCKED LIMIT 1);
        IF NOT FOUND THEN
            INSERT INTO feed_versions (workspace_id, feed) VALUES (moved, feed_name);
        END IF;
        PERFORM set_config(remembered, moved::text, true);
    END LOOP;
    RETURN NULL;
END $$;
