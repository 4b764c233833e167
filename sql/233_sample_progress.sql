-- SPDX-License-Identifier: Apache-2.0
--
-- Progress of samples, for the lists of people.

-- A sample's tests by status, when the first holding time of those ends that were not
-- analysed, how many findings block its report beside the work still to be done, its valid
-- certificate, and what somebody should see at once: from its tests, and from the cache of
-- its state or, where that is not valid, as it is worked out. Planned once, not for each row
-- of a list that is planned for its values.
CREATE FUNCTION lims.sample_progress(
    p_organization bigint,
    p_sample bigint,
    OUT holding_expires_at timestamptz,
    OUT test_counts json,
    OUT blocker_count bigint,
    OUT certificate_id bigint,
    OUT flags text[]
)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    v_tests record;
    v_state record;
BEGIN
    SELECT json_build_object('pending', count(*) FILTER (WHERE t.status = 'pending'),
                             'entered', count(*) FILTER (WHERE t.status = 'entered'),
                             'verified', count(*) FILTER (WHERE t.status = 'verified'))
               AS counts,
           min(t.holding_expires_at) FILTER (
               WHERE t.holding_met IS NULL AND t.work_priority IS NOT NULL) AS expires_at,
           bool_or(t.out_of_specification) AS is_outside,
           bool_or(t.confirmation_status = 'pending') AS is_presumptive,
           bool_or(NOT t.holding_met) AS is_late
      INTO v_tests
      FROM lims.sample_test t
     WHERE t.organization_id = p_organization
       AND t.sample_id = p_sample
       AND t.disposition = 'active';
    SELECT k.holding_status, k.blocker_count::bigint, k.findings
      INTO v_state
      FROM lims.cached_sample_state(p_organization, p_sample) k;
    IF NOT FOUND THEN
        SELECT r.holding_status, r.blocker_count, r.findings
          INTO v_state
          FROM lims.sample_release(p_organization, p_sample) r;
    END IF;
    holding_expires_at := v_tests.expires_at;
    test_counts := v_tests.counts;
    blocker_count := v_state.blocker_count;
    certificate_id := (
        SELECT c.id
          FROM lims.certificate c
         WHERE c.organization_id = p_organization
           AND c.sample_id = p_sample
           AND c.status = 'issued');
    flags := array_remove(ARRAY[
        CASE WHEN v_tests.is_outside THEN 'oos' END,
        CASE WHEN v_tests.is_presumptive THEN 'presumptive' END,
        CASE WHEN v_state.findings && ARRAY['qc_failed', 'qc_pending']
               OR lims.is_under_review(p_organization, p_sample) THEN 'qc' END,
        CASE WHEN v_tests.is_late OR v_state.holding_status <> 'ok' THEN 'holding' END,
        CASE WHEN EXISTS (
            SELECT FROM lims.amendment a
             WHERE a.organization_id = p_organization
               AND a.sample_id = p_sample
               AND a.status <> 'withdrawn') THEN 'amended' END,
        CASE WHEN 'approval_rejected' = ANY (v_state.findings)
             THEN 'approval_rejected' END], NULL);
END
$$;
