-- Every filter of the list in both of its orders, and by status within: a page of any filter, and of any filter and
-- some statuses, is read from the front of an index. The ids come along, so that an offset touches no row, and what
-- tells apart the three ways in which one word may name a source, so that counting touches none either.
DROP INDEX signals_by_status, signals_by_provider, signals_by_facet, signals_by_source_type, signals_of_integration;

DO $do$
DECLARE
    kept record;
BEGIN
    FOR kept IN SELECT * FROM (VALUES
        ('signals_by_status',      'status',                 'id',                              ''),
        ('signals_by_provider',    'provider_type, status',  'id',                              ''),
        ('signals_by_facet',       'source_facet, status',   'id, provider_type',               ''),
        ('signals_by_source_type', 'source_type, status',    'id, provider_type, source_facet',
                                   'WHERE source_type <> provider_type AND source_type <> source_facet'),
        ('signals_of_integration', 'integration_id, status', 'id', 'WHERE integration_id IS NOT NULL')
    ) AS t (name, columns, carried, condition)
    LOOP
        EXECUTE format('CREATE INDEX %1$s_newest ON signals (workspace_id, %2$s, created_at DESC, number DESC) '
                       'INCLUDE (%3$s) %4$s', kept.name, kept.columns, kept.carried, kept.condition);
        EXECUTE format('CREATE INDEX %1$s_changed ON signals (workspace_id, %2$s, updated_at, id) %3$s',
                       kept.name, kept.columns, kept.condition);
    END LOOP;
END $do$;
