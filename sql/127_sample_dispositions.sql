-- SPDX-License-Identifier: Apache-2.0
--
-- Dispositions of a sample, beside its six statuses: on hold, cancelled, rejected or
-- disposed of. Nothing done on it is lost, and a cancelled or rejected one can be
-- restored.

-- Whether the disposition of a sample ends the work on it. False for a reported sample,
-- which is final by its status.
CREATE FUNCTION lims.sample_is_closed(p_status text, p_disposition text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT p_disposition IN ('cancelled', 'rejected')
        OR (p_disposition = 'disposed' AND p_status <> 'reported')
$$;

CREATE FUNCTION lims.refuse_closed(p_tracking_id text, p_disposition text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.refuse('invalid_transition', format(
        'sample %s is %s: no more work can be done on it', p_tracking_id, p_disposition));
END
$$;

-- Refuses work on a sample that its disposition has closed, and locks it until the
-- transaction ends: a concurrent cancellation waits for this transaction, or is seen by
-- it.
CREATE FUNCTION lims.require_open_sample(p_organization bigint, p_sample bigint)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    SELECT s.tracking_id, s.status, s.disposition
      INTO v
      FROM lims.sample s
     WHERE s.organization_id = p_organization
       AND s.id = p_sample
       FOR SHARE;
    IF lims.sample_is_closed(v.status, v.disposition) THEN
        PERFORM lims.refuse_closed(v.tracking_id, v.disposition);
    END IF;
END
$$;

-- The permission that a change of disposition needs; NULL: there is no such change.
CREATE FUNCTION lims.disposition_permission(p_status text, p_old text, p_new text)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE
        WHEN p_new = p_old THEN NULL
        WHEN p_new = 'disposed'
         AND (p_status = 'reported' OR p_old IN ('cancelled', 'rejected'))
        THEN 'sample.edit'
        WHEN p_status = 'reported' OR 'disposed' IN (p_old, p_new) THEN NULL
        WHEN p_old IN ('active', 'on_hold') AND p_new IN ('active', 'on_hold')
        THEN 'sample.edit'
        WHEN p_old IN ('active', 'on_hold') OR p_new = 'active' THEN 'sample.cancel'
    END
$$;

-- Refuses to cancel, reject or take back a sample with results without result.verify, and
-- to cancel or reject one under investigation where the policy says so.
CREATE FUNCTION lims.check_cancelling(p_sample lims.sample, p_disposition text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_number text;
BEGIN
    IF EXISTS (
        SELECT FROM lims.sample_test t
         WHERE t.organization_id = p_sample.organization_id
           AND t.sample_id = p_sample.id
           AND t.result IS NOT NULL
    ) THEN
        PERFORM lims.require_permission(p_sample.organization_id, 'result.verify');
    END IF;
    SELECT i.investigation_number
      INTO v_number
      FROM lims.investigation i
      JOIN lims.organization o
        ON o.id = i.organization_id
     WHERE i.organization_id = p_sample.organization_id
       AND i.sample_id = p_sample.id
       AND i.status NOT IN ('closed', 'cancelled')
       AND o.open_investigation_blocks
       AND p_disposition <> 'active'
     ORDER BY i.id
     LIMIT 1;
    IF FOUND THEN
        PERFORM lims.refuse('investigation_open', format(
            'investigation %s of sample %s is open: close it first', v_number,
            p_sample.tracking_id));
    END IF;
END
$$;

-- Refuses a change of disposition together with other changes, without a reason, or
-- without the permission.
CREATE FUNCTION lims.sample_dispose() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_same lims.sample := NEW;
    v_permission text := lims.disposition_permission(OLD.status, OLD.disposition,
                                                     NEW.disposition);
BEGIN
    v_same.disposition := OLD.disposition;
    v_same.disposition_reason := OLD.disposition_reason;
    v_same.updated_at := OLD.updated_at;
    IF v_same *<> OLD THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s cannot be changed together with its disposition: send two '
            'requests',
            OLD.tracking_id));
    ELSIF v_permission IS NULL THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s is %s: its disposition cannot become %s', OLD.tracking_id,
            CASE WHEN OLD.status = 'reported' AND OLD.disposition = 'active'
                 THEN OLD.status ELSE replace(OLD.disposition, '_', ' ') END,
            replace(NEW.disposition, '_', ' ')));
    ELSIF lims.context('reason') IS NULL THEN
        PERFORM lims.refuse('invalid_body',
            'reason: changing a disposition needs a reason');
    END IF;
    PERFORM lims.require_permission(NEW.organization_id, v_permission);
    IF v_permission = 'sample.cancel' THEN
        PERFORM lims.require_read_committed();
        PERFORM lims.check_cancelling(OLD, NEW.disposition);
    END IF;
    NEW.disposition_reason := CASE WHEN NEW.disposition <> 'active'
                                   THEN lims.context('reason') END;
    RETURN NEW;
END
$$;

CREATE TRIGGER disposition BEFORE UPDATE ON lims.sample
FOR EACH ROW WHEN ((NEW.disposition, NEW.disposition_reason)
    IS DISTINCT FROM (OLD.disposition, OLD.disposition_reason))
EXECUTE FUNCTION lims.sample_dispose();
