-- SPDX-License-Identifier: Apache-2.0

-- name: migrations many
-- global: the schema is one for all organizations
SELECT version AS "version",
       name AS "name",
       checksum AS "checksum",
       compatible_since AS "compatibleSince"
  FROM lims.schema_migration
 ORDER BY version

-- name: events_displaced one
-- global: the order of the events is one for all organizations
SELECT lims.events_displaced() AS "displaced"

-- name: running one
-- global: which database of which server this is, for as long as that runs
SELECT pg_postmaster_start_time() || ' ' || d.oid AS "running"
  FROM pg_catalog.pg_database d
 WHERE d.datname = current_database()

-- name: walls many
-- global: about the role that asks, and the tables. What is above row-level
-- security, or is without it, would not be held by any organization's wall.
SELECT format('the role %s is %s, and sees all organizations', r.rolname,
              CASE WHEN r.rolsuper THEN 'a superuser'
                   WHEN r.rolbypassrls THEN 'above row-level security (BYPASSRLS)'
                   ELSE 'lims_owner or a member of it' END) AS "finding"
  FROM pg_catalog.pg_roles r
 WHERE r.rolname = current_user
   AND (r.rolsuper
        OR r.rolbypassrls
        OR EXISTS (SELECT FROM pg_catalog.pg_roles o
                    WHERE o.rolname = 'lims_owner'
                      AND pg_has_role(r.oid, o.oid, 'MEMBER')))
UNION ALL
SELECT 'row-level security is off on ' || string_agg(c.relname, ', ' ORDER BY c.relname)
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = 'lims'
   AND c.relkind IN ('r', 'p')
   AND NOT c.relispartition
   AND NOT c.relrowsecurity
   AND (c.relname = 'organization'
        OR EXISTS (SELECT FROM pg_catalog.pg_attribute a
                    WHERE a.attrelid = c.oid
                      AND a.attname = 'organization_id'
                      AND NOT a.attisdropped))
HAVING count(*) > 0
