-- SPDX-License-Identifier: Apache-2.0

-- name: instrument_file_get one
SELECT *
  FROM lims.instrument_file_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: instrument_file_list many list custom
SELECT f.*
  FROM lims.instrument_file_record f
 WHERE f.organization_id = :$organization::bigint
   AND f.id > :cursor::bigint
   AND (:status::text IS NULL OR f.status = :status::text)
   AND (:profile::text IS NULL OR f."profileCode" = :profile::text)
   AND (:reasonCode::text IS NULL
        OR f.reasons @> jsonb_build_array(
               jsonb_build_object('code', :reasonCode::text)))
 ORDER BY f.id
 LIMIT :limit::bigint + 1

-- name: instrument_file_lock one
SELECT id AS "id",
       status AS "status"
  FROM lims.instrument_file
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: instrument_file_rows many
-- The nested member of a file.
SELECT *
  FROM lims.instrument_file_row_record
 WHERE organization_id = :$organization::bigint
   AND "fileId" = :id::bigint
 ORDER BY id

-- name: instrument_file_content one
-- The bytes of the file, unchanged.
SELECT json_build_object(
           'id', f.id,
           'fileName', f.file_name,
           'sha256', encode(f.sha256, 'hex'),
           'contentBase64', translate(encode(lims.file_content(f.organization_id,
                                                               f.id), 'base64'),
                                      E'\n', '')
       ) AS "document"
  FROM lims.instrument_file f
 WHERE f.organization_id = :$organization::bigint
   AND f.id = :id::bigint

-- name: instrument_file_decisions many
-- The decisions that were kept, as a release takes them.
SELECT f.decisions -> 'profile' ->> 'code' AS "profile",
       lims.bare_decisions(f.decisions -> 'exclude') AS "exclude",
       lims.bare_decisions(f.decisions -> 'aliases') AS "aliases",
       lims.bare_decisions(f.decisions -> 'tests') AS "tests"
  FROM lims.instrument_file f
 WHERE f.organization_id = :$organization::bigint
   AND f.id = :id::bigint

-- name: instrument_file_decide one
UPDATE lims.instrument_file
   SET decisions = CASE WHEN (:decisions::jsonb) ? 'profile'
                        THEN :decisions::jsonb || jsonb_build_object('profile',
                                 jsonb_build_object('code', :decisions::jsonb -> 'profile'))
                        ELSE :decisions::jsonb END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: instrument_file_reject one
UPDATE lims.instrument_file
   SET status = 'rejected',
       resolution_reason = left(:$reason::text, 2000)
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: instrument_file_reopen one
-- The reason is in the audit trail.
UPDATE lims.instrument_file
   SET status = 'quarantined',
       resolution_reason = NULL,
       resolved_at = NULL,
       resolved_by = NULL
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
