-- A question of an initiative whose answer does not hold any more: documents leave it out.
ALTER TABLE initiative_questions ADD COLUMN stale boolean NOT NULL DEFAULT false;
