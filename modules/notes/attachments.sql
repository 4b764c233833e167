-- SPDX-License-Identifier: Apache-2.0

-- name: attachment_get one
SELECT *
  FROM lims.attachment_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: attachment_list many list
SELECT *
  FROM lims.attachment_record
 WHERE organization_id = :$organization::bigint
   AND table_name = :table::text
   AND record_id = :recordId::bigint
   AND id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: attachment_content one
-- The bytes, unchanged.
SELECT json_build_object(
           'id', a.id,
           'fileName', a.file_name,
           'sha256', encode(a.sha256, 'hex'),
           'contentBase64', translate(encode(a.content, 'base64'), E'\n', '')
       ) AS "document"
  FROM lims.attachment a
 WHERE a.organization_id = :$organization::bigint
   AND a.id = :id::bigint

-- name: attachment_lock one
SELECT id
  FROM lims.attachment
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: attachment_add one
INSERT INTO lims.attachment (organization_id, table_name, record_id, file_name,
                             media_type, content)
SELECT :$organization::bigint, n."table", n.id, :fileName::text, :mediaType::text,
       decode(:contentBase64::text, 'base64')
  FROM json_to_record(:on::json) AS n ("table" text, id bigint)
RETURNING id

-- name: attachment_withdraw one
UPDATE lims.attachment
   SET withdrawal_reason = :$reason::text
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
