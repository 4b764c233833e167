-- SPDX-License-Identifier: Apache-2.0

-- name: webhook_claim many
-- global: a dispatcher sends for all organizations, in turns
SELECT c.organization_id AS "organization",
       c.endpoint_id AS "endpoint",
       c.id AS "id",
       c.delivery_id AS "deliveryId",
       c.type AS "type",
       c.body AS "body",
       c.attempts AS "attempts",
       c.retries AS "retries",
       c.fresh AS "fresh",
       c.age AS "age",
       c.url AS "url",
       c.secret AS "secret",
       c.previous_secret AS "previousSecret",
       c.standard_headers AS "standardHeaders"
  FROM lims.webhook_claim(:holder::uuid, make_interval(secs => :lease::double precision),
                          :organizations::bigint[], :endpoints::bigint[],
                          :room::integer[], :busy::text[], :lanes::integer,
                          :perLane::integer) c

-- name: webhook_finish many
-- global: outcomes of many organizations are recorded at once
SELECT f.organization_id AS "organization",
       f.endpoint_id AS "endpoint",
       f.reason AS "reason",
       f.delivered AS "delivered",
       f.failed AS "failed",
       f.given_up AS "givenUp"
  FROM lims.webhook_finish(:outcomes::json, :schedule::interval[],
                           make_interval(secs => :longest::double precision),
                           :jitter::double precision, :disableAfter::integer) f

-- name: webhook_leave one
-- global: the lanes of many organizations
SELECT lims.webhook_leave(:holder::uuid, :leftOrganizations::bigint[],
                          :leftEndpoints::bigint[])

-- name: webhook_release one
-- global: a holder's lanes, whosever they are
SELECT lims.webhook_release(:holder::uuid)

-- name: webhook_backlog one
-- global: operators look at all organizations' together
SELECT b.pending AS "pending",
       b.kept AS "kept",
       b.oldest_due_seconds AS "oldestDueSeconds",
       b.endpoints AS "endpoints",
       b.disabled_endpoints AS "disabledEndpoints"
  FROM lims.webhook_backlog() b
