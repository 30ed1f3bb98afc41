-- The portal's list, most votes first; the index alone counts what is visible.
CREATE INDEX ideas_on_portal_by_votes ON ideas (workspace_id, vote_count DESC, number DESC) INCLUDE (id)
    WHERE portal_visible;
