-- A record of a file could be stored with an `updated_at` before it was written, where no copy by `updatedSince` finds it.
-- The trail knows when each was written; what it does not know, and what it shows later, is written now. Right are the
-- times of the file that created the workspace: nobody could follow it before.
DO $do$
DECLARE
    listed record;
BEGIN
    FOR listed IN SELECT * FROM (VALUES
        ('accounts', ''), ('study_feedback', ''), ('opportunities', ', version = version + 1'),
        ('ideas', ', version = version + 1'), ('initiatives', ', version = version + 1'),
        ('insights', ', version = version + 1'), ('signals', ', version = version + 1')
    ) AS t (name, version)
    LOOP
        EXECUTE format('UPDATE %1$I AS record SET updated_at = now()%2$s '
                       ' WHERE updated_at < coalesce((SELECT max(at) FROM changes '
                       '        WHERE workspace_id = record.workspace_id AND record_id = record.id), now()) '
                       '   AND NOT EXISTS (SELECT FROM changes AS created '
                       '        WHERE created.workspace_id = record.workspace_id AND created.kind = ''workspace'' '
                       '          AND created.record_id = record.workspace_id AND created.action = ''created'' '
                       '          AND created.at = (SELECT max(at) FROM changes '
                       '               WHERE workspace_id = record.workspace_id AND record_id = record.id))',
                       listed.name, listed.version);
    END LOOP;
END $do$;
