-- SPDX-License-Identifier: Apache-2.0

-- name: media_lot_get one
SELECT id AS "id",
       code AS "code",
       lot_number AS "lotNumber",
       name AS "name",
       supplier AS "supplier",
       expires_on AS "expiresOn",
       opened_on AS "openedOn",
       medium AS "medium",
       prepared_on AS "preparedOn",
       growth_promotion_status AS "growthPromotionStatus",
       sterility_status AS "sterilityStatus",
       qc_status AS "qcStatus",
       notes AS "notes",
       created_at AS "createdAt",
       updated_at AS "updatedAt"
  FROM lims.media_lot
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: media_lot_list many custom
SELECT id AS "id",
       code AS "code",
       lot_number AS "lotNumber",
       name AS "name",
       supplier AS "supplier",
       expires_on AS "expiresOn",
       opened_on AS "openedOn",
       medium AS "medium",
       prepared_on AS "preparedOn",
       growth_promotion_status AS "growthPromotionStatus",
       sterility_status AS "sterilityStatus",
       qc_status AS "qcStatus",
       notes AS "notes",
       created_at AS "createdAt",
       updated_at AS "updatedAt"
  FROM lims.media_lot
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:code::text IS NULL OR code = :code::text)
   AND (:qcStatus::text IS NULL OR qc_status = :qcStatus::text)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: media_lot_lock one
SELECT id
  FROM lims.media_lot
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: media_lot_create one
INSERT INTO lims.media_lot
      (organization_id, code, lot_number, name, supplier, expires_on,
       opened_on, medium, prepared_on, notes)
VALUES (:$organization::bigint, :code::text, :lotNumber::text, :name::text,
        :supplier::text, :expiresOn::date, :openedOn::date, :medium::text,
        :preparedOn::date, :notes::text)
RETURNING id

-- name: media_lot_update one
UPDATE lims.media_lot
   SET code = CASE WHEN :?code THEN :code::text ELSE code END,
       lot_number = CASE WHEN :?lotNumber THEN :lotNumber::text ELSE lot_number END,
       name = CASE WHEN :?name THEN :name::text ELSE name END,
       supplier = CASE WHEN :?supplier THEN :supplier::text ELSE supplier END,
       expires_on = CASE WHEN :?expiresOn THEN :expiresOn::date ELSE expires_on END,
       opened_on = CASE WHEN :?openedOn THEN :openedOn::date ELSE opened_on END,
       medium = CASE WHEN :?medium THEN :medium::text ELSE medium END,
       prepared_on = CASE WHEN :?preparedOn THEN :preparedOn::date ELSE prepared_on END,
       notes = CASE WHEN :?notes THEN :notes::text ELSE notes END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
