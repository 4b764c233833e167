-- SPDX-License-Identifier: Apache-2.0
--
-- Holding times and the worklist: columns of a test that are derived from its sample, kept
-- with the test so that lists can be ordered and filtered by them. A record shows them as
-- they are kept, so it always agrees with its filters. They change without the test: that
-- is not an entry of its audit trail, and leaves updated_at.

-- The verdict --------------------------------------------------------------

-- Whether the analysis was done within the holding time; NULL: not analysed, or without a
-- holding time.
CREATE FUNCTION lims.is_holding_met(
    p_expires_at timestamptz,
    p_analyzed_at timestamptz,
    p_first_entered_at timestamptz
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT coalesce(p_analyzed_at, p_first_entered_at) <= p_expires_at
$$;

CREATE FUNCTION lims.sample_test_measure() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    NEW.holding_met := lims.is_holding_met(NEW.holding_expires_at, NEW.analyzed_at,
                                           NEW.first_entered_at);
    RETURN NEW;
END
$$;

-- Updates only rows whose holding_met is wrong: lims.enter_results() sets it itself.
CREATE TRIGGER measure_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW WHEN (NEW.holding_met IS DISTINCT FROM
    (coalesce(NEW.analyzed_at, NEW.first_entered_at) <= NEW.holding_expires_at))
EXECUTE FUNCTION lims.sample_test_measure();

-- Triggers run in the order of their names: this one after the locks, which clear a
-- withdrawn result.
CREATE TRIGGER measure_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (NEW.holding_met IS DISTINCT FROM
    (coalesce(NEW.analyzed_at, NEW.first_entered_at) <= NEW.holding_expires_at))
EXECUTE FUNCTION lims.sample_test_measure();

-- Columns derived from the sample ------------------------------------------

-- Computes the derived columns of these samples' tests again, except of closed samples and
-- of reported ones without an open amendment, whose tests cannot be changed.
--
-- SECURITY DEFINER: the run-time role has no right to derived columns.
CREATE FUNCTION lims.reschedule_tests(p_organization bigint, p_samples bigint[])
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    UPDATE lims.sample_test t
       SET holding_expires_at = d.expires_at,
           work_priority = d.priority
      FROM lims.sample_test x
      JOIN lims.sample s
        ON s.organization_id = x.organization_id
       AND s.id = x.sample_id
      JOIN lims.organization o
        ON o.id = s.organization_id
     CROSS JOIN LATERAL (
           SELECT lims.holding_end(s.collected_at, s.collection_date, o.time_zone,
                                   x.holding_time_hours) AS expires_at,
                  lims.work_priority(s.disposition, s.priority) AS priority) d
     WHERE s.organization_id = p_organization
       AND s.id = ANY (p_samples)
       AND (s.status <> 'reported' OR s.amendment_id IS NOT NULL)
       AND NOT lims.sample_is_closed(s.status, s.disposition)
       AND t.organization_id = x.organization_id
       AND t.id = x.id
       AND (t.holding_expires_at, t.work_priority)
           IS DISTINCT FROM (d.expires_at, d.priority);
END
$$;

CREATE FUNCTION lims.sample_reschedule() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    PERFORM lims.reschedule_tests(NEW.organization_id, ARRAY[NEW.id]);
    -- While it was closed it was cached as blocked, without an event.
    IF lims.sample_is_closed(OLD.status, OLD.disposition)
       AND NOT lims.sample_is_closed(NEW.status, NEW.disposition) THEN
        UPDATE lims.sample_state_cache w
           SET release_state = NULL
         WHERE w.organization_id = NEW.organization_id
           AND w.sample_id = NEW.id;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER reschedule AFTER UPDATE ON lims.sample
FOR EACH ROW WHEN ((NEW.collected_at, NEW.collection_date, NEW.priority,
        NEW.disposition IN ('active', 'on_hold'))
    IS DISTINCT FROM (OLD.collected_at, OLD.collection_date, OLD.priority,
        OLD.disposition IN ('active', 'on_hold')))
EXECUTE FUNCTION lims.sample_reschedule();

-- Takes the tests of a sample from the worklist before it is closed, since they take no
-- change afterwards. Triggers run in the order of their names: this one after all that
-- may refuse to close it.
CREATE FUNCTION lims.sample_shelve() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    UPDATE lims.sample_test t
       SET work_priority = NULL
     WHERE t.organization_id = NEW.organization_id
       AND t.sample_id = NEW.id
       AND t.work_priority IS NOT NULL;
    RETURN NEW;
END
$$;

CREATE TRIGGER shelve BEFORE UPDATE ON lims.sample
FOR EACH ROW WHEN (OLD.status <> 'reported'
    AND OLD.disposition IN ('active', 'on_hold')
    AND NEW.disposition NOT IN ('active', 'on_hold'))
EXECUTE FUNCTION lims.sample_shelve();

-- A change of the time zone moves the ends of the days of collection.
CREATE FUNCTION lims.organization_reschedule() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    PERFORM lims.reschedule_tests(NEW.id, ARRAY(
        SELECT s.id
          FROM lims.sample s
         WHERE s.organization_id = NEW.id
           AND s.collected_at IS NULL
           AND s.collection_date IS NOT NULL));
    RETURN NULL;
END
$$;

CREATE TRIGGER reschedule AFTER UPDATE ON lims.organization
FOR EACH ROW WHEN (NEW.time_zone IS DISTINCT FROM OLD.time_zone)
EXECUTE FUNCTION lims.organization_reschedule();

-- The worklist -------------------------------------------------------------

-- Open tests in the order in which they are to be done. Whether the sample is received is
-- joined, not stored with its tests: a receipt would have to lock tests after their
-- sample.
--
-- CASE, and not coalesce(), which under row-level security is not a part of an index
-- condition.
CREATE INDEX sample_test_worklist ON lims.sample_test
    (organization_id,
     (CASE WHEN holding_expires_at IS NULL THEN 'infinity' ELSE holding_expires_at END),
     work_priority, id)
 WHERE work_priority IS NOT NULL
   AND disposition = 'active'
   AND (status = 'pending' OR returned_at IS NOT NULL);
