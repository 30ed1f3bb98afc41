-- A search for ideas finds each word of `CSV/Excel` and `TLS 1.3`, not only the whole. Words of the name weigh more.
ALTER TABLE ideas DROP COLUMN search, ADD COLUMN search tsvector NOT NULL GENERATED ALWAYS AS
    (setweight(to_tsvector('simple'::regconfig, translate(name, '.-/:@_+~\<>&', '            ')), 'A')
     || to_tsvector('simple'::regconfig, translate(left(description, 100000), '.-/:@_+~\<>&', '            '))) STORED;
CREATE INDEX ideas_search ON ideas USING gin (search);
