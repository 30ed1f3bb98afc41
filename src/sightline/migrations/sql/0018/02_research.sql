-- The plan that was kept last, which scheduled runs keep to. Null: none was kept.
ALTER TABLE research_briefs ADD COLUMN kept_revision integer;
ALTER TABLE research_briefs ADD COLUMN kept_definition jsonb;
UPDATE research_briefs AS b
   SET kept_revision = kept.revision, kept_definition = kept.definition
  FROM research_briefs AS o
  LEFT JOIN LATERAL (
       SELECT r.revision, r.definition FROM research_runs AS r
        WHERE r.workspace_id = o.workspace_id AND r.brief_id = o.id AND r.addition_status = 'completed'
        ORDER BY r.created_at DESC, r.id DESC LIMIT 1) AS added ON true
 CROSS JOIN LATERAL (
       SELECT coalesce(added.revision, o.revision) AS revision, coalesce(added.definition, o.definition) AS definition
       ) AS kept
 WHERE o.workspace_id = b.workspace_id AND o.id = b.id AND b.state IN ('active', 'paused');

-- The language of a page, for sections that are limited to some.
ALTER TABLE research_sources ADD COLUMN language text;

-- What a search finds a brief by: words without the characters that join them into hosts and compounds.
UPDATE research_briefs
   SET search = to_tsvector('simple', translate(
           name || ' ' || question || ' ' || coalesce((
               SELECT string_agg(word #>> '{}', ' ')
                 FROM jsonb_path_query(
                          jsonb_path_query_array(definition,
                              '$.sections[*].keyvalue() ? (@.key != "id" && @.key != "type" && @.key != "scope").value',
                              '{}', true)
                       || jsonb_path_query_array(definition,
                              '$.sections[*].scope.keyvalue() ? (@.key != "sourceMode").value', '{}', true)
                       || jsonb_path_query_array(definition, '$.reads[*].label', '{}', true),
                          'strict $.**') AS word
                WHERE jsonb_typeof(word) = 'string'), ''),
           '.-/:@_+~\<>&', '            '));
