-- SPDX-License-Identifier: Apache-2.0

-- name: certificate_get one
SELECT *
  FROM lims.certificate_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: certificate_list many list custom
SELECT *
  FROM lims.certificate_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:sampleId::bigint IS NULL OR "sampleId" = :sampleId::bigint)
   AND (:status::text IS NULL OR status = :status::text)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: certificate_content one
SELECT content AS "document"
  FROM lims.certificate
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: certificate_issue one
-- The database assigns number, version, content and hash. The reason is for an
-- amendment: the first version has none.
INSERT INTO lims.certificate
      (organization_id, sample_id, reason, issued_by)
SELECT s.organization_id,
       s.id,
       CASE WHEN EXISTS (
           SELECT FROM lims.certificate c
            WHERE c.organization_id = s.organization_id
              AND c.sample_id = s.id) THEN :$reason::text END,
       :$user::bigint
  FROM lims.sample s
 WHERE s.organization_id = :$organization::bigint
   AND s.id = :sampleId::bigint
RETURNING id
