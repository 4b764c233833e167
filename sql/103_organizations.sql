-- SPDX-License-Identifier: Apache-2.0
--
-- Organizations and their people, API keys, and who is asking.

-- Triggers of lims.organization, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard_insert  refuses an unknown time zone
--   2 guard_layout  refuses a wrong layout of certificates (164)
--
-- BEFORE UPDATE
--   1 guard_layout  as at INSERT, where the layout is set (164)
--   2 guard_update  as at INSERT, where the time zone changes
--   3 identity      refuses to change id, organization or created_at
--   4 permit        refuses users without policy.manage (105)
--   5 policy_act    asks for a reason, and for a signature by policy (155)
--   6 touch         sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 seed          gives the roles their first permissions (105)
--   2 seed_sizes    gives it the usual sizes of labels (113)
--   3 audit_insert  writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 reapprove     requests approvals again where the time zone changed (151)
--   2 recount       discards the count of samples when an allowance is introduced (123)
--   3 reschedule    computes the holding times of its tests again, where the time
--                   zone changed (138)
--   4 audit_update  writes the audit trail, as at INSERT
--   5 mark_update   marks all samples dirty where a policy changed on which they depend
--                   (121)
--   6 satisfiable   refuses, at commit, a policy that the active users cannot meet (156)
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.organization_id_seq;

CREATE TABLE lims.organization (
    id bigint NOT NULL DEFAULT nextval('lims.organization_id_seq') PRIMARY KEY,
    code text NOT NULL CONSTRAINT organization_code UNIQUE
        CHECK (length(code) <= 63 AND code ~ '^[a-z0-9][a-z0-9-]*$'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    time_zone text NOT NULL DEFAULT 'UTC',
    -- How the laboratory writes days and times (BCP 47).
    locale text NOT NULL DEFAULT 'en-US'
        CHECK (locale ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'),
    -- The letterhead of certificates; the logo is a reference, such as an address, for
    -- programs, and the picture that is printed (163).
    address text CHECK (length(address) <= 4000),
    logo text CHECK (length(logo) <= 1000),
    logo_sha256 bytea CHECK (length(logo_sha256) = 32),
    accreditation text CHECK (length(accreditation) <= 2000),
    -- The layout of certificates, by its members (164); of those that are missing the usual.
    certificate_layout jsonb NOT NULL DEFAULT '{}'
        CHECK (jsonb_typeof(certificate_layout) = 'object'),
    tracking_prefix text NOT NULL DEFAULT 'LAB'
        CHECK (tracking_prefix ~ '^[A-Z0-9]{1,8}$'),
    plan text NOT NULL DEFAULT 'professional'
        CHECK (plan IN ('none', 'starter', 'professional', 'enterprise')),
    api_access boolean NOT NULL DEFAULT true,
    -- Samples that may be registered in a calendar month (UTC); NULL: any.
    monthly_sample_allowance integer
        CHECK (monthly_sample_allowance BETWEEN 0 AND 1000000000),
    -- Policies: how strict this laboratory is.
    reagent_expiry_policy text NOT NULL DEFAULT 'block'
        CHECK (reagent_expiry_policy IN ('block', 'warn')),
    coa_before_approval boolean NOT NULL DEFAULT false,
    esignature_required boolean NOT NULL DEFAULT false,
    ai_data_access boolean NOT NULL DEFAULT false,
    oos_opens_investigation boolean NOT NULL DEFAULT true,
    holding_warning_hours numeric NOT NULL DEFAULT 24
        CHECK (holding_warning_hours BETWEEN 0 AND 8760),
    -- Policies of people: by default as permissive as an API key finds the service.
    self_verification text NOT NULL DEFAULT 'allowed'
        CHECK (self_verification IN ('allowed', 'refused')),
    approver_may_be_verifier boolean NOT NULL DEFAULT true,
    reason_on_change boolean NOT NULL DEFAULT false,
    open_investigation_blocks boolean NOT NULL DEFAULT false,
    keys_within_roles boolean NOT NULL DEFAULT false,
    qc_required text NOT NULL DEFAULT 'off'
        CHECK (qc_required IN ('off', 'warn', 'block')),
    lot_qc_policy text NOT NULL DEFAULT 'off'
        CHECK (lot_qc_policy IN ('off', 'warn', 'block')),
    session_minutes integer NOT NULL DEFAULT 15
        CHECK (session_minutes BETWEEN 5 AND 60),
    -- Days until an investigation is due.
    investigation_days integer NOT NULL DEFAULT 30
        CHECK (investigation_days BETWEEN 1 AND 365),
    -- Bytes of all attachments together.
    attachment_bytes bigint NOT NULL DEFAULT 1073741824
        CHECK (attachment_bytes BETWEEN 0 AND 1099511627776),
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK (plan <> 'none' OR NOT api_access)
);

CREATE FUNCTION lims.organization_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_catalog.pg_timezone_names z
         WHERE z.name = NEW.time_zone
    ) THEN
        PERFORM lims.refuse('invalid_body', format(
            'timeZone: "%s" is not a time zone name such as "America/Denver"',
            NEW.time_zone));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_insert BEFORE INSERT ON lims.organization
FOR EACH ROW EXECUTE FUNCTION lims.organization_guard();

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.organization
FOR EACH ROW WHEN (NEW.time_zone IS DISTINCT FROM OLD.time_zone)
EXECUTE FUNCTION lims.organization_guard();

SELECT lims.attach_record('organization');

-- People -------------------------------------------------------------------

-- Triggers of lims.user_account, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 permit        refuses users without user.manage (105)
--
-- BEFORE UPDATE
--   1 identity      refuses to change id, organization or created_at
--   2 permit        as at INSERT, but for the own password (105)
--   3 touch         sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 end_link      revokes the user's one-time link where password, address, identity
--                   or activity changes (106)
--   2 end_sessions  ends the user's sessions likewise (108)
--   3 forget_signing  takes the signature password away where the user signs in by
--                   something else (106)
--   4 keep_manager  refuses to leave no user who manages users (105)
--   5 audit_update  writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.user_account_id_seq;

CREATE TABLE lims.user_account (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.user_account_id_seq'),
    email text NOT NULL
        CHECK (length(email) <= 254 AND email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
    display_name text NOT NULL CHECK (length(display_name) BETWEEN 1 AND 255),
    -- NULL: the user can neither sign in nor sign.
    password_hash text CHECK (length(password_hash) <= 1000),
    -- {"type", "subject"} at a provider of identities, by which the person signs in
    -- instead of by a password; NULL: none.
    identity jsonb CHECK (length(identity ->> 'type') BETWEEN 1 AND 64
        AND length(identity ->> 'subject') BETWEEN 1 AND 255),
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    -- A person signs in by one of them, never by both.
    CHECK (password_hash IS NULL OR identity IS NULL)
);

CREATE UNIQUE INDEX user_account_email
    ON lims.user_account (organization_id, lower(email));

-- Serves signing in, when no organization is known yet.
CREATE INDEX user_account_sign_in ON lims.user_account (lower(email));

CREATE UNIQUE INDEX user_account_identity
    ON lims.user_account (organization_id, (identity ->> 'type'), (identity ->> 'subject'));

-- The form in which names at a provider of identities are counted: a directory takes "KIM"
-- and "kim " for kim (RFC 4518), and so must whoever counts guesses.
CREATE FUNCTION lims.counted_name(p_name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN lower(normalize(btrim(regexp_replace(p_name, '\s+', ' ', 'g')), NFKC));

CREATE INDEX user_account_counted_name
    ON lims.user_account (organization_id, (identity ->> 'type'),
                          lims.counted_name(identity ->> 'subject'));

SELECT lims.attach_record('user_account', '{}', '{password_hash}');

-- Triggers of lims.user_role, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 own           refuses a change of one's own roles while another user can make it
--                   (105)
--   2 permit        refuses users without user.manage (105)
--   3 reason        asks for a reason, except for the roles of a new user (106)
--
-- BEFORE UPDATE
--   1 identity      refuses to change id, organization or created_at
--
-- BEFORE DELETE
--   1 permit_delete as at INSERT, once for the statement: its first row may be the role
--                   that gives the user this permission
--   2 own           as at INSERT
--   3 reason        as at INSERT (106)
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 keep_manager  refuses to leave no user who manages users (105)
--   2 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.user_role_id_seq;

CREATE TABLE lims.user_role (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.user_role_id_seq'),
    user_id bigint NOT NULL,
    role text NOT NULL CHECK (role IN (
        'system_administrator', 'administrator', 'lab_manager', 'qa_officer',
        'analyst', 'microbiologist', 'receiving_clerk', 'client_services', 'auditor',
        'client_viewer')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, user_id, role),
    FOREIGN KEY (organization_id, user_id)
        REFERENCES lims.user_account (organization_id, id)
);

SELECT lims.attach_audit('user_role');

-- API keys -----------------------------------------------------------------

-- Triggers of lims.api_key, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard_insert  sets the user for whom it acts: its creator, unless another active
--                   one is named
--   2 permit        refuses users without key.manage (105)
--
-- BEFORE UPDATE
--   1 guard         refuses to change hash, creator or user, and to undo a revocation
--   2 identity      refuses to change id, organization or created_at
--   3 permit        as at INSERT, except for the time of the last use
--   4 touch         sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.api_key_id_seq;

CREATE TABLE lims.api_key (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.api_key_id_seq'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    -- SHA-256 of the key; the key itself is shown once and stored nowhere.
    key_hash bytea NOT NULL CHECK (length(key_hash) = 32),
    key_prefix text NOT NULL CHECK (length(key_prefix) <= 64),
    scopes text[] NOT NULL DEFAULT '{}' CHECK (scopes <@ ARRAY[
        'samples:read', 'samples:write', 'results:read', 'results:write',
        'results:verify', 'reports:write', 'approvals:read', 'approvals:write',
        'reference:read', 'reference:write', 'instruments:write',
        'events:read', 'certificates:read']),
    upload_only boolean NOT NULL DEFAULT false,
    -- Bytes of instruments' files; NULL: what the service's configuration gives to
    -- every key.
    file_storage_max bigint CHECK (file_storage_max >= 0),
    created_by bigint NOT NULL,
    -- The person to whom the key's acts are put down; by default who made it.
    acts_for bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at timestamptz,
    revoked_by bigint,
    expires_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, acts_for)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, revoked_by)
        REFERENCES lims.user_account (organization_id, id)
);

-- Index for the only look-up without an organization: a key by its hash.
CREATE INDEX api_key_hash ON lims.api_key (key_hash);

CREATE FUNCTION lims.api_key_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
        PERFORM lims.refuse('invalid_transition',
                            'a revoked API key cannot be restored: create another');
    END IF;
    IF NEW.key_hash <> OLD.key_hash THEN
        PERFORM lims.refuse('invalid_transition',
                            'the secret of an API key cannot be changed: create another '
                            'key');
    END IF;
    IF NEW.created_by <> OLD.created_by OR NEW.acts_for <> OLD.acts_for THEN
        PERFORM lims.refuse('invalid_transition',
                            'the person for whom an API key acts cannot be changed: '
                            'create another key');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE UPDATE ON lims.api_key
FOR EACH ROW EXECUTE FUNCTION lims.api_key_guard();

CREATE FUNCTION lims.is_active_user(p_organization bigint, p_user bigint) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.user_account u
         WHERE u.organization_id = p_organization
           AND u.id = p_user
           AND u.active);
END
$$;

CREATE FUNCTION lims.api_key_actor() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    NEW.acts_for := coalesce(NEW.acts_for, NEW.created_by);
    IF NEW.acts_for <> NEW.created_by
       AND NOT lims.is_active_user(NEW.organization_id, NEW.acts_for) THEN
        PERFORM lims.refuse('invalid_reference', format(
            'actsFor: the organization has no active user %s', NEW.acts_for));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_insert BEFORE INSERT ON lims.api_key
FOR EACH ROW EXECUTE FUNCTION lims.api_key_actor();

-- A key that only records its last use is left out: that is not a change of the record.
CREATE TRIGGER touch BEFORE UPDATE ON lims.api_key
FOR EACH ROW WHEN (NEW.last_used_at IS NOT DISTINCT FROM OLD.last_used_at
    OR NEW.updated_at <> OLD.updated_at)
EXECUTE FUNCTION lims.touch();

SELECT lims.attach_audit('api_key', '{last_used_at}', '{key_hash}');

-- The acting key or person -------------------------------------------------

CREATE FUNCTION lims.set_context(
    p_organization bigint,
    p_user bigint,
    p_api_key bigint,
    p_request_id text,
    p_reason text,
    p_signature bigint,
    p_surface text DEFAULT NULL,
    p_session bigint DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_set text;
BEGIN
    -- Assignments, for PERFORM runs a query.
    v_set := set_config('lims.organization_id', coalesce(p_organization::text, ''), true);
    v_set := set_config('lims.user_id', coalesce(p_user::text, ''), true);
    v_set := set_config('lims.api_key_id', coalesce(p_api_key::text, ''), true);
    v_set := set_config('lims.request_id', coalesce(p_request_id, ''), true);
    v_set := set_config('lims.reason', coalesce(p_reason, ''), true);
    v_set := set_config('lims.signature_id', coalesce(p_signature::text, ''), true);
    v_set := set_config('lims.surface', coalesce(p_surface, ''), true);
    v_set := set_config('lims.session_id', coalesce(p_session::text, ''), true);
END
$$;

-- Authenticates an API key by its hash, and sets the context until the transaction ends:
-- with a request id, user, key and request for what is written; without one, only the
-- organization, which is all that a read needs. Raises SQLSTATE LM401 if no such key may
-- act now; the message says why, for the log. Every request asks this: so what is seldom
-- asked is in functions, and the user is looked up without a join, which would have to hand
-- on the columns of both.
CREATE FUNCTION lims.authenticate(
    p_key_hash bytea,
    p_request_id text,
    p_reason text DEFAULT NULL,
    OUT key_id bigint,
    OUT organization_id bigint,
    OUT user_id bigint,
    OUT scopes text[],
    OUT upload_only boolean,
    OUT last_used_at timestamptz,
    -- Permissions of the key under keysWithinRoles; NULL: its scopes alone decide.
    OUT permissions text[]
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_refusal text;
    v_set text;
BEGIN
    SELECT k.id, k.organization_id, k.acts_for, k.scopes, k.upload_only,
           k.last_used_at,
           CASE WHEN o.keys_within_roles
                THEN lims.permissions_of(k.organization_id, k.acts_for) END,
           CASE WHEN k.revoked_at IS NOT NULL THEN 'the API key is revoked'
                WHEN k.expires_at <= now() THEN 'the API key has expired'
                WHEN (SELECT u.active
                        FROM lims.user_account u
                       WHERE u.organization_id = k.organization_id
                         AND u.id = k.acts_for) IS NOT TRUE
                     OR k.created_by <> k.acts_for
                        AND NOT lims.is_active_user(k.organization_id, k.created_by)
                THEN 'the API key''s user is not active'
                WHEN NOT o.active THEN 'the organization is not active'
                WHEN NOT o.api_access THEN 'the plan has no API access'
           END
      INTO key_id, organization_id, user_id, scopes, upload_only,
           last_used_at, permissions, v_refusal
      FROM lims.api_key k
      JOIN lims.organization o
        ON o.id = k.organization_id
     WHERE k.key_hash = p_key_hash;
    IF NOT FOUND THEN
        v_refusal := 'the API key is unknown';
    END IF;
    IF v_refusal IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'LM401', MESSAGE = v_refusal;
    END IF;
    IF p_request_id IS NULL THEN
        v_set := set_config('lims.organization_id', organization_id::text, true);
    ELSE
        PERFORM lims.set_context(organization_id, user_id, key_id, p_request_id,
                                 p_reason, NULL, 'api');
    END IF;
END
$$;

-- Sets the context of the command line: a user of the organization, or none while the
-- organization has no users.
CREATE FUNCTION lims.act_as(
    p_organization bigint,
    p_user bigint,
    p_request_id text,
    p_reason text,
    p_signature bigint
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.set_context(p_organization, p_user, NULL, p_request_id,
                             p_reason, p_signature, 'command line');
    IF p_user IS NOT NULL AND NOT lims.is_active_user(p_organization, p_user) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'LM401',
            MESSAGE = 'no such active user of the organization';
    END IF;
END
$$;

-- All organizations, for the command line and the background jobs, before they act for
-- one of them.
CREATE FUNCTION lims.organizations()
RETURNS TABLE (id bigint, code text, name text, active boolean)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT o.id, o.code, o.name, o.active
      FROM lims.organization o
     ORDER BY o.id
$$;
