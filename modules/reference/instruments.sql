-- SPDX-License-Identifier: Apache-2.0

-- name: instrument_get one
SELECT *
  FROM lims.instrument_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: instrument_list many list
SELECT *
  FROM lims.instrument_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:active::boolean IS NULL OR active = :active::boolean)
   AND (:code::text IS NULL OR code = :code::text)
   AND (:q::text IS NULL
        OR strpos(lower(concat_ws(', ', code, name)), lower(:q::text)) > 0)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: instrument_lock one
SELECT id
  FROM lims.instrument
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: instrument_create one
INSERT INTO lims.instrument
      (organization_id, code, name, manufacturer, model, serial_number,
       storage_location_id, calibration_due, active)
VALUES (:$organization::bigint, :code::text, :name::text, :manufacturer::text,
        :model::text, :serialNumber::text, :storageLocationId::bigint,
        :calibrationDue::date, :active::boolean)
RETURNING id

-- name: instrument_update one
UPDATE lims.instrument
   SET code = CASE WHEN :?code THEN :code::text ELSE code END,
       name = CASE WHEN :?name THEN :name::text ELSE name END,
       manufacturer = CASE WHEN :?manufacturer THEN :manufacturer::text ELSE manufacturer END,
       model = CASE WHEN :?model THEN :model::text ELSE model END,
       serial_number = CASE WHEN :?serialNumber THEN :serialNumber::text ELSE serial_number END,
       storage_location_id = CASE WHEN :?storageLocationId THEN :storageLocationId::bigint
            ELSE storage_location_id END,
       calibration_due = CASE WHEN :?calibrationDue THEN :calibrationDue::date
            ELSE calibration_due END,
       active = CASE WHEN :?active THEN :active::boolean ELSE active END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
