-- What PgQueuer recommends for a table whose rows come, change a few times and go.
ALTER TABLE pgqueuer SET (
    autovacuum_vacuum_scale_factor  = 0.01,
    autovacuum_vacuum_threshold     = 1000,
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_analyze_threshold    = 500,
    autovacuum_vacuum_cost_limit    = 10000,
    autovacuum_vacuum_cost_delay    = 0,
    fillfactor                      = 70
);
