-- SPDX-License-Identifier: Apache-2.0
--
-- What is locked: a verified result, the tests of a reported sample, a test that
-- has had a result. And whatever result is entered, by whichever way, has the
-- judgement of its moment.

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
        NEW.result := NULL;
        NEW.numeric_value := NULL;
        NEW.out_of_specification := NULL;
        NEW.spec_low := NULL;
        NEW.spec_high := NULL;
        NEW.spec_text := NULL;
        NEW.spec_material_type_id := NULL;
        NEW.spec_project_id := NULL;
        NEW.confirmation_status := NULL;
        NEW.entered_by := NULL;
        NEW.entered_at := NULL;
        NEW.first_entered_at := NULL;
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
            p_new.judgements := p_old.judgements;
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

CREATE TRIGGER lock BEFORE DELETE ON lims.sample_test
FOR EACH ROW EXECUTE FUNCTION lims.sample_test_lock();

-- A result that is entered or withdrawn, and nothing else of what is looked
-- after here, has no lock to pass: what it says is checked with all the others'
-- of its statement (lims.sample_test_check).
CREATE TRIGGER lock_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (OLD.status = 'verified'
    OR NEW.status = 'verified'
    OR NEW.judgements = OLD.judgements
    OR (NEW.result, NEW.qualifier, NEW.spec_material_type_id,
        NEW.spec_project_id) IS NOT DISTINCT FROM
       (OLD.result, OLD.qualifier, OLD.spec_material_type_id,
        OLD.spec_project_id)
    OR (NEW.verified_by, NEW.verified_at, NEW.verification_signature_id,
        NEW.reopening_signature_id) IS DISTINCT FROM
       (OLD.verified_by, OLD.verified_at, OLD.verification_signature_id,
        OLD.reopening_signature_id))
EXECUTE FUNCTION lims.sample_test_lock();

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

-- Every judgement is checked --------------------------------------------------

-- Whoever made it, by the sample as it is now that it is held. One that is not
-- that of this moment was made while the limits or the sample changed: it is
-- for who asked to try again.
CREATE FUNCTION lims.sample_test_check() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    SELECT count(*) FILTER (WHERE (c.status, c.result, c.numeric_value,
               c.out_of_specification, c.spec_low, c.spec_high, c.spec_text,
               c.spec_material_type_id, c.spec_project_id,
               c.confirmation_status, c.entered_by, c.entered_at,
               c.first_entered_at)
               IS DISTINCT FROM (j.status, j.result, j.numeric_value,
               j.out_of_specification, j.spec_low, j.spec_high, j.spec_text,
               j.spec_material_type_id, j.spec_project_id,
               j.confirmation_status, j.entered_by, j.entered_at,
               j.first_entered_at)
               -- 10 and 10.0 are equal, and not the same.
               OR (scale(c.numeric_value), scale(c.spec_low), scale(c.spec_high))
               IS DISTINCT FROM
               (scale(j.numeric_value), scale(j.spec_low), scale(j.spec_high)))
               AS wrong,
           count(*) FILTER (WHERE c.entered_at = now()
               AND c.entered_by IS NULL) AS nobodys
      INTO v
      FROM (SELECT n.*, o::lims.sample_test AS stood
              FROM new_rows n
              FULL JOIN old_rows o
                ON o.organization_id = n.organization_id
               AND o.id = n.id
            OFFSET 0) c
     CROSS JOIN LATERAL lims.judged(c.stood, c.result, c.qualifier) j
     WHERE c.judgements <> (c.stood).judgements;
    IF v.nobodys > 0 THEN
        PERFORM lims.acting_user();
    END IF;
    IF v.wrong > 0 THEN
        RAISE EXCEPTION USING
            ERRCODE = 'serialization_failure',
            MESSAGE = 'the limits changed while the results were entered';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER judged_update AFTER UPDATE ON lims.sample_test
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_check();

-- What has had a result stays ----------------------------------------------

CREATE FUNCTION lims.sample_test_keep() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF EXISTS (
        SELECT FROM lims.result_history h
         WHERE h.organization_id = OLD.organization_id
           AND h.sample_test_id = OLD.id
    ) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s has had results: it stays', OLD.id));
    END IF;
    RETURN OLD;
END
$$;

CREATE TRIGGER keep BEFORE DELETE ON lims.sample_test
FOR EACH ROW EXECUTE FUNCTION lims.sample_test_keep();

SELECT lims.secure_functions();
