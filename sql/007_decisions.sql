-- SPDX-License-Identifier: Apache-2.0
--
-- Decisions about a sample: approvals, investigations, certificates.

-- Approvals ----------------------------------------------------------------

CREATE SEQUENCE lims.approval_step_id_seq;

-- The steps an organization asks for, in their order; the last is the final
-- approval. None: no approval is needed.
CREATE TABLE lims.approval_step (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.approval_step_id_seq'),
    position integer NOT NULL CHECK (position > 0),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX approval_step_position
    ON lims.approval_step (organization_id, position)
 WHERE active;

SELECT lims.attach_record('approval_step');

CREATE SEQUENCE lims.approval_id_seq;

-- The steps asked of one sample. After a rejection, or when what was decided
-- about has changed since, they are asked again: only the latest round counts.
CREATE TABLE lims.approval (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.approval_id_seq'),
    sample_id bigint NOT NULL,
    round integer NOT NULL CHECK (round > 0),
    step integer NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    status text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'approved', 'rejected')),
    requested_at timestamptz NOT NULL DEFAULT now(),
    decided_at timestamptz,
    decided_by bigint,
    comment text CHECK (length(comment) <= 4000),
    signature_id bigint,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, sample_id, round, step),
    FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id),
    FOREIGN KEY (organization_id, decided_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, signature_id)
        REFERENCES lims.electronic_signature (organization_id, id),
    CHECK ((status = 'pending') = (decided_at IS NULL))
);

CREATE FUNCTION lims.approval_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_required boolean;
    v_earlier text;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'pending' THEN
            PERFORM lims.refuse('invalid_transition',
                                'an approval is requested before it is decided');
        END IF;
        IF EXISTS (
            SELECT FROM lims.sample s
             WHERE s.organization_id = NEW.organization_id
               AND s.id = NEW.sample_id
               AND s.status = 'reported'
        ) THEN
            PERFORM lims.refuse('invalid_transition',
                                'a reported sample is final: no approval is asked');
        END IF;
        RETURN NEW;
    END IF;
    IF NEW IS NOT DISTINCT FROM OLD THEN
        RETURN NEW;
    END IF;
    -- Who changes a test holds its sample FOR SHARE: a decision waits for them,
    -- and then sees the round that the change asked for.
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.sample s
      WHERE s.organization_id = OLD.organization_id
        AND s.id = OLD.sample_id
        FOR NO KEY UPDATE;
    IF OLD.status <> 'pending' THEN
        PERFORM lims.refuse('already_decided', format(
            'approval %s was %s already', OLD.id, OLD.status));
    END IF;
    IF (NEW.sample_id, NEW.round, NEW.step, NEW.name, NEW.requested_at)
       <> (OLD.sample_id, OLD.round, OLD.step, OLD.name, OLD.requested_at)
       OR NEW.status = 'pending' THEN
        PERFORM lims.refuse('invalid_transition',
                            'an approval is approved or rejected, nothing else');
    END IF;
    IF NEW.status = 'rejected' AND btrim(coalesce(NEW.comment, '')) = '' THEN
        PERFORM lims.refuse('invalid_body', 'a rejection needs a comment');
    END IF;
    IF EXISTS (
        SELECT FROM lims.approval a
         WHERE a.organization_id = NEW.organization_id
           AND a.sample_id = NEW.sample_id
           AND a.round > NEW.round
    ) THEN
        PERFORM lims.refuse('already_decided', format(
            'approval %s was replaced: approval of the sample is asked anew',
            OLD.id));
    END IF;

    SELECT a.name || ' is ' || a.status
      INTO v_earlier
      FROM lims.approval a
     WHERE a.organization_id = NEW.organization_id
       AND a.sample_id = NEW.sample_id
       AND a.round = NEW.round
       AND a.step < NEW.step
       AND a.status <> 'approved'
     ORDER BY a.step
     LIMIT 1;
    IF FOUND THEN
        PERFORM lims.refuse('approval_required', format(
            'approvals are decided in order: %s', v_earlier));
    END IF;

    SELECT o.esignature_required
      INTO v_required
      FROM lims.organization o
     WHERE o.id = NEW.organization_id;
    NEW.signature_id := coalesce(NEW.signature_id,
                                 lims.context_id('signature_id'));
    -- A signature that nobody asked for counts all the same.
    IF (v_required OR NEW.signature_id IS NOT NULL)
       AND NOT lims.is_signed(NEW.organization_id, NEW.signature_id, NEW.status,
                              'approval', NEW.id) THEN
        PERFORM lims.refuse('esignature_required', 'deciding an approval needs '
            'a signature on it, made now with password re-authentication');
    END IF;
    NEW.decided_at := now();
    NEW.decided_by := lims.acting_user();
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.approval
FOR EACH ROW EXECUTE FUNCTION lims.approval_guard();

SELECT lims.attach_record('approval');

-- Asks for a round of approvals of each of these samples, whatever went before.
-- Where two ask at once, one round is enough.
CREATE FUNCTION lims.request_approvals(p_organization bigint, p_samples bigint[])
RETURNS void
LANGUAGE sql
AS $$
    INSERT INTO lims.approval (organization_id, sample_id, round, step, name)
    SELECT s.organization_id, s.id, r.round, p.position, p.name
      FROM lims.sample s
     CROSS JOIN LATERAL (
           SELECT coalesce(max(a.round), 0) + 1 AS round
             FROM lims.approval a
            WHERE a.organization_id = s.organization_id
              AND a.sample_id = s.id) r
      JOIN lims.approval_step p
        ON p.organization_id = s.organization_id
       AND p.active
     WHERE s.organization_id = p_organization
       AND s.id = ANY (p_samples)
     ORDER BY s.id, p.position
        ON CONFLICT (organization_id, sample_id, round, step)
        DO NOTHING
$$;

-- They appear when a sample becomes completed, or goes past that, and none
-- were asked for yet, or the last ones were rejected.
CREATE FUNCTION lims.sample_completed() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT c.organization_id, array_agg(c.id) AS samples
          FROM (SELECT n.organization_id, n.id,
                       n.status IN ('completed', 'verified')
                       AND o.status NOT IN ('completed', 'verified')
                           AS is_completed
                  FROM new_rows n
                  FULL JOIN old_rows o
                    ON o.organization_id = n.organization_id
                   AND o.id = n.id
                OFFSET 0) c
          LEFT JOIN LATERAL (
               SELECT bool_or(a.status = 'rejected') AS rejected
                 FROM lims.approval a
                WHERE a.organization_id = c.organization_id
                  AND a.sample_id = c.id
                GROUP BY a.round
                ORDER BY a.round DESC
                LIMIT 1) latest ON true
         WHERE c.is_completed
           AND latest.rejected IS NOT FALSE
         GROUP BY c.organization_id
    LOOP
        PERFORM lims.request_approvals(v.organization_id, v.samples);
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER completed AFTER UPDATE ON lims.sample
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_completed();

-- Investigations -----------------------------------------------------------

CREATE SEQUENCE lims.investigation_id_seq;

CREATE TABLE lims.investigation (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.investigation_id_seq'),
    investigation_number text NOT NULL CHECK (length(investigation_number) <= 64),
    title text NOT NULL CHECK (length(title) BETWEEN 1 AND 255),
    kind text NOT NULL CHECK (kind IN (
        'oos', 'oot', 'oof', 'deviation', 'capa', 'complaint', 'qc_failure',
        'media_failure', 'holding_time', 'pt_failure')),
    sample_id bigint,
    sample_test_id bigint,
    status text NOT NULL DEFAULT 'opened' CHECK (status IN (
        'opened', 'phase_1', 'phase_2', 'conclusion', 'capa_required',
        'closed', 'cancelled')),
    opened_at timestamptz NOT NULL DEFAULT now(),
    opened_by bigint DEFAULT lims.context_id('user_id'),
    due_on date,
    closed_at timestamptz,
    closed_by bigint,
    conclusion text CHECK (length(conclusion) <= 4000),
    parent_id bigint,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT investigation_number
        UNIQUE (organization_id, investigation_number),
    FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id),
    FOREIGN KEY (organization_id, sample_test_id)
        REFERENCES lims.sample_test (organization_id, id),
    FOREIGN KEY (organization_id, opened_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, closed_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, parent_id)
        REFERENCES lims.investigation (organization_id, id),
    CHECK ((status IN ('closed', 'cancelled')) = (closed_at IS NOT NULL))
);

CREATE INDEX investigation_sample
    ON lims.investigation (organization_id, sample_id);
-- Of one test, no second oos investigation while the first is open.
CREATE UNIQUE INDEX investigation_open_oos
    ON lims.investigation (organization_id, sample_test_id)
 WHERE kind = 'oos' AND status NOT IN ('closed', 'cancelled');

-- Where an investigation can go from where it is (FDA, Investigating OOS
-- Results, 2022): an assignable laboratory error is concluded from phase 1, and
-- any open one can be cancelled.
CREATE FUNCTION lims.investigation_next(p_status text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE p_status
        WHEN 'opened' THEN ARRAY['phase_1', 'cancelled']
        WHEN 'phase_1' THEN ARRAY['phase_2', 'conclusion', 'cancelled']
        WHEN 'phase_2' THEN ARRAY['conclusion', 'cancelled']
        WHEN 'conclusion' THEN ARRAY['capa_required', 'closed', 'cancelled']
        WHEN 'capa_required' THEN ARRAY['closed', 'cancelled']
        ELSE '{}'
    END
$$;

CREATE FUNCTION lims.investigation_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.sample_test_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM lims.sample_test t
         WHERE t.organization_id = NEW.organization_id
           AND t.id = NEW.sample_test_id
           AND t.sample_id = NEW.sample_id
    ) THEN
        PERFORM lims.refuse('invalid_reference', format(
            'sampleTestId: sample test %s is none of the sample',
            NEW.sample_test_id));
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'opened' OR NEW.closed_at IS NOT NULL
           OR NEW.closed_by IS NOT NULL OR NEW.conclusion IS NOT NULL THEN
            PERFORM lims.refuse('invalid_transition',
                'an investigation begins opened, without a conclusion');
        END IF;
        NEW.investigation_number := format('%s-%s-%s',
            CASE NEW.kind
                WHEN 'deviation' THEN 'DEV'
                WHEN 'complaint' THEN 'CMP'
                WHEN 'qc_failure' THEN 'QCF'
                WHEN 'media_failure' THEN 'MDF'
                WHEN 'holding_time' THEN 'HTV'
                WHEN 'pt_failure' THEN 'PTF'
                ELSE upper(NEW.kind)
            END,
            to_char(NEW.opened_at AT TIME ZONE 'UTC', 'YY'),
            lpad(NEW.id::text, greatest(7, length(NEW.id::text)), '0'));
        RETURN NEW;
    END IF;
    IF OLD.status IN ('closed', 'cancelled') AND NEW IS DISTINCT FROM OLD THEN
        PERFORM lims.refuse('invalid_transition', format(
            'investigation %s is %s', OLD.investigation_number, OLD.status));
    END IF;
    IF NEW.status <> OLD.status
       AND NEW.status <> ALL (lims.investigation_next(OLD.status)) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'investigation %s is %s: from there it goes to %s',
            OLD.investigation_number, OLD.status,
            array_to_string(lims.investigation_next(OLD.status), ', ')));
    END IF;
    IF NEW.status IN ('closed', 'cancelled') AND NEW.status <> OLD.status THEN
        IF btrim(coalesce(NEW.conclusion, '')) = '' THEN
            PERFORM lims.refuse('invalid_body',
                                'closing an investigation needs a conclusion');
        END IF;
        NEW.closed_at := now();
        NEW.closed_by := lims.acting_user();
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.investigation
FOR EACH ROW EXECUTE FUNCTION lims.investigation_guard();

SELECT lims.attach_record('investigation');

-- A number found outside its limits opens an oos investigation, where the
-- organization's policy says so. Statement by statement: a bulk entry pays for
-- those that are out, not for all.
CREATE FUNCTION lims.sample_test_investigate() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_tests bigint[];
BEGIN
    IF NOT EXISTS (SELECT FROM new_rows n WHERE n.out_of_specification) THEN
        RETURN NULL;
    END IF;
    -- Those found so now: entered, or rejudged with their sample.
    IF TG_OP = 'UPDATE' THEN
        SELECT array_agg(f.id)
          INTO v_tests
          FROM (SELECT n.id, (n.result, n.qualifier)
                       IS DISTINCT FROM (o.result, o.qualifier)
                       OR o.out_of_specification IS NOT TRUE AS is_found
                  FROM new_rows n
                  FULL JOIN old_rows o
                    ON o.organization_id = n.organization_id
                   AND o.id = n.id
                OFFSET 0) f
         WHERE f.is_found;
    ELSE
        SELECT array_agg(n.id) INTO v_tests FROM new_rows n;
    END IF;
    INSERT INTO lims.investigation (organization_id, title, kind, sample_id,
        sample_test_id)
    SELECT n.organization_id,
           left(format('%s %s outside %s, sample %s', d.code,
                       concat_ws(' ', n.result, d.unit),
                       lims.specification_words(n.spec_low, n.spec_high,
                                                n.spec_text, d.unit),
                       s.tracking_id), 255),
           'oos', n.sample_id, n.id
      FROM new_rows n
      JOIN lims.organization g ON g.id = n.organization_id
      JOIN lims.test_definition d
        ON d.organization_id = n.organization_id
       AND d.id = n.test_definition_id
      JOIN lims.sample s
        ON s.organization_id = n.organization_id
       AND s.id = n.sample_id
     WHERE n.out_of_specification
       AND n.status = 'entered'
       AND n.id = ANY (v_tests)
       AND d.result_type = 'numeric'
       AND g.oos_opens_investigation
     ORDER BY n.organization_id, n.id
        ON CONFLICT (organization_id, sample_test_id)
     WHERE kind = 'oos' AND status NOT IN ('closed', 'cancelled')
        DO NOTHING;
    RETURN NULL;
END
$$;

CREATE TRIGGER investigate_insert AFTER INSERT ON lims.sample_test
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_investigate();

CREATE TRIGGER investigate_update AFTER UPDATE ON lims.sample_test
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_investigate();

-- Certificates of analysis -------------------------------------------------

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

-- A certificate is of a sample that is reported, and so final. A second one
-- supersedes the first, which nothing else does, and says why.
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
