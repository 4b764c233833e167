-- SPDX-License-Identifier: Apache-2.0
--
-- Names and limits are those of the moment: a test's code, name, method, unit and
-- limits of reporting stay with it when it is verified, the names of project and
-- material type with the sample when it is reported. What a definition says later
-- is said of later results. The limits of a specification stay with each result
-- from its entry on (lims.judged).

ALTER TABLE lims.sample_test
    -- What the definition said when the test was verified; NULL before.
    ADD COLUMN test_code text,
    ADD COLUMN test_name text,
    ADD COLUMN method text,
    ADD COLUMN unit text,
    -- Of a test that asks for confirmation since its result was judged: by it
    -- too it was decided whether there is something to confirm.
    ADD COLUMN reporting_limit numeric,
    ADD COLUMN method_detection_limit numeric;

ALTER TABLE lims.sample
    -- As they were called when the sample was reported; NULL before.
    ADD COLUMN project_name text,
    ADD COLUMN material_type_name text,
    -- Of what was reported (lims.release_content): what was approved has the same.
    ADD COLUMN content_hash bytea CHECK (length(content_hash) = 32);

SELECT lims.attach_audit('sample_test', '{judgements}');
SELECT lims.attach_audit('sample');

-- Nobody writes these: whatever is written, they become what they have to be.
CREATE FUNCTION lims.sample_test_names() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_limit numeric;
    v_is_judged boolean := true;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        -- Whether the lock let it be changed was decided before.
        IF NEW.status = 'verified' AND OLD.status = 'verified' THEN
            RETURN NEW;
        END IF;
        v_is_judged := (NEW.result, NEW.qualifier, NEW.spec_material_type_id,
                        NEW.spec_project_id) IS DISTINCT FROM
                       (OLD.result, OLD.qualifier, OLD.spec_material_type_id,
                        OLD.spec_project_id);
        v_limit := OLD.reporting_limit;
    END IF;
    SELECT d.code, d.name, d.method, d.unit, d.method_detection_limit,
           CASE WHEN NEW.requires_confirmation AND NOT v_is_judged THEN v_limit
                ELSE d.reporting_limit END
      INTO NEW.test_code, NEW.test_name, NEW.method, NEW.unit,
           NEW.method_detection_limit, NEW.reporting_limit
      FROM lims.test_definition d
     WHERE d.organization_id = NEW.organization_id
       AND d.id = NEW.test_definition_id;
    IF NEW.status <> 'verified' THEN
        NEW.test_code := NULL;
        NEW.test_name := NULL;
        NEW.method := NULL;
        NEW.unit := NULL;
        NEW.method_detection_limit := NULL;
        IF NEW.result IS NULL OR NOT NEW.requires_confirmation THEN
            NEW.reporting_limit := NULL;
        END IF;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER names_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW WHEN ((NEW.requires_confirmation AND NEW.result IS NOT NULL)
    OR NOT ROW(NEW.test_code, NEW.test_name, NEW.method, NEW.unit,
        NEW.reporting_limit, NEW.method_detection_limit) IS NULL)
EXECUTE FUNCTION lims.sample_test_names();

-- After the locks: by their names.
CREATE TRIGGER names_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN ((NEW.status = 'verified') <> (OLD.status = 'verified')
    OR (NEW.requires_confirmation
        AND (NEW.result, NEW.qualifier, NEW.spec_material_type_id,
             NEW.spec_project_id) IS DISTINCT FROM
            (OLD.result, OLD.qualifier, OLD.spec_material_type_id,
             OLD.spec_project_id))
    OR (NEW.test_code, NEW.test_name, NEW.method, NEW.unit,
        NEW.reporting_limit::text, NEW.method_detection_limit::text)
       IS DISTINCT FROM
       (OLD.test_code, OLD.test_name, OLD.method, OLD.unit,
        OLD.reporting_limit::text, OLD.method_detection_limit::text))
EXECUTE FUNCTION lims.sample_test_names();

-- Nobody renames what is being reported.
CREATE FUNCTION lims.sample_hold_names() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM FROM lims.material_type m
      WHERE m.organization_id = NEW.organization_id
        AND m.id = NEW.material_type_id
        FOR SHARE;
    PERFORM FROM lims.project p
      WHERE p.organization_id = NEW.organization_id
        AND p.id = NEW.project_id
        FOR SHARE;
    RETURN NEW;
END
$$;

CREATE TRIGGER hold_names BEFORE UPDATE ON lims.sample
FOR EACH ROW WHEN (NEW.status = 'reported' AND OLD.status <> 'reported')
EXECUTE FUNCTION lims.sample_hold_names();

-- What is reported is what was approved: nothing else changes with the status.
CREATE FUNCTION lims.sample_names() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_same lims.sample;
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.project_name := NULL;
        NEW.material_type_name := NULL;
        NEW.content_hash := NULL;
        RETURN NEW;
    END IF;
    NEW.project_name := OLD.project_name;
    NEW.material_type_name := OLD.material_type_name;
    NEW.content_hash := OLD.content_hash;
    IF NEW.status = 'reported' AND OLD.status <> 'reported' THEN
        v_same := NEW;
        v_same.status := OLD.status;
        v_same.reported_at := OLD.reported_at;
        v_same.updated_at := OLD.updated_at;
        IF v_same *<> OLD THEN
            PERFORM lims.refuse('invalid_transition', format(
                'sample %s is changed and reported in two steps', OLD.tracking_id));
        END IF;
        SELECT m.name
          INTO NEW.material_type_name
          FROM lims.material_type m
         WHERE m.organization_id = NEW.organization_id
           AND m.id = NEW.material_type_id;
        SELECT p.name
          INTO NEW.project_name
          FROM lims.project p
         WHERE p.organization_id = NEW.organization_id
           AND p.id = NEW.project_id;
        NEW.content_hash := lims.release_hash(NEW.organization_id, NEW.id);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER names_insert BEFORE INSERT ON lims.sample
FOR EACH ROW WHEN (NOT ROW(NEW.project_name, NEW.material_type_name,
    NEW.content_hash) IS NULL)
EXECUTE FUNCTION lims.sample_names();

-- After the gates: by their names.
CREATE TRIGGER names_update BEFORE UPDATE ON lims.sample
FOR EACH ROW WHEN ((NEW.status = 'reported') <> (OLD.status = 'reported')
    OR (NEW.project_name, NEW.material_type_name, NEW.content_hash)
       IS DISTINCT FROM
       (OLD.project_name, OLD.material_type_name, OLD.content_hash))
EXECUTE FUNCTION lims.sample_names();

-- What is read -------------------------------------------------------------------

-- As in 024_qc_coverage.sql, but for the names: those a test was verified under,
-- else those of now.
CREATE OR REPLACE VIEW lims.sample_test_state WITH (security_invoker = true) AS
SELECT t.organization_id, t.id, t.sample_id, t.test_definition_id, t.status,
       t.result, t.qualifier, t.numeric_value, t.notes, t.out_of_specification,
       t.reagent_lot_id, t.media_lot_id,
       (SELECT c.qc_batch_id
          FROM lims.qc_coverage c
         WHERE c.organization_id = t.organization_id
           AND c.sample_test_id = t.id
         ORDER BY c.id DESC
         LIMIT 1) AS qc_batch_id,
       t.confirmation_status,
       t.analyzed_at, t.first_entered_at, t.entered_by, t.entered_at,
       t.verified_by, t.verified_at, t.created_at, t.updated_at,
       coalesce(t.test_code, d.code) AS test_code,
       coalesce(t.test_name, d.name) AS test_name, h.unit, d.result_type,
       t.requires_worksheet,
       CASE WHEN t.result IS NULL
            THEN lims.specification_now(t.organization_id, d.id,
                     s.material_type_id, s.project_id, d.specification_low,
                     d.specification_high, d.specification_text, h.unit)
            ELSE lims.specification_words(t.spec_low, t.spec_high, t.spec_text,
                                          h.unit)
       END AS specification,
       (SELECT q.batch_number
          FROM lims.qc_covered q
         WHERE q.organization_id = t.organization_id
           AND q.sample_test_id = t.id
         ORDER BY q.id DESC
         LIMIT 1) AS batch_number,
       (SELECT q.standing
          FROM lims.qc_covered q
         WHERE q.organization_id = t.organization_id
           AND q.sample_test_id = t.id
         ORDER BY q.id DESC
         LIMIT 1) AS qc_status,
       m.code AS media_lot_code,
       m.growth_promotion_status, m.sterility_status,
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
       CASE
           WHEN h.analyzed_at IS NOT NULL OR now() > h.expires_at THEN NULL
           WHEN now() + h.warning > h.expires_at THEN h.expires_at
           ELSE h.expires_at - h.warning
       END AS holding_status_until,
       CASE WHEN r.expires_on < h.entered_on OR m.expires_on < h.entered_on
            THEN lims.lot_warnings(r.code, r.expires_on, m.code, m.expires_on,
                                   h.entered_on)
            ELSE '{}'
       END AS warnings,
       CASE WHEN t.test_code IS NULL THEN d.method ELSE t.method END AS method,
       CASE WHEN t.test_code IS NULL
             AND NOT (t.requires_confirmation AND t.result IS NOT NULL)
            THEN d.reporting_limit ELSE t.reporting_limit END AS reporting_limit,
       CASE WHEN t.test_code IS NULL THEN d.method_detection_limit
            ELSE t.method_detection_limit END AS method_detection_limit
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
       SELECT CASE WHEN t.test_code IS NULL THEN d.unit ELSE t.unit END AS unit,
              coalesce(s.collected_at,
                       s.collection_date::timestamp AT TIME ZONE o.time_zone)
                  + t.holding_time_hours::double precision * interval '1 hour'
                  AS expires_at,
              coalesce(t.analyzed_at, t.first_entered_at) AS analyzed_at,
              CASE WHEN t.result IS NOT NULL
                   THEN (t.entered_at AT TIME ZONE o.time_zone)::date
              END AS entered_on,
              o.holding_warning_hours::double precision * interval '1 hour'
                  AS warning) h;

-- Whether something was decided in a round about another content than stands.
CREATE FUNCTION lims.is_outdated(
    p_organization bigint,
    p_sample bigint,
    p_round integer
) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_hash bytea := lims.release_hash(p_organization, p_sample);
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.approval a
         WHERE a.organization_id = p_organization
           AND a.sample_id = p_sample
           AND a.round = p_round
           AND a.status <> 'pending'
           AND a.content_hash IS DISTINCT FROM v_hash);
END
$$;

GRANT EXECUTE ON FUNCTION lims.is_outdated(bigint, bigint, integer) TO lims_app;

-- As in 024_qc_coverage.sql, but for the approvals: of a round that was not replaced,
-- and of what stands.
CREATE OR REPLACE VIEW lims.finding WITH (security_invoker = true) AS
SELECT t.organization_id, t.sample_id, f.category,
       lims.finding_hardness(f.category) AS hardness,
       t.id AS sample_test_id,
       NULL::bigint AS qc_batch_id,
       CASE f.category WHEN 'media_qc_failed' THEN t.media_lot_id END
           AS media_lot_id,
       NULL::bigint AS approval_id,
       NULL::bigint AS investigation_id,
       CASE f.category
           WHEN 'media_qc_failed' THEN t.media_lot_code
           ELSE t.test_code
       END AS subject,
       CASE f.category
           WHEN 'worksheet_incomplete' THEN t.worksheet_status
           WHEN 'media_qc_failed' THEN concat_ws(' and ',
               CASE WHEN t.growth_promotion_status = 'failed'
                    THEN 'growth promotion' END,
               CASE WHEN t.sterility_status = 'failed' THEN 'sterility' END)
           WHEN 'out_of_specification'
           THEN concat_ws(' ', t.result, t.unit) || ' outside ' || t.specification
           WHEN 'non_numeric_result' THEN t.result
       END AS circumstance
  FROM lims.sample_test_state t
 CROSS JOIN LATERAL (VALUES
       ('incomplete_result', t.result IS NULL),
       ('unverified_result', t.status = 'entered'),
       ('confirmation_required', t.confirmation_status = 'pending'),
       ('media_qc_failed',
        'failed' IN (t.growth_promotion_status, t.sterility_status)),
       ('worksheet_incomplete',
        t.status = 'entered' AND t.worksheet_status <> 'complete'),
       ('holding_time_expired', t.holding_status = 'expired'),
       ('out_of_specification', t.out_of_specification),
       ('non_numeric_result', t.result_type = 'numeric'
        AND t.result IS NOT NULL AND t.numeric_value IS NULL)
       ) AS f (category, applies)
 WHERE f.applies
UNION ALL
-- A test may be covered by several batches.
SELECT q.organization_id, q.sample_id, 'qc_failed',
       lims.finding_hardness('qc_failed'), q.sample_test_id, q.qc_batch_id,
       NULL, NULL, NULL, q.batch_number,
       CASE q.qc_status WHEN 'overridden' THEN 'for the result that stands' END
  FROM lims.qc_covered q
 WHERE q.standing = 'failed'
UNION ALL
-- A sample without any test has nothing to report.
SELECT s.organization_id, s.id, 'incomplete_result', 'progress',
       NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM lims.sample s
 WHERE NOT EXISTS (
       SELECT FROM lims.sample_test t
        WHERE t.organization_id = s.organization_id
          AND t.sample_id = s.id)
UNION ALL
-- Of the latest round: what was rejected, else the next step that is open.
-- Before the sample is completed there is no round, but steps there are. And what
-- was approved is what stands.
SELECT s.organization_id, s.id, f.category, lims.finding_hardness(f.category),
       NULL, NULL, NULL, a.id, NULL,
       CASE WHEN a.id IS NULL AND r.latest IS NOT NULL
            THEN 'approval of what has changed since it was given'
            ELSE a.name END, NULL
  FROM lims.sample s
  JOIN lims.organization o
    ON o.id = s.organization_id
 CROSS JOIN LATERAL (
       SELECT max(x.round) AS latest
         FROM lims.approval x
        WHERE x.organization_id = s.organization_id
          AND x.sample_id = s.id
          AND x.replaced_at IS NULL) r
  LEFT JOIN LATERAL (
       SELECT x.id, x.name, x.status
         FROM lims.approval x
        WHERE x.organization_id = s.organization_id
          AND x.sample_id = s.id
          AND x.round = r.latest
          AND x.status <> 'approved'
        ORDER BY x.status = 'rejected' DESC, x.step
        LIMIT 1) a ON true
 CROSS JOIN LATERAL (
       SELECT CASE WHEN a.status = 'rejected' THEN 'approval_rejected'
                   ELSE 'approval_required' END AS category) f
 WHERE a.status = 'rejected'
    OR (NOT o.coa_before_approval
        AND (a.id IS NOT NULL
             OR (r.latest IS NULL AND EXISTS (
                 SELECT FROM lims.approval_step p
                  WHERE p.organization_id = s.organization_id
                    AND p.active))
             OR (a.id IS NULL AND r.latest IS NOT NULL
                 AND s.status <> 'reported'
                 AND lims.is_outdated(s.organization_id, s.id, r.latest))))
UNION ALL
SELECT i.organization_id, i.sample_id, 'investigation_open', 'advisory',
       i.sample_test_id, NULL, NULL, NULL, i.id, i.investigation_number, i.title
  FROM lims.investigation i
 WHERE i.sample_id IS NOT NULL
   AND i.status NOT IN ('closed', 'cancelled');

-- With whether what was decided about is still what stands: NULL where nothing was
-- decided, or it was before contents were kept.
CREATE OR REPLACE VIEW lims.approval_record WITH (security_invoker = true) AS
SELECT a.organization_id, a.id, a.sample_id AS "sampleId", a.step, a.name,
       a.status, a.requested_at AS "requestedAt", a.decided_at AS "decidedAt",
       a.decided_by AS "decidedBy", a.comment, a.round,
       a.updated_at AS "updatedAt",
       CASE
           WHEN a.status = 'pending' THEN NULL
           WHEN a.replaced_at IS NOT NULL THEN false
           ELSE a.content_hash = coalesce(s.content_hash,
                                          lims.release_hash(s.organization_id,
                                                            s.id))
       END AS current
  FROM lims.approval a
  JOIN lims.sample s
    ON s.organization_id = a.organization_id
   AND s.id = a.sample_id;

-- What is printed ----------------------------------------------------------------

-- What was approved and reported, by the names that were kept then, with who issues
-- it, when it was reported and who verified and approved what.
CREATE FUNCTION lims.certificate_content(p_organization bigint, p_sample bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
DECLARE
    v_content jsonb := lims.release_content(p_organization, p_sample);
    v_results jsonb;
    v_approvals jsonb;
BEGIN
    SELECT jsonb_agg(r.value || jsonb_build_object(
               'verifiedAt', t.verified_at,
               'verifiedBy', u.display_name) ORDER BY r.place)
      INTO v_results
      FROM jsonb_array_elements(v_content -> 'results')
           WITH ORDINALITY AS r (value, place)
      JOIN lims.sample_test t
        ON t.organization_id = p_organization
       AND t.id = (r.value ->> 'sampleTestId')::bigint
      LEFT JOIN lims.user_account u
        ON u.organization_id = t.organization_id
       AND u.id = t.verified_by;
    SELECT jsonb_agg(jsonb_build_object(
               'name', a.name,
               'status', a.status,
               'decidedAt', a.decided_at,
               'decidedBy', coalesce(e.printed_name, u.display_name),
               'contentSha256', encode(a.content_hash, 'hex'),
               'signatureFits', lims.signature_fits(e.organization_id, e.id)
           ) ORDER BY a.step)
      INTO v_approvals
      FROM lims.approval a
      LEFT JOIN lims.electronic_signature e
        ON e.organization_id = a.organization_id
       AND e.id = a.signature_id
      LEFT JOIN lims.user_account u
        ON u.organization_id = a.organization_id
       AND u.id = a.decided_by
     WHERE a.organization_id = p_organization
       AND a.sample_id = p_sample
       AND a.replaced_at IS NULL
       AND a.round = (
           SELECT max(x.round)
             FROM lims.approval x
            WHERE x.organization_id = p_organization
              AND x.sample_id = p_sample
              AND x.replaced_at IS NULL);
    RETURN (
        SELECT jsonb_build_object(
                   'laboratory', o.name,
                   'contentVersion', v_content -> 'version',
                   'contentSha256', encode(s.content_hash, 'hex'),
                   'sample', (v_content -> 'sample')
                       || jsonb_build_object('reportedAt', s.reported_at),
                   'results', coalesce(v_results, '[]'),
                   'approvals', coalesce(v_approvals, '[]'))
          FROM lims.sample s
          JOIN lims.organization o
            ON o.id = s.organization_id
         WHERE s.organization_id = p_organization
           AND s.id = p_sample);
END
$$;

-- Nobody writes it: whoever issues a certificate gets this content. Held before it
-- is read: what is not reported yet is refused by the guard, which comes next.
CREATE FUNCTION lims.certificate_write() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.sample s
      WHERE s.organization_id = NEW.organization_id
        AND s.id = NEW.sample_id
        FOR NO KEY UPDATE;
    NEW.content := lims.certificate_content(NEW.organization_id, NEW.sample_id);
    RETURN NEW;
END
$$;

CREATE TRIGGER content BEFORE INSERT ON lims.certificate
FOR EACH ROW EXECUTE FUNCTION lims.certificate_write();

SELECT lims.secure_functions();

-- What stands already ------------------------------------------------------------

-- What was verified or reported before this is given the names of today; what is
-- approved and not reported stands for what it says today. It is the columns' first
-- value, which no trigger has to judge and which changes nothing in the trail.
ALTER TABLE lims.sample_test DISABLE TRIGGER USER;
UPDATE lims.sample_test t
   SET test_code = CASE WHEN t.status = 'verified' THEN d.code END,
       test_name = CASE WHEN t.status = 'verified' THEN d.name END,
       method = CASE WHEN t.status = 'verified' THEN d.method END,
       unit = CASE WHEN t.status = 'verified' THEN d.unit END,
       reporting_limit = d.reporting_limit,
       method_detection_limit = CASE WHEN t.status = 'verified'
                                     THEN d.method_detection_limit END
  FROM lims.test_definition d
 WHERE d.organization_id = t.organization_id
   AND d.id = t.test_definition_id
   AND (t.status = 'verified' OR (t.status = 'entered' AND t.requires_confirmation));
ALTER TABLE lims.sample_test ENABLE TRIGGER USER;

ALTER TABLE lims.sample DISABLE TRIGGER USER;
UPDATE lims.sample s
   SET material_type_name = m.name,
       project_name = (
           SELECT p.name
             FROM lims.project p
            WHERE p.organization_id = s.organization_id
              AND p.id = s.project_id)
  FROM lims.material_type m
 WHERE m.organization_id = s.organization_id
   AND m.id = s.material_type_id
   AND s.status = 'reported';
ALTER TABLE lims.sample ENABLE TRIGGER USER;

ALTER TABLE lims.approval DISABLE TRIGGER USER;
UPDATE lims.approval a
   SET content_hash = lims.release_hash(a.organization_id, a.sample_id)
  FROM lims.sample s
 WHERE s.organization_id = a.organization_id
   AND s.id = a.sample_id
   AND s.status <> 'reported'
   AND a.status <> 'pending';
ALTER TABLE lims.approval ENABLE TRIGGER USER;
