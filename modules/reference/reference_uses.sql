-- SPDX-License-Identifier: Apache-2.0

-- name: test_definition_uses many
-- Counts the records of each noun that refer to one, up to one more than is told.
SELECT u.noun AS "noun",
       least(u.count, 1000) AS "count",
       u.count > 1000 AS "more"
  FROM (SELECT 1 AS place,
               'sample-tests' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.sample_test r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.test_definition_id = :id::bigint
                 LIMIT 1001) o
         UNION ALL
        SELECT 2 AS place,
               'specifications' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.specification r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.test_definition_id = :id::bigint
                 LIMIT 1001) o
         UNION ALL
        SELECT 3 AS place,
               'panels' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.panel r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.active
                   AND :id::bigint = ANY (r.test_definition_ids)
                 LIMIT 1001) o
         UNION ALL
        SELECT 4 AS place,
               'worksheet-templates' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.worksheet_template r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.active
                   AND r.test_definition_id = :id::bigint
                 LIMIT 1001) o
         UNION ALL
        SELECT 5 AS place,
               'qc-templates' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.qc_template r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.active
                   AND EXISTS (
                           SELECT FROM lims.qc_template_control c
                            WHERE c.organization_id = r.organization_id
                              AND c.template_id = r.id
                              AND c.test_definition_id = :id::bigint)
                 LIMIT 1001) o
         UNION ALL
        SELECT 6 AS place,
               'qc-controls' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.qc_control r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.test_definition_id = :id::bigint
                 LIMIT 1001) o) u
 WHERE u.count > 0
 ORDER BY u.place

-- name: material_type_uses many
SELECT u.noun AS "noun",
       least(u.count, 1000) AS "count",
       u.count > 1000 AS "more"
  FROM (SELECT 1 AS place,
               'samples' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.sample r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.material_type_id = :id::bigint
                 LIMIT 1001) o
         UNION ALL
        SELECT 2 AS place,
               'specifications' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.specification r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.material_type_id = :id::bigint
                 LIMIT 1001) o) u
 WHERE u.count > 0
 ORDER BY u.place

-- name: project_uses many
SELECT u.noun AS "noun",
       least(u.count, 1000) AS "count",
       u.count > 1000 AS "more"
  FROM (SELECT 1 AS place,
               'samples' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.sample r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.project_id = :id::bigint
                 LIMIT 1001) o
         UNION ALL
        SELECT 2 AS place,
               'specifications' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.specification r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.project_id = :id::bigint
                 LIMIT 1001) o) u
 WHERE u.count > 0
 ORDER BY u.place

-- name: client_uses many
SELECT u.noun AS "noun",
       least(u.count, 1000) AS "count",
       u.count > 1000 AS "more"
  FROM (SELECT 1 AS place,
               'samples' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.sample r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.client_id = :id::bigint
                 LIMIT 1001) o
         UNION ALL
        SELECT 2 AS place,
               'orders' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.sample_order r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.client_id = :id::bigint
                 LIMIT 1001) o
         UNION ALL
        SELECT 3 AS place,
               'projects' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.project r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.active
                   AND r.client_id = :id::bigint
                 LIMIT 1001) o) u
 WHERE u.count > 0
 ORDER BY u.place

-- name: storage_location_uses many
SELECT u.noun AS "noun",
       least(u.count, 1000) AS "count",
       u.count > 1000 AS "more"
  FROM (SELECT 1 AS place,
               'samples' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.sample r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.storage_location_id = :id::bigint
                 LIMIT 1001) o
         UNION ALL
        SELECT 2 AS place,
               'storage-locations' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.storage_location r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.active
                   AND r.parent_id = :id::bigint
                 LIMIT 1001) o
         UNION ALL
        SELECT 3 AS place,
               'instruments' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.instrument r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.active
                   AND r.storage_location_id = :id::bigint
                 LIMIT 1001) o) u
 WHERE u.count > 0
 ORDER BY u.place

-- name: instrument_uses many
SELECT u.noun AS "noun",
       least(u.count, 1000) AS "count",
       u.count > 1000 AS "more"
  FROM (SELECT 1 AS place,
               'qc-batches' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.qc_batch r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.instrument_id = :id::bigint
                 LIMIT 1001) o
         UNION ALL
        SELECT 2 AS place,
               'qc-series' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.qc_series r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.instrument_id = :id::bigint
                 LIMIT 1001) o
         UNION ALL
        SELECT 3 AS place,
               'profiles' AS noun,
               count(*) AS count
          FROM (SELECT r.id
                  FROM lims.instrument_profile r
                 WHERE r.organization_id = :$organization::bigint
                   AND r.instrument_id = :id::bigint
                 LIMIT 1001) o) u
 WHERE u.count > 0
 ORDER BY u.place
