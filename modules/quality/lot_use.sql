-- SPDX-License-Identifier: Apache-2.0

-- name: reagent_lot_recall many list custom
SELECT r.*
  FROM (SELECT id
          FROM lims.lot_use
         WHERE organization_id = :$organization::bigint
           AND reagent_lot_id = :id::bigint
           AND id > :cursor::bigint
         ORDER BY id
         LIMIT :limit::bigint + 1) u
  JOIN lims.lot_recall_record r USING (id)
 WHERE r.organization_id = :$organization::bigint
 ORDER BY id

-- name: media_lot_recall many list custom
SELECT r.*
  FROM (SELECT id
          FROM lims.lot_use
         WHERE organization_id = :$organization::bigint
           AND media_lot_id = :id::bigint
           AND id > :cursor::bigint
         ORDER BY id
         LIMIT :limit::bigint + 1) u
  JOIN lims.lot_recall_record r USING (id)
 WHERE r.organization_id = :$organization::bigint
 ORDER BY id

-- name: lot_override_add one
INSERT INTO lims.lot_override
      (organization_id, sample_id, reagent_lot_id, media_lot_id, reason, signature_id,
       overridden_by)
VALUES (:$organization::bigint, :id::bigint, :reagentLotId::bigint, :mediaLotId::bigint,
        :reason::text, :$signature::bigint, :$user::bigint)
RETURNING sample_id AS "id"
