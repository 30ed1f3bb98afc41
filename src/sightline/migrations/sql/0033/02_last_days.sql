-- The first and the last day of all were stored as -infinity and infinity, which responses show as no day.
UPDATE initiatives
   SET start_date = CASE start_date WHEN '-infinity' THEN '0001-01-01' WHEN 'infinity' THEN '9999-12-31' ELSE start_date END,
       finish_date = CASE finish_date WHEN '-infinity' THEN '0001-01-01' WHEN 'infinity' THEN '9999-12-31' ELSE finish_date END,
       version = version + 1, updated_at = greatest(updated_at, date_trunc('milliseconds', now()))
 WHERE NOT isfinite(start_date) OR NOT isfinite(finish_date);
