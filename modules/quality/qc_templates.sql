-- SPDX-License-Identifier: Apache-2.0
-- QC templates: the controls of a method's batches.

-- name: qc_template_get one
SELECT *
  FROM lims.qc_template_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: qc_template_list many list custom
SELECT *
  FROM lims.qc_template_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:method::text IS NULL OR method = :method::text)
   AND (:active::boolean IS NULL OR active = :active::boolean)
   AND (:q::text IS NULL
        OR strpos(lower(concat_ws(', ', method, name)), lower(:q::text)) > 0)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: qc_template_lock one
SELECT id
  FROM lims.qc_template
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: qc_template_create one
SELECT lims.create_qc_template(:$organization::bigint, :method::text, :name::text,
           :required::boolean, :perSamples::integer, :controls::jsonb) AS id

-- name: qc_template_update one
SELECT lims.change_qc_template(:$organization::bigint, :id::bigint,
           CASE WHEN :?name THEN jsonb_build_object('name', :name::text) ELSE '{}' END
           || CASE WHEN :?required
                   THEN jsonb_build_object('required', :required::boolean) ELSE '{}' END
           || CASE WHEN :?perSamples
                   THEN jsonb_build_object('perSamples', :perSamples::integer) ELSE '{}' END
           || CASE WHEN :?active
                   THEN jsonb_build_object('active', :active::boolean) ELSE '{}' END
           || CASE WHEN :?controls
                   THEN jsonb_build_object('controls', :controls::jsonb) ELSE '{}' END) AS id
