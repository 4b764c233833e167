-- SPDX-License-Identifier: Apache-2.0

-- part: session_caller
SELECT session_id AS "sessionId",
       organization_id AS "organizationId",
       user_id AS "userId",
       permissions AS "permissions",
       locked_seconds AS "lockedSeconds",
       last_used_at < now() - least(make_interval(secs => :touchInterval::float8),
                                    interval '1 minute') AS "touchDue"

-- name: session_authenticate one
-- global: finds out which organization the session belongs to, and sets it for the rest of
-- the transaction. Raises LM401 for a session that is not accepted.
:{session_caller}
  FROM lims.authenticate_session(:keyHash::bytea, :$request::text, :$reason::text)

-- name: session_authenticate_read one
-- global: the same for a transaction that writes nothing of the laboratory's: organization
-- and person are all the context it has.
:{session_caller}
  FROM lims.authenticate_session(:keyHash::bytea, NULL)

-- name: session_nobody one
-- global: nobody is signed in, and no organization is asked for.
SELECT lims.act_as_nobody(:$request::text)

-- name: session_touch exec
-- Behind session_authenticate_read in one transaction.
SELECT lims.touch_session(:$organization::bigint, :$session::bigint,
                          least(make_interval(secs => :touchInterval::float8),
                                interval '1 minute'))

-- name: sign_in_accounts many
-- global: an address may have accounts in several organizations.
SELECT organization_id AS "organizationId",
       code AS "code",
       name AS "name",
       user_id AS "userId",
       password_hash AS "passwordHash",
       barred AS "barred",
       known AS "known"
  FROM lims.sign_in_accounts(:email::text, :organization::text, :address::text)

-- name: sign_in_checks one
-- global: the number is the same for every organization.
SELECT lims.sign_in_checks() AS "checks"

-- name: sign_in_begin one
-- global: of the organization that was chosen by signing in.
SELECT lims.begin_session(:organizationId::bigint, :userId::bigint, :passwordHash::text,
                          :tokenHash::bytea, :address::text, :browser::text,
                          :rehashed::text) AS "id"

-- name: sign_on_accounts many
-- global: an identity may have accounts in several organizations.
SELECT organization_id AS "organizationId",
       code AS "code",
       name AS "name",
       user_id AS "userId",
       person AS "person"
  FROM lims.identified_accounts(:type::text, :subject::text, :byAddress::boolean,
                                :codes::text[], :organization::text, :address::text)
 WHERE NOT barred
   AND exact

-- name: sign_in_identified many
-- global: as sign_on_accounts; locked ones too, and those whose names are only counted as
-- this one, whose failures are counted.
SELECT organization_id AS "organizationId",
       code AS "code",
       name AS "name",
       user_id AS "userId",
       barred AS "barred",
       known AS "known",
       exact AS "exact"
  FROM lims.identified_accounts(:type::text, :subject::text, :byAddress::boolean,
                                :codes::text[], :organization::text, :address::text)

-- name: sign_on_begin one
-- global: of the organization that was chosen by signing in.
SELECT lims.begin_identified_session(:organizationId::bigint, :userId::bigint, :type::text,
                                     :subject::text, :byAddress::boolean, :codes::text[],
                                     :tokenHash::bytea, :address::text, :browser::text)
           AS "id"

-- name: sign_in_failed one
-- global: of an account for which the password was wrong.
SELECT lims.note_failed_sign_in(:organizationId::bigint, :userId::bigint, :address::text)
           AS "lockedUntil"

-- name: sign_in_replace exec
-- global: nobody has the context of the session before yet.
SELECT lims.replace_session(:tokenHash::bytea)

-- name: sign_out exec
SELECT lims.sign_out(:$organization::bigint)

-- name: session_get one
SELECT :$session::bigint AS "id",
       s.created_at AS "startedAt",
       s.created_at + lims.session_life() AS "endsAt",
       json_build_object('id', u.id, 'email', u.email, 'displayName', u.display_name)
           AS "person",
       json_build_object('id', o.id, 'code', o.code, 'name', o.name, 'timeZone', o.time_zone,
                         'locale', o.locale)
           AS "organization",
       ARRAY(SELECT r.role
               FROM lims.user_role r
              WHERE r.organization_id = u.organization_id
                AND r.user_id = u.id
              ORDER BY r.role) AS "roles",
       lims.permissions_of(u.organization_id, u.id) AS "permissions",
       (SELECT coalesce(json_agg(json_build_object('permission', l.permission,
                                                   'roles', l.roles)
                                 ORDER BY l.permission), '[]')
          FROM (SELECT p.permission, array_agg(p.role ORDER BY p.role) AS roles
                  FROM lims.role_permission p
                 WHERE p.organization_id = u.organization_id
                   AND p.permission <> ALL (lims.permissions_of(u.organization_id, u.id))
                 GROUP BY p.permission) l) AS "lacking",
       a.accountable_since AS "accountableSince",
       lims.link_to_tell(u.organization_id, u.id, s.id) AS "passwordSetByLinkAt",
       json_build_object(
           'by', CASE WHEN s.identity IS NULL THEN 'password'
                      WHEN s.identity ->> 'type' = :signInProvider::text THEN 'provider'
                      ELSE 'sign-on' END,
           'name', coalesce(s.identity ->> 'subject', u.email)) AS "signIn",
       json_build_object(
           'method', CASE WHEN s.identity IS NULL THEN 'password'
                          WHEN :signatureProvider::text IS NULL THEN 'signature-password'
                          ELSE 'provider' END,
           'ready', a.accountable_since IS NOT NULL
               AND coalesce(a.locked_until <= now(), true)
               AND (coalesce(u.password_hash, a.signature_hash) IS NOT NULL
                    OR s.identity IS NOT NULL AND :signatureProvider::text IS NOT NULL),
           'lockedUntil', CASE WHEN a.locked_until > now()
               THEN to_char(a.locked_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
               END) AS "signature",
       json_build_object(
           'esignatureRequired', o.esignature_required,
           'selfVerification', o.self_verification,
           'approverMayBeVerifier', o.approver_may_be_verifier,
           'reasonOnChange', o.reason_on_change,
           'openInvestigationBlocks', o.open_investigation_blocks,
           'qcRequired', o.qc_required,
           'lotQcPolicy', o.lot_qc_policy,
           'reagentExpiryPolicy', o.reagent_expiry_policy,
           'coaBeforeApproval', o.coa_before_approval,
           'sessionMinutes', o.session_minutes) AS "policies",
       :$printer::text IS NOT NULL AS "prints"
  FROM lims.user_account u
  JOIN lims.organization o
    ON o.id = u.organization_id
  LEFT JOIN lims.account_state a
    ON a.organization_id = u.organization_id
   AND a.user_id = u.id
  JOIN lims.user_session s
    ON s.organization_id = u.organization_id
   AND s.id = :$session::bigint
 WHERE u.organization_id = :$organization::bigint
   AND u.id = :$user::bigint

-- name: statement_accept one
SELECT lims.accept_accountability(:$organization::bigint) AS "accountableSince"

-- name: password_own one
-- Returns the acting person with what a change of the own password needs.
SELECT u.email AS "email",
       u.password_hash AS "passwordHash",
       a.signature_hash AS "signatureHash",
       s.identity IS NOT NULL AS "identified",
       s.created_at > now() - lims.signature_password_time() AS "lately",
       o.name AS "name",
       o.code AS "code",
       CASE WHEN a.locked_until > now()
            THEN ceil(extract(epoch FROM a.locked_until - now()))::bigint END AS "lockedSeconds"
  FROM lims.user_account u
  JOIN lims.organization o
    ON o.id = u.organization_id
  LEFT JOIN lims.account_state a
    ON a.organization_id = u.organization_id
   AND a.user_id = u.id
  JOIN lims.user_session s
    ON s.organization_id = u.organization_id
   AND s.id = :$session::bigint
 WHERE u.organization_id = :$organization::bigint
   AND u.id = :$user::bigint

-- name: signature_password_set one
SELECT lims.set_signature_password(:$organization::bigint, :passwordHash::text,
                                   :newHash::text) AS "id"

-- name: password_change one
SELECT lims.change_password(:$organization::bigint, :passwordHash::text, :newHash::text,
                            :tokenHash::bytea) AS "id"

-- name: link_owner one
-- global: nobody is signed in; the token says whose link it is.
SELECT email AS "email",
       name AS "name",
       code AS "code",
       purpose AS "purpose"
  FROM lims.link_owner(:tokenHash::bytea)

-- name: link_spend one
-- global: as link_owner.
SELECT lims.spend_link(:tokenHash::bytea, :passwordHash::text) AS "email"
