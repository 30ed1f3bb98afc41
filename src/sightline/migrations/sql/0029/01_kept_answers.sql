-- Whether one of the records that a kept answer quotes or names is deleted. Triggers empty kept answers with these
-- records, but not an answer that is kept while the deletion has not ended: nothing holds a feature that is suggested,
-- and such an answer could not be kept if it waited for the end of a large file.
CREATE FUNCTION is_one_deleted(workspace uuid, quoted_ids uuid[]) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM unnest(quoted_ids) AS quoted (id)
         WHERE NOT EXISTS (SELECT FROM features AS one WHERE one.workspace_id = workspace AND one.id = quoted.id)
           AND NOT EXISTS (SELECT FROM signals AS one WHERE one.workspace_id = workspace AND one.id = quoted.id)
           AND NOT EXISTS (SELECT FROM accounts AS one WHERE one.workspace_id = workspace AND one.id = quoted.id)
           AND NOT EXISTS (SELECT FROM members AS one WHERE one.workspace_id = workspace AND one.id = quoted.id)
           AND NOT EXISTS (SELECT FROM api_keys AS one WHERE one.workspace_id = workspace AND one.id = quoted.id));
$$;
