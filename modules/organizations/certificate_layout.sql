-- SPDX-License-Identifier: Apache-2.0

-- name: certificate_layout_job one
-- Makes the job for the printer: an example in a layout, as a draft.
SELECT lims.certificate_print_job(o.id, lims.certificate_example(o.id,
           jsonb_strip_nulls(:certificateLayout::jsonb)), true) AS "job"
  FROM lims.organization o
 WHERE o.id = :$organization::bigint
