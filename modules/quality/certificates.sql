-- SPDX-License-Identifier: Apache-2.0

-- name: certificate_get one
SELECT id AS "id",
       certificate_number AS "certificateNumber",
       version AS "version",
       sample_id AS "sampleId",
       status AS "status",
       supersedes_id AS "supersedesId",
       reason AS "amendment",
       encode(sha256, 'hex') AS "sha256",
       issued_at AS "issuedAt",
       issued_by AS "issuedBy"
  FROM lims.certificate
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: certificate_list many custom
SELECT id AS "id",
       certificate_number AS "certificateNumber",
       version AS "version",
       sample_id AS "sampleId",
       status AS "status",
       supersedes_id AS "supersedesId",
       reason AS "amendment",
       encode(sha256, 'hex') AS "sha256",
       issued_at AS "issuedAt",
       issued_by AS "issuedBy"
  FROM lims.certificate
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:sampleId::bigint IS NULL OR sample_id = :sampleId::bigint)
   AND (:status::text IS NULL OR status = :status::text)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: certificate_content one
SELECT content AS "document"
  FROM lims.certificate
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: certificate_issue one
-- Number, version and hash are given by the database. A reason is that of an
-- amendment: the first certificate amends nothing.
INSERT INTO lims.certificate
      (organization_id, sample_id, reason, issued_by, content)
SELECT s.organization_id,
       s.id,
       CASE WHEN EXISTS (
           SELECT FROM lims.certificate c
            WHERE c.organization_id = s.organization_id
              AND c.sample_id = s.id) THEN :$reason::text END,
       :$user::bigint,
       jsonb_build_object(
           'laboratory', o.name,
           'sample', jsonb_build_object(
               'id', s.id,
               'trackingId', s.tracking_id,
               'sampleIdentifier', s.sample_identifier,
               'externalId', s.external_id,
               'clientName', s.client_name,
               'project', p.name,
               'materialType', m.name,
               'plantLocation', s.plant_location,
               'collectionDate', s.collection_date,
               'collectedAt', s.collected_at,
               'receivedAt', s.received_at,
               'reportedAt', s.reported_at),
           'results', results.rows,
           'approvals', approvals.rows)
  FROM lims.sample s
  JOIN lims.organization o
    ON o.id = s.organization_id
  JOIN lims.material_type m
    ON m.organization_id = s.organization_id
   AND m.id = s.material_type_id
  LEFT JOIN lims.project p
    ON p.organization_id = s.organization_id
   AND p.id = s.project_id
 CROSS JOIN LATERAL (
       SELECT coalesce(jsonb_agg(jsonb_build_object(
                  'sampleTestId', t.id,
                  'testCode', t.test_code,
                  'testName', t.test_name,
                  'method', d.method,
                  'result', t.result,
                  'qualifier', t.qualifier,
                  'unit', t.unit,
                  'specification', t.specification,
                  'outOfSpecification', t.out_of_specification,
                  'reportingLimit', d.reporting_limit,
                  'methodDetectionLimit', d.method_detection_limit,
                  'confirmation', t.confirmation_status,
                  'holdingTimeMet', t.holding_status <> 'expired',
                  'qcBatch', t.batch_number,
                  'qcStatus', t.qc_status,
                  'qcBatches', lims.covering_batches(t.organization_id, t.id),
                  'notes', t.notes,
                  'analyzedAt', coalesce(t.analyzed_at, t.first_entered_at),
                  'verifiedAt', t.verified_at,
                  'verifiedBy', u.display_name) ORDER BY t.id), '[]') AS rows
         FROM lims.sample_test_state t
         JOIN lims.test_definition d
           ON d.organization_id = t.organization_id
          AND d.id = t.test_definition_id
         LEFT JOIN lims.user_account u
           ON u.organization_id = t.organization_id
          AND u.id = t.verified_by
        WHERE t.organization_id = s.organization_id
          AND t.sample_id = s.id
          AND t.status = 'verified') results
 CROSS JOIN LATERAL (
       SELECT coalesce(jsonb_agg(jsonb_build_object(
                  'name', a.name,
                  'status', a.status,
                  'decidedAt', a.decided_at,
                  'decidedBy', coalesce(e.printed_name, u.display_name)
              ) ORDER BY a.step), '[]') AS rows
         FROM lims.approval a
         LEFT JOIN lims.electronic_signature e
           ON e.organization_id = a.organization_id
          AND e.id = a.signature_id
         LEFT JOIN lims.user_account u
           ON u.organization_id = a.organization_id
          AND u.id = a.decided_by
        WHERE a.organization_id = s.organization_id
          AND a.sample_id = s.id
          AND a.round = (
              SELECT max(x.round)
                FROM lims.approval x
               WHERE x.organization_id = s.organization_id
                 AND x.sample_id = s.id)) approvals
 WHERE s.organization_id = :$organization::bigint
   AND s.id = :sampleId::bigint
RETURNING id
