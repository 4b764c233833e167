-- SPDX-License-Identifier: Apache-2.0

-- name: job_scan one
-- global: the scan looks at the samples of all organizations
SELECT s.looked_at AS "samples",
       s.told AS "events",
       s.more AS "more"
  FROM lims.scan_samples(:rows::integer) s

-- name: job_scan_backlog one
-- global: the scan looks at the samples of all organizations
SELECT b.waiting AS "waiting",
       coalesce(extract(epoch FROM now() - b.oldest_at), 0)::bigint
           AS "oldestSeconds"
  FROM lims.scan_backlog() b

-- name: job_retention one
-- global: expired rows of all organizations are deleted
SELECT r.events AS "events",
       r.deliveries AS "deliveries",
       r.given_up AS "givenUp",
       r.idempotency_records AS "idempotencyRecords",
       r.previous_secrets AS "previousSecrets",
       f.removed AS "rejectedFiles",
       g.deleted AS "signInGuesses",
       r.events + r.deliveries + r.given_up + r.idempotency_records
           + r.previous_secrets + f.removed + g.deleted > 0 AS "more"
  FROM lims.retention_step(
           make_interval(days => :eventRetention::integer),
           make_interval(secs => :idempotencyLifetime::integer), :rows::integer) r
 CROSS JOIN lims.remove_rejected_content(
           make_interval(days => :rejectedFileDays::integer),
           least(:rows::integer, 100)) f (removed)
 CROSS JOIN lims.delete_old_guesses(:rows::integer) g (deleted)

-- name: job_retention_backlog one
-- global: expired rows of all organizations are deleted
SELECT b.events AS "events",
       b.deliveries AS "deliveries",
       b.given_up AS "givenUp",
       b.idempotency_records AS "idempotencyRecords",
       b.previous_secrets AS "previousSecrets",
       lims.rejected_content_backlog(
           make_interval(days => :rejectedFileDays::integer),
           :countAtMost::bigint) AS "rejectedFiles",
       lims.old_guesses_backlog(:countAtMost::bigint) AS "signInGuesses"
  FROM lims.retention_backlog(
           make_interval(days => :eventRetention::integer),
           make_interval(secs => :idempotencyLifetime::integer),
           :countAtMost::bigint) b

-- name: job_recovery one
-- global: recoveries of all organizations take turns
SELECT coalesce(s.requeued, 0) AS "deliveries",
       s.requeued IS NOT NULL AS "more"
  FROM lims.webhook_recover_step(:rows::integer) AS s (requeued)
