-- Identities that an idea had elsewhere, such as those of posts that another tool merged into it. An identity names the
-- idea that has it itself, else the one that has it here.
CREATE TABLE idea_aliases (
    workspace_id   uuid NOT NULL,
    id             uuid NOT NULL,
    idea_id        uuid NOT NULL,
    source_key     text,
    integration_id uuid,
    external_id    text NOT NULL,
    PRIMARY KEY (workspace_id, id),
    CHECK (source_key IS NOT NULL OR integration_id IS NOT NULL),
    FOREIGN KEY (workspace_id, idea_id) REFERENCES ideas ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, integration_id) REFERENCES integrations ON DELETE CASCADE
);
CREATE UNIQUE INDEX idea_aliases_source ON idea_aliases (workspace_id, external_id, source_key);
CREATE UNIQUE INDEX idea_aliases_integration ON idea_aliases (workspace_id, external_id, integration_id);
CREATE INDEX idea_aliases_of_idea ON idea_aliases (workspace_id, idea_id);
CREATE INDEX idea_aliases_of_integration ON idea_aliases (workspace_id, integration_id) WHERE integration_id IS NOT NULL;
