-- SPDX-License-Identifier: Apache-2.0

-- name: signature_get one
SELECT *
  FROM lims.signature_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: signature_list many list custom
SELECT *
  FROM lims.signature_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:table::text IS NULL OR "table" = :table::text)
   AND (:recordId::bigint IS NULL OR "recordId" = :recordId::bigint)
   AND (:sampleId::bigint IS NULL OR id = ANY (ARRAY(
       SELECT s.id
         FROM lims.sample_signatures(:$organization::bigint, :sampleId::bigint) AS s (id))))
 ORDER BY id
 LIMIT :limit::bigint + 1
