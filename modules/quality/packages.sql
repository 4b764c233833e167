-- SPDX-License-Identifier: Apache-2.0

-- name: package_get one
-- The members of the archive, and the job for the printer.
WITH package AS MATERIALIZED (
    SELECT lims.package_of(:$organization::bigint, :table::text, :id::bigint) AS all_of_it
)
SELECT all_of_it ->> 'name' AS "name",
       all_of_it ->> 'madeAt' AS "madeAt",
       all_of_it ->> 'laboratory' AS "laboratory",
       lims.package_report(all_of_it) AS "job",
       all_of_it #> '{notes,files}' AS "files",
       jsonb_pretty(all_of_it -> 'record') AS "record",
       jsonb_pretty(all_of_it -> 'results') AS "results",
       jsonb_pretty(all_of_it -> 'controls') AS "controls",
       jsonb_pretty(all_of_it -> 'charts') AS "charts",
       jsonb_pretty(all_of_it -> 'worksheets') AS "worksheets",
       jsonb_pretty(all_of_it -> 'notes') AS "notes",
       jsonb_pretty(all_of_it -> 'trail') AS "trail"
  FROM package
 WHERE all_of_it IS NOT NULL

-- name: package_file many custom
-- The bytes of the attachments that are in the archive, as lims.package_files() listed them.
SELECT f.path AS "path",
       translate(encode(a.content, 'base64'), E'\n', '') AS "contentBase64"
  FROM jsonb_to_recordset(:files::jsonb) AS f (id bigint, path text)
  JOIN lims.attachment a
    ON a.organization_id = :$organization::bigint
   AND a.id = f.id
 WHERE f.path IS NOT NULL
 ORDER BY a.id
