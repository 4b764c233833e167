-- SPDX-License-Identifier: Apache-2.0
--
-- Certificates of analysis.

-- Triggers of lims.certificate, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard          refuses samples that are not reported, the first version while an
--                    approval is missing, and a later one without an amendment that passes
--                    the gates of a report; numbers it
--   2 guard_code     sets its verification code (169)
--   3 guard_content  stores the content of the certificate, once it is numbered (1) and has
--                    its code (2)
--   4 permit_amend   refuses users who may not issue amended certificates (105)
--   5 permit_issue   refuses users who may not issue the first version (105)
--
-- BEFORE UPDATE
--   1 guard          refuses changes but its superseding
--   2 identity       refuses to change id, organization or created_at
--
-- AFTER INSERT
--   1 amend          closes the amendment
--   2 supersede      supersedes the former version
--   3 audit_insert   writes the audit trail; a later refusal rolls it back
--   4 document_insert  asks for the document to be printed, with which coa.generated is
--                    written to the outbox (166)
--
-- AFTER UPDATE
--   1 audit_update   writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete   writes the audit trail, as at INSERT

CREATE SEQUENCE lims.certificate_id_seq;

CREATE TABLE lims.certificate (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.certificate_id_seq'),
    certificate_number text NOT NULL CHECK (length(certificate_number) <= 64),
    sample_id bigint NOT NULL,
    version integer NOT NULL,
    supersedes_id bigint,
    -- Why it was amended.
    reason text CHECK (length(reason) <= 2000),
    status text NOT NULL DEFAULT 'issued'
        CHECK (status IN ('issued', 'superseded')),
    -- By which anybody who holds it can ask whether it is valid (169).
    verification_code text NOT NULL
        CHECK (verification_code ~ '^[0-9A-HJKMNP-TV-Z]{20}$'),
    content jsonb NOT NULL,
    sha256 bytea NOT NULL CHECK (length(sha256) = 32),
    issued_at timestamptz NOT NULL DEFAULT now(),
    issued_by bigint DEFAULT lims.context_id('user_id'),
    -- The amendment that led to it, and the signature of who issued what was amended.
    amendment_id bigint,
    signature_id bigint,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT certificate_number
        UNIQUE (organization_id, certificate_number, version),
    UNIQUE (organization_id, sample_id, version),
    FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id),
    FOREIGN KEY (organization_id, supersedes_id)
        REFERENCES lims.certificate (organization_id, id),
    FOREIGN KEY (organization_id, issued_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, signature_id)
        REFERENCES lims.electronic_signature (organization_id, id)
);

-- The look-up without an organization, as that of API keys.
CREATE INDEX certificate_verification ON lims.certificate (verification_code);

-- Refuses to issue a certificate that does not pass its gates (161), or the version of an
-- amendment without a signature.
CREATE FUNCTION lims.check_certificate(p lims.certificate) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_blocker record;
BEGIN
    SELECT b.slug, b.message
      INTO v_blocker
      FROM lims.certificate_blockers(p.organization_id, p.sample_id) b
     LIMIT 1;
    IF FOUND THEN
        PERFORM lims.refuse(v_blocker.slug, v_blocker.message);
    ELSIF p.amendment_id IS NOT NULL
          AND NOT lims.is_signed(p.organization_id, p.signature_id, 'approved',
                                 'amendment', p.amendment_id) THEN
        PERFORM lims.refuse('esignature_required', 'amending a certificate '
            'needs a signature, made now with password re-authentication');
    END IF;
END
$$;

-- Numbers a certificate: the first of its sample, or the next, which supersedes it and has
-- the amendment's reason unless another is given.
CREATE FUNCTION lims.certificate_numbered(p lims.certificate) RETURNS lims.certificate
LANGUAGE plpgsql
AS $$
DECLARE
    v_sample record;
    v_last record;
BEGIN
    SELECT s.status, s.tracking_id, s.amendment_id
      INTO v_sample
      FROM lims.sample s
     WHERE s.organization_id = p.organization_id
       AND s.id = p.sample_id
       FOR NO KEY UPDATE;
    IF v_sample.status <> 'reported' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s is %s: a certificate can only be issued for a reported sample',
            v_sample.tracking_id, v_sample.status));
    END IF;
    SELECT c.id, c.version, c.certificate_number
      INTO v_last
      FROM lims.certificate c
     WHERE c.organization_id = p.organization_id
       AND c.sample_id = p.sample_id
     ORDER BY c.version DESC
     LIMIT 1;
    IF v_last.id IS NOT NULL AND v_sample.amendment_id IS NULL THEN
        PERFORM lims.refuse('invalid_transition', format(
            'certificate %s of sample %s is issued: open an amendment to issue the next '
            'version',
            v_last.certificate_number, v_sample.tracking_id));
    END IF;
    p.status := 'issued';
    p.issued_at := now();
    p.version := coalesce(v_last.version, 0) + 1;
    p.supersedes_id := v_last.id;
    p.amendment_id := v_sample.amendment_id;
    p.reason := (
        SELECT coalesce(nullif(btrim(p.reason), ''), a.reason)
          FROM lims.amendment a
         WHERE a.organization_id = p.organization_id
           AND a.id = p.amendment_id);
    p.certificate_number := coalesce(v_last.certificate_number,
        format('COA-%s-%s', to_char(p.issued_at AT TIME ZONE 'UTC', 'YY'),
               lpad(p.id::text, greatest(7, length(p.id::text)), '0')));
    p.signature_id := CASE WHEN p.amendment_id IS NOT NULL
        THEN coalesce(p.signature_id, lims.context_id('signature_id')) END;
    RETURN p;
END
$$;

-- Certificates are issued for reported samples only, each later version by an amendment;
-- a certificate is superseded by the next, and changes in no other way.
CREATE FUNCTION lims.certificate_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW IS DISTINCT FROM OLD
           AND NOT (OLD.status = 'issued' AND NEW.status = 'superseded'
                    AND to_jsonb(NEW) - 'status' = to_jsonb(OLD) - 'status'
                    AND EXISTS (
                        SELECT FROM lims.certificate c
                         WHERE c.organization_id = OLD.organization_id
                           AND c.sample_id = OLD.sample_id
                           AND c.supersedes_id = OLD.id)) THEN
            PERFORM lims.refuse('invalid_transition', format(
                'certificate %s is issued and cannot be changed', OLD.certificate_number));
        END IF;
        RETURN NEW;
    END IF;
    PERFORM lims.require_read_committed();
    NEW := lims.certificate_numbered(NEW);
    PERFORM lims.check_certificate(NEW);
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.certificate
FOR EACH ROW EXECUTE FUNCTION lims.certificate_guard();

-- Sets content and hash, whatever was written. The hash covers the number, the version and
-- the reason too, which the content has.
CREATE FUNCTION lims.certificate_write() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    NEW.content := lims.certificate_content(NEW);
    NEW.sha256 := sha256(convert_to(NEW.content::text, 'UTF8'));
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_content BEFORE INSERT ON lims.certificate
FOR EACH ROW EXECUTE FUNCTION lims.certificate_write();

-- Whether the content of a certificate is that which was issued.
CREATE FUNCTION lims.is_as_issued(p lims.certificate) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT p.sha256 = sha256(convert_to(p.content::text, 'UTF8'))
$$;

-- Returns the content of a certificate; damaged content is an error of the server.
CREATE FUNCTION lims.issued_content(p lims.certificate) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    IF NOT lims.is_as_issued(p) THEN
        RAISE EXCEPTION USING ERRCODE = 'data_corrupted', MESSAGE = format(
            'the content of certificate %s, version %s, is not the one that was issued: '
            'its SHA-256 is another', p.certificate_number, p.version);
    END IF;
    RETURN p.content;
END
$$;

CREATE FUNCTION lims.certificate_amend() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE lims.amendment a
       SET status = 'issued'
     WHERE a.organization_id = NEW.organization_id
       AND a.id = NEW.amendment_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER amend AFTER INSERT ON lims.certificate
FOR EACH ROW WHEN (NEW.amendment_id IS NOT NULL)
EXECUTE FUNCTION lims.certificate_amend();

CREATE FUNCTION lims.certificate_supersede() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE lims.certificate c
       SET status = 'superseded'
     WHERE c.organization_id = NEW.organization_id
       AND c.id = NEW.supersedes_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER supersede AFTER INSERT ON lims.certificate
FOR EACH ROW WHEN (NEW.supersedes_id IS NOT NULL)
EXECUTE FUNCTION lims.certificate_supersede();

SELECT lims.attach_audit('certificate', '{content}');
