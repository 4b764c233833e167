-- SPDX-License-Identifier: Apache-2.0
--
-- Views and functions that the statements of 1.0.0 read (get.sql and list.sql beside this
-- file), in a schema of the benchmark's own: a view or function of today that becomes
-- faster does not make the reference faster that it is measured by. build/bench/run makes
-- it in the database that it measures on, and compares its records with those of today:
--
--     psql -U postgres -d DATABASE -f records.sql
--
-- This is the text of 1.0.0, with `bench` for `lims` where one of these calls another,
-- except where today's tables differ:
--
-- * qc_batch_id was a column of lims.sample_test. A test can be covered by several batches
--   since, in lims.qc_coverage, and the latest is looked up: one look-up for each test
--   that 1.0.0 did not do, which costs GET about a tenth of PostgreSQL's time. A ratio to
--   this reference is that much higher than to 1.0.0 itself. Without the look-up it
--   would not be the record that the service gives.
-- * sample_watch is lims.sample_state_cache, its due_at is valid_until, sample_due is
--   lims.sample_dirty, and organization_due is lims.organization_dirty.
-- * Columns of sample_test_state that the record does not show are left out, and the join
--   of lims.qc_batch that only they needed: the planner left them out too.
-- * A verified test keeps its names and unit today; here they are the definition's, as in
--   1.0.0.
--
-- Shared with today are tables, indexes and policies, lims.sample_state(), for a sample
-- without a valid cache entry, and lims.worksheet_status(), for a test that requires a
-- worksheet: the generated data has hardly any of these.
--
-- The owner of the service's tables owns these too, and views have the rights of the
-- caller (security_invoker), so that row-level security holds behind them as in `lims`.

BEGIN;

CREATE SCHEMA bench AUTHORIZATION lims_owner;
SET LOCAL ROLE lims_owner;

-- The key ------------------------------------------------------------------

CREATE FUNCTION bench.authenticate(
    p_key_hash bytea,
    p_request_id text,
    OUT key_id bigint,
    OUT organization_id bigint,
    OUT user_id bigint,
    OUT scopes text[],
    OUT upload_only boolean,
    OUT last_used_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_refusal text;
BEGIN
    SELECT k.id, k.organization_id, k.created_by, k.scopes, k.upload_only,
           k.last_used_at,
           CASE WHEN k.revoked_at IS NOT NULL THEN 'the API key is revoked'
                WHEN k.expires_at <= now() THEN 'the API key has expired'
                WHEN NOT u.active THEN 'the API key''s user is not active'
                WHEN NOT o.active THEN 'the organization is not active'
                WHEN NOT o.api_access THEN 'the plan has no API access'
           END
      INTO key_id, organization_id, user_id, scopes, upload_only,
           last_used_at, v_refusal
      FROM lims.api_key k
      JOIN lims.user_account u
        ON u.organization_id = k.organization_id
       AND u.id = k.created_by
      JOIN lims.organization o
        ON o.id = k.organization_id
     WHERE k.key_hash = p_key_hash;
    IF NOT FOUND THEN
        v_refusal := 'the API key is unknown';
    END IF;
    IF v_refusal IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'LM401', MESSAGE = v_refusal;
    END IF;
    IF p_request_id IS NULL THEN
        PERFORM set_config('lims.organization_id', organization_id::text, true);
    ELSE
        PERFORM lims.set_context(organization_id, user_id, key_id, p_request_id,
                                 NULL, NULL);
    END IF;
END
$$;

-- The sample ---------------------------------------------------------------

CREATE FUNCTION bench.sample_standing(p_organization bigint, p_sample bigint)
RETURNS TABLE (release_state text, holding_status text)
LANGUAGE sql STABLE
AS $$
    SELECT w.release_state, w.holding_status
      FROM lims.sample_state_cache w
     WHERE w.organization_id = p_organization
       AND w.sample_id = p_sample
       AND w.release_state IS NOT NULL
       AND (w.valid_until IS NULL OR w.valid_until >= now())
       AND NOT EXISTS (
           SELECT FROM lims.sample_dirty d
            WHERE d.organization_id = p_organization
              AND d.sample_id = p_sample)
       AND NOT EXISTS (
           SELECT FROM lims.organization_dirty d
            WHERE d.organization_id = p_organization)
$$;

CREATE VIEW bench.sample_record WITH (security_invoker = true) AS
SELECT s.organization_id, s.id, s.tracking_id AS "trackingId", s.status,
       s.material_type_id AS "materialTypeId", s.project_id AS "projectId",
       s.received_at AS "receivedAt",
       s.sample_identifier AS "sampleIdentifier",
       s.external_id AS "externalId", s.client_id AS "clientId",
       s.client_name AS "clientName", s.collection_date AS "collectionDate",
       s.collected_at AS "collectedAt", s.priority, s.notes,
       s.plant_location AS "plantLocation",
       s.storage_location_id AS "storageLocationId",
       CASE s.status WHEN 'reported' THEN 'reported'
            ELSE coalesce(k.release_state, r.release_state)
       END AS "releaseState",
       CASE WHEN k.release_state IS NULL THEN r.holding_status
            ELSE k.holding_status
       END AS "holdingStatus",
       s.created_at AS "createdAt", s.updated_at AS "updatedAt",
       s.reported_at AS "reportedAt"
  FROM lims.sample s
  LEFT JOIN LATERAL (
       SELECT x.release_state, x.holding_status
         FROM bench.sample_standing(s.organization_id, s.id) x
        WHERE s.status <> 'reported'
       OFFSET 0) k ON true
  LEFT JOIN LATERAL (
       SELECT x.release_state, x.holding_status
         FROM lims.sample_state(s.organization_id, s.id) x
        WHERE s.status <> 'reported'
          AND k.release_state IS NULL
       OFFSET 0) r ON true;

-- Sample tests -------------------------------------------------------------

CREATE FUNCTION bench.specification_words(
    p_low numeric,
    p_high numeric,
    p_text text,
    p_unit text
) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN p_low IS NULL AND p_high IS NULL THEN p_text
        ELSE CASE WHEN p_low IS NULL THEN 'at most ' || p_high::text
                  WHEN p_high IS NULL THEN 'at least ' || p_low::text
                  ELSE p_low::text || ' to ' || p_high::text
             END || coalesce(' ' || p_unit, '')
    END
$$;

CREATE FUNCTION bench.specification_of(
    p_organization bigint,
    p_definition bigint,
    p_material_type bigint,
    p_project bigint
) RETURNS TABLE (id bigint, low numeric, high numeric, expected_text text)
LANGUAGE sql STABLE
AS $$
    SELECT x.id, x.low, x.high, x.expected_text
      FROM lims.specification x
     WHERE x.organization_id = p_organization
       AND x.test_definition_id = p_definition
       AND x.material_type_id = p_material_type
       AND (x.project_id = p_project OR x.project_id IS NULL)
     ORDER BY x.project_id NULLS LAST
     LIMIT 1
$$;

CREATE FUNCTION bench.specification_now(
    p_organization bigint,
    p_definition bigint,
    p_material_type bigint,
    p_project bigint,
    p_low numeric,
    p_high numeric,
    p_expected text,
    p_unit text
) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v record;
BEGIN
    SELECT x.low, x.high, x.expected_text
      INTO v
      FROM bench.specification_of(p_organization, p_definition, p_material_type,
                                  p_project) x;
    IF NOT FOUND THEN
        RETURN bench.specification_words(p_low, p_high, p_expected, p_unit);
    END IF;
    RETURN bench.specification_words(v.low, v.high, v.expected_text, p_unit);
END
$$;

CREATE FUNCTION bench.lot_warnings(
    p_reagent_lot text,
    p_reagent_expires_on date,
    p_media_lot text,
    p_media_expires_on date,
    p_entered_on date
) RETURNS text[]
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN array_remove(ARRAY[
        CASE WHEN p_reagent_expires_on < p_entered_on THEN format(
            'reagent lot %s expired on %s, before the result was entered',
            p_reagent_lot, p_reagent_expires_on) END,
        CASE WHEN p_media_expires_on < p_entered_on THEN format(
            'media lot %s expired on %s, before the result was entered',
            p_media_lot, p_media_expires_on) END], NULL);
END
$$;

CREATE VIEW bench.sample_test_state WITH (security_invoker = true) AS
SELECT t.organization_id, t.id, t.sample_id, t.test_definition_id, t.status,
       t.result, t.qualifier, t.notes, t.out_of_specification,
       t.reagent_lot_id, t.media_lot_id,
       (SELECT c.qc_batch_id
          FROM lims.qc_coverage c
         WHERE c.organization_id = t.organization_id
           AND c.sample_test_id = t.id
         ORDER BY c.id DESC
         LIMIT 1) AS qc_batch_id,
       t.confirmation_status,
       t.analyzed_at, t.entered_by, t.entered_at,
       t.verified_by, t.verified_at, t.created_at, t.updated_at,
       d.code AS test_code, d.name AS test_name, d.unit,
       -- A result keeps the limits it was judged by; before there is one, those
       -- that would apply now.
       CASE WHEN t.result IS NULL
            THEN bench.specification_now(t.organization_id, d.id,
                     s.material_type_id, s.project_id, d.specification_low,
                     d.specification_high, d.specification_text, d.unit)
            ELSE bench.specification_words(t.spec_low, t.spec_high, t.spec_text,
                                          d.unit)
       END AS specification,
       CASE WHEN t.requires_worksheet
            THEN lims.worksheet_status(t.organization_id, t.id)
       END AS worksheet_status,
       h.expires_at AS holding_expires_at,
       CASE
           WHEN h.expires_at IS NULL THEN NULL
           WHEN coalesce(h.analyzed_at, now()) > h.expires_at THEN 'expired'
           WHEN h.analyzed_at IS NULL AND now() + h.warning > h.expires_at
           THEN 'expiring_soon'
           ELSE 'ok'
       END AS holding_status,
       CASE WHEN r.expires_on < h.entered_on OR m.expires_on < h.entered_on
            THEN bench.lot_warnings(r.code, r.expires_on, m.code, m.expires_on,
                                   h.entered_on)
            ELSE '{}'
       END AS warnings
  FROM lims.sample_test t
  JOIN lims.test_definition d
    ON d.organization_id = t.organization_id
   AND d.id = t.test_definition_id
  JOIN lims.sample s
    ON s.organization_id = t.organization_id
   AND s.id = t.sample_id
  JOIN lims.organization o
    ON o.id = t.organization_id
  LEFT JOIN lims.reagent_lot r
    ON r.organization_id = t.organization_id
   AND r.id = t.reagent_lot_id
  LEFT JOIN lims.media_lot m
    ON m.organization_id = t.organization_id
   AND m.id = t.media_lot_id
 CROSS JOIN LATERAL (
       SELECT coalesce(s.collected_at,
                       s.collection_date::timestamp AT TIME ZONE o.time_zone)
                  + t.holding_time_hours::double precision * interval '1 hour'
                  AS expires_at,
              -- The clock stops at the analysis; a result without its time
              -- was analysed when it was first entered at the latest, which a
              -- correction does not change.
              coalesce(t.analyzed_at, t.first_entered_at) AS analyzed_at,
              CASE WHEN t.result IS NOT NULL
                   THEN (t.entered_at AT TIME ZONE o.time_zone)::date
              END AS entered_on,
              o.holding_warning_hours::double precision * interval '1 hour'
                  AS warning) h;

CREATE VIEW bench.sample_test_record WITH (security_invoker = true) AS
SELECT t.organization_id, t.id, t.sample_id AS "sampleId",
       t.test_definition_id AS "testDefinitionId", t.test_code AS "testCode",
       t.test_name AS "testName", t.status, t.result, t.unit, t.qualifier,
       t.notes, t.out_of_specification AS "outOfSpecification",
       t.specification, t.reagent_lot_id AS "reagentLotId",
       t.media_lot_id AS "mediaLotId", t.qc_batch_id AS "qcBatchId",
       t.confirmation_status AS "confirmationStatus",
       t.worksheet_status AS "worksheetStatus",
       t.holding_status AS "holdingStatus",
       t.holding_expires_at AS "holdingExpiresAt",
       t.analyzed_at AS "analyzedAt", t.entered_by AS "enteredBy",
       t.entered_at AS "enteredAt", t.verified_by AS "verifiedBy",
       t.verified_at AS "verifiedAt", t.created_at AS "createdAt",
       t.updated_at AS "updatedAt", t.warnings
  FROM bench.sample_test_state t;

-- Rights -------------------------------------------------------------------

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA bench FROM PUBLIC;
GRANT USAGE ON SCHEMA bench TO lims_app;
GRANT SELECT ON ALL TABLES IN SCHEMA bench TO lims_app;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA bench TO lims_app;

COMMIT;
