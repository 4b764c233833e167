-- SPDX-License-Identifier: Apache-2.0
--
-- What approvals cover: one list of members (lims.release_content) that is signed,
-- approved, reported and printed. Whichever way a member of it changes after a
-- decision, approval is asked for again; what is reported is what was approved.

-- The content ------------------------------------------------------------------

-- The list's version, which is hashed with it. Who changes the list counts on, and
-- has what stands hashed anew (see 028's end). 1 was the rows as the tables had them.
CREATE FUNCTION lims.content_version() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT 2 $$;

-- What a sample reports: what it is and whose, its tests with their results and
-- what these rest on. Nothing of how far the work has come: no status, no moment
-- or person of a step, no approval; so that verifying what was approved asks for
-- nothing anew. Of one test only, where one is given.
CREATE FUNCTION lims.release_content(
    p_organization bigint,
    p_sample bigint,
    p_sample_test bigint DEFAULT NULL
) RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
                   'version', lims.content_version(),
                   'sample', jsonb_build_object(
                       'id', s.id,
                       'trackingId', s.tracking_id,
                       'sampleIdentifier', s.sample_identifier,
                       'externalId', s.external_id,
                       'clientId', s.client_id,
                       'clientName', s.client_name,
                       'projectId', s.project_id,
                       'project', coalesce(s.project_name, p.name),
                       'materialTypeId', s.material_type_id,
                       'materialType', coalesce(s.material_type_name, m.name),
                       'plantLocation', s.plant_location,
                       'collectionDate', s.collection_date,
                       'collectedAt', s.collected_at,
                       'receivedAt', s.received_at,
                       'notes', s.notes),
                   'results', tests.rows)
          FROM lims.sample s
          JOIN lims.material_type m
            ON m.organization_id = s.organization_id
           AND m.id = s.material_type_id
          LEFT JOIN lims.project p
            ON p.organization_id = s.organization_id
           AND p.id = s.project_id
         CROSS JOIN LATERAL (
               SELECT coalesce(jsonb_agg(jsonb_build_object(
                          'sampleTestId', t.id,
                          'testDefinitionId', t.test_definition_id,
                          'testCode', t.test_code,
                          'testName', t.test_name,
                          'method', t.method,
                          'result', t.result,
                          'qualifier', t.qualifier,
                          'unit', t.unit,
                          'specification',
                              CASE WHEN t.result IS NOT NULL
                                   THEN t.specification END,
                          'outOfSpecification', t.out_of_specification,
                          'reportingLimit', t.reporting_limit,
                          'methodDetectionLimit', t.method_detection_limit,
                          'confirmation', t.confirmation_status,
                          'holdingTimeMet',
                              CASE WHEN t.result IS NOT NULL
                                   THEN t.holding_status <> 'expired' END,
                          'qcBatch', t.batch_number,
                          'qcStatus', t.qc_status,
                          'qcBatches', lims.covering_batches(t.organization_id,
                                                             t.id),
                          'reagentLotId', t.reagent_lot_id,
                          'mediaLotId', t.media_lot_id,
                          'notes', t.notes,
                          'analyzedAt', coalesce(t.analyzed_at,
                                                 t.first_entered_at)
                      ) ORDER BY t.id), '[]') AS rows
                 FROM lims.sample_test_state t
                WHERE t.organization_id = s.organization_id
                  AND t.sample_id = s.id
                  AND (p_sample_test IS NULL OR t.id = p_sample_test)) tests
         WHERE s.organization_id = p_organization
           AND s.id = p_sample);
END
$$;

CREATE FUNCTION lims.release_hash(p_organization bigint, p_sample bigint)
RETURNS bytea
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN sha256(convert_to(
        lims.release_content(p_organization, p_sample)::text, 'UTF8'));
END
$$;

-- What a signature on a record stands for: the record, and with it what the signer
-- looks at; of a result and of an approval the members above. Nothing of what the
-- act itself changes, so that later it can be told whether the signature still fits.
CREATE OR REPLACE FUNCTION lims.signed_content(
    p_organization bigint,
    p_table text,
    p_record_id bigint
) RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
DECLARE
    -- Where it stands, since when, by whom, and under which signature.
    v_stamps CONSTANT text[] := ARRAY['status', 'qc_status', 'created_at',
        'updated_at', 'evaluated_at', 'evaluated_by', 'override_reason',
        'override_by', 'override_at', 'override_signature_id'];
    v_record jsonb;
    v_about jsonb;
BEGIN
    CASE p_table
    WHEN 'sample_test' THEN
        SELECT jsonb_build_object('sampleId', t.sample_id)
                   || (lims.release_content(t.organization_id, t.sample_id, t.id)
                       #> '{results,0}')
          INTO v_record
          FROM lims.sample_test t
         WHERE t.organization_id = p_organization
           AND t.id = p_record_id;
    WHEN 'approval' THEN
        SELECT jsonb_build_object('id', a.id, 'sampleId', a.sample_id,
                                  'round', a.round, 'step', a.step,
                                  'name', a.name),
               lims.release_content(a.organization_id, a.sample_id)
          INTO v_record, v_about
          FROM lims.approval a
         WHERE a.organization_id = p_organization
           AND a.id = p_record_id;
    ELSE
        -- %I of a table that must exist in lims with this key: nothing else runs.
        EXECUTE format('SELECT to_jsonb(r) - $3 FROM lims.%I r '
                       'WHERE r.organization_id = $1 AND r.id = $2', p_table)
           INTO v_record
          USING p_organization, p_record_id, v_stamps;
    END CASE;
    CASE p_table
    WHEN 'worksheet' THEN
        SELECT jsonb_agg(to_jsonb(v) - v_stamps ORDER BY v.field_id)
          INTO v_about
          FROM lims.worksheet_value v
         WHERE v.organization_id = p_organization
           AND v.worksheet_id = p_record_id;
    WHEN 'qc_batch' THEN
        SELECT jsonb_build_object('controls', (
                   SELECT jsonb_agg(to_jsonb(c) - v_stamps ORDER BY c.id)
                     FROM lims.qc_control c
                    WHERE c.organization_id = p_organization
                      AND c.qc_batch_id = p_record_id), 'results', (
                   SELECT jsonb_agg(jsonb_build_object('sampleTestId', t.id,
                              'result', t.result, 'qualifier', t.qualifier)
                              ORDER BY t.id)
                     FROM lims.qc_coverage c
                     JOIN lims.sample_test t
                       ON t.organization_id = c.organization_id
                      AND t.id = c.sample_test_id
                    WHERE c.organization_id = p_organization
                      AND c.qc_batch_id = p_record_id))
          INTO v_about;
    ELSE
        NULL;
    END CASE;
    RETURN jsonb_build_object('record', v_record, 'about', v_about);
END
$$;

ALTER TABLE lims.electronic_signature
    -- The version of the list that was hashed.
    ADD COLUMN content_version integer NOT NULL DEFAULT 1;

SELECT lims.attach_audit('electronic_signature', '{transaction_id}');

CREATE FUNCTION lims.electronic_signature_version() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    NEW.content_version := lims.content_version();
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_version BEFORE INSERT ON lims.electronic_signature
FOR EACH ROW EXECUTE FUNCTION lims.electronic_signature_version();

-- Whether what was signed is still what stands; NULL: it was signed by a list
-- that is no longer known.
CREATE FUNCTION lims.signature_fits(p_organization bigint, p_signature bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT s.content_hash = lims.signed_hash(s.organization_id, s.table_name,
                                                 s.record_id)
          FROM lims.electronic_signature s
         WHERE s.organization_id = p_organization
           AND s.id = p_signature
           AND s.content_version = lims.content_version());
END
$$;

-- What is approved is kept with the decision --------------------------------------

ALTER TABLE lims.approval
    -- Of the content that was decided about.
    ADD COLUMN content_hash bytea CHECK (length(content_hash) = 32),
    -- Since when it counts no more though no other round was asked for.
    ADD COLUMN replaced_at timestamptz;

SELECT lims.attach_audit('approval');

-- Deciding locks the sample (lims.approval_guard), so that nothing of it changes
-- meanwhile.
CREATE FUNCTION lims.approval_content() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF OLD.replaced_at IS NOT NULL THEN
        PERFORM lims.refuse('already_decided', format(
            'approval %s was replaced: approval of the sample is asked anew',
            OLD.id));
    END IF;
    NEW.content_hash := lims.release_hash(NEW.organization_id, NEW.sample_id);
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_content BEFORE UPDATE ON lims.approval
FOR EACH ROW WHEN (NEW.status <> OLD.status)
EXECUTE FUNCTION lims.approval_content();

-- Decided or not, it may be replaced, once, and then nothing else happens to it.
CREATE FUNCTION lims.approval_replaced() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF OLD.replaced_at IS NOT NULL
       OR to_jsonb(NEW) - 'replaced_at' <> to_jsonb(OLD) - 'replaced_at' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'approval %s is replaced once, and as it stands', OLD.id));
    END IF;
    NEW.replaced_at := now();
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER guard BEFORE INSERT ON lims.approval
FOR EACH ROW EXECUTE FUNCTION lims.approval_guard();

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.approval
FOR EACH ROW WHEN (NEW.replaced_at IS NOT DISTINCT FROM OLD.replaced_at)
EXECUTE FUNCTION lims.approval_guard();

CREATE TRIGGER guard_replaced BEFORE UPDATE ON lims.approval
FOR EACH ROW WHEN (NEW.replaced_at IS DISTINCT FROM OLD.replaced_at)
EXECUTE FUNCTION lims.approval_replaced();

-- Decided by who acts, and nothing else of it.
REVOKE UPDATE ON lims.approval FROM lims_app;
GRANT UPDATE (status, comment, decided_by, decided_at, signature_id)
    ON lims.approval TO lims_app;

-- Asks for a round of approvals of each of these samples, whatever went before.
-- Where two ask at once, one round is enough. While no steps are active there is
-- nothing to ask for, but what stood stands no longer: it was about something else,
-- and is not to count when there are steps again.
CREATE OR REPLACE FUNCTION lims.request_approvals(
    p_organization bigint,
    p_samples bigint[]
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.approval (organization_id, sample_id, round, step, name)
    SELECT s.organization_id, s.id, r.round, p.position, p.name
      FROM lims.sample s
     CROSS JOIN LATERAL (
           SELECT coalesce(max(a.round), 0) + 1 AS round
             FROM lims.approval a
            WHERE a.organization_id = s.organization_id
              AND a.sample_id = s.id) r
      JOIN lims.approval_step p
        ON p.organization_id = s.organization_id
       AND p.active
     WHERE s.organization_id = p_organization
       AND s.id = ANY (p_samples)
     ORDER BY s.id, p.position
        ON CONFLICT (organization_id, sample_id, round, step)
        DO NOTHING;
    IF NOT EXISTS (
        SELECT FROM lims.approval_step p
         WHERE p.organization_id = p_organization
           AND p.active
    ) THEN
        UPDATE lims.approval a
           SET replaced_at = now()
         WHERE a.organization_id = p_organization
           AND a.sample_id = ANY (p_samples)
           AND a.replaced_at IS NULL;
    END IF;
END
$$;

-- Approvals are asked again ------------------------------------------------------

-- Of these samples, those are asked for again about which something was decided
-- that is no longer what stands: by its content, whatever changed it, or because
-- of what no content shows (p_anyway). One that was rejected and sent back waits
-- until it is completed: the rejection stands until then. And those whose round
-- was replaced while no steps were active.
CREATE OR REPLACE FUNCTION lims.request_approvals_again(
    p_organization bigint,
    p_samples bigint[],
    p_anyway bigint[]
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_samples bigint[];
BEGIN
    SELECT array_agg(s.id)
      INTO v_samples
      FROM (SELECT DISTINCT ON (a.sample_id) a.sample_id,
                   array_agg(a.content_hash)
                       FILTER (WHERE a.status <> 'pending') AS decided,
                   bool_or(a.status = 'rejected') AS rejected,
                   bool_and(a.replaced_at IS NOT NULL) AS replaced
              FROM lims.approval a
             WHERE a.organization_id = p_organization
               AND a.sample_id = ANY (p_samples)
             GROUP BY a.sample_id, a.round
             ORDER BY a.sample_id, a.round DESC) latest
      JOIN lims.sample s
        ON s.id = latest.sample_id
     WHERE s.organization_id = p_organization
       AND s.status <> 'reported'
       AND CASE
           WHEN latest.replaced THEN s.status IN ('completed', 'verified')
           WHEN latest.decided IS NULL THEN false
           WHEN latest.rejected AND s.status NOT IN ('completed', 'verified')
           THEN false
           WHEN s.id = ANY (p_anyway) THEN true
           ELSE EXISTS (
               SELECT FROM unnest(latest.decided) d (hash)
                WHERE d.hash IS DISTINCT FROM
                      (SELECT lims.release_hash(p_organization, s.id)))
           END;
    IF v_samples IS NOT NULL THEN
        PERFORM lims.request_approvals(p_organization, v_samples);
    END IF;
END
$$;

DROP FUNCTION lims.request_approvals_again(bigint, bigint[]);
REVOKE EXECUTE ON FUNCTION
    lims.request_approvals_again(bigint, bigint[], bigint[]) FROM PUBLIC;

-- Whether approval was ever asked of a sample: of most it was not, when something
-- is written, and there is no more to do.
CREATE FUNCTION lims.has_approvals(p_organization bigint, p_sample bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.approval a
         WHERE a.organization_id = p_organization
           AND a.sample_id = p_sample);
END
$$;

-- Of all samples that approval was ever asked of and that are still open: for what
-- many rest on and that seldom changes.
CREATE FUNCTION lims.request_approvals_of_all(p_organization bigint)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_samples bigint[];
BEGIN
    SELECT array_agg(s.id)
      INTO v_samples
      FROM lims.sample s
     WHERE s.organization_id = p_organization
       AND s.status IN ('pending', 'received', 'processing', 'completed',
                        'verified')
       AND lims.has_approvals(s.organization_id, s.id);
    PERFORM lims.request_approvals_again(p_organization, v_samples, '{}');
END
$$;

-- Decisions rest on the tests there are, on their results and on that they were
-- final: a reopened one is looked at again, whatever becomes of it.
CREATE OR REPLACE FUNCTION lims.sample_test_reapprove() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
    v_reopened bigint[] := '{}';
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF EXISTS (SELECT FROM old_rows o WHERE o.status = 'verified') THEN
            SELECT coalesce(array_agg(c.sample_id), '{}')
              INTO v_reopened
              FROM (SELECT n.sample_id,
                           o.status = 'verified' AND n.status <> 'verified'
                               AS is_reopened
                      FROM changed_rows n
                      FULL JOIN old_rows o
                        ON o.organization_id = n.organization_id
                       AND o.id = n.id
                    OFFSET 0) c
             WHERE c.is_reopened;
        END IF;
    END IF;
    FOR v IN
        SELECT c.organization_id, array_agg(c.sample_id) AS samples
          FROM (SELECT DISTINCT x.organization_id, x.sample_id
                  FROM changed_rows x) c
         WHERE lims.has_approvals(c.organization_id, c.sample_id)
         GROUP BY c.organization_id
    LOOP
        PERFORM lims.request_approvals_again(v.organization_id, v.samples,
                                             v_reopened);
    END LOOP;
    RETURN NULL;
END
$$;

-- And on what the sample is and whose.
CREATE OR REPLACE FUNCTION lims.sample_reapprove() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT c.organization_id, array_agg(c.id) AS samples
          FROM changed_rows c
         WHERE c.status <> 'reported'
           AND lims.has_approvals(c.organization_id, c.id)
         GROUP BY c.organization_id
    LOOP
        PERFORM lims.request_approvals_again(v.organization_id, v.samples, '{}');
    END LOOP;
    RETURN NULL;
END
$$;

DROP TRIGGER reapprove ON lims.sample;
CREATE TRIGGER reapprove_update AFTER UPDATE ON lims.sample
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_reapprove();

-- On the runs a result was found in, and what became of them.
CREATE FUNCTION lims.qc_batch_reapprove() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    -- Each test by its key, however many a batch is thought to cover.
    PERFORM lims.request_approvals_again(NEW.organization_id, ARRAY(
        SELECT DISTINCT (
               SELECT t.sample_id
                 FROM lims.sample_test t
                WHERE t.organization_id = c.organization_id
                  AND t.id = c.sample_test_id)
          FROM lims.qc_coverage c
         WHERE c.organization_id = NEW.organization_id
           AND c.qc_batch_id = NEW.id), '{}');
    RETURN NULL;
END
$$;

-- After lims.qc_batch_override(): by their names.
CREATE TRIGGER reapprove AFTER UPDATE ON lims.qc_batch
FOR EACH ROW WHEN ((NEW.qc_status, NEW.batch_number, NEW.override_signature_id)
    IS DISTINCT FROM (OLD.qc_status, OLD.batch_number, OLD.override_signature_id))
EXECUTE FUNCTION lims.qc_batch_reapprove();

CREATE FUNCTION lims.qc_coverage_reapprove() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT t.organization_id, array_agg(t.sample_id) AS samples
          FROM (SELECT DISTINCT x.organization_id, x.sample_id
                  FROM changed_rows c
                  JOIN lims.sample_test x
                    ON x.organization_id = c.organization_id
                   AND x.id = c.sample_test_id) t
         WHERE lims.has_approvals(t.organization_id, t.sample_id)
         GROUP BY t.organization_id
    LOOP
        PERFORM lims.request_approvals_again(v.organization_id, v.samples, '{}');
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER reapprove_insert AFTER INSERT ON lims.qc_coverage
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.qc_coverage_reapprove();

CREATE TRIGGER reapprove_delete AFTER DELETE ON lims.qc_coverage
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.qc_coverage_reapprove();

-- On names and limits that are printed, until they are frozen; on the time zone
-- that a day of collection begins in; and on that there are steps at all.
CREATE FUNCTION lims.reapprove_all() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.request_approvals_of_all(CASE TG_TABLE_NAME
        WHEN 'organization' THEN (to_jsonb(NEW) ->> 'id')::bigint
        ELSE (to_jsonb(NEW) ->> 'organization_id')::bigint END);
    RETURN NULL;
END
$$;

CREATE TRIGGER reapprove AFTER UPDATE ON lims.project
FOR EACH ROW WHEN (NEW.name <> OLD.name)
EXECUTE FUNCTION lims.reapprove_all();

CREATE TRIGGER reapprove AFTER UPDATE ON lims.material_type
FOR EACH ROW WHEN (NEW.name <> OLD.name)
EXECUTE FUNCTION lims.reapprove_all();

CREATE TRIGGER reapprove AFTER UPDATE ON lims.test_definition
FOR EACH ROW WHEN ((NEW.code, NEW.name, NEW.method, NEW.unit,
    NEW.reporting_limit::text, NEW.method_detection_limit::text)
    IS DISTINCT FROM
    (OLD.code, OLD.name, OLD.method, OLD.unit, OLD.reporting_limit::text,
    OLD.method_detection_limit::text))
EXECUTE FUNCTION lims.reapprove_all();

CREATE TRIGGER reapprove AFTER UPDATE ON lims.organization
FOR EACH ROW WHEN (NEW.time_zone <> OLD.time_zone)
EXECUTE FUNCTION lims.reapprove_all();

CREATE TRIGGER reapprove AFTER INSERT OR UPDATE ON lims.approval_step
FOR EACH ROW WHEN (NEW.active)
EXECUTE FUNCTION lims.reapprove_all();

-- They appear when a sample becomes completed, or goes past that, and none stand
-- of it, or the last ones were rejected.
CREATE OR REPLACE FUNCTION lims.sample_completed() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT c.organization_id, array_agg(c.id) AS samples
          FROM (SELECT n.organization_id, n.id,
                       n.status IN ('completed', 'verified')
                       AND o.status NOT IN ('completed', 'verified')
                           AS is_completed
                  FROM new_rows n
                  FULL JOIN old_rows o
                    ON o.organization_id = n.organization_id
                   AND o.id = n.id
                OFFSET 0) c
          LEFT JOIN LATERAL (
               SELECT bool_or(a.status = 'rejected') AS rejected
                 FROM lims.approval a
                WHERE a.organization_id = c.organization_id
                  AND a.sample_id = c.id
                  AND a.replaced_at IS NULL
                GROUP BY a.round
                ORDER BY a.round DESC
                LIMIT 1) latest ON true
         WHERE c.is_completed
           AND latest.rejected IS NOT FALSE
         GROUP BY c.organization_id
    LOOP
        PERFORM lims.request_approvals(v.organization_id, v.samples);
    END LOOP;
    RETURN NULL;
END
$$;

GRANT EXECUTE ON FUNCTION lims.content_version(),
    lims.release_content(bigint, bigint, bigint), lims.release_hash(bigint, bigint),
    lims.signature_fits(bigint, bigint) TO lims_app;
SELECT lims.secure_functions();
