-- SPDX-License-Identifier: Apache-2.0
-- The demonstration data: what limsctl has to know and give while its files run.

-- name: demo_lock exec
-- global: two loads at once wait for each other, before they look
SELECT pg_advisory_xact_lock(1684368751)

-- name: demo_present one
-- global: asked before there are any of these organizations
SELECT EXISTS (
       SELECT FROM lims.organizations() o
        WHERE o.code IN ('cedar-basin', 'harborview', 'tiny-lab',
                         'starter-water')) AS "present"

-- name: demo_setting exec
-- global: what the files read as a setting is of no organization
SELECT set_config('lims.demo_' || :name::text, :value::text, true)

-- name: demo_context one
-- global: the organization of the files, when the last of them ends
SELECT lims.context('organization_id') AS "organization"

-- name: demo_files many
-- Lists the files that instruments have sent, with their senders.
SELECT f.id AS "id",
       f.received_by AS "user",
       f.received_by_key AS "key"
  FROM lims.instrument_file f
 WHERE f.organization_id = :$organization::bigint
   AND f.status = 'received'
 ORDER BY f.id
