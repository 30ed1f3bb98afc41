-- Versions begin at random: a record that is removed and made again under its id never has a version that it had before,
-- so neither does an ETag, nor a map of features that a process keeps.
DO $do$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['signals', 'accounts', 'idea_evidence', 'ideas', 'initiatives', 'insights', 'opportunities',
                                'products', 'studies']
    LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN version SET DEFAULT (random() * 1e9)::integer', name);
    END LOOP;
END $do$;
ALTER TABLE products ALTER COLUMN map_version SET DEFAULT (random() * 1e9)::bigint;
