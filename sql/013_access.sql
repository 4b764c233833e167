-- SPDX-License-Identifier: Apache-2.0
--
-- Who may what. Two walls keep organizations apart: every statement names the
-- organization itself, and row-level security holds where one forgets to.
--
-- The run-time role may set the context it is bound by: the service decides
-- who is asking (lims.authenticate) and is trusted to. What it may not do,
-- whatever the context, is DDL, writing the audit trail or a result's history,
-- or changing what is locked.

-- Who is asking ------------------------------------------------------------

CREATE FUNCTION lims.set_context(
    p_organization bigint,
    p_user bigint,
    p_api_key bigint,
    p_request_id text,
    p_reason text,
    p_signature bigint
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM set_config('lims.organization_id', coalesce(p_organization::text, ''),
                       true),
            set_config('lims.user_id', coalesce(p_user::text, ''), true),
            set_config('lims.api_key_id', coalesce(p_api_key::text, ''), true),
            set_config('lims.request_id', coalesce(p_request_id, ''), true),
            set_config('lims.reason', coalesce(p_reason, ''), true),
            set_config('lims.signature_id', coalesce(p_signature::text, ''),
                       true);
END
$$;

-- The API key behind a hash, and the context of its requests until the
-- transaction ends. SQLSTATE LM401: no such key may act now; the message says
-- why, for the log. The hash comes back so that the caller can compare it in
-- constant time.
CREATE FUNCTION lims.authenticate(p_key_hash bytea, p_request_id text)
RETURNS TABLE (
    key_id bigint,
    organization_id bigint,
    user_id bigint,
    key_hash bytea,
    scopes text[],
    upload_only boolean,
    last_used_at timestamptz,
    organization_code text,
    time_zone text,
    plan text,
    esignature_required boolean,
    ai_data_access boolean
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v record;
    v_refusal text;
BEGIN
    SELECT k.id, k.organization_id, k.created_by, k.key_hash, k.scopes,
           k.upload_only, k.last_used_at, k.revoked_at, k.expires_at,
           u.active AS user_active, o.active AS organization_active,
           o.api_access, o.code, o.time_zone, o.plan, o.esignature_required,
           o.ai_data_access
      INTO v
      FROM lims.api_key k
      JOIN lims.user_account u
        ON u.organization_id = k.organization_id
       AND u.id = k.created_by
      JOIN lims.organization o
        ON o.id = k.organization_id
     WHERE k.key_hash = p_key_hash;
    v_refusal := CASE
        WHEN NOT FOUND THEN 'the API key is unknown'
        WHEN v.revoked_at IS NOT NULL THEN 'the API key is revoked'
        WHEN v.expires_at <= now() THEN 'the API key has expired'
        WHEN NOT v.user_active THEN 'the API key''s user is not active'
        WHEN NOT v.organization_active THEN 'the organization is not active'
        WHEN NOT v.api_access THEN 'the plan has no API access'
    END;
    IF v_refusal IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'LM401', MESSAGE = v_refusal;
    END IF;

    PERFORM lims.set_context(v.organization_id, v.created_by, v.id,
                             p_request_id, NULL, NULL);
    RETURN QUERY SELECT v.id, v.organization_id, v.created_by, v.key_hash,
        v.scopes, v.upload_only, v.last_used_at, v.code, v.time_zone, v.plan,
        v.esignature_required, v.ai_data_access;
END
$$;

-- Notes that a key was used. The caller decides how often that is worth it.
CREATE FUNCTION lims.touch_key(p_key_id bigint) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE lims.api_key k
       SET last_used_at = now()
     WHERE k.organization_id = lims.context_id('organization_id')
       AND k.id = p_key_id;
END
$$;

-- The context of the command line: a user of the organization, or none while
-- there is none yet.
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
                             p_reason, p_signature);
    IF p_user IS NOT NULL AND NOT EXISTS (
        SELECT FROM lims.user_account u
         WHERE u.organization_id = p_organization
           AND u.id = p_user
           AND u.active
    ) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'LM401',
            MESSAGE = 'no such active user of the organization';
    END IF;
END
$$;

-- The organizations there are: what the command line and the background jobs
-- begin from, before they act for one of them.
CREATE FUNCTION lims.organizations()
RETURNS TABLE (id bigint, code text, name text, active boolean)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT o.id, o.code, o.name, o.active
      FROM lims.organization o
     ORDER BY o.id
$$;

-- Row-level security -------------------------------------------------------

-- For every table that carries an organization, and the organizations. A NULL
-- context sees and writes nothing. The comparison is wrapped in a SELECT so
-- that it is worked out once a statement.
CREATE FUNCTION lims.enable_row_security() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT c.relname,
               CASE c.relname WHEN 'organization' THEN 'id'
                              ELSE 'organization_id' END AS tenant
          FROM pg_catalog.pg_class c
          JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = 'lims'
           AND c.relkind IN ('r', 'p')
           AND c.relname <> 'schema_migration'
           AND NOT c.relrowsecurity
    LOOP
        EXECUTE format('ALTER TABLE lims.%I ENABLE ROW LEVEL SECURITY',
                       v.relname);
        EXECUTE format(
            'CREATE POLICY tenant ON lims.%I USING (%I = (SELECT '
            'nullif(current_setting(''lims.organization_id'', true), '''')'
            '::bigint))', v.relname, v.tenant);
    END LOOP;
END
$$;

SELECT lims.enable_row_security();

-- Grants -------------------------------------------------------------------

REVOKE ALL ON SCHEMA lims FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA lims FROM PUBLIC;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA lims FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA lims FROM PUBLIC;

GRANT USAGE ON SCHEMA lims TO lims_app;
GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA lims TO lims_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA lims TO lims_app;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA lims TO lims_app;

-- Written by triggers alone.
REVOKE INSERT, UPDATE ON lims.audit_entry, lims.result_history FROM lims_app;
-- Written once.
REVOKE UPDATE ON lims.electronic_signature, lims.event,
    lims.confirmation_step, lims.media_qc_test FROM lims_app;

-- What may be taken away: roles, what has had its time, what was done.
GRANT DELETE ON lims.user_role, lims.worksheet_field,
    lims.worksheet_signoff_step, lims.specification, lims.sample_due,
    lims.sample_watch, lims.sample_allowance, lims.idempotency_record,
    lims.event, lims.webhook_delivery, lims.webhook_attempt,
    lims.webhook_recovery TO lims_app;

-- Only migrations make tables, triggers and policies.
DO $$
DECLARE
    v record;
BEGIN
    IF to_regclass('lims.schema_migration') IS NOT NULL THEN
        REVOKE ALL ON lims.schema_migration FROM lims_app;
        GRANT SELECT ON lims.schema_migration TO lims_app;
    END IF;
    FOR v IN
        SELECT p.oid::regprocedure AS function
          FROM pg_catalog.pg_proc p
         WHERE p.pronamespace = 'lims'::regnamespace
           AND p.proname IN ('attach_audit', 'attach_record',
                             'attach_append_only', 'audit_value',
                             'enable_row_security')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM lims_app', v.function);
    END LOOP;
END
$$;
