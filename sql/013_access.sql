-- SPDX-License-Identifier: Apache-2.0
--
-- Who may what. Two walls keep organizations apart: every statement names the
-- organization itself, and row-level security holds where one forgets to.
--
-- The run-time role may set the context it is bound by: the service decides
-- who is asking (lims.authenticate) and is trusted to. What it may not do,
-- whatever the context, is DDL, writing the audit trail, the outbox or a
-- result's history, running a trigger, or changing what is locked.

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
-- transaction ends. Who asks, and for which request, matters only to what is
-- written: without a request id the context is the organization alone, which is
-- what a read needs. SQLSTATE LM401: no such key may act now; the message says
-- why, for the log.
CREATE FUNCTION lims.authenticate(
    p_key_hash bytea,
    p_request_id text,
    OUT key_id bigint,
    OUT organization_id bigint,
    OUT user_id bigint,
    OUT scopes text[],
    OUT upload_only boolean,
    OUT last_used_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_refusal text;
BEGIN
    SELECT k.id, k.organization_id, k.created_by, k.scopes, k.upload_only,
           k.last_used_at,
           CASE WHEN k.revoked_at IS NOT NULL THEN 'the API key is revoked'
                WHEN k.expires_at <= now() THEN 'the API key has expired'
                WHEN NOT u.active THEN 'the API key''s user is not active'
                WHEN NOT o.active THEN 'the organization is not active'
                WHEN NOT o.api_access THEN 'the plan has no API access'
           END
      INTO key_id, organization_id, user_id, scopes, upload_only,
           last_used_at, v_refusal
      FROM lims.api_key k
      JOIN lims.user_account u
        ON u.organization_id = k.organization_id
       AND u.id = k.created_by
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
        PERFORM set_config('lims.organization_id', organization_id::text, true);
    ELSE
        PERFORM lims.set_context(organization_id, user_id, key_id, p_request_id,
                                 NULL, NULL);
    END IF;
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

-- Signing ------------------------------------------------------------------

-- What a signature on a record stands for: the record as it is, and with it
-- what the signer looks at (a worksheet's values, a batch's controls, an
-- approval's sample and results). UTC, so that the text is always the same.
CREATE FUNCTION lims.signed_content(
    p_organization bigint,
    p_table text,
    p_record_id bigint
) RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
DECLARE
    v_record jsonb;
    v_about jsonb;
BEGIN
    -- %I of a table that must exist in lims with this key: nothing else runs.
    EXECUTE format('SELECT to_jsonb(r) FROM lims.%I r '
                   'WHERE r.organization_id = $1 AND r.id = $2', p_table)
       INTO v_record
      USING p_organization, p_record_id;
    CASE p_table
    WHEN 'worksheet' THEN
        SELECT jsonb_agg(to_jsonb(v) ORDER BY v.field_id)
          INTO v_about
          FROM lims.worksheet_value v
         WHERE v.organization_id = p_organization
           AND v.worksheet_id = p_record_id;
    WHEN 'qc_batch' THEN
        SELECT jsonb_agg(to_jsonb(c) ORDER BY c.id)
          INTO v_about
          FROM lims.qc_control c
         WHERE c.organization_id = p_organization
           AND c.qc_batch_id = p_record_id;
    WHEN 'approval' THEN
        SELECT jsonb_agg(to_jsonb(s) || jsonb_build_object('results', (
                   SELECT jsonb_agg(to_jsonb(t) ORDER BY t.id)
                     FROM lims.sample_test t
                    WHERE t.organization_id = s.organization_id
                      AND t.sample_id = s.id)))
          INTO v_about
          FROM lims.approval a
          JOIN lims.sample s
            ON s.organization_id = a.organization_id
           AND s.id = a.sample_id
         WHERE a.organization_id = p_organization
           AND a.id = p_record_id;
    ELSE
        NULL;
    END CASE;
    RETURN jsonb_build_object('record', v_record, 'about', v_about);
END
$$;

CREATE FUNCTION lims.signed_hash(
    p_organization bigint,
    p_table text,
    p_record_id bigint
) RETURNS bytea
LANGUAGE sql STABLE
AS $$
    SELECT sha256(convert_to(lims.signed_content(
               p_organization, p_table, p_record_id)::text, 'UTF8'))
$$;

-- A signature stands for this moment, for who is acting and for the record as
-- it is; none of that is the writer's to choose.
CREATE FUNCTION lims.electronic_signature_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_user record;
BEGIN
    SELECT u.display_name, u.password_hash IS NOT NULL AS can_sign
      INTO v_user
      FROM lims.user_account u
     WHERE u.organization_id = NEW.organization_id
       AND u.id = NEW.signer
       AND u.id = lims.context_id('user_id')
       AND u.active;
    IF NOT FOUND THEN
        PERFORM lims.refuse('invalid_reference',
            'the signer is not the active user of the organization who acts');
    END IF;
    IF NOT v_user.can_sign THEN
        PERFORM lims.refuse('esignature_required', format(
            '%s has no password to sign with', v_user.display_name));
    END IF;
    IF lims.signed_content(NEW.organization_id, NEW.table_name, NEW.record_id)
       -> 'record' = 'null' THEN
        PERFORM lims.refuse('invalid_reference', format(
            'no %s %s to sign', NEW.table_name, NEW.record_id));
    END IF;
    NEW.printed_name := v_user.display_name;
    NEW.content_hash := lims.signed_hash(NEW.organization_id, NEW.table_name,
                                         NEW.record_id);
    NEW.signed_at := now();
    NEW.transaction_id := pg_current_xact_id();
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT ON lims.electronic_signature
FOR EACH ROW EXECUTE FUNCTION lims.electronic_signature_guard();

-- Signs a record as it stands and returns the signature's id. Whoever calls it
-- has checked the signer's password.
CREATE FUNCTION lims.sign(
    p_user bigint,
    p_meaning text,
    p_table text,
    p_record_id bigint,
    p_reason text DEFAULT NULL,
    p_method text DEFAULT 'password'
) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_id bigint;
BEGIN
    INSERT INTO lims.electronic_signature (organization_id, signer, meaning,
        reason, table_name, record_id, method)
    VALUES (lims.context_id('organization_id'), p_user, p_meaning, p_reason,
        p_table, p_record_id, p_method)
    RETURNING id INTO v_id;
    RETURN v_id;
END
$$;

-- Whether a signature covers this act: this meaning, this record as it still
-- is, by who acts, made in this transaction.
CREATE FUNCTION lims.is_signed(
    p_organization bigint,
    p_signature bigint,
    p_meaning text,
    p_table text,
    p_record_id bigint
) RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN p_signature IS NOT NULL AND EXISTS (
        SELECT FROM lims.electronic_signature s
         WHERE s.organization_id = p_organization
           AND s.id = p_signature
           AND s.meaning = p_meaning
           AND s.table_name = p_table
           AND s.record_id = p_record_id
           AND s.signer = lims.context_id('user_id')
           AND s.transaction_id = pg_current_xact_id_if_assigned()
           AND s.content_hash = lims.signed_hash(p_organization, p_table,
                                                 p_record_id));
END
$$;

-- Row-level security -------------------------------------------------------

-- For every table that carries an organization, and the organizations. A NULL
-- context sees and writes nothing. The comparison stands bare, not wrapped in a
-- SELECT: where a statement names the organization, the planner compares that
-- with the context once, for all tables of the statement, before any is read;
-- and where it does not, an index still finds the rows. In a SELECT each table
-- would have a small plan of its own, made ready on every execution.
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
            'CREATE POLICY tenant ON lims.%I USING (%I = '
            'nullif(current_setting(''lims.organization_id'', true), '''')'
            '::bigint)', v.relname, v.tenant);
    END LOOP;
END
$$;

SELECT lims.enable_row_security();

-- Functions ----------------------------------------------------------------

-- What a trigger rests on it reads with its owner's rights, of the organization
-- that the row names. Reading with the rights of whoever acts, it would see
-- through row-level security, and a statement that clears the context half-way
-- would find every gate open. For the same reason nobody else may run one: a
-- trigger of one's own on a table of one's own would write the audit trail and
-- the outbox, with rows and operators of one's own making.
--
-- A migration that makes functions calls this again, and grants what the
-- service calls.
CREATE FUNCTION lims.secure_functions() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT p.oid::regprocedure AS function
          FROM pg_catalog.pg_proc p
         WHERE p.pronamespace = 'lims'::regnamespace
           AND p.prorettype = 'trigger'::regtype
    LOOP
        EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER '
                       'SET search_path = lims, pg_temp', v.function);
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC, lims_app',
                       v.function);
    END LOOP;
END
$$;

-- Grants -------------------------------------------------------------------

REVOKE ALL ON SCHEMA lims FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA lims FROM PUBLIC;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA lims FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA lims FROM PUBLIC;

GRANT USAGE ON SCHEMA lims TO lims_app;
GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA lims TO lims_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA lims TO lims_app;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA lims TO lims_app;
SELECT lims.secure_functions();

-- Written by triggers and by the lifecycle scan alone.
REVOKE INSERT, UPDATE ON lims.audit_entry, lims.result_history, lims.event,
    lims.sample_allowance, lims.sample_identifier_counter, lims.sample_due,
    lims.organization_due, lims.sample_watch, lims.webhook_queue,
    lims.webhook_lane, lims.webhook_attempt FROM lims_app;
-- Made with its event; what may be decided of it is whether it is sent again.
REVOKE INSERT, UPDATE ON lims.webhook_delivery FROM lims_app;
GRANT UPDATE (state, retries, next_attempt_at, finished_at)
    ON lims.webhook_delivery TO lims_app;
-- Asked for, and then worked off.
REVOKE UPDATE ON lims.webhook_recovery FROM lims_app;
-- Asked for by triggers, and then decided.
REVOKE INSERT ON lims.approval FROM lims_app;
-- Written once.
REVOKE UPDATE ON lims.electronic_signature, lims.confirmation_step,
    lims.media_qc_test FROM lims_app;

-- What may be taken away. What has had its time goes otherwise: retention.
GRANT DELETE ON lims.user_role, lims.worksheet_field,
    lims.worksheet_signoff_step, lims.specification TO lims_app;

-- Only migrations make tables, triggers and policies, and only triggers ask for
-- approvals and hold what a gate rests on. A partition is reached through its
-- table, where the triggers are, and not by itself.
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
           AND p.proname ~ ('^(attach_|audit_|enable_row_|secure_|hold_|'
                            'request_approvals|composite_identifier|rebase_)')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM lims_app', v.function);
    END LOOP;
    FOR v IN
        SELECT c.oid::regclass AS partition
          FROM pg_catalog.pg_class c
         WHERE c.relnamespace = 'lims'::regnamespace
           AND c.relispartition
           AND c.relkind IN ('r', 'p')
    LOOP
        EXECUTE format('REVOKE ALL ON %s FROM lims_app', v.partition);
    END LOOP;
    -- A table of its own would be the run-time role's first step to more. Only
    -- the database's owner can take this from everybody: roles.sql does.
    IF EXISTS (
        SELECT FROM pg_catalog.pg_database d
         WHERE d.datname = current_database()
           AND pg_has_role(d.datdba, 'MEMBER')
    ) THEN
        EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC',
                       current_database());
    END IF;
END
$$;
