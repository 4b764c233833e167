-- SPDX-License-Identifier: Apache-2.0
--
-- Permissions of people, by their roles, and the question which person or key is acting.
--
-- An organization has a matrix of its own, rows of lims.role_permission. It rules people,
-- and with the policy keys_within_roles also API keys, by the person they act for.

-- Triggers of lims.role_permission, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 permit        refuses users without policy.manage
--   2 policy_act    asks for a reason, and for a signature by policy (155)
--
-- BEFORE DELETE
--   1 permit_delete as at INSERT, once for the statement
--   2 policy_act    as at INSERT (155)
--
-- BEFORE UPDATE
--   1 append_only   refuses every change: permissions are inserted and deleted
--   2 identity      refuses to change id, organization or created_at
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail
--
-- AFTER DELETE
--   1 keep_manager  refuses to leave no user who manages users
--   2 audit_delete  writes the audit trail
--   3 satisfiable   refuses, at commit, to leave policies that the active users cannot
--                   meet (156)

CREATE SEQUENCE lims.role_permission_id_seq;

CREATE TABLE lims.role_permission (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.role_permission_id_seq'),
    role text NOT NULL CHECK (role IN (
        'system_administrator', 'administrator', 'lab_manager', 'qa_officer',
        'analyst', 'microbiologist', 'receiving_clerk', 'client_services', 'auditor',
        'client_viewer')),
    permission text NOT NULL CHECK (permission IN (
        'data.read', 'audit.read', 'sample.register', 'sample.receive', 'sample.edit',
        'sample.cancel', 'sample.report', 'result.enter', 'result.verify',
        'result.reopen', 'approval.decide', 'certificate.issue', 'certificate.amend',
        'qc.enter', 'qc.override', 'lot.manage', 'lot.release', 'worksheet.fill',
        'worksheet.sign', 'confirmation.record', 'confirmation.decide',
        'investigation.work', 'investigation.close', 'file.import', 'file.review',
        'profile.manage', 'reference.manage', 'policy.manage', 'user.manage',
        'key.manage', 'webhook.manage', 'note.add')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, role, permission)
);

SELECT lims.attach_audit('role_permission');

-- The default matrix of roles and permissions, for a new organization.
CREATE FUNCTION lims.first_permissions()
RETURNS TABLE (role text, permission text)
LANGUAGE sql STABLE
AS $$
    SELECT m.role, p.permission
      FROM (VALUES
        ('system_administrator', 'user.manage key.manage webhook.manage policy.manage '
            'reference.manage profile.manage data.read audit.read note.add'),
        ('administrator', 'user.manage key.manage webhook.manage policy.manage '
            'reference.manage profile.manage data.read audit.read sample.register '
            'sample.receive sample.edit sample.cancel file.review note.add'),
        ('lab_manager', 'data.read audit.read sample.register sample.receive '
            'sample.edit sample.cancel sample.report result.enter result.verify '
            'result.reopen approval.decide certificate.issue certificate.amend qc.enter '
            'qc.override lot.manage lot.release worksheet.fill worksheet.sign '
            'confirmation.record confirmation.decide investigation.work '
            'investigation.close file.import file.review profile.manage '
            'reference.manage note.add'),
        ('qa_officer', 'approval.decide qc.override result.reopen result.verify '
            'certificate.issue certificate.amend investigation.work '
            'investigation.close worksheet.sign file.review lot.release sample.report '
            'audit.read data.read note.add'),
        ('analyst', 'data.read sample.receive result.enter result.verify qc.enter '
            'worksheet.fill worksheet.sign lot.manage confirmation.record file.import '
            'investigation.work note.add'),
        ('microbiologist', 'data.read sample.receive result.enter result.verify '
            'qc.enter worksheet.fill worksheet.sign lot.manage confirmation.record '
            'file.import investigation.work confirmation.decide lot.release '
            'approval.decide note.add'),
        ('receiving_clerk', 'data.read sample.register sample.receive sample.edit '
            'sample.cancel note.add'),
        ('client_services', 'data.read sample.register sample.edit certificate.issue '
            'note.add'),
        ('auditor', 'data.read audit.read')) AS m (role, permissions),
           unnest(string_to_array(m.permissions, ' ')) AS p (permission)
$$;

CREATE FUNCTION lims.seed_permissions() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.role_permission (organization_id, role, permission)
    SELECT NEW.id, f.role, f.permission
      FROM lims.first_permissions() f;
    RETURN NULL;
END
$$;

CREATE TRIGGER seed AFTER INSERT ON lims.organization
FOR EACH ROW EXECUTE FUNCTION lims.seed_permissions();

-- Permissions of a person --------------------------------------------------

-- The permissions of each active user. Whoever has one also has `self`, for their own
-- session.
CREATE FUNCTION lims.permissions_of(p_organization bigint, p_user bigint) RETURNS text[]
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_found text[];
BEGIN
    v_found := ARRAY(
        SELECT DISTINCT p.permission
          FROM lims.user_account u
          JOIN lims.user_role r
            ON r.organization_id = u.organization_id
           AND r.user_id = u.id
          JOIN lims.role_permission p
            ON p.organization_id = r.organization_id
           AND p.role = r.role
         WHERE u.organization_id = p_organization
           AND u.id = p_user
           AND u.active
         ORDER BY p.permission);
    RETURN CASE WHEN v_found = '{}' THEN v_found ELSE v_found || 'self'::text END;
END
$$;

CREATE FUNCTION lims.has_permission(
    p_organization bigint,
    p_user bigint,
    p_permission text
) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.user_account u
          JOIN lims.user_role r
            ON r.organization_id = u.organization_id
           AND r.user_id = u.id
          JOIN lims.role_permission p
            ON p.organization_id = r.organization_id
           AND p.role = r.role
         WHERE u.organization_id = p_organization
           AND u.id = p_user
           AND u.active
           AND (p.permission = p_permission OR p_permission = 'self'));
END
$$;

-- The acting person: the context's user where no API key acts.
CREATE FUNCTION lims.acting_person() RETURNS bigint
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN CASE WHEN lims.context_id('api_key_id') IS NULL
                THEN lims.context_id('user_id') END;
END
$$;

CREATE FUNCTION lims.refuse_permission(p_organization bigint, p_permission text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_roles text;
BEGIN
    SELECT string_agg(p.role, ', ' ORDER BY p.role)
      INTO v_roles
      FROM lims.role_permission p
     WHERE p.organization_id = p_organization
       AND p.permission = p_permission;
    PERFORM lims.refuse('permission_required', format(
        'this needs the permission %s, which %s', p_permission,
        coalesce('these roles have: ' || v_roles, 'no role has')));
END
$$;

-- Requires a permission: refuses all but a user who has it, a valid API key of the
-- context's user, and the owner of the database. Background jobs never have one.
CREATE FUNCTION lims.require_permission(p_organization bigint, p_permission text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_user CONSTANT bigint := lims.context_id('user_id');
    v_key CONSTANT bigint := lims.context_id('api_key_id');
    v_within_roles boolean := true;
BEGIN
    IF lims.is_owner_acting() THEN
        RETURN;
    END IF;
    IF v_key IS NOT NULL THEN
        SELECT o.keys_within_roles
          INTO v_within_roles
          FROM lims.api_key k
          JOIN lims.organization o
            ON o.id = k.organization_id
         WHERE k.organization_id = p_organization
           AND k.id = v_key
           AND k.acts_for = v_user
           AND k.revoked_at IS NULL;
    END IF;
    IF v_within_roles IS NULL
       OR v_within_roles AND NOT coalesce(
              lims.has_permission(p_organization, v_user, p_permission), false)
    THEN
        PERFORM lims.refuse_permission(p_organization, p_permission);
    END IF;
END
$$;

-- Refuses a user without the permission in the trigger's argument.
CREATE FUNCTION lims.permit() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_TABLE_NAME = 'organization' THEN
        PERFORM lims.require_permission(NEW.id, TG_ARGV[0]);
    ELSE
        PERFORM lims.require_permission(NEW.organization_id, TG_ARGV[0]);
    END IF;
    RETURN NEW;
END
$$;

-- Checks the permission once before a DELETE statement, since its first row may be the
-- one that grants it. Only rows of the context's organization can be deleted.
CREATE FUNCTION lims.permit_delete() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.require_permission(lims.context_id('organization_id'), TG_ARGV[0]);
    RETURN NULL;
END
$$;

-- Permissions to change policies, people and keys --------------------------

CREATE TRIGGER permit BEFORE INSERT ON lims.role_permission
FOR EACH ROW EXECUTE FUNCTION lims.permit('policy.manage');

CREATE TRIGGER permit_delete BEFORE DELETE ON lims.role_permission
FOR EACH STATEMENT EXECUTE FUNCTION lims.permit_delete('policy.manage');

CREATE TRIGGER append_only BEFORE UPDATE ON lims.role_permission
FOR EACH ROW EXECUTE FUNCTION lims.append_only();

CREATE TRIGGER permit BEFORE UPDATE ON lims.organization
FOR EACH ROW EXECUTE FUNCTION lims.permit('policy.manage');

-- A person's own password is the person's: it is changed with the old one, or by a link
-- (106, 108). Everything else of an account is for whoever manages users.
CREATE FUNCTION lims.user_account_permit() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'INSERT'
       OR NEW.id IS DISTINCT FROM lims.acting_person()
       OR NEW.password_hash IS NULL
       OR (NEW.email, NEW.display_name, NEW.active)
           IS DISTINCT FROM (OLD.email, OLD.display_name, OLD.active)
       OR (NEW.identity IS NOT NULL AND NEW.identity IS DISTINCT FROM OLD.identity)
    THEN
        PERFORM lims.require_permission(NEW.organization_id, 'user.manage');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER permit BEFORE INSERT OR UPDATE ON lims.user_account
FOR EACH ROW EXECUTE FUNCTION lims.user_account_permit();

CREATE TRIGGER permit BEFORE INSERT ON lims.user_role
FOR EACH ROW EXECUTE FUNCTION lims.permit('user.manage');

CREATE TRIGGER permit_delete BEFORE DELETE ON lims.user_role
FOR EACH STATEMENT EXECUTE FUNCTION lims.permit_delete('user.manage');

-- The time of the last use is left out: the key writes it itself.
CREATE TRIGGER permit BEFORE INSERT
    OR UPDATE OF name, scopes, upload_only, file_storage_max, expires_at, revoked_at
ON lims.api_key
FOR EACH ROW EXECUTE FUNCTION lims.permit('key.manage');

-- The last who manages users -------------------------------------------------

-- Whether a user has something to sign in by: a password, an identity, or an address by which
-- a provider of identities has found the person before.
CREATE FUNCTION lims.can_sign_in(p_user lims.user_account) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (p_user).password_hash IS NOT NULL
        OR (p_user).identity IS NOT NULL
        OR EXISTS (
            SELECT FROM lims.account_state s
             WHERE s.organization_id = (p_user).organization_id
               AND s.user_id = (p_user).id
               AND s.matched_since IS NOT NULL);
END
$$;

-- Whether an active user other than `p_but` can sign in and manage users. A temporarily
-- locked one counts.
CREATE FUNCTION lims.has_manager(p_organization bigint, p_but bigint DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.role_permission p
          JOIN lims.user_role r
            ON r.organization_id = p.organization_id
           AND r.role = p.role
          JOIN lims.user_account u
            ON u.organization_id = r.organization_id
           AND u.id = r.user_id
         WHERE p.organization_id = p_organization
           AND p.permission = 'user.manage'
           AND u.active
           AND lims.can_sign_in(u)
           AND u.id IS DISTINCT FROM p_but);
END
$$;

-- Refuses a change that takes user.manage from its last holder. Locks the organization's
-- row, which serializes such changes.
CREATE FUNCTION lims.keep_manager(p_organization bigint) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.organization o
      WHERE o.id = p_organization
        FOR NO KEY UPDATE;
    IF NOT lims.has_manager(p_organization) THEN
        PERFORM lims.refuse('last_administrator',
            'this would leave nobody who manages users and can sign in');
    END IF;
END
$$;

CREATE FUNCTION lims.role_permission_keep_manager() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF EXISTS (
        SELECT FROM lims.user_role r
          JOIN lims.user_account u
            ON u.organization_id = r.organization_id
           AND u.id = r.user_id
         WHERE r.organization_id = OLD.organization_id
           AND r.role = OLD.role
           AND u.active
           AND lims.can_sign_in(u)
    ) THEN
        PERFORM lims.keep_manager(OLD.organization_id);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER keep_manager AFTER DELETE ON lims.role_permission
FOR EACH ROW WHEN (OLD.permission = 'user.manage')
EXECUTE FUNCTION lims.role_permission_keep_manager();

CREATE FUNCTION lims.user_role_keep_manager() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    -- Whether the person is active is not asked: one statement may end both.
    IF EXISTS (
        SELECT FROM lims.role_permission p
          JOIN lims.user_account u
            ON u.organization_id = p.organization_id
           AND u.id = OLD.user_id
         WHERE p.organization_id = OLD.organization_id
           AND p.role = OLD.role
           AND p.permission = 'user.manage'
           AND lims.can_sign_in(u)
    ) THEN
        PERFORM lims.keep_manager(OLD.organization_id);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER keep_manager AFTER DELETE ON lims.user_role
FOR EACH ROW EXECUTE FUNCTION lims.user_role_keep_manager();

CREATE FUNCTION lims.user_account_keep_manager() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF lims.can_sign_in(OLD) AND EXISTS (
        SELECT FROM lims.role_permission p
          JOIN lims.user_role r
            ON r.organization_id = p.organization_id
           AND r.role = p.role
         WHERE p.organization_id = OLD.organization_id
           AND p.permission = 'user.manage'
           AND r.user_id = OLD.id
    ) THEN
        PERFORM lims.keep_manager(OLD.organization_id);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER keep_manager AFTER UPDATE ON lims.user_account
FOR EACH ROW WHEN (OLD.active
    AND NOT (NEW.active
        AND (NEW.password_hash IS NOT NULL OR NEW.identity IS NOT NULL
             OR OLD.password_hash IS NULL AND OLD.identity IS NULL)))
EXECUTE FUNCTION lims.user_account_keep_manager();

-- Refuses a change of the user's own roles while another user can make it.
CREATE FUNCTION lims.user_role_own() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_organization bigint := coalesce(NEW.organization_id, OLD.organization_id);
    v_user bigint := coalesce(NEW.user_id, OLD.user_id);
BEGIN
    IF v_user = lims.acting_person() AND NOT lims.is_owner_acting() AND EXISTS (
        SELECT FROM lims.user_account u
         WHERE u.organization_id = v_organization
           AND u.id <> v_user
           AND lims.has_permission(u.organization_id, u.id, 'user.manage')
    ) THEN
        PERFORM lims.refuse('own_roles',
            'nobody changes their own roles while somebody else manages users');
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END
$$;

CREATE TRIGGER own BEFORE INSERT OR DELETE ON lims.user_role
FOR EACH ROW EXECUTE FUNCTION lims.user_role_own();
