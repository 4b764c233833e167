-- SPDX-License-Identifier: Apache-2.0
--
-- Triggers that run before a sample test's row is written or deleted: locks (a verified
-- result, a test that has had results), and the names and limits that are frozen with
-- verification. Their map is in 130_sample_tests.sql.

-- Deleting -----------------------------------------------------------------

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
            'sample test %s has had results and cannot be deleted', OLD.id));
    END IF;
    RETURN OLD;
END
$$;

CREATE TRIGGER keep BEFORE DELETE ON lims.sample_test
FOR EACH ROW EXECUTE FUNCTION lims.sample_test_keep();

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
    -- *= compares bytes: 10 and 10.0 differ.
    v_same := NEW;
    v_same.disposition := OLD.disposition;
    v_same.reported := OLD.reported;
    v_same.holding_expires_at := OLD.holding_expires_at;
    v_same.holding_met := OLD.holding_met;
    v_same.work_priority := OLD.work_priority;
    v_same.updated_at := OLD.updated_at;
    -- The choice of the reported result in a family of retests is made between verified
    -- results, and the sample's approvals and certificate depend on it.
    IF v_same *= OLD THEN
        RETURN NEW;
    END IF;

    -- Reopening changes only the status, and needs a signature with that meaning, made
    -- in this transaction.
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
        NEW.value_warnings := NULL;
        NEW.entered_by := NULL;
        NEW.entered_at := NULL;
        NEW.first_entered_at := NULL;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER lock BEFORE DELETE ON lims.sample_test
FOR EACH ROW EXECUTE FUNCTION lims.sample_test_lock();

-- A change of the result alone is left out: only the judgement handles it.
CREATE TRIGGER lock_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (OLD.status = 'verified'
    OR NEW.status = 'verified'
    OR (NEW.result, NEW.qualifier, NEW.spec_material_type_id,
        NEW.spec_project_id) IS NOT DISTINCT FROM
       (OLD.result, OLD.qualifier, OLD.spec_material_type_id,
        OLD.spec_project_id)
    OR (NEW.verified_by, NEW.verified_at, NEW.verification_signature_id,
        NEW.reopening_signature_id) IS DISTINCT FROM
       (OLD.verified_by, OLD.verified_at, OLD.verification_signature_id,
        OLD.reopening_signature_id))
EXECUTE FUNCTION lims.sample_test_lock();

-- The allowed changes of a confirmation while its result is unchanged: it is requested,
-- if the test requires confirmation, and then decided once.
CREATE FUNCTION lims.confirmation_may_become(
    p_requires boolean,
    p_old text,
    p_new text
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT p_new IS NOT DISTINCT FROM p_old
        OR (p_old = 'pending' AND p_new IS NOT NULL)
        OR (p_old IS NULL AND p_new = 'pending' AND p_requires)
$$;

-- Verifies a result: passes its gates, and checks the signature that is required or given.
CREATE FUNCTION lims.sample_test_verify(
    p_old lims.sample_test,
    p_new lims.sample_test
) RETURNS lims.sample_test
LANGUAGE plpgsql
AS $$
DECLARE
    v_slug text;
    v_message text;
    v_same lims.sample_test := p_new;
BEGIN
    -- No other column may change with the status: the reviewer has not seen it.
    v_same.status := p_old.status;
    v_same.verified_by := p_old.verified_by;
    v_same.verified_at := p_old.verified_at;
    v_same.verification_signature_id := p_old.verification_signature_id;
    v_same.updated_at := p_old.updated_at;
    IF v_same *<> p_old THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s cannot be changed and verified in one step', p_new.id));
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
    -- A signature that is not required but given has to be valid too.
    IF p_new.verification_signature_id IS NOT NULL
       AND NOT lims.is_signed(p_new.organization_id,
                              p_new.verification_signature_id,
                              'verified', 'sample_test', p_new.id) THEN
        PERFORM lims.refuse('esignature_required',
            'the signature given is not one of the verifier on this result, made in the '
            'same transaction');
    END IF;
    p_new.verified_by := lims.acting_user();
    p_new.verified_at := now();
    RETURN p_new;
END
$$;

-- The allowed changes of a test that is not verified: the result decides between pending
-- and entered, verification has its gates, and a confirmation is decided once.
CREATE FUNCTION lims.sample_test_move(
    p_old lims.sample_test,
    p_new lims.sample_test
) RETURNS lims.sample_test
LANGUAGE plpgsql
AS $$
DECLARE
    v_changed boolean := (p_new.result, p_new.qualifier)
                         IS DISTINCT FROM (p_old.result, p_old.qualifier);
    v_rejudged boolean := (p_new.spec_material_type_id, p_new.spec_project_id)
        IS DISTINCT FROM (p_old.spec_material_type_id, p_old.spec_project_id);
BEGIN
    IF NOT v_changed
       AND lims.confirmation_may_become(p_old.requires_confirmation,
               p_old.confirmation_status, p_new.confirmation_status)
           IS NOT TRUE THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s has no pending confirmation', p_new.id));
    END IF;
    IF p_new.status = p_old.status OR v_changed THEN
        -- Columns that only verification sets (below).
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
            p_new.value_warnings := p_old.value_warnings;
        END IF;
        RETURN p_new;
    END IF;
    IF p_new.status <> 'verified' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s cannot be set to status %s: the status follows from the '
            'result',
            p_new.id, p_new.status));
    END IF;
    RETURN lims.sample_test_verify(p_old, p_new);
END
$$;

-- Frozen names -------------------------------------------------------------

-- Sets the frozen columns, whatever was written into them.
CREATE FUNCTION lims.sample_test_names() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_limit numeric;
    v_is_judged boolean := true;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        -- The lock has decided before whether the row may change.
        IF NEW.status = 'verified' AND OLD.status = 'verified' THEN
            RETURN NEW;
        END IF;
        v_is_judged := (NEW.result, NEW.qualifier, NEW.spec_material_type_id,
                        NEW.spec_project_id) IS DISTINCT FROM
                       (OLD.result, OLD.qualifier, OLD.spec_material_type_id,
                        OLD.spec_project_id);
        v_limit := OLD.reporting_limit;
    END IF;
    SELECT d.code, d.name, d.method, d.unit, d.method_detection_limit,
           d.uncertainty, d.accredited,
           CASE WHEN NEW.requires_confirmation AND NOT v_is_judged THEN v_limit
                ELSE d.reporting_limit END
      INTO NEW.test_code, NEW.test_name, NEW.method, NEW.unit,
           NEW.method_detection_limit, NEW.uncertainty, NEW.accredited,
           NEW.reporting_limit
      FROM lims.test_definition d
     WHERE d.organization_id = NEW.organization_id
       AND d.id = NEW.test_definition_id;
    NEW.spec_decision_rule := CASE WHEN NEW.status = 'verified'
                                   THEN lims.decision_rule_of(NEW) END;
    IF NEW.status <> 'verified' THEN
        NEW.test_code := NULL;
        NEW.test_name := NULL;
        NEW.method := NULL;
        NEW.unit := NULL;
        NEW.method_detection_limit := NULL;
        NEW.uncertainty := NULL;
        NEW.accredited := NULL;
        IF NEW.result IS NULL OR NOT NEW.requires_confirmation THEN
            NEW.reporting_limit := NULL;
        END IF;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER names_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW WHEN ((NEW.requires_confirmation AND NEW.result IS NOT NULL)
    OR NOT ROW(NEW.test_code, NEW.test_name, NEW.method, NEW.unit,
        NEW.reporting_limit, NEW.method_detection_limit, NEW.uncertainty,
        NEW.accredited, NEW.spec_decision_rule) IS NULL)
EXECUTE FUNCTION lims.sample_test_names();

-- Triggers run in the order of their names: this one after the locks.
CREATE TRIGGER names_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN ((NEW.status = 'verified') <> (OLD.status = 'verified')
    OR (NEW.requires_confirmation
        AND (NEW.result, NEW.qualifier, NEW.spec_material_type_id,
             NEW.spec_project_id) IS DISTINCT FROM
            (OLD.result, OLD.qualifier, OLD.spec_material_type_id,
             OLD.spec_project_id))
    OR (NEW.test_code, NEW.test_name, NEW.method, NEW.unit,
        NEW.reporting_limit::text, NEW.method_detection_limit::text, NEW.uncertainty,
        NEW.accredited, NEW.spec_decision_rule)
       IS DISTINCT FROM
       (OLD.test_code, OLD.test_name, OLD.method, OLD.unit,
        OLD.reporting_limit::text, OLD.method_detection_limit::text, OLD.uncertainty,
        OLD.accredited, OLD.spec_decision_rule))
EXECUTE FUNCTION lims.sample_test_names();

-- The record ---------------------------------------------------------------

-- lims.enter_results() sets updated_at itself: the call for each row is a twentieth of what
-- entering many results costs. A blank result that stays blank is not a change, nor is what
-- changes with the sample.
CREATE TRIGGER touch BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (((NEW.result, NEW.qualifier)
            IS NOT DISTINCT FROM (OLD.result, OLD.qualifier)
        OR NEW.updated_at IS NOT DISTINCT FROM OLD.updated_at
        OR NEW.updated_at <> now())
    AND ((NEW.holding_expires_at, NEW.work_priority)
            IS NOT DISTINCT FROM (OLD.holding_expires_at, OLD.work_priority)
        OR (NEW.result, NEW.qualifier, NEW.updated_at)
            IS DISTINCT FROM (OLD.result, OLD.qualifier, OLD.updated_at)))
EXECUTE FUNCTION lims.touch();

SELECT lims.attach_audit('sample_test',
    '{holding_expires_at,holding_met,work_priority}');
