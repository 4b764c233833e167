-- SPDX-License-Identifier: Apache-2.0

-- name: reagent_lot_get one
SELECT *
  FROM lims.reagent_lot_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: reagent_lot_list many list custom
SELECT *
  FROM lims.reagent_lot_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:code::text IS NULL OR code = :code::text)
   AND (:qcStatus::text IS NULL OR "qcStatus" = :qcStatus::text)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: reagent_lot_lock one
SELECT id
  FROM lims.reagent_lot
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: reagent_lot_create one
INSERT INTO lims.reagent_lot
      (organization_id, code, lot_number, name, supplier, expires_on,
       opened_on, use_days_after_opening, qc_status, notes)
VALUES (:$organization::bigint, :code::text, :lotNumber::text, :name::text,
        :supplier::text, :expiresOn::date, :openedOn::date,
        :useDaysAfterOpening::integer, :qcStatus::text,
        :notes::text)
RETURNING id

-- name: reagent_lot_update one
UPDATE lims.reagent_lot
   SET code = CASE WHEN :?code THEN :code::text ELSE code END,
       lot_number = CASE WHEN :?lotNumber THEN :lotNumber::text ELSE lot_number END,
       name = CASE WHEN :?name THEN :name::text ELSE name END,
       supplier = CASE WHEN :?supplier THEN :supplier::text ELSE supplier END,
       expires_on = CASE WHEN :?expiresOn THEN :expiresOn::date ELSE expires_on END,
       opened_on = CASE WHEN :?openedOn THEN :openedOn::date ELSE opened_on END,
       use_days_after_opening = CASE WHEN :?useDaysAfterOpening
            THEN :useDaysAfterOpening::integer ELSE use_days_after_opening END,
       qc_status = CASE WHEN :?qcStatus THEN :qcStatus::text ELSE qc_status END,
       notes = CASE WHEN :?notes THEN :notes::text ELSE notes END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: reagent_lot_open one
UPDATE lims.reagent_lot
   SET opened_at = coalesce(:openedAt::timestamptz, now())
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: reagent_lot_quarantine one
UPDATE lims.reagent_lot
   SET qc_status = 'quarantined',
       quarantine_reason = :reason::text
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: reagent_lot_release one
-- A lot that may be used already stays as it is.
UPDATE lims.reagent_lot
   SET qc_status = CASE WHEN qc_status IN ('quarantined', 'failed') THEN 'passed'
                        ELSE qc_status END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
