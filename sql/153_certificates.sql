-- SPDX-License-Identifier: Apache-2.0
--
-- Certificates of analysis.

-- Triggers of lims.certificate, in the order in which they run:
--
-- BEFORE INSERT
--   1 content        writes what the certificate says: before it is numbered (2)
--   2 guard          of a reported sample alone; numbers it, and requires a reason
--                    where it is not the first
--   3 permit_amend   refuses whoever may not issue the next version (165)
--   4 permit_issue   refuses whoever may not issue the first (165)
--
-- BEFORE UPDATE
--   1 guard          lets it be superseded, and nothing else
--   2 identity       refuses another id, organization or created_at
--
-- AFTER INSERT
--   1 supersede      supersedes the one before
--   2 audit_insert   writes the audit trail; a refusal that comes later undoes it
--   3 events_insert  writes coa.generated to the outbox
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
    content jsonb NOT NULL,
    sha256 bytea NOT NULL CHECK (length(sha256) = 32),
    issued_at timestamptz NOT NULL DEFAULT now(),
    issued_by bigint DEFAULT lims.context_id('user_id'),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT certificate_number
        UNIQUE (organization_id, certificate_number, version),
    UNIQUE (organization_id, sample_id, version),
    FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id),
    FOREIGN KEY (organization_id, supersedes_id)
        REFERENCES lims.certificate (organization_id, id),
    FOREIGN KEY (organization_id, issued_by)
        REFERENCES lims.user_account (organization_id, id)
);

-- The content of a certificate: the release content with the frozen names, the issuer, the
-- time of the report, and who verified and approved what.
CREATE FUNCTION lims.certificate_content(p_organization bigint, p_sample bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
DECLARE
    v_content jsonb := lims.release_content(p_organization, p_sample);
    v_results jsonb;
    v_approvals jsonb;
BEGIN
    SELECT jsonb_agg(r.value || jsonb_build_object(
               'verifiedAt', t.verified_at,
               'verifiedBy', u.display_name) ORDER BY r.place)
      INTO v_results
      FROM jsonb_array_elements(v_content -> 'results')
           WITH ORDINALITY AS r (value, place)
      JOIN lims.sample_test t
        ON t.organization_id = p_organization
       AND t.id = (r.value ->> 'sampleTestId')::bigint
      LEFT JOIN lims.user_account u
        ON u.organization_id = t.organization_id
       AND u.id = t.verified_by;
    SELECT jsonb_agg(jsonb_build_object(
               'name', a.name,
               'status', a.status,
               'decidedAt', a.decided_at,
               'decidedBy', coalesce(e.printed_name, u.display_name),
               'contentSha256', encode(a.content_hash, 'hex'),
               'signatureFits', lims.signature_fits(e.organization_id, e.id)
           ) ORDER BY a.step)
      INTO v_approvals
      FROM lims.approval a
      LEFT JOIN lims.electronic_signature e
        ON e.organization_id = a.organization_id
       AND e.id = a.signature_id
      LEFT JOIN lims.user_account u
        ON u.organization_id = a.organization_id
       AND u.id = a.decided_by
     WHERE a.organization_id = p_organization
       AND a.sample_id = p_sample
       AND a.replaced_at IS NULL
       AND a.round = (
           SELECT max(x.round)
             FROM lims.approval x
            WHERE x.organization_id = p_organization
              AND x.sample_id = p_sample
              AND x.replaced_at IS NULL);
    RETURN (
        SELECT jsonb_build_object(
                   'laboratory', o.name,
                   'contentVersion', v_content -> 'version',
                   'contentSha256', encode(s.content_hash, 'hex'),
                   'sample', (v_content -> 'sample')
                       || jsonb_build_object('reportedAt', s.reported_at),
                   'results', coalesce(v_results, '[]'),
                   'approvals', coalesce(v_approvals, '[]'))
          FROM lims.sample s
          JOIN lims.organization o
            ON o.id = s.organization_id
         WHERE s.organization_id = p_organization
           AND s.id = p_sample);
END
$$;

-- Sets the content, whatever was written. Locks the sample first; one that is not reported
-- is refused by the guard, which runs next.
CREATE FUNCTION lims.certificate_write() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.sample s
      WHERE s.organization_id = NEW.organization_id
        AND s.id = NEW.sample_id
        FOR NO KEY UPDATE;
    NEW.content := lims.certificate_content(NEW.organization_id, NEW.sample_id);
    RETURN NEW;
END
$$;

CREATE TRIGGER content BEFORE INSERT ON lims.certificate
FOR EACH ROW EXECUTE FUNCTION lims.certificate_write();

-- Certificates are issued for reported samples only. A later one supersedes the one
-- before and needs a reason; a certificate changes in no other way.
CREATE FUNCTION lims.certificate_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_sample record;
    v_last record;
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
                'certificate %s is issued', OLD.certificate_number));
        END IF;
        RETURN NEW;
    END IF;

    PERFORM lims.require_read_committed();
    SELECT s.status, s.tracking_id
      INTO v_sample
      FROM lims.sample s
     WHERE s.organization_id = NEW.organization_id
       AND s.id = NEW.sample_id
       FOR NO KEY UPDATE;
    IF v_sample.status <> 'reported' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s is %s: a certificate is issued of a reported one',
            v_sample.tracking_id, v_sample.status));
    END IF;

    SELECT c.id, c.version, c.certificate_number
      INTO v_last
      FROM lims.certificate c
     WHERE c.organization_id = NEW.organization_id
       AND c.sample_id = NEW.sample_id
     ORDER BY c.version DESC
     LIMIT 1;
    NEW.status := 'issued';
    NEW.issued_at := now();
    NEW.version := coalesce(v_last.version, 0) + 1;
    NEW.supersedes_id := v_last.id;
    IF v_last.id IS NOT NULL AND btrim(coalesce(NEW.reason, '')) = '' THEN
        PERFORM lims.refuse('invalid_body',
                            'amending a certificate needs a reason');
    END IF;
    NEW.certificate_number := coalesce(v_last.certificate_number,
        format('COA-%s-%s', to_char(NEW.issued_at AT TIME ZONE 'UTC', 'YY'),
               lpad(NEW.id::text, greatest(7, length(NEW.id::text)), '0')));
    NEW.sha256 := sha256(convert_to(NEW.content::text, 'UTF8'));
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.certificate
FOR EACH ROW EXECUTE FUNCTION lims.certificate_guard();

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

CREATE FUNCTION lims.emit_certificate_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.event (organization_id, type, data)
    SELECT n.organization_id, 'coa.generated', json_build_object(
               'sampleId', s.id,
               'trackingId', s.tracking_id,
               'sampleIdentifier', s.sample_identifier)
      FROM new_rows n
      JOIN lims.sample s
        ON s.organization_id = n.organization_id
       AND s.id = n.sample_id
     ORDER BY n.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER events_insert AFTER INSERT ON lims.certificate
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_certificate_events();
