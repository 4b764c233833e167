-- SPDX-License-Identifier: Apache-2.0

-- name: profile_get one
SELECT p.*,
       (SELECT CASE WHEN count(*) FILTER (WHERE NOT c.there) = 0 THEN NULL
                    WHEN NOT bool_or(c.there)
                    THEN format('No active test definition has any of its %s test '
                                'codes: %s.', count(*),
                                string_agg(c.code, ', ' ORDER BY c.code))
                    ELSE format('No active test definition has these of its test '
                                'codes: %s.',
                                string_agg(c.code, ', ' ORDER BY c.code)
                                    FILTER (WHERE NOT c.there)) END
          FROM (SELECT t.code, EXISTS (
                       SELECT FROM lims.test_definition d
                        WHERE d.organization_id = :$organization::bigint
                          AND d.code = t.code
                          AND d.active) AS there
                  FROM (SELECT DISTINCT e.value ->> 'testCode' AS code
                          FROM jsonb_array_elements(p.definition -> 'tests') e) t) c
       ) AS "warning"
  FROM lims.instrument_profile_record p
 WHERE p.organization_id = :$organization::bigint
   AND p.id = :id::bigint

-- name: profile_list many
SELECT p.*,
       (SELECT CASE WHEN count(*) FILTER (WHERE NOT c.there) = 0 THEN NULL
                    WHEN NOT bool_or(c.there)
                    THEN format('No active test definition has any of its %s test '
                                'codes: %s.', count(*),
                                string_agg(c.code, ', ' ORDER BY c.code))
                    ELSE format('No active test definition has these of its test '
                                'codes: %s.',
                                string_agg(c.code, ', ' ORDER BY c.code)
                                    FILTER (WHERE NOT c.there)) END
          FROM (SELECT t.code, EXISTS (
                       SELECT FROM lims.test_definition d
                        WHERE d.organization_id = :$organization::bigint
                          AND d.code = t.code
                          AND d.active) AS there
                  FROM (SELECT DISTINCT e.value ->> 'testCode' AS code
                          FROM jsonb_array_elements(p.definition -> 'tests') e) t) c
       ) AS "warning"
  FROM lims.instrument_profile_record p
 WHERE p.organization_id = :$organization::bigint
   AND p.id > :cursor::bigint
   AND (:code::text IS NULL OR p.code = :code::text)
   AND (:status::text IS NULL OR p.status = :status::text)
 ORDER BY p.id
 LIMIT :limit::bigint + 1

-- name: profile_lock one
SELECT id AS "id",
       code AS "code",
       version AS "version",
       status AS "status",
       definition::text AS "definition"
  FROM lims.instrument_profile
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: profile_time_zone one
-- global: time zones are nobody's own.
SELECT EXISTS (
       SELECT FROM pg_catalog.pg_timezone_names
        WHERE name = :timeZone::text) AS "known"

-- name: profile_add one
-- The next version of its code. Of two that are added at once, one is refused by
-- the unique key.
INSERT INTO lims.instrument_profile
      (organization_id, code, version, name, definition)
SELECT :$organization::bigint, :code::text, coalesce(max(p.version), 0) + 1,
       :name::text, :definition::jsonb
  FROM lims.instrument_profile p
 WHERE p.organization_id = :$organization::bigint
   AND p.code = :code::text
RETURNING id AS "id"

-- name: profile_retire_others exec
UPDATE lims.instrument_profile
   SET status = 'retired'
 WHERE organization_id = :$organization::bigint
   AND code = :code::text
   AND status = 'active'
   AND id <> :id::bigint

-- name: profile_golden_file one
SELECT translate(encode(c.content, 'base64'), E'\n', '') AS "contentBase64"
  FROM lims.instrument_file f
  JOIN lims.instrument_file_content c
    ON c.organization_id = f.organization_id
   AND c.file_id = f.id
 WHERE f.organization_id = :$organization::bigint
   AND f.sha256 = :sha256::bytea

-- name: profile_activate exec
UPDATE lims.instrument_profile
   SET status = 'active'
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: profile_retire one
UPDATE lims.instrument_profile
   SET status = 'retired'
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
