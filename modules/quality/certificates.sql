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
SELECT lims.issued_content(c) AS "document"
  FROM lims.certificate c
 WHERE c.organization_id = :$organization::bigint
   AND c.id = :id::bigint

-- name: certificate_preview one
SELECT lims.certificate_preview(organization_id, id) AS "document"
  FROM lims.sample
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: certificate_lock one
-- The open amendment of the sample, which is signed when the next version is issued.
SELECT a.id
  FROM lims.sample s
  JOIN lims.amendment a
    ON a.organization_id = s.organization_id
   AND a.id = s.amendment_id
 WHERE s.organization_id = :$organization::bigint
   AND s.id = :sampleId::bigint
   FOR NO KEY UPDATE OF s

-- name: certificate_blockers many
SELECT *
  FROM lims.certificate_blockers(:$organization::bigint, :sampleId::bigint)

-- name: certificate_issue one
-- The database assigns number, version, content and hash. The reason is for an
-- amendment: the first version has none. Where there is a printer, coa.generated waits for
-- the document.
WITH context AS MATERIALIZED (
    SELECT set_config('lims.printer', coalesce(:$printer::text, ''), true),
           set_config('lims.verification_url', coalesce(:$verification::text, ''), true)
)
INSERT INTO lims.certificate
      (organization_id, sample_id, reason, issued_by)
SELECT s.organization_id,
       s.id,
       :$reason::text,
       :$user::bigint
  FROM context
 CROSS JOIN lims.sample s
 WHERE s.organization_id = :$organization::bigint
   AND s.id = :sampleId::bigint
RETURNING id
