-- SPDX-License-Identifier: Apache-2.0
--
-- Sample tests: a result from entry to verification, judged, locked and kept
-- with every value it ever had.
--
-- Locking. A row lock is taken in this order and never against it: sample
-- tests (by id), samples (by id), QC batches, media lots, approvals. Whoever
-- changes a test holds its sample FOR SHARE until the end, whoever reports or
-- moves a sample holds it FOR NO KEY UPDATE, which excludes that: a result
-- cannot slip into a sample that is being reported, and no two of them can wait
-- for each other. Several tests at once are to be locked in order of id first.
-- One act goes against it: a sample that changes its material type or project
-- has its results rejudged. Meeting an entry, one of the two is undone as a
-- deadlock, and tried again by who asked.

CREATE SEQUENCE lims.sample_test_id_seq;

CREATE TABLE lims.sample_test (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.sample_test_id_seq'),
    sample_id bigint NOT NULL,
    test_definition_id bigint NOT NULL,
    -- What the definition asked for when the test was scheduled.
    holding_time_hours numeric,
    requires_worksheet boolean NOT NULL DEFAULT false,
    requires_confirmation boolean NOT NULL DEFAULT false,
    status text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'entered', 'verified')),
    -- As entered, to the letter: '7.10' stays '7.10'.
    result text CHECK (length(result) BETWEEN 1 AND 1000),
    -- Its exact value where it is a number, with or without a leading sign.
    numeric_value numeric,
    qualifier text CHECK (qualifier IN ('<', '>', 'ND', 'J', 'U')),
    notes text CHECK (length(notes) <= 4000),
    out_of_specification boolean,
    -- The limits it was judged by, and whose they are: later changes of a
    -- specification do not rejudge it, those of the sample do.
    spec_low numeric,
    spec_high numeric,
    spec_text text,
    spec_material_type_id bigint,
    spec_project_id bigint,
    reagent_lot_id bigint,
    media_lot_id bigint,
    qc_batch_id bigint,
    confirmation_status text
        CHECK (confirmation_status IN ('pending', 'confirmed', 'refuted')),
    analyzed_at timestamptz,
    entered_by bigint,
    entered_at timestamptz,
    -- Since when there has been a result, corrections aside.
    first_entered_at timestamptz,
    verified_by bigint,
    verified_at timestamptz,
    verification_signature_id bigint,
    reopening_signature_id bigint,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT sample_test_sample FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id),
    CONSTRAINT sample_test_test_definition
        FOREIGN KEY (organization_id, test_definition_id)
        REFERENCES lims.test_definition (organization_id, id),
    CONSTRAINT sample_test_reagent_lot
        FOREIGN KEY (organization_id, reagent_lot_id)
        REFERENCES lims.reagent_lot (organization_id, id),
    CONSTRAINT sample_test_media_lot FOREIGN KEY (organization_id, media_lot_id)
        REFERENCES lims.media_lot (organization_id, id),
    CONSTRAINT sample_test_qc_batch FOREIGN KEY (organization_id, qc_batch_id)
        REFERENCES lims.qc_batch (organization_id, id),
    FOREIGN KEY (organization_id, entered_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, verified_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, verification_signature_id)
        REFERENCES lims.electronic_signature (organization_id, id),
    FOREIGN KEY (organization_id, reopening_signature_id)
        REFERENCES lims.electronic_signature (organization_id, id),
    CONSTRAINT sample_test_status_result
        CHECK ((status = 'pending') = (result IS NULL)),
    CONSTRAINT sample_test_status_verified
        CHECK ((status = 'verified') = (verified_at IS NOT NULL))
);

CREATE INDEX sample_test_sample
    ON lims.sample_test (organization_id, sample_id, id);
CREATE INDEX sample_test_status
    ON lims.sample_test (organization_id, status, id);
CREATE INDEX sample_test_definition
    ON lims.sample_test (organization_id, test_definition_id, id);
CREATE INDEX sample_test_updated_at
    ON lims.sample_test (organization_id, updated_at, id);
CREATE INDEX sample_test_qc_batch
    ON lims.sample_test (organization_id, qc_batch_id)
 WHERE qc_batch_id IS NOT NULL;
CREATE INDEX sample_test_media_lot
    ON lims.sample_test (organization_id, media_lot_id)
 WHERE media_lot_id IS NOT NULL;
CREATE INDEX sample_test_reagent_lot
    ON lims.sample_test (organization_id, reagent_lot_id)
 WHERE reagent_lot_id IS NOT NULL;

-- Judging a result ---------------------------------------------------------

-- A test without a result has nothing that follows from one.
CREATE FUNCTION lims.sample_test_blank(p_test lims.sample_test)
RETURNS lims.sample_test
LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
    p_test.status := 'pending';
    p_test.result := NULL;
    p_test.numeric_value := NULL;
    p_test.out_of_specification := NULL;
    p_test.spec_low := NULL;
    p_test.spec_high := NULL;
    p_test.spec_text := NULL;
    p_test.spec_material_type_id := NULL;
    p_test.spec_project_id := NULL;
    p_test.confirmation_status := NULL;
    p_test.entered_by := NULL;
    p_test.entered_at := NULL;
    p_test.first_entered_at := NULL;
    RETURN p_test;
END
$$;

-- Judges what is entered: a blank result is none; another one gets its number,
-- the limits of this moment, and whether it breaks them or needs confirmation.
-- One that stands is rejudged when its sample becomes another material's or
-- project's, and stays who entered it when, and as confirmed as it was.
CREATE FUNCTION lims.sample_test_judge() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
    v_bound text;
    v_stands boolean := false;
BEGIN
    IF NEW.status = 'verified' THEN
        PERFORM lims.refuse('invalid_transition',
            'a result is entered and verified in two steps');
    END IF;
    IF TG_OP = 'UPDATE' THEN
        v_stands := (NEW.result, NEW.qualifier)
                    IS NOT DISTINCT FROM (OLD.result, OLD.qualifier);
        NEW.first_entered_at := OLD.first_entered_at;
    ELSE
        NEW.first_entered_at := NULL;
    END IF;
    IF NEW.result !~ '\S' THEN
        NEW.result := NULL;
    END IF;
    IF NEW.result IS NULL THEN
        -- The analysis that is withdrawn no longer stops the holding time.
        IF TG_OP = 'UPDATE' AND OLD.result IS NOT NULL
           AND NEW.analyzed_at IS NOT DISTINCT FROM OLD.analyzed_at THEN
            NEW.analyzed_at := NULL;
        END IF;
        RETURN lims.sample_test_blank(NEW);
    END IF;

    SELECT d.result_type, d.presumptive_minimum, s.material_type_id,
           s.project_id, p.low, p.high, p.expected
      INTO v
      FROM lims.sample s
      JOIN lims.test_definition d
        ON d.organization_id = s.organization_id
       AND d.id = NEW.test_definition_id
     CROSS JOIN LATERAL lims.specification_for(d, s.material_type_id,
                            s.project_id) p
     WHERE s.organization_id = NEW.organization_id
       AND s.id = NEW.sample_id;

    v_bound := lims.result_bound(NEW.result, NEW.qualifier);
    NEW.status := 'entered';
    NEW.first_entered_at := coalesce(NEW.first_entered_at, now());
    NEW.numeric_value := lims.result_number(NEW.result);
    NEW.spec_low := v.low;
    NEW.spec_high := v.high;
    NEW.spec_text := v.expected;
    NEW.spec_material_type_id := v.material_type_id;
    NEW.spec_project_id := v.project_id;
    NEW.out_of_specification := CASE v.result_type
        WHEN 'numeric'
        THEN lims.out_of_limits(NEW.numeric_value, v_bound, v.low, v.high)
        ELSE lims.out_of_expectation(NEW.result, v.expected,
                                     v.result_type = 'presence')
    END;
    IF v_stands THEN
        NEW.confirmation_status := OLD.confirmation_status;
        NEW.entered_by := OLD.entered_by;
        NEW.entered_at := OLD.entered_at;
        RETURN NEW;
    END IF;
    NEW.entered_by := lims.acting_user();
    NEW.entered_at := now();
    NEW.confirmation_status := CASE
        WHEN NEW.requires_confirmation AND lims.is_presumptive(NEW.result,
            NEW.numeric_value, v_bound, v.presumptive_minimum,
            v.result_type = 'presence')
        THEN 'pending'
    END;
    RETURN NEW;
END
$$;

CREATE TRIGGER judge_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW EXECUTE FUNCTION lims.sample_test_judge();

CREATE TRIGGER judge_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (OLD.status <> 'verified'
    AND (NEW.result, NEW.qualifier, NEW.spec_material_type_id,
         NEW.spec_project_id) IS DISTINCT FROM
        (OLD.result, OLD.qualifier, OLD.spec_material_type_id,
         OLD.spec_project_id))
EXECUTE FUNCTION lims.sample_test_judge();

-- References and lots ------------------------------------------------------

-- Only what is the organization's, and in use, can be newly referred to; and a
-- result is not entered with a reagent lot that has expired today, where the
-- organization blocks that. What the client says of when it analysed does not
-- count: it could say anything.
CREATE FUNCTION lims.sample_test_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
    v_entering boolean := true;
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT d.holding_time_hours, d.requires_worksheet,
               d.requires_confirmation, NULL, NULL, NULL, NULL
          INTO NEW.holding_time_hours, NEW.requires_worksheet,
               NEW.requires_confirmation, NEW.verified_by, NEW.verified_at,
               NEW.verification_signature_id, NEW.reopening_signature_id
          FROM lims.test_definition d
         WHERE d.organization_id = NEW.organization_id
           AND d.id = NEW.test_definition_id
           AND d.active;
        IF NOT FOUND THEN
            PERFORM lims.refuse('invalid_reference', format(
                'testDefinitionIds: no active test definition %s',
                NEW.test_definition_id));
        END IF;
    ELSE
        IF (NEW.organization_id, NEW.id, NEW.sample_id, NEW.test_definition_id)
           <> (OLD.organization_id, OLD.id, OLD.sample_id,
               OLD.test_definition_id) THEN
            PERFORM lims.refuse('field_not_patchable',
                'a test stays with its sample and its definition');
        END IF;
        IF (NEW.holding_time_hours, NEW.requires_worksheet,
            NEW.requires_confirmation)
           IS DISTINCT FROM (OLD.holding_time_hours, OLD.requires_worksheet,
                             OLD.requires_confirmation) THEN
            PERFORM lims.refuse('field_not_patchable',
                'what a test asks for is settled when it is scheduled');
        END IF;
        v_entering := OLD.status <> 'verified'
            AND (NEW.result, NEW.qualifier, NEW.reagent_lot_id)
                IS DISTINCT FROM
                (OLD.result, OLD.qualifier, OLD.reagent_lot_id);
    END IF;

    IF NEW.reagent_lot_id IS NULL AND NEW.media_lot_id IS NULL THEN
        RETURN NEW;
    END IF;
    SELECT o.reagent_expiry_policy AS policy,
           r.id AS reagent_id, r.code AS reagent_code,
           r.expires_on < (now() AT TIME ZONE o.time_zone)::date AS expired,
           r.expires_on, m.id AS media_id
      INTO v
      FROM lims.organization o
      LEFT JOIN lims.reagent_lot r
        ON r.organization_id = o.id AND r.id = NEW.reagent_lot_id
      LEFT JOIN lims.media_lot m
        ON m.organization_id = o.id AND m.id = NEW.media_lot_id
     WHERE o.id = NEW.organization_id;
    IF NEW.reagent_lot_id IS DISTINCT FROM v.reagent_id THEN
        PERFORM lims.refuse('invalid_reference', format(
            'reagentLotId: no reagent lot %s', NEW.reagent_lot_id));
    END IF;
    IF NEW.media_lot_id IS DISTINCT FROM v.media_id THEN
        PERFORM lims.refuse('invalid_reference', format(
            'mediaLotId: no media lot %s', NEW.media_lot_id));
    END IF;
    IF v.expired AND v.policy = 'block' AND v_entering
       AND NEW.result ~ '\S' THEN
        PERFORM lims.refuse('reagent_lot_expired', format(
            'reagent lot %s expired on %s: enter the result with a lot that is '
            'in date', v.reagent_code, v.expires_on));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW EXECUTE FUNCTION lims.sample_test_guard();

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (
    (NEW.organization_id, NEW.id, NEW.sample_id, NEW.test_definition_id)
    <> (OLD.organization_id, OLD.id, OLD.sample_id, OLD.test_definition_id)
    OR (NEW.holding_time_hours, NEW.requires_worksheet,
        NEW.requires_confirmation) IS DISTINCT FROM
       (OLD.holding_time_hours, OLD.requires_worksheet,
        OLD.requires_confirmation)
    OR NEW.media_lot_id IS DISTINCT FROM OLD.media_lot_id
    OR NEW.reagent_lot_id IS DISTINCT FROM OLD.reagent_lot_id
    OR NEW.result IS DISTINCT FROM OLD.result
    OR NEW.qualifier IS DISTINCT FROM OLD.qualifier)
EXECUTE FUNCTION lims.sample_test_guard();

-- An analysis has been done when it is entered; a clock may be a little fast.
-- And it was not done before there was a sample.
CREATE FUNCTION lims.sample_test_analyzed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.analyzed_at > now() + interval '5 minutes' THEN
        PERFORM lims.refuse('invalid_body', 'analyzedAt lies in the future');
    END IF;
    IF NEW.analyzed_at < lims.collection_moment(NEW.organization_id,
                                                NEW.sample_id) THEN
        PERFORM lims.refuse('invalid_body',
            'analyzedAt lies before the collection of the sample');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_analyzed_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW WHEN (NEW.analyzed_at IS NOT NULL)
EXECUTE FUNCTION lims.sample_test_analyzed();

CREATE TRIGGER guard_analyzed_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (NEW.analyzed_at IS DISTINCT FROM OLD.analyzed_at
    AND NEW.analyzed_at IS NOT NULL)
EXECUTE FUNCTION lims.sample_test_analyzed();

-- Verified is locked -------------------------------------------------------

CREATE FUNCTION lims.sample_test_lock() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_same lims.sample_test;
BEGIN
    IF OLD.status <> 'verified' THEN
        IF TG_OP = 'DELETE' THEN
            RETURN OLD;
        END IF;
        RETURN lims.sample_test_move(OLD, NEW);
    END IF;

    IF TG_OP = 'DELETE' THEN
        PERFORM lims.refuse('test_verified_locked', format(
            'sample test %s is verified and locked', OLD.id));
    END IF;
    -- *=: the same to the letter, which 10 and 10.0 are not.
    IF NEW *= OLD THEN
        RETURN NEW;
    END IF;

    -- Reopening: nothing but the status changes, under a signature that says
    -- so and that was made for it, now.
    v_same := NEW;
    v_same.status := OLD.status;
    v_same.reopening_signature_id := OLD.reopening_signature_id;
    v_same.verified_by := OLD.verified_by;
    v_same.verified_at := OLD.verified_at;
    v_same.verification_signature_id := OLD.verification_signature_id;
    v_same.updated_at := OLD.updated_at;
    IF NEW.status = 'verified'
       OR v_same *<> OLD
       OR NEW.reopening_signature_id IS NOT DISTINCT FROM
          OLD.reopening_signature_id
       OR NOT lims.is_signed(NEW.organization_id, NEW.reopening_signature_id,
                             'reopened', 'sample_test', NEW.id) THEN
        PERFORM lims.refuse('test_verified_locked', format(
            'sample test %s is verified and locked', OLD.id));
    END IF;
    NEW.verified_by := NULL;
    NEW.verified_at := NULL;
    NEW.verification_signature_id := NULL;
    IF NEW.status = 'pending' THEN
        NEW.qualifier := NULL;
        NEW.analyzed_at := NULL;
        NEW := lims.sample_test_blank(NEW);
    END IF;
    RETURN NEW;
END
$$;

-- What may happen to a test that is not verified: its result decides between
-- pending and entered; verifying passes the gates; a confirmation is decided
-- once, for the result that asked for it.
CREATE FUNCTION lims.sample_test_move(p_old lims.sample_test, p_new lims.sample_test)
RETURNS lims.sample_test
LANGUAGE plpgsql
AS $$
DECLARE
    v_slug text;
    v_message text;
    v_changed boolean := (p_new.result, p_new.qualifier)
                         IS DISTINCT FROM (p_old.result, p_old.qualifier);
    v_rejudged boolean := (p_new.spec_material_type_id, p_new.spec_project_id)
        IS DISTINCT FROM (p_old.spec_material_type_id, p_old.spec_project_id);
    v_same lims.sample_test := p_new;
BEGIN
    IF NOT v_changed
       AND p_new.confirmation_status IS DISTINCT FROM p_old.confirmation_status
       AND (p_old.confirmation_status IS DISTINCT FROM 'pending'
            OR p_new.confirmation_status IS NULL) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s has no confirmation to decide', p_new.id));
    END IF;
    IF p_new.status = p_old.status OR v_changed THEN
        -- Only verifying, which is the other branch, stamps these.
        p_new.verified_by := NULL;
        p_new.verified_at := NULL;
        p_new.verification_signature_id := NULL;
        p_new.reopening_signature_id := p_old.reopening_signature_id;
        IF NOT v_changed THEN
            p_new.entered_by := p_old.entered_by;
            p_new.entered_at := p_old.entered_at;
            p_new.first_entered_at := p_old.first_entered_at;
            p_new.numeric_value := p_old.numeric_value;
        END IF;
        IF NOT v_changed AND NOT v_rejudged THEN
            p_new.out_of_specification := p_old.out_of_specification;
            p_new.spec_low := p_old.spec_low;
            p_new.spec_high := p_old.spec_high;
            p_new.spec_text := p_old.spec_text;
        END IF;
        RETURN p_new;
    END IF;
    IF p_new.status <> 'verified' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s becomes %s by its result, not by its status',
            p_new.id, p_new.status));
    END IF;

    -- What is verified is what the reviewer saw: nothing else moves with it.
    v_same.status := p_old.status;
    v_same.verified_by := p_old.verified_by;
    v_same.verified_at := p_old.verified_at;
    v_same.verification_signature_id := p_old.verification_signature_id;
    v_same.updated_at := p_old.updated_at;
    IF v_same *<> p_old THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s is changed and verified in two steps', p_new.id));
    END IF;

    p_new.verification_signature_id := coalesce(
        p_new.verification_signature_id, lims.context_id('signature_id'));
    SELECT b.slug, b.message
      INTO v_slug, v_message
      FROM lims.verify_blockers(p_new.organization_id, p_new.id) b
     WHERE b.slug <> 'esignature_required'
        OR NOT lims.is_signed(p_new.organization_id,
                              p_new.verification_signature_id,
                              'verified', 'sample_test', p_new.id)
     LIMIT 1;
    IF v_slug IS NOT NULL THEN
        PERFORM lims.refuse(v_slug, v_message);
    END IF;
    -- Nobody asked for a signature: one that is given counts all the same.
    IF p_new.verification_signature_id IS NOT NULL
       AND NOT lims.is_signed(p_new.organization_id,
                              p_new.verification_signature_id,
                              'verified', 'sample_test', p_new.id) THEN
        PERFORM lims.refuse('esignature_required',
            'the signature given is not one on this result, made now by who '
            'verifies it');
    END IF;
    p_new.verified_by := lims.acting_user();
    p_new.verified_at := now();
    RETURN p_new;
END
$$;

CREATE TRIGGER lock BEFORE UPDATE OR DELETE ON lims.sample_test
FOR EACH ROW EXECUTE FUNCTION lims.sample_test_lock();

SELECT lims.attach_record('sample_test');

-- A reported sample's tests are final --------------------------------------

-- Holds the samples of the changed tests until the end of the transaction and
-- refuses if one is reported: whichever came first, the other sees it.
CREATE FUNCTION lims.sample_test_final() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_reported text;
BEGIN
    SELECT min(s.tracking_id) FILTER (WHERE s.status = 'reported')
      INTO v_reported
      FROM (SELECT x.tracking_id, x.status
              FROM lims.sample x
             WHERE (x.organization_id, x.id) IN (
                       SELECT c.organization_id, c.sample_id
                         FROM changed_rows c)
             ORDER BY x.organization_id, x.id
               FOR SHARE) s;
    IF v_reported IS NOT NULL THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s is reported and final', v_reported));
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER final_insert AFTER INSERT ON lims.sample_test
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_final();

CREATE TRIGGER final_update AFTER UPDATE ON lims.sample_test
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_final();

CREATE TRIGGER final_delete AFTER DELETE ON lims.sample_test
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_final();
