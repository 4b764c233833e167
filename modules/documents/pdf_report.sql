-- SPDX-License-Identifier: Apache-2.0
-- The head of a report, and values of its cells in words.

-- name: report_head one
SELECT o.name AS "laboratory",
       to_char(now() AT TIME ZONE o.time_zone, 'YYYY-MM-DD HH24:MI') || ' ('
           || o.time_zone || ')'
           || coalesce(' by ' || (SELECT u.display_name
                                    FROM lims.user_account u
                                   WHERE u.organization_id = o.id
                                     AND u.id = :$user::bigint), '') AS "madeAt"
  FROM lims.organization o
 WHERE o.id = :$organization::bigint

-- name: report_values many custom
-- Values as people read them, [kind, member, value] each: times in the laboratory's zone, and
-- the names of records instead of their ids.
SELECT CASE c.cell ->> 0
           WHEN 'time'
           THEN to_char((c.cell ->> 2)::timestamptz AT TIME ZONE o.time_zone,
                        'YYYY-MM-DD HH24:MI')
           ELSE coalesce(lims.referred_name(
                             :$organization::bigint,
                             lower(regexp_replace(c.cell ->> 1, '([A-Z])', '_\1', 'g')),
                             to_json((c.cell ->> 2)::bigint)), c.cell ->> 2)
            END AS "text"
  FROM lims.organization o
 CROSS JOIN jsonb_array_elements(:cells::jsonb) WITH ORDINALITY AS c (cell, place)
 WHERE o.id = :$organization::bigint
 ORDER BY c.place
