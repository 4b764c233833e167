-- SPDX-License-Identifier: Apache-2.0
--
-- Amendments: how a reported sample is corrected. While one is open, people may do all
-- that an unreported sample allows, but for its status; it ends with the next version of
-- the certificate, which passes the gates of a report, or is withdrawn when everything is
-- again as it was.

-- Permission to change a reported sample ----------------------------------

-- Locks a sample until the transaction ends, so that it is neither reported nor its
-- amendment closed meanwhile, and refuses what the actor may not change, or its disposition
-- has closed.
CREATE FUNCTION lims.hold_open_sample(p_organization bigint, p_sample bigint)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_sample lims.sample;
BEGIN
    SELECT *
      INTO v_sample
      FROM lims.sample s
     WHERE s.organization_id = p_organization
       AND s.id = p_sample
       FOR SHARE;
    IF lims.sample_is_closed(v_sample.status, v_sample.disposition)
       OR NOT lims.sample_is_open(v_sample.status, v_sample.amendment_id) THEN
        PERFORM lims.refuse_final(v_sample);
    END IF;
END
$$;

-- Amendments ------------------------------------------------------------------

-- Triggers of lims.amendment, in the order in which they run:
--
-- BEFORE INSERT
--   1 guard         refuses unless a person opens it, of a reported sample, with a
--                   signature; stores a copy of the sample
--   2 permit        refuses users who may not amend certificates
--
-- BEFORE UPDATE
--   1 guard         refuses changes but withdrawal, issue by a certificate, and
--                   resubmission
--   2 identity      refuses to change id, organization or created_at
--   3 permit        refuses users who may not amend certificates
--   4 touch         sets updated_at, last, when all other columns are final
--
-- BEFORE DELETE
--   1 keep          refuses every deletion
--
-- AFTER INSERT
--   1 apply         unlocks the sample, and requests its approvals again
--   2 audit_insert  writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 apply         locks the sample again, or requests its approvals again
--   2 audit_update  writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.amendment_id_seq;

CREATE TABLE lims.amendment (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.amendment_id_seq'),
    sample_id bigint NOT NULL,
    reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 1000 AND reason ~ '\S'),
    status text NOT NULL DEFAULT 'open'
        CHECK (status IN ('open', 'issued', 'withdrawn')),
    opened_by bigint,
    signature_id bigint,
    -- Content of the sample when the amendment was opened (lims.amendable_content), and
    -- the last round of approvals then.
    kept jsonb,
    kept_round integer,
    -- Number of times that its approval was asked for: resubmitting it counts.
    submissions integer NOT NULL DEFAULT 1,
    -- The certificate that ended it, and what it changed.
    certificate_id bigint,
    differences jsonb,
    closed_by bigint,
    closed_at timestamptz,
    -- Why it was withdrawn.
    close_reason text CHECK (length(close_reason) BETWEEN 1 AND 1000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id),
    FOREIGN KEY (organization_id, opened_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, signature_id)
        REFERENCES lims.electronic_signature (organization_id, id),
    FOREIGN KEY (organization_id, certificate_id)
        REFERENCES lims.certificate (organization_id, id),
    FOREIGN KEY (organization_id, closed_by)
        REFERENCES lims.user_account (organization_id, id),
    CHECK ((status = 'open') = (closed_at IS NULL)),
    CHECK ((status = 'issued') = (certificate_id IS NOT NULL))
);

CREATE UNIQUE INDEX amendment_open ON lims.amendment (organization_id, sample_id)
 WHERE status = 'open';

CREATE INDEX amendment_sample ON lims.amendment (organization_id, sample_id, id);

CREATE INDEX amendment_status ON lims.amendment (organization_id, status, id);

ALTER TABLE lims.sample
    ADD CONSTRAINT sample_amendment_id FOREIGN KEY (organization_id, amendment_id)
        REFERENCES lims.amendment (organization_id, id);

ALTER TABLE lims.certificate
    ADD FOREIGN KEY (organization_id, amendment_id)
        REFERENCES lims.amendment (organization_id, id);

-- The reported sample --------------------------------------------------------

-- Refuses changes of a reported sample, except its disposal (127), opening and closing an
-- amendment, and changes of facts while the amendment is open.
CREATE FUNCTION lims.check_amended(p_old lims.sample, p_new lims.sample) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_same lims.sample := p_new;
BEGIN
    v_same.amendment_id := p_old.amendment_id;
    v_same.updated_at := p_old.updated_at;
    IF p_old.amendment_id IS NULL AND p_new.amendment_id IS NULL THEN
        v_same.disposition := p_old.disposition;
        v_same.disposition_reason := p_old.disposition_reason;
        IF v_same *= p_old THEN
            RETURN;
        END IF;
    END IF;
    IF p_new.amendment_id IS DISTINCT FROM p_old.amendment_id
       AND v_same *= p_old
       AND p_new.amendment_id IS NOT DISTINCT FROM (
           SELECT a.id
             FROM lims.amendment a
            WHERE a.organization_id = p_old.organization_id
              AND a.sample_id = p_old.id
              AND a.status = 'open') THEN
        RETURN;
    ELSIF p_new.amendment_id IS DISTINCT FROM p_old.amendment_id
          OR NOT lims.sample_is_open(p_old.status, p_old.amendment_id) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s is reported and final', p_old.tracking_id));
    ELSIF (p_new.status, p_new.disposition, p_new.received_at, p_new.reported_at)
          IS DISTINCT FROM
          (p_old.status, p_old.disposition, p_old.received_at, p_old.reported_at) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s is being amended: its status and disposition cannot be changed',
            p_old.tracking_id));
    END IF;
END
$$;

-- Returns a sample's row with the names that are frozen while it is amended: of another
-- project or material type the present one, of the one that was reported the name that
-- was. Its hash is that of what the next version of the certificate reports.
CREATE FUNCTION lims.amended_names(p_old lims.sample, p_new lims.sample)
RETURNS lims.sample
LANGUAGE plpgsql
AS $$
DECLARE
    v_amendment lims.amendment;
    v_facts jsonb;
BEGIN
    SELECT *
      INTO v_amendment
      FROM lims.amendment a
     WHERE a.organization_id = p_old.organization_id
       AND a.id = p_old.amendment_id;
    v_facts := v_amendment.kept -> 'sample';
    p_new.project_name := p_old.project_name;
    p_new.material_type_name := p_old.material_type_name;
    p_new.content_hash := p_old.content_hash;
    p_new.reported_content := p_old.reported_content;
    IF p_new.project_id IS DISTINCT FROM p_old.project_id THEN
        SELECT CASE WHEN v_facts ->> 'projectId' = p.id::text
                    THEN v_facts ->> 'project' ELSE p.name END
          INTO p_new.project_name
          FROM (VALUES (p_new.project_id)) AS v (id)
          LEFT JOIN lims.project p
            ON p.organization_id = p_new.organization_id
           AND p.id = v.id;
    END IF;
    IF p_new.material_type_id <> p_old.material_type_id THEN
        SELECT CASE WHEN v_facts ->> 'materialTypeId' = m.id::text
                    THEN v_facts ->> 'materialType' ELSE m.name END
          INTO p_new.material_type_name
          FROM lims.material_type m
         WHERE m.organization_id = p_new.organization_id
           AND m.id = p_new.material_type_id;
    END IF;
    IF p_new.amendment_id IS NULL AND v_amendment.status = 'issued' THEN
        p_new.reported_content := lims.release_content(p_new.organization_id, p_new.id);
        p_new.content_hash := lims.digest_of(p_new.reported_content);
    END IF;
    RETURN p_new;
END
$$;

-- Content that is compared -------------------------------------------------

-- The notes of a sample or test as a certificate prints them.
CREATE FUNCTION lims.printed_remark(p_facts jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT jsonb_build_object('remark', CASE WHEN (p_facts ->> 'noteOnReport')::boolean
                                             THEN p_facts ->> 'notes' END)
$$;

-- The content that an amendment may change, and that is compared when it is withdrawn:
-- the facts of a sample and its active tests with values, limits, lots and QC batches, not
-- their status: a sample that was reported under a batch leaves it only by the gates of a
-- new version. Without who did what and when: a value that is typed back is verified anew.
-- Of an analysis the time counts that was stated, as a certificate prints it. Notes that a
-- certificate prints are a member of their own, remark.
CREATE FUNCTION lims.amendable_content(p_organization bigint, p_sample bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_content jsonb := lims.release_content(p_organization, p_sample);
BEGIN
    RETURN jsonb_build_object(
        'sample', (v_content -> 'sample') - 'id'
                  || lims.printed_remark(v_content -> 'sample'),
        'tests', (
            SELECT coalesce(jsonb_object_agg(r.value ->> 'sampleTestId',
                       r.value - ARRAY['sampleTestId', 'qcBatch', 'qcStatus',
                           'qcBatches', 'analyzedAt']
                       || lims.printed_remark(r.value)
                       || jsonb_build_object('status', t.status,
                              'analyzedAt', CASE WHEN t.analyzed_at IS NOT NULL
                                                 THEN r.value -> 'analyzedAt' END,
                              'reported', t.reported, 'qcBatchIds', ARRAY(
                              SELECT c.qc_batch_id
                                FROM lims.qc_coverage c
                               WHERE c.organization_id = t.organization_id
                                 AND c.sample_test_id = t.id
                               ORDER BY c.qc_batch_id))), '{}')
              FROM jsonb_array_elements(v_content -> 'results') r
              JOIN lims.sample_test t
                ON t.organization_id = p_organization
               AND t.id = (r.value ->> 'sampleTestId')::bigint));
END
$$;

-- Lists the differences between two such contents: an array of { member, old, new }, of
-- facts first. A test that came or went is named by its code. Members that the older one
-- does not have are not compared: it was kept by an older version.
CREATE FUNCTION lims.content_differences(p_old jsonb, p_new jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE
AS $$
    SELECT coalesce(jsonb_agg(jsonb_build_object(
               'member', d.member, 'old', d.old, 'new', d.new)
               ORDER BY d.test, d.member), '[]')
      FROM (SELECT 0 AS test, f.key AS member, f.value AS old,
                   p_new -> 'sample' ->> f.key AS new
              FROM jsonb_each_text(p_old -> 'sample') f
            UNION ALL
            SELECT i.id::bigint, format('tests[%s]', i.id),
                   p_old -> 'tests' -> i.id ->> 'testCode',
                   p_new -> 'tests' -> i.id ->> 'testCode'
              FROM (SELECT jsonb_object_keys(p_old -> 'tests') AS id
                     UNION
                    SELECT jsonb_object_keys(p_new -> 'tests')) i
             WHERE NOT (p_old -> 'tests' ? i.id AND p_new -> 'tests' ? i.id)
            UNION ALL
            SELECT t.key::bigint, format('tests[%s].%s', t.key, m.key), m.value,
                   p_new -> 'tests' -> t.key ->> m.key
              FROM jsonb_each(p_old -> 'tests') t
             CROSS JOIN LATERAL jsonb_each_text(t.value) m
             WHERE p_new -> 'tests' ? t.key) d
     WHERE d.old IS DISTINCT FROM d.new
$$;

-- Lists what an amendment has changed; while it is open, so far.
CREATE FUNCTION lims.amendment_differences(p_organization bigint, p_amendment bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT CASE a.status
               WHEN 'open' THEN lims.content_differences(a.kept,
                   lims.amendable_content(a.organization_id, a.sample_id))
               ELSE coalesce(a.differences, '[]') END
          FROM lims.amendment a
         WHERE a.organization_id = p_organization
           AND a.id = p_amendment);
END
$$;

-- An open amendment as a sample shows it.
CREATE FUNCTION lims.amendment_shown(p_organization bigint, p_amendment bigint)
RETURNS json
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
BEGIN
    RETURN (
        SELECT json_build_object('id', a.id,
                   'openedAt', to_char(a.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                   'reason', a.reason)
          FROM lims.amendment a
         WHERE a.organization_id = p_organization
           AND a.id = p_amendment);
END
$$;

-- Opening -------------------------------------------------------------------

-- Validates a new amendment: a person opens it with a signature, of a reported sample
-- without another open one. Stores a copy of the sample's content.
CREATE FUNCTION lims.amendment_opened(p lims.amendment) RETURNS lims.amendment
LANGUAGE plpgsql
AS $$
DECLARE
    v_sample record;
BEGIN
    IF lims.acting_person() IS NULL THEN
        PERFORM lims.refuse('invalid_transition',
                            'a reported sample can only be amended by a person');
    END IF;
    SELECT s.status, s.tracking_id, s.amendment_id
      INTO v_sample
      FROM lims.sample s
     WHERE s.organization_id = p.organization_id
       AND s.id = p.sample_id
       FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        PERFORM lims.refuse('invalid_reference', format('no sample %s', p.sample_id));
    ELSIF v_sample.status <> 'reported' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s is %s: only a reported sample can be amended', v_sample.tracking_id,
            v_sample.status));
    ELSIF v_sample.amendment_id IS NOT NULL THEN
        PERFORM lims.refuse('invalid_transition', format(
            'amendment %s of sample %s is open already', v_sample.amendment_id,
            v_sample.tracking_id));
    END IF;
    p.signature_id := coalesce(p.signature_id, lims.context_id('signature_id'));
    IF NOT lims.is_signed(p.organization_id, p.signature_id, 'amended', 'sample',
                          p.sample_id) THEN
        PERFORM lims.refuse('esignature_required', 'amending a sample needs a '
            'signature on it, made now with password re-authentication');
    END IF;
    p.status := 'open';
    p.opened_by := lims.acting_user();
    p.submissions := 1;
    p.kept := lims.amendable_content(p.organization_id, p.sample_id);
    SELECT max(a.round)
      INTO p.kept_round
      FROM lims.approval a
     WHERE a.organization_id = p.organization_id
       AND a.sample_id = p.sample_id;
    RETURN p;
END
$$;

-- Closing -------------------------------------------------------------------

-- Refuses to withdraw an amendment unless everything is as it was, and names what differs.
CREATE FUNCTION lims.check_withdrawal(p lims.amendment) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_differences jsonb := lims.content_differences(p.kept,
        lims.amendable_content(p.organization_id, p.sample_id));
BEGIN
    IF p.close_reason IS NULL THEN
        PERFORM lims.refuse('invalid_body', 'reason must say why the amendment is '
                                            'withdrawn');
    ELSIF v_differences <> '[]' THEN
        PERFORM lims.refuse('amendment_differs', format(
            'the sample is not what it was when amendment %s was opened: %s', p.id, (
            SELECT string_agg(format('%s was %s and is %s', d.value ->> 'member',
                       coalesce(d.value ->> 'old', 'empty'),
                       coalesce(d.value ->> 'new', 'empty')), '; ' ORDER BY d.place)
              FROM jsonb_array_elements(v_differences)
                   WITH ORDINALITY AS d (value, place)
             WHERE d.place <= 20)));
    END IF;
END
$$;

-- Refuses to resubmit an amendment whose approval is asked for already.
CREATE FUNCTION lims.check_resubmission(p lims.amendment) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM lims.finding f
         WHERE f.organization_id = p.organization_id
           AND f.sample_id = p.sample_id
           AND (f.category = 'approval_rejected'
                OR (f.category = 'approval_required' AND f.approval_id IS NULL))
    ) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'amendment %s waits for its approvals already', p.id));
    END IF;
END
$$;

-- Lets an open amendment be resubmitted, withdrawn, or issued by a certificate.
CREATE FUNCTION lims.amendment_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.require_read_committed();
    IF TG_OP = 'INSERT' THEN
        RETURN lims.amendment_opened(NEW);
    END IF;
    PERFORM FROM lims.sample s
      WHERE s.organization_id = OLD.organization_id
        AND s.id = OLD.sample_id
        FOR NO KEY UPDATE;
    IF OLD.status <> 'open' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'amendment %s is %s and cannot be changed', OLD.id, OLD.status));
    ELSIF lims.acting_person() IS NULL THEN
        PERFORM lims.refuse('invalid_transition',
                            'a reported sample can only be amended by a person');
    ELSIF (NEW.sample_id, NEW.reason, NEW.opened_by, NEW.signature_id, NEW.kept,
           NEW.kept_round) IS DISTINCT FROM
          (OLD.sample_id, OLD.reason, OLD.opened_by, OLD.signature_id, OLD.kept,
           OLD.kept_round) THEN
        PERFORM lims.refuse('field_not_patchable',
                            'the reason of an amendment and its copy of the sample '
                            'cannot be changed');
    END IF;
    NEW.certificate_id := NULL;
    NEW.differences := NULL;
    NEW.closed_by := NULL;
    NEW.closed_at := NULL;
    IF NEW.status = 'withdrawn' THEN
        PERFORM lims.check_withdrawal(NEW);
    ELSIF NEW.status = 'issued' THEN
        SELECT c.id
          INTO NEW.certificate_id
          FROM lims.certificate c
         WHERE c.organization_id = OLD.organization_id
           AND c.sample_id = OLD.sample_id
           AND c.amendment_id = OLD.id;
        IF NOT FOUND THEN
            PERFORM lims.refuse('invalid_transition', format(
                'amendment %s can only be issued with the next version of the '
                'certificate', OLD.id));
        END IF;
        NEW.differences := lims.amendment_differences(OLD.organization_id, OLD.id);
    ELSE
        NEW.close_reason := NULL;
        PERFORM lims.check_resubmission(NEW);
        NEW.submissions := OLD.submissions + 1;
        RETURN NEW;
    END IF;
    NEW.submissions := OLD.submissions;
    NEW.closed_by := lims.acting_user();
    NEW.closed_at := now();
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.amendment
FOR EACH ROW EXECUTE FUNCTION lims.amendment_guard();

CREATE TRIGGER permit BEFORE INSERT OR UPDATE ON lims.amendment
FOR EACH ROW EXECUTE FUNCTION lims.permit('certificate.amend');

CREATE TRIGGER keep BEFORE DELETE ON lims.amendment
FOR EACH ROW EXECUTE FUNCTION lims.append_only();

-- Unlocks or locks the sample, and requests its approvals again when the amendment is
-- opened or resubmitted. When it is withdrawn, its approvals no longer count.
CREATE FUNCTION lims.amendment_apply() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'INSERT' OR NEW.status <> OLD.status THEN
        UPDATE lims.sample s
           SET amendment_id = CASE NEW.status WHEN 'open' THEN NEW.id END
         WHERE s.organization_id = NEW.organization_id
           AND s.id = NEW.sample_id;
    END IF;
    IF NEW.status = 'open' THEN
        PERFORM lims.request_approvals(NEW.organization_id, ARRAY[NEW.sample_id]);
    ELSIF NEW.status = 'withdrawn' THEN
        UPDATE lims.approval a
           SET replaced_at = now()
         WHERE a.organization_id = NEW.organization_id
           AND a.sample_id = NEW.sample_id
           AND a.round > coalesce(NEW.kept_round, 0)
           AND a.replaced_at IS NULL;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER apply AFTER INSERT OR UPDATE ON lims.amendment
FOR EACH ROW EXECUTE FUNCTION lims.amendment_apply();

SELECT lims.attach_record('amendment');
