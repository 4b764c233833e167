-- SPDX-License-Identifier: Apache-2.0

-- name: sign_record one
-- Signs the record as it stands, and has the audit trail name the signature.
WITH signature AS MATERIALIZED (
    SELECT lims.sign(:$user::bigint, :meaning::text, :signs::text, :id::bigint,
                     :$reason::text, :method::text, :act::jsonb) AS id
      FROM lims.organization o
     WHERE o.id = :$organization::bigint
)
SELECT id AS "id",
       set_config('lims.signature_id', id::text, true) AS "context"
  FROM signature

-- name: signed_hash one
-- Returns the content that a signature of the record would cover now, and its digest.
SELECT encode(lims.content_hash(c.content), 'hex') AS "contentHash",
       c.content AS "content"
  FROM lims.signed_content(:$organization::bigint, :signs::text, :id::bigint) c (content)

-- name: signature_note one
-- Counts the check of a password; "lockedUntil" has a value where this failure locked.
SELECT n.outcome AS "outcome",
       CASE WHEN n.outcome = 'locks'
            THEN to_char(lims.locked_until(:$organization::bigint, :$user::bigint)
                     AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') END AS "lockedUntil"
  FROM lims.note_signature(:$organization::bigint, :right::boolean) n (outcome)

-- name: signer one
-- The acting person, as one who signs: "name" is that at the provider of identities by which
-- the session began.
SELECT u.email AS "email",
       coalesce(u.password_hash, a.signature_hash) AS "passwordHash",
       s.identity ->> 'subject' AS "name",
       o.esignature_required AS "esignatureRequired",
       CASE WHEN a.locked_until > now() THEN 0 ELSE 5 - coalesce(a.failures, 0) END
           AS "attemptsLeft"
  FROM lims.user_account u
  JOIN lims.organization o
    ON o.id = u.organization_id
  LEFT JOIN lims.account_state a
    ON a.organization_id = u.organization_id
   AND a.user_id = u.id
  LEFT JOIN lims.user_session s
    ON s.organization_id = u.organization_id
   AND s.id = :$session::bigint
 WHERE u.organization_id = :$organization::bigint
   AND u.id = :$user::bigint
