-- SPDX-License-Identifier: Apache-2.0

-- name: label_size_get one
SELECT *
  FROM lims.label_size_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: label_size_list many list
SELECT *
  FROM lims.label_size_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:active::boolean IS NULL OR active = :active::boolean)
   AND (:code::text IS NULL OR code = :code::text)
   AND (:q::text IS NULL
        OR strpos(lower(concat_ws(', ', code, name)), lower(:q::text)) > 0)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: label_size_lock one
SELECT id
  FROM lims.label_size
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: label_size_create one
INSERT INTO lims.label_size
      (organization_id, code, name, page_width, page_height, label_width, label_height,
       columns, rows, margin_left, margin_top, gap_x, gap_y, dpi, active)
VALUES (:$organization::bigint, :code::text, :name::text, :pageWidth::numeric,
        :pageHeight::numeric, :labelWidth::numeric, :labelHeight::numeric,
        :columns::integer, :rows::integer, :marginLeft::numeric, :marginTop::numeric,
        :gapX::numeric, :gapY::numeric, :dpi::integer, :active::boolean)
RETURNING id

-- name: label_size_update one
UPDATE lims.label_size
   SET code = CASE WHEN :?code THEN :code::text ELSE code END,
       name = CASE WHEN :?name THEN :name::text ELSE name END,
       page_width = CASE WHEN :?pageWidth THEN :pageWidth::numeric ELSE page_width END,
       page_height = CASE WHEN :?pageHeight THEN :pageHeight::numeric ELSE page_height END,
       label_width = CASE WHEN :?labelWidth THEN :labelWidth::numeric ELSE label_width END,
       label_height = CASE WHEN :?labelHeight THEN :labelHeight::numeric ELSE label_height END,
       columns = CASE WHEN :?columns THEN :columns::integer ELSE columns END,
       rows = CASE WHEN :?rows THEN :rows::integer ELSE rows END,
       margin_left = CASE WHEN :?marginLeft THEN :marginLeft::numeric ELSE margin_left END,
       margin_top = CASE WHEN :?marginTop THEN :marginTop::numeric ELSE margin_top END,
       gap_x = CASE WHEN :?gapX THEN :gapX::numeric ELSE gap_x END,
       gap_y = CASE WHEN :?gapY THEN :gapY::numeric ELSE gap_y END,
       dpi = CASE WHEN :?dpi THEN :dpi::integer ELSE dpi END,
       active = CASE WHEN :?active THEN :active::boolean ELSE active END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
