-- The words of initiatives and insights stand apart like those of ideas: PostgreSQL takes `CSV/Excel` and `a_b` as one word,
-- and its time for a long row of them grows with the square of the length.
ALTER TABLE initiatives DROP COLUMN search,
    ADD COLUMN search tsvector NOT NULL GENERATED ALWAYS AS
    (to_tsvector('simple'::regconfig, translate(name || ' ' || description, '.-/:@_+~\<>&', '            '))) STORED;
CREATE INDEX initiatives_search ON initiatives USING gin (search);
ALTER TABLE insights DROP COLUMN search,
    ADD COLUMN search tsvector NOT NULL GENERATED ALWAYS AS
    (to_tsvector('simple'::regconfig, translate(title || ' ' || left(description, 100000), '.-/:@_+~\<>&', '            '))) STORED;
CREATE INDEX insights_search ON insights USING gin (search);
