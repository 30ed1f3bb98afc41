-- Answers that name a feature, in the reasons of matching, go with it; those that are kept already, too.
CREATE TRIGGER empty_kept_quotes AFTER DELETE ON features REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION empty_kept_quotes();
UPDATE idempotency_keys
   SET quoted_ids = coalesce(quoted_ids, '{}') || ARRAY(
       SELECT (feature #>> '{}')::uuid
         FROM jsonb_path_query(convert_from(body, 'UTF8')::jsonb, '$.featureMatching.*[*].featureId') AS feature)
 WHERE status = 201 AND body <> '' AND (operation LIKE 'POST %/ideas' OR operation LIKE 'POST %/match-features');
