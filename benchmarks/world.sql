-- Fills an empty database with one workspace. Triggers and foreign keys are off while this runs: the rows are correct,
-- and what triggers would keep is written here.

INSERT INTO workspaces (id, slug, name, created_at, updated_at) VALUES (:workspace_id, 'bench', 'Bench', :now, :now);

INSERT INTO plans (workspace_id) VALUES (:workspace_id);

INSERT INTO members (workspace_id, id, email, name, role, created_at, updated_at)
VALUES (:workspace_id, uuidv7(), :owner, 'Owner', 'owner', :now, :now);

INSERT INTO idea_statuses (workspace_id, label, position, promotion)
SELECT :workspace_id, label, place, false FROM unnest(:statuses::text[]) WITH ORDINALITY AS status (label, place);

INSERT INTO products (workspace_id, id, name, created_at, updated_at)
VALUES (:workspace_id, :product_id, 'Bench', :now, :now);

INSERT INTO features (workspace_id, product_id, id, name, description, position, created_at, updated_at)
SELECT :workspace_id, :product_id, id, name, description, place, :now, :now
  FROM unnest(:feature_ids::uuid[], :feature_names::text[], :feature_descriptions::text[])
       WITH ORDINALITY AS feature (id, name, description, place);

INSERT INTO teams (workspace_id, id, name, created_at, updated_at)
SELECT :workspace_id, id, 'Team ' || place, :now, :now
  FROM unnest(:team_ids::uuid[]) WITH ORDINALITY AS team (id, place);

INSERT INTO accounts (workspace_id, id, name, external_id, created_at, updated_at)
SELECT :workspace_id, id, 'Account ' || place, 'crm-' || place, :now, :now
  FROM unnest(:account_ids::uuid[]) WITH ORDINALITY AS account (id, place);

INSERT INTO studies (workspace_id, id, number, name, status, type, phase, app_path, created_at, updated_at)
SELECT :workspace_id, id, place, 'Study ' || place, 'active', 'survey', 'discovery', '/studies/' || place, :now, :now
  FROM unnest(:study_ids::uuid[]) WITH ORDINALITY AS study (id, place);

INSERT INTO taxonomy_versions (workspace_id, id, version, groups, activated_at, is_active)
VALUES (:workspace_id, uuidv7(), 1, '[]', :now, true);

INSERT INTO taxonomy_groups (workspace_id, id, key, label, kind, selection_mode, position)
VALUES (:workspace_id, :theme_id, 'theme', 'Theme', 'list', 'multi', 0),
       (:workspace_id, uuidv7(), 'size', 'Size', 'list', 'single', 1),
       (:workspace_id, uuidv7(), 'why', 'Why', 'text', NULL, 2);

INSERT INTO taxonomy_options (workspace_id, id, group_id, key, label, position)
SELECT :workspace_id, id, :theme_id, 'o' || place, 'Option ' || place, place
  FROM unnest(:option_ids::uuid[]) WITH ORDINALITY AS option (id, place);

-- Initiatives of two teams each, with a PRD.
INSERT INTO initiatives (workspace_id, id, number, name, description, status, product_id, team_ids, created_at,
                         updated_at)
SELECT :workspace_id, id, n, name, description,
       (ARRAY['PENDING', 'PLANNED', 'IN_PROGRESS', 'COMPLETED', 'ARCHIVED'])[1 + n % 5], :product_id,
       (:team_ids::uuid[])[1 + n % 4 : 2 + n % 4],
       '2024-01-01'::timestamptz + n * interval '11 hours', '2024-01-01'::timestamptz + n * interval '11 hours'
  FROM unnest(:initiative_ids::uuid[]) WITH ORDINALITY AS initiative (id, n)
  JOIN unnest(:names::text[], :descriptions::text[]) WITH ORDINALITY AS text (name, description, place)
       ON place = 1 + n % cardinality(:names::text[]);

INSERT INTO initiative_teams (workspace_id, initiative_id, team_id)
SELECT workspace_id, id, unnest(team_ids) FROM initiatives WHERE workspace_id = :workspace_id;

INSERT INTO documents (workspace_id, id, initiative_id, type, version, content, created_at, updated_at)
SELECT workspace_id, uuidv7(), id, 'PRD', 1, '# By hand', :now, :now
  FROM initiatives WHERE workspace_id = :workspace_id;

-- Ideas with none to three features; the first belong to initiatives; every second one is imported.
INSERT INTO ideas (workspace_id, product_id, id, number, name, description, status, feature_ids, initiative_id,
                   source_key, external_id, created_source, provenance, search, created_at, updated_at)
SELECT :workspace_id, :product_id, uuidv7(), n, name, description,
       (:statuses::text[])[1 + n % cardinality(:statuses::text[])],
       (:feature_ids::uuid[])[1 + n % 27 : n % 27 + n % 4],
       CASE WHEN n <= 5 * cardinality(:initiative_ids::uuid[])
            THEN (:initiative_ids::uuid[])[1 + n % cardinality(:initiative_ids::uuid[])] END,
       CASE WHEN n % 2 = 0 THEN (:sources::text[])[1 + n / 2 % cardinality(:sources::text[])] END,
       CASE WHEN n % 2 = 0 THEN 'item-' || n END,
       CASE WHEN n % 2 = 0 THEN 'external_api' ELSE 'app' END,
       CASE WHEN n % 2 = 0 THEN '{"method": "external_api"}'::jsonb ELSE '{"method": "manual"}' END,
       setweight(to_tsvector('simple', name), 'A') || to_tsvector('simple', description),
       '2024-01-01'::timestamptz + n * interval '7 minutes',
       '2024-01-01'::timestamptz + n * interval '7 minutes' + n * 7919 % 1000 * interval '1 hour'
  FROM generate_series(1, :size::bigint) AS n
  JOIN unnest(:names::text[], :descriptions::text[]) WITH ORDINALITY AS text (name, description, place)
       ON place = 1 + n % cardinality(:names::text[]);

INSERT INTO idea_features (workspace_id, idea_id, feature_id)
SELECT workspace_id, id, unnest(feature_ids) FROM ideas WHERE workspace_id = :workspace_id;

INSERT INTO idea_classifications (workspace_id, idea_id, group_id, option_ids, updated_at)
SELECT workspace_id, id, :theme_id, (:option_ids::uuid[])[1 + number % 10 : 1 + number % 10], :now
  FROM ideas WHERE workspace_id = :workspace_id AND number % 2 = 1;

-- Signals, each with an account: half of all from one helpdesk, a tenth of it failed.
INSERT INTO signals (workspace_id, id, number, name, status, context, signal_type, processor_type, provider_type,
                     evidence_kind, analysis_profile, source_label, source_type, external_id, source_links, data,
                     account_id, account_ids, created_at, updated_at)
SELECT :workspace_id, md5('signal' || n)::uuid, n, 'Notes of call ' || n,
       CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'processed' END, 'support', 'support_ticket', 'text', provider,
       'support', 'customer_evidence', 'Helpdesk', provider, 'ticket-' || n,
       '[{"name": "Ticket", "url": "https://helpdesk.test/1", "type": "ticket", "primary": true}]',
       '{"priority": 2, "tags": ["export"]}', account, ARRAY[account],
       '2024-01-01'::timestamptz + n * interval '1 minute',
       '2024-01-01'::timestamptz + n * 7919 % :size::bigint * interval '1 minute'
  FROM generate_series(1, :size::bigint) AS n
 CROSS JOIN LATERAL (SELECT (:account_ids::uuid[])[1 + n % cardinality(:account_ids::uuid[])] AS account,
                            (ARRAY['helpdesk', 'calls', 'store', 'helpdesk'])[1 + n % 4] AS provider) AS origin;

INSERT INTO signal_accounts (workspace_id, signal_id, account_id)
SELECT workspace_id, id, account_id FROM signals WHERE workspace_id = :workspace_id;

INSERT INTO linked_signals (workspace_id, kind, record_id, signal_id, created_at, number, updated_at)
SELECT workspace_id, 'account', account_id, id, created_at, number, updated_at
  FROM signals WHERE workspace_id = :workspace_id;

INSERT INTO study_feedback (workspace_id, id, study_id, rating, metric, subject_type, subject_id, comment, submitted_at,
                            source, account_id, created_at, updated_at)
SELECT :workspace_id, md5('rating' || n)::uuid, (:study_ids::uuid[])[1 + n % cardinality(:study_ids::uuid[])], n % 11,
       (ARRAY['satisfaction', 'effort'])[1 + n % 2], 'idea', md5('idea' || n % 1000)::uuid,
       'It saves us a walk to the desk each time.', '2024-01-01'::timestamptz + n * interval '1 minute',
       'study_completion', (:account_ids::uuid[])[1 + n % cardinality(:account_ids::uuid[])], :now, :now
  FROM generate_series(1, :size::bigint) AS n;

INSERT INTO public_numbers (workspace_id, kind, last)
VALUES (:workspace_id, 'idea', :size::bigint), (:workspace_id, 'signal', :size::bigint),
       (:workspace_id, 'initiative', cardinality(:initiative_ids::uuid[]));

INSERT INTO record_counts (workspace_id, kind, slot, count)
VALUES (:workspace_id, 'idea', 0, :size::bigint), (:workspace_id, 'signal', 0, :size::bigint),
       (:workspace_id, 'study_feedback', 0, :size::bigint),
       (:workspace_id, 'initiative', 0, cardinality(:initiative_ids::uuid[]));

-- The portal: some visible ideas, and a visitor.
UPDATE ideas SET portal_visible = true WHERE workspace_id = :workspace_id AND number <= 1000;

INSERT INTO idea_votes (workspace_id, idea_id, number, vote_count, imported)
SELECT workspace_id, id, number, 0, 0 FROM ideas WHERE workspace_id = :workspace_id AND portal_visible;

INSERT INTO portal_users (workspace_id, id, email, first_name, last_name, created_at, updated_at)
VALUES (:workspace_id, :visitor_id, 'visitor@bench.test', 'Vera', 'Visitor', :now, :now);
