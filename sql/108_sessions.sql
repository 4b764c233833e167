-- SPDX-License-Identifier: Apache-2.0
--
-- Sessions of people who are signed in to the application. The run-time role neither reads
-- nor writes their table: it calls the functions below.

-- Triggers of lims.user_session, in the order in which they run:
--
-- BEFORE UPDATE
--   1 guard         refuses another person, a token that the session does not change itself,
--                   and what undoes an end
--   2 identity      refuses another id, organization or created_at
--   3 touch         sets updated_at, but for the time of the last use
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail: signing in
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail: signing out, being ended
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail

CREATE SEQUENCE lims.user_session_id_seq;

-- The id is public: the page sends it with each request, and administrators see it.
CREATE TABLE lims.user_session (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.user_session_id_seq'),
    user_id bigint NOT NULL,
    -- SHA-256 of the token; the token itself is the browser's cookie and stored nowhere.
    token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
    address text NOT NULL CHECK (length(address) <= 64),
    browser text CHECK (length(browser) <= 255),
    -- {"type", "subject"} of the provider of identities that found the person; NULL: the
    -- person signed in by password.
    identity jsonb,
    last_used_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    end_reason text CHECK (end_reason IN (
        'signed out', 'signed in again', 'ended by the person', 'ended by an administrator',
        'password changed', 'account changed')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, user_id)
        REFERENCES lims.user_account (organization_id, id),
    CHECK ((ended_at IS NULL) = (end_reason IS NULL))
);

-- The look-up without an organization, as that of API keys.
CREATE INDEX user_session_token ON lims.user_session (token_hash);

-- The sessions of a person, the latest last.
CREATE INDEX user_session_user ON lims.user_session (organization_id, user_id, id);

CREATE FUNCTION lims.user_session_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.user_id <> OLD.user_id
       OR NEW.token_hash <> OLD.token_hash
          AND OLD.id IS DISTINCT FROM lims.context_id('session_id')
    THEN
        PERFORM lims.refuse('invalid_transition',
            'a session never becomes another person''s: sign in again');
    END IF;
    IF OLD.ended_at IS NOT NULL AND NEW.ended_at IS DISTINCT FROM OLD.ended_at THEN
        PERFORM lims.refuse('invalid_transition', 'a session that has ended stays so');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE UPDATE ON lims.user_session
FOR EACH ROW EXECUTE FUNCTION lims.user_session_guard();

-- The time of the last use is not a change of the record.
CREATE TRIGGER touch BEFORE UPDATE ON lims.user_session
FOR EACH ROW WHEN (NEW.last_used_at = OLD.last_used_at OR NEW.updated_at <> OLD.updated_at)
EXECUTE FUNCTION lims.touch();

SELECT lims.attach_audit('user_session', '{last_used_at}', '{token_hash}');

-- Sessions in force --------------------------------------------------------

-- A session ends 12 hours after it began, whatever it was used for.
CREATE FUNCTION lims.session_life() RETURNS interval
LANGUAGE sql IMMUTABLE
AS $$ SELECT interval '12 hours' $$;

-- Authenticates a session by the hash of its token, and sets the context until the
-- transaction ends: with a request id, person, session and request for what is written;
-- without one, organization and person, which is all that a read needs. locked_seconds: how
-- long the account remains locked after failed signatures, in which its sessions only read;
-- NULL: it is not locked, or the request id is missing. Raises SQLSTATE LM401 if there is no
-- such session that goes on; the message says why, for the log.
CREATE FUNCTION lims.authenticate_session(
    p_token_hash bytea,
    p_request_id text,
    p_reason text DEFAULT NULL,
    OUT session_id bigint,
    OUT organization_id bigint,
    OUT user_id bigint,
    OUT permissions text[],
    OUT last_used_at timestamptz,
    OUT locked_seconds bigint
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_refusal text;
    v_set text;
BEGIN
    SELECT s.id, s.organization_id, s.user_id, s.last_used_at,
           lims.permissions_of(s.organization_id, s.user_id),
           CASE WHEN s.ended_at IS NOT NULL THEN 'the session was ended'
                WHEN s.created_at <= now() - lims.session_life()
                     OR s.last_used_at <= now() - make_interval(mins => o.session_minutes)
                THEN 'the session has timed out'
                WHEN NOT u.active THEN 'the session''s user is not active'
                WHEN NOT o.active THEN 'the organization is not active'
           END
      INTO session_id, organization_id, user_id, last_used_at, permissions, v_refusal
      FROM lims.user_session s
      JOIN lims.user_account u
        ON u.organization_id = s.organization_id
       AND u.id = s.user_id
      JOIN lims.organization o
        ON o.id = s.organization_id
     WHERE s.token_hash = p_token_hash;
    IF NOT FOUND THEN
        v_refusal := 'the session is unknown';
    END IF;
    IF v_refusal IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'LM401', MESSAGE = v_refusal;
    END IF;
    IF p_request_id IS NULL THEN
        v_set := set_config('lims.organization_id', organization_id::text, true);
        v_set := set_config('lims.user_id', user_id::text, true);
    ELSE
        PERFORM lims.set_context(organization_id, user_id, NULL, p_request_id, p_reason,
                                 NULL, 'application', session_id);
        locked_seconds := ceil(extract(epoch FROM
            lims.locked_until(organization_id, user_id) - clock_timestamp()));
    END IF;
END
$$;

-- Sets the context of a request of the application by nobody who is signed in.
CREATE FUNCTION lims.act_as_nobody(p_request_id text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.set_context(NULL, NULL, NULL, p_request_id, NULL, NULL, 'application');
END
$$;

-- Records the time of a session's last use, unless the recorded one is younger than
-- p_interval. Of concurrent requests one writes; the others skip the locked row.
CREATE FUNCTION lims.touch_session(
    p_organization bigint,
    p_session bigint,
    p_interval interval
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    PERFORM lims.require_own(p_organization);
    UPDATE lims.user_session
       SET last_used_at = now()
     WHERE organization_id = p_organization
       AND id = (
           SELECT s.id
             FROM lims.user_session s
            WHERE s.organization_id = p_organization
              AND s.id = p_session
              AND s.ended_at IS NULL
              AND s.last_used_at < now() - p_interval
              FOR NO KEY UPDATE SKIP LOCKED);
END
$$;

-- Beginning and ending ------------------------------------------------------

-- The accounts by which somebody with this address may sign in, five at most: of active
-- people who have a password and may do anything, in active organizations; whether each is
-- locked for this client's address (109), and has signed in from there lately. p_code: of
-- this organization alone.
CREATE FUNCTION lims.sign_in_accounts(p_email text, p_code text, p_address text)
RETURNS TABLE (organization_id bigint, code text, name text, user_id bigint,
    password_hash text, barred boolean, known boolean)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT o.id, o.code, o.name, u.id, u.password_hash,
           lims.is_barred(u.organization_id, u.id, p_address),
           lims.is_known_from(u.organization_id, u.id, p_address)
      FROM lims.user_account u
      JOIN lims.organization o
        ON o.id = u.organization_id
     WHERE lower(u.email) = lower(p_email)
       AND (p_code IS NULL OR o.code = p_code)
       AND o.active
       AND u.active
       AND u.password_hash IS NOT NULL
       AND lims.has_permission(u.organization_id, u.id, 'self')
     ORDER BY o.id
     LIMIT 5;
END
$$;

-- Number of passwords that each sign-in checks: the same for every address, so that the
-- time does not tell how many accounts it has. It is the number of accounts of the
-- address with the most: one, where nobody works in two laboratories.
CREATE FUNCTION lims.sign_in_checks() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT least(greatest(max(a.accounts), 1), 5)
      FROM (SELECT count(*) AS accounts
              FROM lims.user_account u
             WHERE u.active
               AND u.password_hash IS NOT NULL
             GROUP BY lower(u.email)) a
$$;

-- Keeps the password of a person under another cost (NULL: as it is), which is no change of
-- password.
CREATE FUNCTION lims.rehash_password(p_organization bigint, p_user bigint, p_rehashed text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF p_rehashed IS NOT NULL THEN
        PERFORM set_config('lims.rehash', 't', true);
        UPDATE lims.user_account u
           SET password_hash = p_rehashed
         WHERE u.organization_id = p_organization
           AND u.id = p_user;
        PERFORM set_config('lims.rehash', '', true);
    END IF;
END
$$;

-- Writes the session of a person who was identified, and sets the context to it.
CREATE FUNCTION lims.open_session(
    p_organization bigint,
    p_user bigint,
    p_token_hash bytea,
    p_address text,
    p_browser text,
    p_identity jsonb DEFAULT NULL
) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_session CONSTANT bigint := nextval('lims.user_session_id_seq');
BEGIN
    PERFORM lims.set_context(p_organization, p_user, NULL, lims.context('request_id'), NULL,
                             NULL, 'application', v_session);
    PERFORM lims.note_sign_in(p_organization, p_user, p_address);
    INSERT INTO lims.user_session (organization_id, id, user_id, token_hash, address,
        browser, identity)
    VALUES (p_organization, v_session, p_user, p_token_hash, p_address, p_browser,
        p_identity);
    INSERT INTO lims.account_state AS s (organization_id, user_id, last_sign_in_at)
    VALUES (p_organization, p_user, now())
    ON CONFLICT (organization_id, user_id) DO UPDATE SET last_sign_in_at = now();
    RETURN v_session;
END
$$;

-- Begins a session of a person whose password was right, and sets the context to it. The
-- password that was checked has to be the one that holds now. Returns NULL where it, or
-- the account, was changed or locked meanwhile. p_rehashed: the same password under the
-- cost of now, where that was raised.
CREATE FUNCTION lims.begin_session(
    p_organization bigint,
    p_user bigint,
    p_password_hash text,
    p_token_hash bytea,
    p_address text,
    p_browser text,
    p_rehashed text
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_session bigint;
BEGIN
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.user_account u
      WHERE u.organization_id = p_organization
        AND u.id = p_user
        AND u.active
        AND u.password_hash = p_password_hash
        FOR NO KEY UPDATE;
    IF NOT FOUND OR lims.is_barred(p_organization, p_user, p_address) THEN
        RETURN NULL;
    END IF;
    v_session := lims.open_session(p_organization, p_user, p_token_hash, p_address,
                                   p_browser);
    PERFORM lims.rehash_password(p_organization, p_user, p_rehashed);
    RETURN v_session;
END
$$;

-- The accounts whose person a provider of identities has found, in the organizations of
-- which it may sign people in (p_codes): by the identity that was given to the account, or
-- with p_by_address by the e-mail address of an account that has neither identity nor
-- password; whether each is locked for this client's address (109), and has signed in from
-- there lately. p_code: of this organization alone. An account whose name is only counted as
-- this one is not opened by it (exact: false): two people may have names that differ in that.
CREATE FUNCTION lims.identified_accounts(
    p_type text,
    p_subject text,
    p_by_address boolean,
    p_codes text[],
    p_code text,
    p_address text
) RETURNS TABLE (organization_id bigint, code text, name text, user_id bigint,
    person text, barred boolean, known boolean, exact boolean)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_counted CONSTANT text := lims.counted_name(p_subject);
BEGIN
    RETURN QUERY
    SELECT o.id, o.code, o.name, u.id, u.display_name,
           lims.is_barred(u.organization_id, u.id, p_address),
           lims.is_known_from(u.organization_id, u.id, p_address), x.exact
      FROM lims.user_account u
      JOIN lims.organization o
        ON o.id = u.organization_id
     CROSS JOIN LATERAL (
           SELECT CASE WHEN u.identity IS NULL THEN lower(u.email) = lower(p_subject)
                       ELSE u.identity ->> 'subject' = p_subject END AS exact) x
     WHERE o.code = ANY (p_codes)
       AND (p_code IS NULL OR o.code = p_code)
       AND o.active
       AND u.active
       AND (u.identity ->> 'type' = p_type
            AND lims.counted_name(u.identity ->> 'subject') = v_counted
            OR p_by_address AND lower(u.email) IN (lower(p_subject), v_counted)
               AND u.identity IS NULL AND u.password_hash IS NULL)
       AND lims.has_permission(u.organization_id, u.id, 'self')
     ORDER BY x.exact DESC, o.id
     LIMIT 5;
END
$$;

-- Begins a session of a person whom a provider has found: the one of that organization of
-- lims.identified_accounts(). Returns NULL where that account is locked, or changed
-- meanwhile.
CREATE FUNCTION lims.begin_identified_session(
    p_organization bigint,
    p_user bigint,
    p_type text,
    p_subject text,
    p_by_address boolean,
    p_codes text[],
    p_token_hash bytea,
    p_address text,
    p_browser text
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_session bigint;
BEGIN
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.user_account u
      WHERE u.organization_id = p_organization
        AND u.id = p_user
        FOR NO KEY UPDATE;
    IF NOT EXISTS (
        SELECT FROM lims.identified_accounts(p_type, p_subject, p_by_address, p_codes,
                                             NULL, p_address) a
         WHERE a.organization_id = p_organization
           AND a.user_id = p_user
           AND a.exact
           AND NOT a.barred
    ) THEN
        RETURN NULL;
    END IF;
    v_session := lims.open_session(p_organization, p_user, p_token_hash, p_address, p_browser,
        jsonb_build_object('type', p_type, 'subject', p_subject));
    UPDATE lims.account_state s
       SET matched_since = now()
      FROM lims.user_account u
     WHERE u.organization_id = p_organization
       AND u.id = p_user
       AND u.identity IS NULL
       AND s.organization_id = p_organization
       AND s.user_id = p_user
       AND s.matched_since IS NULL;
    RETURN v_session;
END
$$;

-- Ends sessions of a person that still go on: one, or where p_session is NULL all but
-- p_but.
CREATE FUNCTION lims.end_sessions(
    p_organization bigint,
    p_user bigint,
    p_session bigint,
    p_but bigint,
    p_why text
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE lims.user_session s
       SET ended_at = clock_timestamp(),
           end_reason = p_why
     WHERE s.organization_id = p_organization
       AND s.user_id = p_user
       AND s.ended_at IS NULL
       AND (p_session IS NULL OR s.id = p_session)
       AND s.id IS DISTINCT FROM p_but;
END
$$;

-- Signs the acting person out: ends the session that acts.
CREATE FUNCTION lims.sign_out(p_organization bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    PERFORM lims.require_own(p_organization);
    PERFORM lims.end_sessions(p_organization, lims.acting_user(),
        lims.context_id('session_id'), NULL, 'signed out');
END
$$;

-- Ends the session that a browser had before it signed in again: nobody holds its token
-- any longer.
CREATE FUNCTION lims.replace_session(p_token_hash bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    UPDATE lims.user_session s
       SET ended_at = clock_timestamp(),
           end_reason = 'signed in again'
     WHERE s.token_hash = p_token_hash
       AND s.ended_at IS NULL;
END
$$;

-- A change of password, address, identity or activity ends the person's sessions, but for
-- the one by which the person changed the own password.
CREATE FUNCTION lims.user_account_end_sessions() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF lims.is_rehash() THEN
        RETURN NULL;
    END IF;
    PERFORM lims.end_sessions(NEW.organization_id, NEW.id, NULL,
        CASE WHEN NEW.id = lims.acting_person() AND NEW.active
             THEN lims.context_id('session_id') END,
        CASE WHEN NEW.password_hash IS DISTINCT FROM OLD.password_hash
             THEN 'password changed' ELSE 'account changed' END);
    RETURN NULL;
END
$$;

CREATE TRIGGER end_sessions AFTER UPDATE ON lims.user_account
FOR EACH ROW WHEN (NEW.password_hash IS DISTINCT FROM OLD.password_hash
    OR NEW.email <> OLD.email
    OR NEW.active <> OLD.active
    OR NEW.identity IS DISTINCT FROM OLD.identity)
EXECUTE FUNCTION lims.user_account_end_sessions();

-- Changes the acting person's password, whose old one was checked (its hash), and gives the
-- session that acts a new token; all other sessions end. Returns NULL where the password was
-- changed meanwhile.
CREATE FUNCTION lims.change_password(
    p_organization bigint,
    p_old_hash text,
    p_new_hash text,
    p_token_hash bytea
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_session CONSTANT bigint := lims.context_id('session_id');
BEGIN
    PERFORM lims.require_own(p_organization);
    PERFORM lims.require_read_committed();
    UPDATE lims.user_account u
       SET password_hash = p_new_hash
     WHERE u.organization_id = p_organization
       AND u.id = lims.acting_user()
       AND u.password_hash = p_old_hash;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    UPDATE lims.user_session s
       SET token_hash = p_token_hash
     WHERE s.organization_id = p_organization
       AND s.id = v_session;
    RETURN v_session;
END
$$;

-- Ends a session: one's own, or with user.manage anybody's. Returns NULL where there is
-- none.
CREATE FUNCTION lims.end_session(p_organization bigint, p_session bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_user bigint;
BEGIN
    PERFORM lims.require_own(p_organization);
    SELECT s.user_id
      INTO v_user
      FROM lims.user_session s
     WHERE s.organization_id = p_organization
       AND s.id = p_session;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF v_user <> lims.acting_user() THEN
        PERFORM lims.require_permission(p_organization, 'user.manage');
    END IF;
    PERFORM lims.end_sessions(p_organization, v_user, p_session, NULL,
        CASE v_user WHEN lims.acting_user() THEN 'ended by the person'
                    ELSE 'ended by an administrator' END);
    RETURN p_session;
END
$$;

-- Time at which a link set the password, for the first session after that, in which the
-- person is told; NULL in any other.
CREATE FUNCTION lims.link_to_tell(p_organization bigint, p_user bigint, p_session bigint)
RETURNS timestamptz
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN (SELECT l.spent_at
              FROM lims.account_link l
             WHERE l.organization_id = p_organization
               AND l.user_id = p_user
               AND (p_session, true) = (
                   SELECT s.id, s.created_at > now() - interval '5 minutes'
                     FROM lims.user_session s
                    WHERE s.organization_id = p_organization
                      AND s.user_id = p_user
                      AND s.created_at > l.spent_at
                    ORDER BY s.id
                    LIMIT 1));
END
$$;
