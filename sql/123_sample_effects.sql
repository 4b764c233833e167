-- SPDX-License-Identifier: Apache-2.0
--
-- Triggers that run after samples were written: approvals, monthly allowance, events, the
-- queue of dirty samples.

-- Approvals ----------------------------------------------------------------

-- Requests approvals when a sample becomes completed or goes beyond that without a current
-- round, or after the last round was rejected.
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
                  AND a.replaced_at IS NULL
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

-- Monthly allowance --------------------------------------------------------

-- Samples registered per organization and UTC month, counted only while there is an
-- allowance. The row lock of the UPDATE makes the count exact for parallel registrations.
CREATE TABLE lims.sample_allowance (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    month date NOT NULL,
    used bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (organization_id, month)
);

CREATE FUNCTION lims.sample_count() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_month CONSTANT date :=
        date_trunc('month', now() AT TIME ZONE 'UTC')::date;
    v_new record;
    v_used bigint;
BEGIN
    FOR v_new IN
        SELECT o.id, o.monthly_sample_allowance AS allowance, c.samples
          FROM (SELECT n.organization_id, count(*) AS samples
                  FROM new_rows n
                 GROUP BY n.organization_id) c
          JOIN lims.organization o ON o.id = c.organization_id
         WHERE o.monthly_sample_allowance IS NOT NULL
         ORDER BY o.id
    LOOP
        UPDATE lims.sample_allowance a
           SET used = a.used + v_new.samples
         WHERE a.organization_id = v_new.id
           AND a.month = v_month
        RETURNING a.used INTO v_used;
        IF NOT FOUND THEN
            -- The count includes this statement's samples; who inserted the row
            -- meanwhile has counted only their own.
            INSERT INTO lims.sample_allowance AS a
                   (organization_id, month, used)
            SELECT v_new.id, v_month, count(*)
              FROM lims.sample s
             WHERE s.organization_id = v_new.id
               AND s.created_at >= v_month::timestamp AT TIME ZONE 'UTC'
                ON CONFLICT (organization_id, month)
                DO UPDATE SET used = a.used + v_new.samples
            RETURNING a.used INTO v_used;
        END IF;
        IF v_used > v_new.allowance THEN
            PERFORM lims.refuse('SAMPLE_LIMIT_EXCEEDED', format(
                'the plan allows %s samples a month, and they are used up until '
                '%s (UTC)', v_new.allowance,
                (v_month + interval '1 month')::date));
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER count_allowance AFTER INSERT ON lims.sample
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_count();

-- Discards the count when an allowance is introduced: samples were not counted before.
CREATE FUNCTION lims.organization_recount() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    DELETE FROM lims.sample_allowance a
     WHERE a.organization_id = NEW.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER recount AFTER UPDATE ON lims.organization
FOR EACH ROW WHEN (OLD.monthly_sample_allowance IS NULL
    AND NEW.monthly_sample_allowance IS NOT NULL)
EXECUTE FUNCTION lims.organization_recount();

-- Events -------------------------------------------------------------------

CREATE FUNCTION lims.emit_sample_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO lims.event (organization_id, type, data)
        SELECT n.organization_id, 'sample.created', json_build_object(
                   'sampleId', n.id,
                   'trackingId', n.tracking_id,
                   'sampleIdentifier', n.sample_identifier,
                   'clientName', n.client_name,
                   'status', n.status)
          FROM new_rows n
         ORDER BY n.id;
        RETURN NULL;
    END IF;
    INSERT INTO lims.event (organization_id, type, data)
    SELECT e.organization_id, e.type,
           CASE e.type
               WHEN 'sample.received' THEN json_build_object(
                   'sampleId', e.id,
                   'trackingId', e.tracking_id,
                   'status', e.status)
               -- The contract omits the tracking id where several are received at once.
               ELSE CASE WHEN count(*) OVER (PARTITION BY e.type) = 1
                   THEN json_build_object(
                       'sampleId', e.id,
                       'status', e.status,
                       'trackingId', e.tracking_id)
                   ELSE json_build_object(
                       'sampleId', e.id,
                       'status', e.status)
               END
           END
      FROM (SELECT n.organization_id, n.id, n.tracking_id, n.status,
                   CASE
                       WHEN (o.status = 'pending' AND n.status = 'received')
                         OR (o.received_at IS NULL AND n.received_at IS NOT NULL)
                       THEN 'sample.received'
                       WHEN n.status = 'reported' AND o.status <> 'reported'
                       THEN 'sample.reported'
                   END AS type
              FROM new_rows n
              FULL JOIN old_rows o
                ON o.organization_id = n.organization_id
               AND o.id = n.id
            OFFSET 0) e
     WHERE e.type IS NOT NULL
     ORDER BY e.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER events_insert AFTER INSERT ON lims.sample
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_sample_events();

CREATE TRIGGER events_update AFTER UPDATE ON lims.sample
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_sample_events();

-- Dirty samples ------------------------------------------------------------

CREATE TRIGGER mark_insert AFTER INSERT ON lims.sample
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_new_samples();

CREATE TRIGGER mark_update AFTER UPDATE ON lims.sample
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_changed_samples();

-- Effects on records that depend on the sample -----------------------------

-- Requests approvals again after a change of the sample's approved content.
CREATE FUNCTION lims.sample_reapprove() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT c.organization_id, array_agg(c.id) AS samples
          FROM changed_rows c
         WHERE (c.status <> 'reported' OR c.amendment_id IS NOT NULL)
           AND lims.has_approvals(c.organization_id, c.id)
         GROUP BY c.organization_id
    LOOP
        PERFORM lims.request_approvals_again(v.organization_id, v.samples, '{}');
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER reapprove_update AFTER UPDATE ON lims.sample
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_reapprove();

CREATE FUNCTION lims.sample_rejudge() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE lims.sample_test t
       SET spec_material_type_id = NEW.material_type_id,
           spec_project_id = NEW.project_id
     WHERE t.organization_id = NEW.organization_id
       AND t.sample_id = NEW.id
       AND t.status = 'entered'
       AND t.disposition = 'active';
    RETURN NULL;
END
$$;

CREATE TRIGGER rejudge AFTER UPDATE ON lims.sample
FOR EACH ROW WHEN ((NEW.material_type_id, NEW.project_id)
    IS DISTINCT FROM (OLD.material_type_id, OLD.project_id))
EXECUTE FUNCTION lims.sample_rejudge();
