-- SPDX-License-Identifier: Apache-2.0
--
-- What needs confirmation before it can be verified. Of a numeric test that asks
-- for it, everything does that does not plainly prove a negative: whoever writes
-- ">=1600", "200 CFU" or "confluent" has found something.

DROP FUNCTION lims.is_presumptive(text, numeric, text, numeric, boolean);
DROP FUNCTION lims.limits_of(bigint, bigint, bigint, bigint);

-- The limits by which a result is judged now: those set for its material and
-- project, or else the definition's own. One row at most, looked up by key
-- however many tests are asked for: what one costs is not to depend on how many
-- definitions there are.
CREATE FUNCTION lims.limits_of(
    p_organization bigint,
    p_definition bigint,
    p_material_type bigint,
    p_project bigint
) RETURNS TABLE (
    result_type text,
    presumptive_minimum numeric,
    reporting_limit numeric,
    low numeric,
    high numeric,
    expected text
)
LANGUAGE sql STABLE
AS $$
    SELECT d.result_type, d.presumptive_minimum, d.reporting_limit,
           CASE WHEN x.id IS NULL THEN d.specification_low ELSE x.low END,
           CASE WHEN x.id IS NULL THEN d.specification_high ELSE x.high END,
           CASE WHEN x.id IS NULL THEN d.specification_text
                ELSE x.expected_text END
      FROM lims.test_definition d
      LEFT JOIN LATERAL lims.specification_of(p_organization, p_definition,
                    p_material_type, p_project) x
        ON true
     WHERE d.organization_id = p_organization
       AND d.id = p_definition
     LIMIT 1
$$;

-- Whether a result of a test that asks for confirmation is presumptive positive.
-- Of presence or absence everything is that does not plainly say absent. Of a
-- number everything is but
--   - a number below the minimum, without one: up to 0;
--   - text that plainly says absent;
--   - less than x, or x that was not detected, where x reaches no further than
--     what is known of the test (p_known: the largest of minimum, reporting limit
--     and upper limit): "< 50000" beside a limit of 2 proves nothing. Where
--     nothing is known, any x is taken.
-- Of free text what says that something grew.
CREATE FUNCTION lims.is_presumptive(
    p_type text,
    p_result text,
    p_qualifier text,
    p_value numeric,
    p_bound text,
    p_minimum numeric,
    p_known numeric
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE p_type
        WHEN 'presence' THEN lims.presence(p_result) IS NOT FALSE
        WHEN 'numeric' THEN CASE
            WHEN '>' IN (p_bound, p_qualifier) THEN true
            WHEN p_value IS NULL THEN lims.presence(p_result) IS NOT FALSE
            WHEN p_bound = '<' THEN p_value > coalesce(p_known, p_value)
            WHEN p_minimum IS NULL THEN p_value > 0
            ELSE p_value >= p_minimum
        END
        ELSE coalesce(CASE
            WHEN p_value IS NOT NULL THEN CASE
                WHEN p_bound <> '' THEN p_bound = '>'
                WHEN p_minimum IS NULL THEN p_value > 0
                ELSE p_value >= p_minimum
            END
            WHEN lower(btrim(p_result)) IN ('tntc', 'too numerous to count')
            THEN true
            ELSE lims.presence(p_result)
        END, false)
    END
$$;

-- As in the results migration, but for the rule above, and for a result that
-- stands and is rejudged with its sample: it may become presumptive by other
-- limits, but what was asked or decided of it stays.
CREATE OR REPLACE FUNCTION lims.judged(
    p_stands lims.sample_test,
    p_result text,
    p_qualifier text
) RETURNS TABLE (
    status text,
    result text,
    numeric_value numeric,
    out_of_specification boolean,
    spec_low numeric,
    spec_high numeric,
    spec_text text,
    spec_material_type_id bigint,
    spec_project_id bigint,
    confirmation_status text,
    analyzed_at timestamptz,
    entered_by bigint,
    entered_at timestamptz,
    first_entered_at timestamptz
)
LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN e.is_result THEN 'entered' ELSE 'pending' END,
           CASE WHEN e.is_result THEN p_result END,
           e.number,
           CASE WHEN NOT e.is_result THEN NULL
                WHEN l.result_type = 'numeric'
                THEN lims.out_of_limits(e.number, e.bound, l.low, l.high)
                ELSE lims.out_of_expectation(p_result, l.expected,
                                             l.result_type = 'presence')
           END,
           CASE WHEN e.is_result THEN l.low END,
           CASE WHEN e.is_result THEN l.high END,
           CASE WHEN e.is_result THEN l.expected END,
           CASE WHEN e.is_result THEN s.material_type_id END,
           CASE WHEN e.is_result THEN s.project_id END,
           CASE WHEN NOT e.is_result THEN NULL
                WHEN (p_stands).confirmation_status IS NOT NULL
                 AND (p_result, p_qualifier) IS NOT DISTINCT FROM
                     ((p_stands).result, (p_stands).qualifier)
                THEN (p_stands).confirmation_status
                WHEN (p_stands).requires_confirmation
                 AND lims.is_presumptive(l.result_type, p_result, p_qualifier,
                         e.number, e.bound, l.presumptive_minimum,
                         greatest(l.presumptive_minimum, l.reporting_limit,
                                  l.high))
                THEN 'pending'
           END,
           -- The analysis that is withdrawn no longer stops the holding time.
           CASE WHEN e.is_result OR (p_stands).result IS NULL
                THEN (p_stands).analyzed_at END,
           CASE WHEN NOT e.is_result THEN NULL
                WHEN (p_result, p_qualifier) IS NOT DISTINCT FROM
                     ((p_stands).result, (p_stands).qualifier)
                THEN (p_stands).entered_by
                ELSE (SELECT lims.context_id('user_id')) END,
           CASE WHEN NOT e.is_result THEN NULL
                WHEN (p_result, p_qualifier) IS NOT DISTINCT FROM
                     ((p_stands).result, (p_stands).qualifier)
                THEN (p_stands).entered_at
                ELSE now() END,
           CASE WHEN e.is_result
                THEN coalesce((p_stands).first_entered_at, now()) END
      FROM lims.sample s
     CROSS JOIN LATERAL lims.limits_of(s.organization_id,
           (p_stands).test_definition_id, s.material_type_id, s.project_id) l
     CROSS JOIN LATERAL (
           SELECT coalesce(p_result ~ '\S', false) AS is_result,
                  lims.result_number(p_result) AS number,
                  lims.result_bound(p_result, p_qualifier) AS bound
           OFFSET 0) e
     WHERE s.organization_id = (p_stands).organization_id
       AND s.id = (p_stands).sample_id
$$;

GRANT EXECUTE ON FUNCTION
    lims.limits_of(bigint, bigint, bigint, bigint),
    lims.is_presumptive(text, text, text, numeric, text, numeric, numeric)
    TO lims_app;

-- What may become of a confirmation while its result stands: it may be asked for,
-- where the test asks for such, and is then decided, once.
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

-- As in the locks migration, but for the confirmation.
CREATE OR REPLACE FUNCTION lims.sample_test_move(
    p_old lims.sample_test,
    p_new lims.sample_test
) RETURNS lims.sample_test
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
       AND lims.confirmation_may_become(p_old.requires_confirmation,
               p_old.confirmation_status, p_new.confirmation_status)
           IS NOT TRUE THEN
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

-- What was entered before this and is not verified yet is asked for where it would
-- be now. What was verified stays: a person has decided that.
UPDATE lims.sample_test t
   SET confirmation_status = 'pending'
  FROM lims.test_definition d
 WHERE d.organization_id = t.organization_id
   AND d.id = t.test_definition_id
   AND d.result_type = 'numeric'
   AND t.status = 'entered'
   AND t.requires_confirmation
   AND t.confirmation_status IS NULL
   AND lims.is_presumptive(d.result_type, t.result, t.qualifier, t.numeric_value,
           lims.result_bound(t.result, t.qualifier), d.presumptive_minimum,
           greatest(d.presumptive_minimum, d.reporting_limit, t.spec_high));
