-- SPDX-License-Identifier: Apache-2.0
--
-- Accounts of people: the lock after failed signatures, signature passwords, and one-time
-- links.

-- The lock -----------------------------------------------------------------

CREATE SEQUENCE lims.account_state_id_seq;

-- Failed password checks of a user, and until when the account is locked; no row: none
-- yet.
CREATE TABLE lims.account_state (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.account_state_id_seq'),
    user_id bigint NOT NULL,
    -- Failed signatures in a row, since the last right one or the last lock.
    failures integer NOT NULL DEFAULT 0 CHECK (failures BETWEEN 0 AND 4),
    -- Locks since the last right one: each lasts twice as long as the one before.
    locks integer NOT NULL DEFAULT 0 CHECK (locks >= 0),
    locked_until timestamptz,
    last_sign_in_at timestamptz,
    -- Since when a provider of identities has found the person by the e-mail address alone,
    -- as of an account that has neither identity nor password; NULL: it never did.
    matched_since timestamptz,
    -- Time at which the person accepted being held accountable for what is done under the
    -- signature (21 CFR 11.10(j)); NULL: not yet.
    accountable_since timestamptz,
    -- Signature password of a person who signs in by an identity: it opens no session. NULL:
    -- none.
    signature_hash text CHECK (length(signature_hash) <= 1000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, user_id),
    FOREIGN KEY (organization_id, user_id)
        REFERENCES lims.user_account (organization_id, id)
);

SELECT lims.attach_record('account_state', '{last_sign_in_at}', '{signature_hash}');

-- Returns the end of an account's lock; NULL: it is not locked.
CREATE FUNCTION lims.locked_until(p_organization bigint, p_user bigint)
RETURNS timestamptz
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN (SELECT s.locked_until
              FROM lims.account_state s
             WHERE s.organization_id = p_organization
               AND s.user_id = p_user
               AND s.locked_until > clock_timestamp());
END
$$;

-- Counts a check of the acting user's password for a signature, and returns the outcome:
-- right, wrong, locks (wrong, and the account is now locked) or locked: a locked account
-- cannot sign, even with the right password, and attempts meanwhile are not counted. The
-- fifth failure in a row locks for 15 minutes, then for twice as long each time, up to 24
-- hours. Locks the row, so that concurrent attempts are counted one after the other.
CREATE FUNCTION lims.note_signature(p_organization bigint, p_right boolean)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_user CONSTANT bigint := lims.acting_user();
    v_state lims.account_state;
    v_locks boolean;
BEGIN
    PERFORM lims.require_own(p_organization);
    PERFORM lims.require_read_committed();
    IF NOT p_right THEN
        INSERT INTO lims.account_state (organization_id, user_id)
        VALUES (p_organization, v_user)
        ON CONFLICT (organization_id, user_id) DO NOTHING;
    END IF;
    SELECT s.*
      INTO v_state
      FROM lims.account_state s
     WHERE s.organization_id = p_organization
       AND s.user_id = v_user
       FOR NO KEY UPDATE;
    IF v_state.locked_until > clock_timestamp() THEN
        RETURN 'locked';
    END IF;
    v_locks := NOT p_right AND v_state.failures = 4;
    UPDATE lims.account_state s
       SET failures = CASE WHEN p_right OR v_locks THEN 0 ELSE s.failures + 1 END,
           locks = CASE WHEN p_right THEN 0 ELSE s.locks + v_locks::integer END,
           locked_until = CASE WHEN v_locks THEN clock_timestamp() + least(
               interval '15 minutes' * 2 ^ least(s.locks, 7), interval '24 hours') END
     WHERE s.organization_id = p_organization
       AND s.user_id = v_user
       AND (NOT p_right OR s.failures > 0 OR s.locks > 0);
    RETURN CASE WHEN p_right THEN 'right' WHEN v_locks THEN 'locks' ELSE 'wrong' END;
END
$$;

-- Refuses signatures of a locked account, whatever has checked the password.
CREATE FUNCTION lims.signature_locked() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_until CONSTANT timestamptz := lims.locked_until(NEW.organization_id, NEW.signer);
BEGIN
    IF v_until IS NOT NULL THEN
        PERFORM lims.refuse('account_locked', format(
            'the account is locked after failed signatures until %s UTC',
            to_char(v_until AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER locked BEFORE INSERT ON lims.electronic_signature
FOR EACH ROW EXECUTE FUNCTION lims.signature_locked();

-- Records that the acting person accepts being held accountable for what is done under
-- the signature; once accepted, it stays so.
CREATE FUNCTION lims.accept_accountability(p_organization bigint) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_since timestamptz;
BEGIN
    PERFORM lims.require_own(p_organization);
    INSERT INTO lims.account_state AS s (organization_id, user_id, accountable_since)
    VALUES (p_organization, lims.acting_user(), now())
    ON CONFLICT (organization_id, user_id) DO UPDATE
       SET accountable_since = coalesce(s.accountable_since, excluded.accountable_since)
    RETURNING s.accountable_since INTO v_since;
    RETURN v_since;
END
$$;

-- Refuses a signature in the application by somebody who has not accepted that.
CREATE FUNCTION lims.signature_accountable() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM lims.account_state s
         WHERE s.organization_id = NEW.organization_id
           AND s.user_id = NEW.signer
           AND s.accountable_since IS NOT NULL
    ) THEN
        PERFORM lims.refuse('esignature_required',
            'the signer has not yet accepted being held accountable for what is signed: '
            'the application asks for that after signing in');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER accountable BEFORE INSERT ON lims.electronic_signature
FOR EACH ROW WHEN (lims.context('surface') = 'application')
EXECUTE FUNCTION lims.signature_accountable();

-- Unlocks an account of another user.
CREATE FUNCTION lims.unlock_account(p_organization bigint, p_user bigint)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    IF NOT lims.is_owner_acting() THEN
        PERFORM lims.require_own(p_organization);
    END IF;
    PERFORM lims.require_permission(p_organization, 'user.manage');
    IF p_user = lims.context_id('user_id') THEN
        PERFORM lims.refuse('permission_required',
            'nobody unlocks their own account: ask another person who manages users');
    END IF;
    UPDATE lims.account_state s
       SET failures = 0,
           locked_until = NULL
     WHERE s.organization_id = p_organization
       AND s.user_id = p_user
       AND (s.failures > 0 OR s.locked_until IS NOT NULL);
END
$$;

-- The signature password ---------------------------------------------------

-- Time after signing in by an identity within which a person may set a first signature
-- password: somebody who finds the desk unattended later cannot.
CREATE FUNCTION lims.signature_password_time() RETURNS interval
LANGUAGE sql IMMUTABLE
AS $$ SELECT interval '5 minutes' $$;

-- Whether the acting session began by an identity at a provider, of this person.
CREATE FUNCTION lims.is_identified(p_organization bigint, p_user bigint) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.user_session s
         WHERE s.organization_id = p_organization
           AND s.id = lims.context_id('session_id')
           AND s.user_id = p_user
           AND s.identity IS NOT NULL
           AND s.ended_at IS NULL);
END
$$;

-- Whether a person has a password that signs.
CREATE FUNCTION lims.has_signing_password(p_organization bigint, p_user bigint)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.user_account u
         WHERE u.organization_id = p_organization
           AND u.id = p_user
           AND u.password_hash IS NOT NULL
    ) OR EXISTS (
        SELECT FROM lims.account_state s
         WHERE s.organization_id = p_organization
           AND s.user_id = p_user
           AND s.signature_hash IS NOT NULL);
END
$$;

-- Sets the acting person's signature password, whose old one was checked (its hash; NULL:
-- there is none yet). Returns the session that acts; NULL: it did not begin by an identity,
-- or not lately enough for a first one, or the password was changed meanwhile.
CREATE FUNCTION lims.set_signature_password(
    p_organization bigint,
    p_old_hash text,
    p_new_hash text
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_user CONSTANT bigint := lims.acting_user();
    v_session CONSTANT bigint := lims.context_id('session_id');
BEGIN
    PERFORM lims.require_own(p_organization);
    PERFORM lims.require_read_committed();
    IF NOT lims.is_identified(p_organization, v_user) OR p_old_hash IS NULL AND EXISTS (
        SELECT FROM lims.user_session s
         WHERE s.organization_id = p_organization
           AND s.id = v_session
           AND s.created_at <= clock_timestamp() - lims.signature_password_time())
    THEN
        RETURN NULL;
    END IF;
    INSERT INTO lims.account_state (organization_id, user_id)
    VALUES (p_organization, v_user)
    ON CONFLICT (organization_id, user_id) DO NOTHING;
    UPDATE lims.account_state s
       SET signature_hash = p_new_hash
     WHERE s.organization_id = p_organization
       AND s.user_id = v_user
       AND s.signature_hash IS NOT DISTINCT FROM p_old_hash;
    RETURN CASE WHEN FOUND THEN v_session END;
END
$$;

-- Takes the signature password away from an account that a person signs in to by something
-- else from now on: it was set by whoever signed in before, by the address perhaps.
CREATE FUNCTION lims.forget_signature_password() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE lims.account_state s
       SET signature_hash = NULL,
           matched_since = CASE WHEN coalesce(NEW.password_hash, OLD.password_hash) IS NULL
                                 AND coalesce(NEW.identity, OLD.identity) IS NULL
                                THEN s.matched_since END
     WHERE s.organization_id = NEW.organization_id
       AND s.user_id = NEW.id
       AND num_nonnulls(s.signature_hash, s.matched_since) > 0;
    RETURN NULL;
END
$$;

CREATE TRIGGER forget_signing AFTER UPDATE ON lims.user_account
FOR EACH ROW WHEN (NEW.password_hash IS NOT NULL AND OLD.password_hash IS NULL
    OR NEW.identity IS DISTINCT FROM OLD.identity
    OR NEW.identity IS NULL AND lower(NEW.email) <> lower(OLD.email))
EXECUTE FUNCTION lims.forget_signature_password();

-- Links --------------------------------------------------------------------

CREATE SEQUENCE lims.account_link_id_seq;

-- The one-time link with which a user sets a password: at most one for each user, valid
-- for a day.
CREATE TABLE lims.account_link (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.account_link_id_seq'),
    user_id bigint NOT NULL,
    -- SHA-256 of the token, which is shown once and stored nowhere.
    token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
    given_by bigint,
    -- The password that it sets: the one to sign in with, or the one that only signs.
    purpose text NOT NULL DEFAULT 'password' CHECK (purpose IN ('password', 'signature')),
    expires_at timestamptz NOT NULL,
    spent_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, user_id),
    FOREIGN KEY (organization_id, user_id)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, given_by)
        REFERENCES lims.user_account (organization_id, id)
);

-- The look-up without an organization, as that of sessions.
CREATE INDEX account_link_token ON lims.account_link (token_hash);

SELECT lims.attach_record('account_link', '{}', '{token_hash}');

-- Creates the one-time link of a user, replacing a former one, and returns when it
-- expires.
CREATE FUNCTION lims.give_link(
    p_organization bigint,
    p_user bigint,
    p_token_hash bytea,
    p_purpose text DEFAULT 'password'
) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_expires CONSTANT timestamptz := now() + interval '24 hours';
BEGIN
    IF NOT lims.is_owner_acting() THEN
        PERFORM lims.require_own(p_organization);
    END IF;
    PERFORM lims.require_permission(p_organization, 'user.manage');
    IF lims.context('reason') IS NULL THEN
        PERFORM lims.refuse('reason_required', 'a one-time link needs a reason');
    END IF;
    IF NOT EXISTS (
        SELECT FROM lims.user_account u
         WHERE u.organization_id = p_organization
           AND u.id = p_user
           AND u.active
    ) THEN
        PERFORM lims.refuse('invalid_transition', format(
            '%s is the id of a user who is not active: only active users are given a '
            'one-time link', p_user));
    END IF;
    IF p_purpose = 'signature' AND EXISTS (
        SELECT FROM lims.user_account u
         WHERE u.organization_id = p_organization
           AND u.id = p_user
           AND u.password_hash IS NOT NULL
    ) THEN
        PERFORM lims.refuse('invalid_transition',
            'a person who signs in with a password signs with it, too: only one who signs in '
            'by an identity has a signature password');
    END IF;
    INSERT INTO lims.account_link (organization_id, user_id, token_hash, given_by, purpose,
        expires_at)
    VALUES (p_organization, p_user, p_token_hash, lims.context_id('user_id'), p_purpose,
        v_expires)
    ON CONFLICT (organization_id, user_id) DO UPDATE
       SET token_hash = excluded.token_hash,
           given_by = excluded.given_by,
           purpose = excluded.purpose,
           expires_at = excluded.expires_at,
           spent_at = NULL;
    RETURN v_expires;
END
$$;

-- Returns the user whose password a link sets, with the names that the password must not
-- be; no row: the link is unknown, spent, replaced, revoked, or older than a day.
CREATE FUNCTION lims.link_owner(p_token_hash bytea)
RETURNS TABLE (organization_id bigint, user_id bigint, email text, name text, code text,
               purpose text)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT u.organization_id, u.id, u.email, o.name, o.code, l.purpose
      FROM lims.account_link l
      JOIN lims.user_account u
        ON u.organization_id = l.organization_id
       AND u.id = l.user_id
      JOIN lims.organization o
        ON o.id = l.organization_id
     WHERE l.token_hash = p_token_hash
       AND l.spent_at IS NULL
       AND l.expires_at > now()
       AND u.active
       AND o.active;
END
$$;

-- Sets the password that a link is for. Either way the user's sessions end: those of an
-- account whose password changes by a trigger (108).
CREATE FUNCTION lims.set_password_by_link(
    p_organization bigint,
    p_user bigint,
    p_purpose text,
    p_password_hash text
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF p_purpose = 'signature' THEN
        INSERT INTO lims.account_state (organization_id, user_id, signature_hash)
        VALUES (p_organization, p_user, p_password_hash)
        ON CONFLICT (organization_id, user_id) DO UPDATE
           SET signature_hash = excluded.signature_hash;
        PERFORM lims.end_sessions(p_organization, p_user, NULL, NULL, 'password changed');
    ELSE
        UPDATE lims.user_account u
           SET password_hash = p_password_hash,
               identity = NULL
         WHERE u.organization_id = p_organization
           AND u.id = p_user;
    END IF;
END
$$;

-- Spends a link: sets the password of its user, who acts, without a session. Failed
-- signatures and sign-ins are forgotten. Returns the user's address; NULL: the link is not
-- valid (any longer).
CREATE FUNCTION lims.spend_link(p_token_hash bytea, p_password_hash text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_owner record;
BEGIN
    PERFORM lims.require_read_committed();
    -- If two requests spend it at the same time, the second finds it spent.
    PERFORM FROM lims.account_link l
      WHERE l.token_hash = p_token_hash
        FOR NO KEY UPDATE;
    SELECT o.*
      INTO v_owner
      FROM lims.link_owner(p_token_hash) o;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM lims.set_context(v_owner.organization_id, v_owner.user_id, NULL,
        lims.context('request_id'), 'by one-time link', NULL, 'application');
    UPDATE lims.account_link l
       SET spent_at = now()
     WHERE l.organization_id = v_owner.organization_id
       AND l.user_id = v_owner.user_id;
    PERFORM lims.set_password_by_link(v_owner.organization_id, v_owner.user_id,
                                      v_owner.purpose, p_password_hash);
    UPDATE lims.account_state s
       SET failures = 0,
           locks = 0,
           locked_until = NULL
     WHERE s.organization_id = v_owner.organization_id
       AND s.user_id = v_owner.user_id
       AND (s.failures > 0 OR s.locks > 0 OR s.locked_until IS NOT NULL);
    PERFORM lims.forget_failed_sign_ins(v_owner.organization_id, v_owner.user_id);
    RETURN v_owner.email;
END
$$;

-- Whether the password that is written is the one that stood, under a higher cost:
-- lims.begin_session() writes it (108).
CREATE FUNCTION lims.is_rehash() RETURNS boolean
LANGUAGE sql STABLE
AS $$ SELECT lims.context('rehash') IS NOT NULL $$;

-- Revokes the one-time link of a user whose password, address, identity or activity
-- changes.
CREATE FUNCTION lims.end_link() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF lims.is_rehash() THEN
        RETURN NULL;
    END IF;
    UPDATE lims.account_link l
       SET expires_at = now()
     WHERE l.organization_id = NEW.organization_id
       AND l.user_id = NEW.id
       AND l.spent_at IS NULL
       AND l.expires_at > now();
    RETURN NULL;
END
$$;

CREATE TRIGGER end_link AFTER UPDATE ON lims.user_account
FOR EACH ROW WHEN (NEW.password_hash IS DISTINCT FROM OLD.password_hash
    OR NEW.email <> OLD.email
    OR NEW.active <> OLD.active
    OR NEW.identity IS DISTINCT FROM OLD.identity)
EXECUTE FUNCTION lims.end_link();

-- Roles --------------------------------------------------------------------

-- Requires a reason for a change of roles, except for the roles of a new user.
CREATE FUNCTION lims.user_role_reason() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_row CONSTANT lims.user_role := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    IF lims.context('reason') IS NULL AND NOT lims.is_owner_acting() AND EXISTS (
        SELECT FROM lims.user_account u
         WHERE u.organization_id = v_row.organization_id
           AND u.id = v_row.user_id
           AND u.created_at <> now()
    ) THEN
        PERFORM lims.refuse('reason_required', 'a change of roles needs a reason');
    END IF;
    RETURN v_row;
END
$$;

CREATE TRIGGER reason BEFORE INSERT OR DELETE ON lims.user_role
FOR EACH ROW EXECUTE FUNCTION lims.user_role_reason();

-- Recovery of an organization's access -------------------------------------

-- Whether the owner of the database may manage users without a person: `first` where the
-- organization never had somebody who could, `lost` where nobody who manages users can
-- sign in now, else `no`.
CREATE FUNCTION lims.recovery(p_organization bigint) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_ever boolean;
    v_now boolean;
BEGIN
    SELECT count(*) > 0,
           coalesce(bool_or(u.active
               AND lims.locked_until(u.organization_id, u.id) IS NULL), false)
      INTO v_ever, v_now
      FROM lims.role_permission p
      JOIN lims.user_role r
        ON r.organization_id = p.organization_id
       AND r.role = p.role
      JOIN lims.user_account u
        ON u.organization_id = r.organization_id
       AND u.id = r.user_id
     WHERE p.organization_id = p_organization
       AND p.permission = 'user.manage'
       AND lims.can_sign_in(u);
    RETURN CASE WHEN v_now THEN 'no' WHEN v_ever THEN 'lost' ELSE 'first' END;
END
$$;

-- Whether passwords of people come by link alone: since somebody of the organization has
-- signed in to the application, where links are spent. Not those of the first who manages
-- users, whom nobody can give one.
CREATE FUNCTION lims.passwords_by_link(p_organization bigint) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN lims.recovery(p_organization) <> 'first' AND EXISTS (
        SELECT FROM lims.account_state s
         WHERE s.organization_id = p_organization
           AND s.last_sign_in_at IS NOT NULL);
END
$$;
