-- SPDX-License-Identifier: Apache-2.0
--
-- Receipt of samples: what was found, when results are due, and undoing a receipt in
-- error.

-- Refuses to undo a receipt, except on its day (in the laboratory's time zone) and without
-- results; p_advice says what can be done instead.
CREATE FUNCTION lims.check_unreceive(p_sample lims.sample, p_advice text DEFAULT '') RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_same_day boolean;
BEGIN
    PERFORM lims.require_read_committed();
    SELECT (p_sample.received_at AT TIME ZONE o.time_zone)::date
           = (now() AT TIME ZONE o.time_zone)::date
      INTO v_same_day
      FROM lims.organization o
     WHERE o.id = p_sample.organization_id;
    IF p_sample.status NOT IN ('pending', 'received', 'processing') THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s is %s: its receipt can no longer be changed%s',
            p_sample.tracking_id, p_sample.status, p_advice));
    ELSIF NOT v_same_day THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s was received on an earlier day: its receipt can no longer be changed%s',
            p_sample.tracking_id, p_advice));
    ELSIF EXISTS (
        SELECT FROM lims.sample_test t
         WHERE t.organization_id = p_sample.organization_id
           AND t.sample_id = p_sample.id
           AND (t.result IS NOT NULL OR EXISTS (
                SELECT FROM lims.result_history h
                 WHERE h.organization_id = t.organization_id
                   AND h.sample_test_id = t.id))
    ) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s has results: its receipt can no longer be changed%s',
            p_sample.tracking_id, p_advice));
    END IF;
END
$$;

-- Returns the day on which a sample's results are due by its tests' definitions, if
-- received at this time; NULL: no definition promises a time.
CREATE FUNCTION lims.due_date_of(
    p_organization bigint,
    p_sample bigint,
    p_received_at timestamptz
) RETURNS date
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT lims.collection_day(p_organization, p_received_at) + max(d.turnaround_days)
          FROM lims.sample_test t
          JOIN lims.test_definition d
            ON d.organization_id = t.organization_id
           AND d.id = t.test_definition_id
         WHERE t.organization_id = p_organization
           AND t.sample_id = p_sample
           AND t.disposition = 'active');
END
$$;

-- Whether the due date of a sample was set by its receipt, not given before or since. (The
-- trail has it: a receipt is undone on its day, before any entry is archived.)
CREATE FUNCTION lims.is_due_by_receipt(p_organization bigint, p_sample bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT a.changes -> 'received_at' IS NOT NULL
          FROM lims.audit_entry a
         WHERE a.organization_id = p_organization
           AND a.table_name = 'sample'
           AND a.record_id = p_sample
           AND a.changes -> 'due_date' IS NOT NULL
         ORDER BY a.id DESC
         LIMIT 1);
END
$$;

-- Sets who received a sample and when its results are due. Findings at receipt are recorded
-- with the receipt, changed until the sample is completed and again while it is amended, and
-- cleared when the receipt is undone.
CREATE FUNCTION lims.sample_receipt() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.received_at IS NULL AND OLD.received_at IS NOT NULL THEN
        PERFORM lims.check_unreceive(OLD);
        IF lims.context('reason') IS NULL THEN
            PERFORM lims.refuse('invalid_body', 'reason: undoing a receipt needs a reason');
        END IF;
        IF lims.is_due_by_receipt(OLD.organization_id, OLD.id) THEN
            NEW.due_date := NULL;
        END IF;
        NEW.received_by := NULL;
        NEW.receipt_temperature := NULL;
        NEW.receipt_condition := NULL;
        NEW.receipt_containers := NULL;
        NEW.receipt_deviations := NULL;
    ELSIF NEW.received_at IS NOT NULL AND OLD.received_at IS NULL THEN
        NEW.received_by := lims.context_id('user_id');
        NEW.due_date := coalesce(NEW.due_date,
            lims.due_date_of(NEW.organization_id, NEW.id, NEW.received_at));
    ELSIF OLD.status = 'pending' AND NEW.status = 'received'
          AND NEW.received_by IS NOT DISTINCT FROM OLD.received_by THEN
        -- Received anew, after its status was set back: other findings undo the receipt, on
        -- which results and approvals may rest.
        PERFORM lims.check_unreceive(OLD, '. Receive it without temperature, '
            'condition, containers and deviations: those of its first receipt stay');
    ELSIF NEW.received_at IS NULL OR NEW.status <> OLD.status
          OR NEW.status NOT IN ('received', 'processing') AND NEW.amendment_id IS NULL
          OR NEW.received_by IS DISTINCT FROM OLD.received_by THEN
        PERFORM lims.refuse('invalid_transition', format(
            'receipt: findings are recorded while sample %s is being received, and changed '
            'until it is completed, or while it is amended', NEW.tracking_id));
    ELSIF lims.is_reason_missing(NEW.organization_id) THEN
        PERFORM lims.refuse('reason_required', format(
            'sample %s is received: reason must say why its receipt is changed',
            NEW.tracking_id));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER receipt BEFORE UPDATE ON lims.sample
FOR EACH ROW WHEN ((NEW.received_at, NEW.received_by, NEW.receipt_temperature,
    NEW.receipt_condition, NEW.receipt_containers, NEW.receipt_deviations)
    IS DISTINCT FROM (OLD.received_at, OLD.received_by, OLD.receipt_temperature,
    OLD.receipt_condition, OLD.receipt_containers, OLD.receipt_deviations))
EXECUTE FUNCTION lims.sample_receipt();

-- Samples by name ----------------------------------------------------------

-- Whether a text has the form of a tracking id, in any case and with or without dashes,
-- and a wrong check character.
CREATE FUNCTION lims.tracking_id_is_mistyped(p_text text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$
    SELECT c.text ~ '^[A-Z0-9]{1,8}[0-9]{9,18}[0-9A-Z]$'
       AND lims.check_character(left(c.text, -1)) <> right(c.text, 1)
      FROM (SELECT upper(replace(p_text, '-', '')) AS text) c
$$;

-- Returns the tracking ids that a text may mean, written in any case and with or without
-- dashes: where the dashes are is not certain, since prefix and number are digits too.
CREATE FUNCTION lims.tracking_ids_meant(p_text text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$
    SELECT array_agg(m.id)
      FROM (SELECT upper(replace(p_text, '-', '')) AS text) c
     CROSS JOIN generate_series(7, 16) AS n
     CROSS JOIN LATERAL (
           SELECT concat_ws('-', left(c.text, length(c.text) - n - 3),
                            substr(c.text, length(c.text) - n - 2, 2),
                            substr(c.text, length(c.text) - n, n), right(c.text, 1)) AS id) m
     WHERE length(c.text) BETWEEN n + 4 AND n + 11
       AND m.id ~ '^[A-Z0-9]{1,8}-[0-9]{2}-[0-9]{7,16}-[0-9A-Z]$'
$$;

-- Returns the samples that a text names: by tracking id, and unless only that is asked
-- for, by sample identifier or external id.
CREATE FUNCTION lims.samples_named(
    p_organization bigint,
    p_text text,
    p_tracking_only boolean
) RETURNS TABLE (id bigint, tracking_id text)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    -- The subquery keeps a text that cannot be a tracking id from being planned as a
    -- constant, for which any index of the organization's samples seems as good.
    RETURN QUERY
    SELECT s.id, s.tracking_id
      FROM lims.sample s
     WHERE s.organization_id = p_organization
       AND s.tracking_id = ANY (ARRAY(SELECT unnest(lims.tracking_ids_meant(p_text))))
     UNION
    SELECT s.id, s.tracking_id
      FROM lims.sample s
     WHERE s.organization_id = p_organization
       AND s.sample_identifier = p_text
       AND NOT p_tracking_only
     UNION
    SELECT s.id, s.tracking_id
      FROM lims.sample s
     WHERE s.organization_id = p_organization
       AND s.external_id = p_text
       AND NOT p_tracking_only;
END
$$;
