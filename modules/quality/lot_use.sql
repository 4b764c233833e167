-- SPDX-License-Identifier: Apache-2.0

-- name: reagent_lot_recall many list custom
SELECT *
  FROM lims.lot_recall_record
 WHERE organization_id = :$organization::bigint
   AND "reagentLotId" = :id::bigint
   AND id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: media_lot_recall many list custom
SELECT *
  FROM lims.lot_recall_record
 WHERE organization_id = :$organization::bigint
   AND "mediaLotId" = :id::bigint
   AND id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: lot_override_add one
INSERT INTO lims.lot_override
      (organization_id, sample_id, reagent_lot_id, media_lot_id, reason, signature_id,
       overridden_by)
VALUES (:$organization::bigint, :id::bigint, :reagentLotId::bigint, :mediaLotId::bigint,
        :reason::text, :$signature::bigint, :$user::bigint)
RETURNING sample_id AS "id"
