-- SPDX-License-Identifier: Apache-2.0

-- name: logo_get one
SELECT json_build_object('fileName', 'logo.png', 'contentBase64',
           translate(encode(l.content, 'base64'), E'\n', '')) AS "document"
  FROM lims.organization o
  JOIN lims.logo l
    ON l.organization_id = o.id
   AND l.sha256 = o.logo_sha256
 WHERE o.id = :$organization::bigint

-- name: logo_add exec
-- One that the organization had before is there already.
INSERT INTO lims.logo (organization_id, content)
VALUES (:$organization::bigint, decode(:logo::text, 'base64'))
    ON CONFLICT DO NOTHING

-- name: logo_choose exec
-- Sets the logo of certificates from now on; NULL: none.
UPDATE lims.organization
   SET logo_sha256 = sha256(decode(:logo::text, 'base64'))
 WHERE id = :$organization::bigint
