-- SPDX-License-Identifier: Apache-2.0
--
-- Electronic signatures (21 CFR 11.50, 11.70) and how they are made. What they cover is in
-- 234_signed_content.sql.

-- Triggers of lims.electronic_signature, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 accountable           refuses people who have not accepted what a signature means
--                           (106)
--   2 guard                 sets signer, time and signed content, whatever was written
--   3 locked                refuses users locked after failed signatures (106)
--
-- BEFORE UPDATE
--   1 append_only_change    refuses every change
--   2 identity              refuses to change id, organization or created_at
--
-- BEFORE DELETE
--   1 append_only_change    refuses every deletion
--
-- BEFORE TRUNCATE
--   1 append_only_truncate  refuses to empty the table
--
-- AFTER INSERT
--   1 audit_insert          writes the audit trail; a later refusal rolls
--                           it back
--   2 policies_changed      at the end of the transaction: refuses one for a change of
--                           policies with which nothing is changed (155)
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
        'override', 'reopened', 'amended', 'witnessed', 'chosen', 'closed')),
    reason text CHECK (length(reason) <= 2000),
    table_name text NOT NULL CHECK (length(table_name) <= 64),
    record_id bigint NOT NULL,
    -- The signed content, and its SHA-256 as text, which links signature and record
    -- (11.70).
    content jsonb NOT NULL DEFAULT '{}',
    content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
    -- The version of the list of members that was signed (lims.signed_version).
    content_version integer NOT NULL DEFAULT 1,
    -- Texts that the signed act writes, such as a comment or a conclusion: not part of
    -- the signed content.
    act jsonb,
    -- Way in which the signer was identified: by password, or by the provider of
    -- identities.
    method text NOT NULL DEFAULT 'password' CHECK (method IN ('password', 'provider')),
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

-- Signing ------------------------------------------------------------------

-- Refuses a signature of what is decided already: the act would change nothing, and would
-- be signed twice. (Other acts refuse by themselves what was done before.)
CREATE FUNCTION lims.sign_once(
    p_organization bigint,
    p_meaning text,
    p_table text,
    p_record_id bigint
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_decided boolean := CASE p_table || ' ' || p_meaning
        WHEN 'sample_test chosen' THEN EXISTS (
            SELECT FROM lims.sample_test t
             WHERE t.organization_id = p_organization
               AND t.id = p_record_id
               AND t.reported)
        WHEN 'sample_test reviewed' THEN EXISTS (
            SELECT FROM lims.sample_test t
             WHERE t.organization_id = p_organization
               AND t.id = p_record_id
               AND t.status = 'entered'
               AND t.confirmation_status IN ('confirmed', 'refuted'))
        WHEN 'investigation closed' THEN EXISTS (
            SELECT FROM lims.investigation i
             WHERE i.organization_id = p_organization
               AND i.id = p_record_id
               AND i.status IN ('closed', 'cancelled'))
        ELSE false
    END;
BEGIN
    IF v_decided THEN
        PERFORM lims.refuse('invalid_transition', format(
            '%s %s is %s already, which is signed only once',
            replace(p_table, '_', ' '), p_record_id, p_meaning));
    END IF;
END
$$;

-- Sets signer, time and content of a signature, whatever was written.
CREATE FUNCTION lims.electronic_signature_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_user record;
BEGIN
    SELECT u.display_name,
           CASE NEW.method WHEN 'password'
                THEN lims.has_signing_password(u.organization_id, u.id)
                ELSE lims.is_identified(u.organization_id, u.id) END AS can_sign
      INTO v_user
      FROM lims.user_account u
     WHERE u.organization_id = NEW.organization_id
       AND u.id = NEW.signer
       AND u.id = lims.context_id('user_id')
       AND u.active;
    IF NOT FOUND THEN
        PERFORM lims.refuse('invalid_reference',
            'the signer must be the acting user, and active in the organization');
    END IF;
    IF NOT v_user.can_sign THEN
        PERFORM lims.refuse('esignature_required', format(
            '%s has no password to sign with, or signs by a provider without having '
            'signed in by it', v_user.display_name));
    END IF;
    NEW.content := lims.signed_content(NEW.organization_id, NEW.table_name,
                                       NEW.record_id);
    IF NEW.content IS NULL THEN
        PERFORM lims.refuse('invalid_reference', format(
            'no %s %s to sign', NEW.table_name, NEW.record_id));
    END IF;
    PERFORM lims.sign_once(NEW.organization_id, NEW.meaning, NEW.table_name,
                           NEW.record_id);
    NEW.printed_name := v_user.display_name;
    NEW.content_hash := lims.content_hash(NEW.content);
    NEW.content_version := lims.signed_version(NEW.table_name);
    NEW.signed_at := now();
    NEW.transaction_id := pg_current_xact_id();
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT ON lims.electronic_signature
FOR EACH ROW EXECUTE FUNCTION lims.electronic_signature_guard();

SELECT lims.attach_audit('electronic_signature', '{transaction_id,content}');

-- Signs a record as it is now and returns the signature's id. The caller has identified the
-- signer. p_act: what the signed act writes beside it.
CREATE FUNCTION lims.sign(
    p_user bigint,
    p_meaning text,
    p_table text,
    p_record_id bigint,
    p_reason text DEFAULT NULL,
    p_method text DEFAULT 'password',
    p_act jsonb DEFAULT NULL
) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_id bigint;
BEGIN
    INSERT INTO lims.electronic_signature (organization_id, signer, meaning,
        reason, table_name, record_id, method, act)
    VALUES (lims.context_id('organization_id'), p_user, p_meaning, p_reason,
        p_table, p_record_id, p_method, p_act)
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
