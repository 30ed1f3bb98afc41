-- When a model reads an idea again, and how often it was tried. Null: the idea waits for none.
ALTER TABLE ideas ADD COLUMN model_due_at timestamptz(3);
ALTER TABLE ideas ADD COLUMN model_attempts smallint NOT NULL DEFAULT 0;
-- Whether the first name was made by an engine.
ALTER TABLE ideas ADD COLUMN name_drafted boolean NOT NULL DEFAULT false;
CREATE INDEX ideas_due ON ideas (model_due_at) WHERE model_due_at IS NOT NULL;
