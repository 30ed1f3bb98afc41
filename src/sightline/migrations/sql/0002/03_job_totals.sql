-- What /metrics tells of finished jobs, whichever process finished them. Only grows.
CREATE TABLE job_totals (
    kind    text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('done', 'retried', 'failed')),
    jobs    bigint NOT NULL,
    seconds double precision NOT NULL,
    PRIMARY KEY (kind, outcome)
);
