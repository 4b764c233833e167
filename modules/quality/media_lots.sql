-- SPDX-License-Identifier: Apache-2.0

-- name: media_lot_get one
SELECT *
  FROM lims.media_lot_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: media_lot_list many list custom
SELECT *
  FROM lims.media_lot_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:code::text IS NULL OR code = :code::text)
   AND (:qcStatus::text IS NULL OR "qcStatus" = :qcStatus::text)
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
       opened_on, use_days_after_opening, medium, prepared_on, notes)
VALUES (:$organization::bigint, :code::text, :lotNumber::text, :name::text,
        :supplier::text, :expiresOn::date, :openedOn::date,
        :useDaysAfterOpening::integer, :medium::text,
        :preparedOn::date, :notes::text)
RETURNING id

-- name: media_lot_update one
-- A status other than 'quarantined' is replaced by the one derived from the tests.
UPDATE lims.media_lot
   SET code = CASE WHEN :?code THEN :code::text ELSE code END,
       lot_number = CASE WHEN :?lotNumber THEN :lotNumber::text ELSE lot_number END,
       name = CASE WHEN :?name THEN :name::text ELSE name END,
       supplier = CASE WHEN :?supplier THEN :supplier::text ELSE supplier END,
       expires_on = CASE WHEN :?expiresOn THEN :expiresOn::date ELSE expires_on END,
       opened_on = CASE WHEN :?openedOn THEN :openedOn::date ELSE opened_on END,
       use_days_after_opening = CASE WHEN :?useDaysAfterOpening
            THEN :useDaysAfterOpening::integer ELSE use_days_after_opening END,
       medium = CASE WHEN :?medium THEN :medium::text ELSE medium END,
       prepared_on = CASE WHEN :?preparedOn THEN :preparedOn::date ELSE prepared_on END,
       notes = CASE WHEN :?notes THEN :notes::text ELSE notes END,
       qc_status = CASE WHEN NOT :?quarantined THEN qc_status
                        WHEN :quarantined::boolean THEN 'quarantined'
                        ELSE 'pending' END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: media_lot_tests many
-- The nested member of a media lot.
SELECT *
  FROM lims.media_qc_test_record
 WHERE organization_id = :$organization::bigint
   AND "mediaLotId" = :id::bigint
 ORDER BY id

-- name: media_lot_test one
-- The day is by default today in the organization's time zone, not the server's.
INSERT INTO lims.media_qc_test
      (organization_id, media_lot_id, kind, organism, inoculum_cfu,
       recovery_percent, outcome, performed_on, performed_by, notes)
SELECT o.id, :id::bigint, :kind::text, :organism::text, :inoculumCfu::numeric,
       :recoveryPercent::numeric, :outcome::text,
       coalesce(:performedOn::date, (now() AT TIME ZONE o.time_zone)::date),
       :$user::bigint, :notes::text
  FROM lims.organization o
 WHERE o.id = :$organization::bigint
RETURNING media_lot_id AS "id"

-- name: media_lot_open one
UPDATE lims.media_lot
   SET opened_at = coalesce(:openedAt::timestamptz, now())
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: media_lot_quarantine one
UPDATE lims.media_lot
   SET qc_status = 'quarantined',
       quarantine_reason = :reason::text
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: media_lot_release one
-- A lot that may be used already stays as it is.
SELECT id
  FROM lims.release_media_lot(:$organization::bigint, :id::bigint) id
 WHERE id IS NOT NULL
