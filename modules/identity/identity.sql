-- SPDX-License-Identifier: Apache-2.0

-- part: key_caller
SELECT key_id AS "keyId",
       organization_id AS "organizationId",
       user_id AS "userId",
       scopes AS "scopes",
       upload_only AS "uploadOnly",
       permissions AS "permissions",
       (last_used_at IS NULL
        OR last_used_at < now() - make_interval(secs => :touchInterval::float8)) AS "touchDue"

-- name: authenticate one
-- global: finds out which organization the key belongs to, and sets it for the
-- rest of the transaction. Raises LM401 for a key that is not accepted.
:{key_caller}
  FROM lims.authenticate(:keyHash::bytea, :$request::text, :$reason::text)

-- name: authenticate_read one
-- global: the same for a transaction that writes nothing of the laboratory's:
-- the organization is all the context it has.
:{key_caller}
  FROM lims.authenticate(:keyHash::bytea, NULL)

-- name: key_touch exec
-- Behind authenticate in one transaction. A key used by many at once is written
-- by one; the others, and whoever meets a key that is being changed, do not wait.
UPDATE lims.api_key
   SET last_used_at = now()
 WHERE organization_id = :$organization::bigint
   AND id = (
       SELECT k.id
         FROM lims.api_key k
        WHERE k.organization_id = :$organization::bigint
          AND k.id = :$key::bigint
          AND (k.last_used_at IS NULL
               OR k.last_used_at < now() - make_interval(secs => :touchInterval::float8))
          FOR NO KEY UPDATE SKIP LOCKED)

-- name: idempotency_claim one
SELECT outcome AS "outcome",
       token AS "token",
       status AS "status",
       headers ->> 'Location' AS "location",
       headers ->> 'ETag' AS "etag",
       body AS "body"
  FROM lims.idempotency_begin(:idempotencyKey::text, :fingerprint::bytea,
                              make_interval(secs => :lifetime::float8),
                              make_interval(secs => :lease::float8), :token::uuid)
 WHERE :$organization::bigint IS NOT NULL

-- name: idempotency_look one
-- Finds the stored answer to an Idempotency-Key, for a request that claims none.
SELECT CASE WHEN r.fingerprint = :fingerprint::bytea THEN 'replay'
            ELSE 'mismatch' END AS "outcome",
       r.status AS "status",
       r.headers ->> 'Location' AS "location",
       r.headers ->> 'ETag' AS "etag",
       r.body AS "body"
  FROM lims.idempotency_record r
 WHERE r.organization_id = :$organization::bigint
   AND r.caller = coalesce(:$key::bigint, -:$user::bigint)
   AND r.idempotency_key = :idempotencyKey::text
   AND r.created_at >= now() - make_interval(secs => :lifetime::float8)
   AND r.status IS NOT NULL

-- name: idempotency_keep exec
SELECT lims.idempotency_finish(:idempotencyKey::text, :token::uuid, :status::int,
                               json_build_object('Location', :location::text,
                                                 'ETag', :etag::text),
                               :body::text)
 WHERE :$organization::bigint IS NOT NULL

-- name: idempotency_release exec
SELECT lims.idempotency_release(:idempotencyKey::text, :token::uuid)
 WHERE :$organization::bigint IS NOT NULL
