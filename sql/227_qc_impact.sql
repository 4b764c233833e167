-- SPDX-License-Identifier: Apache-2.0
--
-- QC batches that fail late: the samples of which results were verified or reported, and the
-- investigation that is opened.

-- The tests of a QC batch whose results were verified or reported before it failed.
CREATE VIEW lims.qc_affected_test WITH (security_invoker = true) AS
SELECT c.organization_id, c.qc_batch_id, t.sample_id, t.id AS sample_test_id,
       coalesce(t.test_code, d.code) AS test_code, t.result, t.status,
       s.tracking_id, s.status AS sample_status
  FROM lims.qc_coverage c
  JOIN lims.sample_test t
    ON t.organization_id = c.organization_id
   AND t.id = c.sample_test_id
   AND t.disposition = 'active'
  JOIN lims.test_definition d
    ON d.organization_id = t.organization_id
   AND d.id = t.test_definition_id
  JOIN lims.sample s
    ON s.organization_id = t.organization_id
   AND s.id = t.sample_id
 WHERE t.status = 'verified'
    OR s.status = 'reported';

-- Opens an investigation when a QC batch fails after results of it were verified or
-- reported, unless it has an open one. The batch is locked, so that concurrent changes
-- open only one.
CREATE FUNCTION lims.qc_batch_investigate() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.investigation (organization_id, title, kind, qc_batch_id)
    SELECT NEW.organization_id, left(format(
               'QC batch %s failed after results were verified', NEW.batch_number), 255),
           'qc_failure', NEW.id
     WHERE EXISTS (
           SELECT FROM lims.qc_affected_test a
            WHERE a.organization_id = NEW.organization_id
              AND a.qc_batch_id = NEW.id)
        ON CONFLICT (organization_id, qc_batch_id)
           WHERE kind = 'qc_failure' AND status NOT IN ('closed', 'cancelled')
        DO NOTHING;
    RETURN NULL;
END
$$;

CREATE TRIGGER investigate AFTER UPDATE ON lims.qc_batch
FOR EACH ROW WHEN (NEW.qc_status = 'failed' AND OLD.qc_status <> 'failed')
EXECUTE FUNCTION lims.qc_batch_investigate();

-- Whether a reported sample has results of a batch that failed, and whose investigation is
-- not closed.
CREATE FUNCTION lims.is_under_review(p_organization bigint, p_sample bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.sample_test t
          JOIN lims.qc_coverage c
            ON c.organization_id = t.organization_id
           AND c.sample_test_id = t.id
          JOIN lims.investigation i
            ON i.organization_id = c.organization_id
           AND i.qc_batch_id = c.qc_batch_id
           AND i.kind = 'qc_failure'
           AND i.status NOT IN ('closed', 'cancelled')
         WHERE t.organization_id = p_organization
           AND t.sample_id = p_sample
           AND t.disposition = 'active');
END
$$;

-- The samples behind these tests, with their latest certificate.
CREATE VIEW lims.qc_impact_record WITH (security_invoker = true) AS
SELECT a.organization_id, a.qc_batch_id AS "qcBatchId", a.sample_id AS "sampleId",
       a.tracking_id AS "trackingId",
       CASE a.sample_status WHEN 'reported' THEN 'reported'
            ELSE (SELECT r.release_state
                    FROM lims.sample_release(a.organization_id, a.sample_id) r)
       END AS "releaseState",
       (SELECT x.id
          FROM lims.certificate x
         WHERE x.organization_id = a.organization_id
           AND x.sample_id = a.sample_id
         ORDER BY x.version DESC
         LIMIT 1) AS "certificateId",
       json_agg(json_build_object('sampleTestId', a.sample_test_id,
           'testCode', a.test_code, 'result', a.result, 'status', a.status)
           ORDER BY a.sample_test_id) AS tests
  FROM lims.qc_affected_test a
 GROUP BY a.organization_id, a.qc_batch_id, a.sample_id, a.tracking_id, a.sample_status;
