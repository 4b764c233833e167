-- SPDX-License-Identifier: Apache-2.0

-- name: certificate_verify one
-- global: asked by anybody; the code names the certificate and its organization
SELECT v.*
  FROM lims.verify_certificate(:code::text, decode(:sha256::text, 'hex')) v
