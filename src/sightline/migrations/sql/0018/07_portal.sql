-- What the portal shows of an idea beside its text: the team's answer, and the votes counted before the portal.
ALTER TABLE ideas
    ADD COLUMN official_answer text CHECK (char_length(official_answer) <= 10000),
    ADD COLUMN imported_vote_count integer NOT NULL DEFAULT 0 CHECK (imported_vote_count >= 0);
DROP INDEX ideas_on_portal_by_votes;
CREATE INDEX ideas_on_portal_by_votes
    ON ideas (workspace_id, ((vote_count + imported_vote_count)) DESC, number DESC) INCLUDE (id) WHERE portal_visible;

-- How the portal shows a label of the workflow: kind, name, shown. Null: as its name suggests.
ALTER TABLE idea_statuses ADD COLUMN portal jsonb;

-- When a person last opened "My ideas", and the visit before that: what changed since then is new to them.
ALTER TABLE portal_users ADD COLUMN visited_at timestamptz(3), ADD COLUMN visited_before timestamptz(3);

-- Forms that people sent while they were signed out. They wait for the sign-in of the same browser.
CREATE TABLE portal_waiting_forms (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id           uuid NOT NULL,
    browser_hash bytea NOT NULL,
    network_hash bytea NOT NULL,
    path         text NOT NULL,
    fields       jsonb NOT NULL,
    created_at   timestamptz(3) NOT NULL,
    expires_at   timestamptz(3) NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
