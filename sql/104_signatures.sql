-- SPDX-License-Identifier: Apache-2.0
--
-- Electronic signatures (21 CFR 11.50, 11.70): what they cover and how they are made.

-- Triggers of lims.electronic_signature, in the order in which they run:
--
-- BEFORE INSERT
--   1 guard                 sets signer, time and content hash, whatever was written
--   2 guard_version         records the version of the list that was hashed (1)
--
-- BEFORE UPDATE
--   1 append_only_change    refuses
--   2 identity              refuses another id, organization or created_at
--
-- BEFORE DELETE
--   1 append_only_change    refuses
--
-- BEFORE TRUNCATE
--   1 append_only_truncate  refuses
--
-- AFTER INSERT
--   1 audit_insert          writes the audit trail; a refusal that comes later undoes
--                           it
--
-- AFTER UPDATE
--   1 audit_update          writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete          writes the audit trail, as at INSERT

CREATE SEQUENCE lims.electronic_signature_id_seq;

CREATE TABLE lims.electronic_signature (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.electronic_signature_id_seq'),
    signer bigint NOT NULL,
    -- The signer's name at the time of signing.
    printed_name text NOT NULL CHECK (length(printed_name) BETWEEN 1 AND 255),
    meaning text NOT NULL CHECK (meaning IN (
        'verified', 'approved', 'rejected', 'performed', 'reviewed',
        'override', 'reopened', 'amended', 'witnessed', 'chosen')),
    reason text CHECK (length(reason) <= 2000),
    table_name text NOT NULL CHECK (length(table_name) <= 64),
    record_id bigint NOT NULL,
    -- SHA-256 of the signed content as JSON, which links signature and record (11.70).
    content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
    -- The version of the list of members that was hashed (lims.content_version).
    content_version integer NOT NULL DEFAULT 1,
    method text NOT NULL DEFAULT 'password' CHECK (method IN ('password')),
    signed_at timestamptz NOT NULL DEFAULT now(),
    -- A signature can be used only in the transaction that made it.
    transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, signer)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX electronic_signature_record ON lims.electronic_signature
    (organization_id, table_name, record_id, id);

SELECT lims.attach_append_only('electronic_signature');

-- What is signed -----------------------------------------------------------

-- The content that a signature covers: for a result and an approval the members of
-- lims.release_content(), else the record with what the signer looks at. Without what the
-- signed act itself changes, so that the signature can be compared with the record later.
CREATE FUNCTION lims.signed_content(
    p_organization bigint,
    p_table text,
    p_record_id bigint
) RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
DECLARE
    -- Where it stands, since when, by whom, and under which signature.
    v_stamps CONSTANT text[] := ARRAY['status', 'qc_status', 'created_at',
        'updated_at', 'evaluated_at', 'evaluated_by', 'override_reason',
        'override_by', 'override_at', 'override_signature_id'];
    v_record jsonb;
    v_about jsonb;
BEGIN
    CASE p_table
    WHEN 'sample_test' THEN
        SELECT jsonb_build_object('sampleId', t.sample_id)
                   || (lims.release_content(t.organization_id, t.sample_id, t.id)
                       #> '{results,0}')
          INTO v_record
          FROM lims.sample_test t
         WHERE t.organization_id = p_organization
           AND t.id = p_record_id;
    WHEN 'approval' THEN
        SELECT jsonb_build_object('id', a.id, 'sampleId', a.sample_id,
                                  'round', a.round, 'step', a.step,
                                  'name', a.name),
               lims.release_content(a.organization_id, a.sample_id)
          INTO v_record, v_about
          FROM lims.approval a
         WHERE a.organization_id = p_organization
           AND a.id = p_record_id;
    ELSE
        -- %I of a table that must exist in lims with this key: nothing else runs.
        EXECUTE format('SELECT to_jsonb(r) - $3 FROM lims.%I r '
                       'WHERE r.organization_id = $1 AND r.id = $2', p_table)
           INTO v_record
          USING p_organization, p_record_id, v_stamps;
    END CASE;
    CASE p_table
    WHEN 'worksheet' THEN
        SELECT jsonb_agg(to_jsonb(v) - v_stamps ORDER BY v.field_id)
          INTO v_about
          FROM lims.worksheet_value v
         WHERE v.organization_id = p_organization
           AND v.worksheet_id = p_record_id;
    WHEN 'qc_batch' THEN
        SELECT jsonb_build_object('controls', (
                   SELECT jsonb_agg(to_jsonb(c) - v_stamps ORDER BY c.id)
                     FROM lims.qc_control c
                    WHERE c.organization_id = p_organization
                      AND c.qc_batch_id = p_record_id), 'results', (
                   SELECT jsonb_agg(jsonb_build_object('sampleTestId', t.id,
                              'result', t.result, 'qualifier', t.qualifier)
                              ORDER BY t.id)
                     FROM lims.qc_coverage c
                     JOIN lims.sample_test t
                       ON t.organization_id = c.organization_id
                      AND t.id = c.sample_test_id
                    WHERE c.organization_id = p_organization
                      AND c.qc_batch_id = p_record_id))
          INTO v_about;
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

-- Signing ------------------------------------------------------------------

-- Sets signer, time and content hash of a signature, whatever was written.
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

CREATE FUNCTION lims.electronic_signature_version() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    NEW.content_version := lims.content_version();
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_version BEFORE INSERT ON lims.electronic_signature
FOR EACH ROW EXECUTE FUNCTION lims.electronic_signature_version();

SELECT lims.attach_audit('electronic_signature', '{transaction_id}');

-- Signs a record as it is now and returns the signature's id. The caller has checked the
-- signer's password.
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

-- Whether a signature is valid for an act: it has this meaning, covers the record as it
-- is, and was made in this transaction by the acting user.
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

-- Whether the record still has the content that was signed; NULL if that cannot be told,
-- because another version of the list was hashed.
CREATE FUNCTION lims.signature_fits(p_organization bigint, p_signature bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT s.content_hash = lims.signed_hash(s.organization_id, s.table_name,
                                                 s.record_id)
          FROM lims.electronic_signature s
         WHERE s.organization_id = p_organization
           AND s.id = p_signature
           AND s.content_version = lims.content_version());
END
$$;
