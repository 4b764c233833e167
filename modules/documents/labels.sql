-- SPDX-License-Identifier: Apache-2.0

-- name: label_list many
-- Returns the texts on the labels of records, in the order of the ids. Containers have the
-- labels of their samples.
SELECT l.id AS "id",
       l.code AS "code",
       l.title AS "title",
       l.containers AS "containers",
       array_to_string(l.lines, E'\n') AS "lines"
  FROM lims.label l
 WHERE l.organization_id = :$organization::bigint
   AND l.kind = CASE WHEN :of::text = 'container' THEN 'sample' ELSE :of::text END
   AND l.id = ANY (:ids::bigint[])
 ORDER BY array_position(:ids::bigint[], l.id)

-- name: label_list_size one
-- The size of that code; without one the first sheet, for ZPL the first roll.
SELECT json_build_object('pageWidth', z."pageWidth", 'pageHeight', z."pageHeight",
           'labelWidth', z."labelWidth", 'labelHeight', z."labelHeight",
           'columns', z.columns, 'rows', z.rows, 'marginLeft', z."marginLeft",
           'marginTop', z."marginTop", 'gapX', z."gapX", 'gapY', z."gapY") AS "sheet",
       z.code AS "code",
       z.columns * z.rows AS "places",
       z."labelWidth" AS "labelWidth",
       z."labelHeight" AS "labelHeight",
       z.dpi AS "dpi"
  FROM lims.label_size_record z
 WHERE z.organization_id = :$organization::bigint
   AND z.active
   AND (:size::text IS NULL OR z.code = :size::text)
 ORDER BY (z.columns * z.rows = 1) = (:format::text = 'zpl') DESC, z.id
 LIMIT 1
