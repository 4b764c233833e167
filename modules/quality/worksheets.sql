-- SPDX-License-Identifier: Apache-2.0
-- Worksheets. Every change of a worksheet locks its sample test, as a verification
-- does.

-- name: worksheet_get one
SELECT r.*,
       encode(lims.signed_hash(r.organization_id, 'worksheet', r.id), 'hex')
           AS "contentHash"
  FROM lims.worksheet_record r
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: worksheet_list many list custom
SELECT r.*,
       encode(lims.signed_hash(r.organization_id, 'worksheet', r.id), 'hex')
           AS "contentHash"
  FROM lims.worksheet_record r
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:sampleTestId::bigint IS NULL OR "sampleTestId" = :sampleTestId::bigint)
   AND (:templateId::bigint IS NULL OR "templateId" = :templateId::bigint)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: worksheet_lock one
SELECT w.id
  FROM lims.worksheet w
  JOIN lims.sample_test t
    ON t.organization_id = w.organization_id
   AND t.id = w.sample_test_id
 WHERE w.organization_id = :$organization::bigint
   AND w.id = :id::bigint
   FOR NO KEY UPDATE OF t

-- name: worksheet_test_hold one
SELECT id,
       status = 'verified' AS "verified"
  FROM lims.sample_test
 WHERE organization_id = :$organization::bigint
   AND id = :sampleTestId::bigint
   FOR NO KEY UPDATE

-- name: worksheet_begin exec
-- Uses the current template of the test's definition.
INSERT INTO lims.worksheet
      (organization_id, sample_test_id, template_id)
SELECT t.organization_id,
       t.id,
       x.id
  FROM lims.sample_test t
  JOIN lims.worksheet_template x
    ON x.organization_id = t.organization_id
   AND x.test_definition_id = t.test_definition_id
   AND x.active
 WHERE t.organization_id = :$organization::bigint
   AND t.id = :sampleTestId::bigint
   AND NOT EXISTS (
       SELECT FROM lims.worksheet w
        WHERE w.organization_id = t.organization_id
          AND w.sample_test_id = t.id)
 ORDER BY x.version DESC
 LIMIT 1

-- name: worksheet_of_test one
SELECT id
  FROM lims.worksheet
 WHERE organization_id = :$organization::bigint
   AND sample_test_id = :sampleTestId::bigint

-- name: worksheet_asked many
-- Returns the fields for which values were given; kind is null where the template has
-- no field of that name. Stale: another value stands there than the one that was read, and
-- than the new one.
SELECT u.value ->> 'field' AS "field",
       u.value ->> 'value' AS "value",
       f.kind AS "kind",
       u.value ? 'was'
       AND nullif(v.value, '') IS DISTINCT FROM nullif(u.value ->> 'was', '')
       AND nullif(v.value, '') IS DISTINCT FROM nullif(u.value ->> 'value', '') AS "stale"
  FROM jsonb_array_elements(:values::jsonb) WITH ORDINALITY AS u (value, place)
  JOIN lims.worksheet w
    ON w.organization_id = :$organization::bigint
   AND w.sample_test_id = :sampleTestId::bigint
  LEFT JOIN lims.worksheet_field f
    ON f.organization_id = w.organization_id
   AND f.template_id = w.template_id
   AND f.name = u.value ->> 'field'
  LEFT JOIN lims.worksheet_value v
    ON v.organization_id = w.organization_id
   AND v.worksheet_id = w.id
   AND v.field_id = f.id
 ORDER BY u.place

-- name: worksheet_fill exec
-- Writes only changed values: a signed worksheet accepts the values that it has.
INSERT INTO lims.worksheet_value
      (organization_id, worksheet_id, field_id, value)
SELECT w.organization_id,
       w.id,
       f.id,
       u.value ->> 'value'
  FROM jsonb_array_elements(:values::jsonb) AS u (value)
  JOIN lims.worksheet w
    ON w.organization_id = :$organization::bigint
   AND w.sample_test_id = :sampleTestId::bigint
  JOIN lims.worksheet_field f
    ON f.organization_id = w.organization_id
   AND f.template_id = w.template_id
   AND f.name = u.value ->> 'field'
  LEFT JOIN lims.worksheet_value v
    ON v.organization_id = w.organization_id
   AND v.worksheet_id = w.id
   AND v.field_id = f.id
 WHERE v.value IS DISTINCT FROM u.value ->> 'value'
    ON CONFLICT (organization_id, worksheet_id, field_id)
    DO UPDATE SET value = excluded.value

-- name: worksheet_sign_off one
INSERT INTO lims.worksheet_signoff
      (organization_id, worksheet_id, step_id, signature_id, signed_by)
SELECT w.organization_id,
       w.id,
       p.id,
       :$signature::bigint,
       :$user::bigint
  FROM lims.worksheet w
  JOIN lims.worksheet_signoff_step p
    ON p.organization_id = w.organization_id
   AND p.template_id = w.template_id
   AND p.name = :step::text
 WHERE w.organization_id = :$organization::bigint
   AND w.id = :id::bigint
RETURNING worksheet_id AS "id"

-- name: worksheet_withdraw exec
UPDATE lims.worksheet_signoff
   SET withdrawn_at = now()
 WHERE organization_id = :$organization::bigint
   AND worksheet_id = :id::bigint
   AND withdrawn_at IS NULL
