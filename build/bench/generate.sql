-- SPDX-License-Identifier: Apache-2.0
--
-- The laboratories that the benchmark measures on:
--
--     psql -U postgres -v samples=1000000 -v organizations=50 -f generate.sql
--
-- :samples samples with three tests each in :organizations organizations, over
-- the last two years and interleaved as they would have come in. Seven tenths
-- are reported, one tenth is verified; the rest, of the last twenty days, is at
-- work: completed, processing, received and pending.
--
-- Triggers are off, because judging four million rows one by one takes an hour.
-- What they would have derived is derived here, by the same functions where
-- they are cheap: numbers, applied limits, out of specification, approvals,
-- investigations of what was out, what the lifecycle scan has announced, the
-- audit trail of registrations and the events of the last thirty days. Nothing
-- is drawn at random, so two runs make the same rows but for their times.
--
-- The j-th record of organization o, of a kind with k records each, has the id (o - 1) *
-- k + j. Sample i belongs to organization 1 + (i - 1) % :organizations.

\set ON_ERROR_STOP on
\set users 8
\set clients 40
\set projects 24
\set materials 8
\set locations 12
\set definitions 24
\set months 24

BEGIN;
SET LOCAL session_replication_role = replica;
SET LOCAL synchronous_commit = off;
SET LOCAL work_mem = '256MB';

-- Organizations and people -------------------------------------------------

-- Each has a monthly allowance, which it does not reach: registrations count.
INSERT INTO lims.organization (id, code, name, plan, monthly_sample_allowance)
SELECT o, format('bench-%s', o), format('Laboratory %s', o), 'enterprise', 1000000000
  FROM generate_series(1, :organizations) o;

INSERT INTO lims.role_permission (organization_id, role, permission)
SELECT o.id, f.role, f.permission
  FROM lims.organization o
 CROSS JOIN lims.first_permissions() f;

INSERT INTO lims.user_account (organization_id, id, email, display_name)
SELECT o, (o - 1) * :users + j,
       format('%s@bench-%s.example', CASE j WHEN 1 THEN 'admin' ELSE 'user' || j END, o),
       format('Analyst %s', j)
  FROM generate_series(1, :organizations) o,
       generate_series(1, :users) j;

INSERT INTO lims.user_role (organization_id, user_id, role)
SELECT organization_id, id,
       CASE WHEN email LIKE 'admin@%' THEN 'administrator' ELSE 'analyst' END
  FROM lims.user_account;

INSERT INTO lims.approval_step (organization_id, id, position, name)
SELECT o, o, 1, 'Final approval'
  FROM generate_series(1, :organizations) o;

-- Reference data -----------------------------------------------------------

INSERT INTO lims.client (organization_id, id, code, name)
SELECT o, (o - 1) * :clients + j, format('C%s', j), format('Client %s of %s', j, o)
  FROM generate_series(1, :organizations) o,
       generate_series(1, :clients) j;

INSERT INTO lims.project (organization_id, id, code, name, client_id)
SELECT o, (o - 1) * :projects + j, format('P%s', j), format('Monitoring %s', j),
       (o - 1) * :clients + j
  FROM generate_series(1, :organizations) o,
       generate_series(1, :projects) j;

INSERT INTO lims.material_type (organization_id, id, code, name)
SELECT o, (o - 1) * :materials + j, format('M%s', j), format('Water, kind %s', j)
  FROM generate_series(1, :organizations) o,
       generate_series(1, :materials) j;

INSERT INTO lims.storage_location (organization_id, id, code, name, kind)
SELECT o, (o - 1) * :locations + j, format('L%s', j), format('Shelf %s', j), 'shelf'
  FROM generate_series(1, :organizations) o,
       generate_series(1, :locations) j;

-- Every other definition has a holding time, of two to five weeks.
INSERT INTO lims.test_definition (organization_id, id, code, name, method, unit,
    result_type, decimals, specification_low, specification_high,
    holding_time_hours)
SELECT o, (o - 1) * :definitions + j, format('T%s', j), format('Analyte %s', j),
       format('EPA %s', 200 + j), 'mg/L', 'numeric', 2, j * 0.2, j * 10,
       CASE WHEN j % 2 = 0 THEN 24 * (14 + j) END
  FROM generate_series(1, :organizations) o,
       generate_series(1, :definitions) j;

-- Stricter limits for two of the material types.
INSERT INTO lims.specification (organization_id, test_definition_id,
    material_type_id, low, high)
SELECT o, (o - 1) * :definitions + j, (o - 1) * :materials + m, j * 0.2, j * 8
  FROM generate_series(1, :organizations) o,
       generate_series(1, 6) j,
       generate_series(1, 2) m;

INSERT INTO lims.reagent_lot (organization_id, id, code, lot_number, name,
    expires_on, qc_status)
SELECT o, (o - 1) * :definitions + j, format('R%s', j), format('LOT-%s-%s', o, j),
       format('Reagent %s', j), current_date + 365, 'passed'
  FROM generate_series(1, :organizations) o,
       generate_series(1, :definitions) j;

-- One batch a definition and month; that of the current month is open.
INSERT INTO lims.qc_batch (organization_id, id, batch_number, method,
    analysis_date, qc_status, evaluated_at)
SELECT o, ((o - 1) * :definitions + j - 1) * :months + m,
       format('QC-%s-%s', j, m), format('EPA %s', 200 + j),
       current_date - m * 31,
       CASE m WHEN 1 THEN 'open' ELSE 'passed' END,
       CASE WHEN m > 1 THEN now() - make_interval(days => m * 31) END
  FROM generate_series(1, :organizations) o,
       generate_series(1, :definitions) j,
       generate_series(1, :months) m;

-- Samples ------------------------------------------------------------------

CREATE TEMPORARY TABLE made ON COMMIT DROP AS
SELECT i, o, at, status,
       CASE status WHEN 'pending' THEN 0 WHEN 'received' THEN 1
            WHEN 'processing' THEN 2 WHEN 'completed' THEN 3
            WHEN 'verified' THEN 4 ELSE 5 END AS stage,
       (o - 1) * :users + 1 + i / :organizations % :users AS by,
       1 + i / :organizations * 7 % :clients AS client,
       CASE WHEN i / :organizations % 2 = 0
            THEN 1 + i / :organizations * 5 % :projects END AS project,
       (o - 1) * :materials + 1 + i / :organizations * 3 % :materials AS material
  FROM (SELECT i, 1 + (i - 1) % :organizations AS o,
               CASE WHEN i < :samples * 0.70 THEN 'reported'
                    WHEN i < :samples * 0.80 THEN 'verified'
                    WHEN i < :samples * 0.85 THEN 'completed'
                    WHEN i < :samples * 0.90 THEN 'processing'
                    WHEN i < :samples * 0.96 THEN 'received'
                    ELSE 'pending' END AS status,
               date_trunc('second', now()) - interval '1 day' *
                   (CASE WHEN i < :samples * 0.80
                         THEN 20 + 710 * (0.80 - i::float8 / :samples) / 0.80
                         ELSE 20 * (1 - i::float8 / :samples) / 0.20 END) AS at
          FROM generate_series(1, :samples) i) n;

INSERT INTO lims.sample (organization_id, id, tracking_id, sample_identifier,
    external_id, client_id, client_name, material_type_id, project_id,
    collection_date, collected_at, received_at, priority, status, notes,
    storage_location_id, reported_at, created_by, created_at, updated_at,
    project_name, material_type_name, content_hash)
SELECT m.o, m.i, t.tracking_id, t.tracking_id,
       CASE WHEN m.i % 5 < 3 THEN format('PO-%s', m.i) END,
       c.id, c.name, m.material, (m.o - 1) * :projects + m.project,
       (m.at - interval '6 hours')::date,
       CASE WHEN m.i % 2 = 0 THEN m.at - interval '6 hours' END,
       CASE WHEN m.stage >= 1 THEN m.at + interval '2 hours' END,
       CASE WHEN m.i % 20 = 0 THEN 'stat' WHEN m.i % 7 = 0 THEN 'rush'
            ELSE 'routine' END,
       m.status,
       CASE WHEN m.i % 4 = 0 THEN 'Bottle 2 of 3, chilled on arrival' END,
       (m.o - 1) * :locations + 1 + m.i % :locations,
       CASE WHEN m.stage = 5 THEN m.at + interval '5 days' END,
       m.by, m.at,
       m.at + make_interval(days => m.stage),
       CASE WHEN m.stage = 5 THEN p.name END,
       CASE WHEN m.stage = 5 THEN y.name END,
       CASE WHEN m.stage = 5 THEN sha256(t.tracking_id::bytea) END
  FROM made m
 CROSS JOIN LATERAL lims.tracking_id('LAB',
            extract(year FROM m.at)::integer, m.i) AS t (tracking_id)
  JOIN lims.client c
    ON c.organization_id = m.o
   AND c.id = (m.o - 1) * :clients
              + CASE WHEN m.project IS NULL THEN m.client ELSE m.project END
  JOIN lims.material_type y
    ON y.organization_id = m.o
   AND y.id = m.material
  LEFT JOIN lims.project p
    ON p.organization_id = m.o
   AND p.id = (m.o - 1) * :projects + m.project
 ORDER BY m.i;

-- Tests --------------------------------------------------------------------

-- One result in fifty is out of its limits.
INSERT INTO lims.sample_test (organization_id, id, sample_id, test_definition_id,
    status, result, numeric_value, out_of_specification, spec_low, spec_high,
    spec_material_type_id, spec_project_id, holding_time_hours, reagent_lot_id,
    analyzed_at, entered_by, entered_at, first_entered_at, holding_expires_at,
    holding_met, work_priority, verified_by, verified_at,
    test_code, test_name, method, unit, reporting_limit, method_detection_limit,
    created_at, updated_at)
SELECT x.o, x.id, x.i, x.definition,
       CASE WHEN x.stage >= 4 THEN 'verified' WHEN x.entered THEN 'entered'
            ELSE 'pending' END,
       r.value::text, r.value,
       lims.out_of_limits(r.value, '', r.low, r.high), r.low, r.high,
       CASE WHEN x.entered THEN x.material END,
       CASE WHEN x.entered THEN (x.o - 1) * :projects + x.project END,
       d.holding_time_hours,
       CASE WHEN x.entered THEN x.definition END,
       CASE WHEN x.entered AND x.i % 2 = 0
            THEN x.at + interval '40 hours' END,
       CASE WHEN x.entered THEN x.by END,
       CASE WHEN x.entered THEN x.at + interval '2 days' END,
       CASE WHEN x.entered THEN x.at + interval '2 days' END,
       h.expires_at,
       CASE WHEN x.entered
            THEN x.at + CASE WHEN x.i % 2 = 0 THEN interval '40 hours'
                             ELSE interval '2 days' END <= h.expires_at END,
       lims.work_priority('active', s.priority),
       CASE WHEN x.stage >= 4 THEN (x.o - 1) * :users + 2 END,
       CASE WHEN x.stage >= 4 THEN x.at + interval '3 days' END,
       CASE WHEN x.stage >= 4 THEN d.code END,
       CASE WHEN x.stage >= 4 THEN d.name END,
       CASE WHEN x.stage >= 4 THEN d.method END,
       CASE WHEN x.stage >= 4 THEN d.unit END,
       CASE WHEN x.stage >= 4 THEN d.reporting_limit END,
       CASE WHEN x.stage >= 4 THEN d.method_detection_limit END,
       x.at,
       x.at + make_interval(days => CASE WHEN x.stage >= 4 THEN 3
                                         WHEN x.entered THEN 2 ELSE 0 END)
  FROM (SELECT m.*, (m.i - 1) * 3 + j AS id,
               (m.o - 1) * :definitions + 1
                   + m.i / :organizations * 5 % (:definitions / 3)
                   + (j - 1) * (:definitions / 3) AS definition,
               m.stage >= 3 OR (m.stage = 2 AND j = 1) AS entered
          FROM made m, generate_series(1, 3) j) x
  LEFT JOIN lims.specification p
    ON p.organization_id = x.o
   AND p.test_definition_id = x.definition
   AND p.material_type_id = x.material
  JOIN lims.test_definition d
    ON d.organization_id = x.o
   AND d.id = x.definition
  JOIN lims.sample s
    ON s.organization_id = x.o
   AND s.id = x.i
 CROSS JOIN LATERAL (
       SELECT lims.holding_end(s.collected_at, s.collection_date, 'UTC',
                               d.holding_time_hours) AS expires_at) h
 CROSS JOIN LATERAL (
       SELECT coalesce(p.low, d.specification_low) AS low,
              coalesce(p.high, d.specification_high) AS high) l
  LEFT JOIN LATERAL (
       SELECT l.low, l.high,
              round(CASE WHEN x.id % 50 = 0 THEN l.high * 1.2
                         ELSE l.low + (l.high - l.low) * (x.id % 97) / 97
                    END, 2) AS value) r ON x.entered
 ORDER BY x.id;

-- Each result was measured in the batch of its definition and month.
INSERT INTO lims.qc_coverage (organization_id, id, sample_test_id, qc_batch_id,
    result, entered_at, created_at)
SELECT t.organization_id, t.id, t.id,
       (t.test_definition_id - 1) * :months
           + least(:months, 1 + (extract(epoch FROM now() - m.at)
                                 / 86400 / 31)::integer),
       t.result, t.entered_at, t.entered_at
  FROM made m
  JOIN lims.sample_test t
    ON t.organization_id = m.o
   AND t.sample_id = m.i
 WHERE t.result IS NOT NULL
 ORDER BY t.id;

-- Decisions ----------------------------------------------------------------

INSERT INTO lims.approval (organization_id, sample_id, round, step, name,
    status, requested_at, decided_at, decided_by, content_hash)
SELECT m.o, m.i, 1, 1, 'Final approval',
       CASE WHEN m.stage >= 4 THEN 'approved' ELSE 'pending' END,
       m.at + interval '2 days',
       CASE WHEN m.stage >= 4 THEN m.at + interval '4 days' END,
       CASE WHEN m.stage >= 4 THEN (m.o - 1) * :users + 1 END,
       s.content_hash
  FROM made m
  JOIN lims.sample s
    ON s.organization_id = m.o
   AND s.id = m.i
 WHERE m.stage >= 3
 ORDER BY m.i;

INSERT INTO lims.investigation (organization_id, id, investigation_number, title,
    kind, sample_id, sample_test_id, status, opened_at, closed_at, conclusion)
SELECT n.organization_id, n.id,
       format('OOS-%s-%s', to_char(n.entered_at, 'YY'), lpad(n.id::text, 7, '0')),
       format('%s mg/L outside its limits', n.result),
       'oos', n.sample_id, n.sample_test_id,
       CASE n.status WHEN 'verified' THEN 'closed' ELSE 'phase_1' END,
       n.entered_at,
       CASE n.status WHEN 'verified' THEN n.verified_at END,
       CASE n.status WHEN 'verified' THEN 'Confirmed by retest' END
  FROM (SELECT t.organization_id, t.id AS sample_test_id, t.sample_id, t.result,
               t.status, t.entered_at, t.verified_at,
               row_number() OVER (ORDER BY t.id) AS id
          FROM lims.sample_test t
         WHERE t.out_of_specification) n;

-- Events -------------------------------------------------------------------

-- The scan has seen everything: lims.sample_dirty is empty. It looks again at an
-- open sample when a holding time of it turns.
INSERT INTO lims.sample_state_cache (organization_id, sample_id, valid_until,
    release_state, holding_status)
SELECT m.o, m.i, h.valid_until,
       CASE m.stage WHEN 5 THEN 'reported' WHEN 4 THEN 'ready_to_report'
                    WHEN 3 THEN 'ready_for_review' ELSE 'in_progress' END,
       CASE WHEN h.expired THEN 'expired' WHEN h.soon THEN 'expiring_soon'
            WHEN h.any THEN 'ok' END
  FROM made m
  LEFT JOIN (
       SELECT e.sample_id, true AS any,
              bool_or(coalesce(e.analyzed_at, now()) > e.at) AS expired,
              bool_or(e.analyzed_at IS NULL AND e.warned < now()) AS soon,
              min(CASE WHEN e.analyzed_at IS NOT NULL OR e.at < now() THEN NULL
                       WHEN e.warned > now() THEN e.warned ELSE e.at END) AS valid_until
         FROM (SELECT t.sample_id, coalesce(t.analyzed_at, t.entered_at) AS analyzed_at,
                      x.at, x.at - interval '24 hours' AS warned
                 FROM lims.sample_test t
                 JOIN lims.sample s
                   ON s.organization_id = t.organization_id
                  AND s.id = t.sample_id
                 JOIN lims.test_definition d
                   ON d.organization_id = t.organization_id
                  AND d.id = t.test_definition_id
                CROSS JOIN LATERAL (
                      SELECT coalesce(s.collected_at,
                                 s.collection_date::timestamp AT TIME ZONE 'UTC')
                             + make_interval(hours => d.holding_time_hours::integer)
                                 AS at) x
                WHERE t.status <> 'verified'
                  AND d.holding_time_hours IS NOT NULL) e
        GROUP BY e.sample_id) h
    ON h.sample_id = m.i
 ORDER BY m.i;

INSERT INTO lims.event (organization_id, type, data, created_at)
SELECT e.o, e.type, e.data, date_trunc('milliseconds', e.at)
  FROM (SELECT s.organization_id AS o, s.id, s.created_at AS at,
               'sample.created' AS type,
               json_build_object('sampleId', s.id, 'trackingId', s.tracking_id,
                   'sampleIdentifier', s.sample_identifier,
                   'clientName', s.client_name, 'status', 'pending') AS data
          FROM lims.sample s
         UNION ALL
        SELECT s.organization_id, s.id, s.received_at, 'sample.received',
               json_build_object('sampleId', s.id, 'trackingId', s.tracking_id,
                   'status', 'received')
          FROM lims.sample s
         UNION ALL
        SELECT t.organization_id, t.id, t.entered_at, 'result.entered',
               json_build_object('sampleTestId', t.id,
                   'testDefinitionId', t.test_definition_id)
          FROM lims.sample_test t
         UNION ALL
        SELECT t.organization_id, t.id, t.verified_at, 'result.verified',
               json_build_object('sampleTestId', t.id, 'sampleId', t.sample_id)
          FROM lims.sample_test t) e
 WHERE e.at > now() - interval '30 days'
 ORDER BY e.at, e.id;

INSERT INTO lims.audit_entry (organization_id, occurred_at, table_name, record_id,
    action, changes, user_id, request_id)
SELECT s.organization_id, s.created_at, 'sample', s.id, 'insert',
       json_build_object('tracking_id', json_build_object('new', s.tracking_id),
           'client_name', json_build_object('new', s.client_name),
           'material_type_id', json_build_object('new', s.material_type_id),
           'collection_date', json_build_object('new', s.collection_date),
           'priority', json_build_object('new', s.priority),
           'status', json_build_object('new', 'pending')),
       s.created_by, format('generated-%s', s.id)
  FROM lims.sample s
 ORDER BY s.id;

-- The next record of every kind comes after these.
DO $$
DECLARE
    v record;
    v_last bigint;
BEGIN
    FOR v IN
        SELECT c.relname
          FROM pg_catalog.pg_class c
         WHERE c.relnamespace = 'lims'::regnamespace
           AND c.relkind = 'r'
           AND to_regclass(format('lims.%I', c.relname || '_id_seq')) IS NOT NULL
    LOOP
        EXECUTE format('SELECT max(id) FROM lims.%I', v.relname) INTO v_last;
        IF v_last IS NOT NULL THEN
            PERFORM setval(format('lims.%I', v.relname || '_id_seq'), v_last);
        END IF;
    END LOOP;
END
$$;

COMMIT;

VACUUM (ANALYZE);

-- Verified results were approved as they stand: their samples are ready to be reported.
-- Worked out here, where the tables are known to the planner.
BEGIN;
SET LOCAL session_replication_role = replica;
UPDATE lims.approval a
   SET content_hash = lims.release_hash(a.organization_id, a.sample_id)
  FROM lims.sample s
 WHERE s.organization_id = a.organization_id
   AND s.id = a.sample_id
   AND s.status = 'verified';
COMMIT;

VACUUM (ANALYZE) lims.approval;
