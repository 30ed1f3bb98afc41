-- A label that `init` made by default goes when a workspace file brings labels of its own, if no idea has it.
ALTER TABLE idea_statuses ADD COLUMN provisional boolean NOT NULL DEFAULT false;
