-- SPDX-License-Identifier: Apache-2.0
--
-- Investigations of what was found out of specification.

-- Triggers of lims.investigation, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard          assigns its number; refuses a new one that is not opened; locks the
--                    sample, which it may block
--   2 open_insert    records the result for which it is opened, and computes its due date
--   3 plan_insert    records who wrote the retest plan, which is not approved (172)
--
-- BEFORE UPDATE
--   1 guard          lets its status change only as allowed
--   2 identity       refuses to change id, organization or created_at
--   3 open_update    refuses to change what was recorded when it was opened
--   4 plan_update    records who wrote the retest plan, and ends its approval with a change
--                    of the plan; refuses an approval without the permission and a
--                    signature, or by the author (172)
--   5 signed         refuses to close it without the permission and a signature (157)
--   6 touch          sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert   writes the audit trail; a later refusal rolls it back
--   2 events_insert  writes investigation.opened to the outbox
--   3 mark_insert    marks the sample dirty (121), which it may block
--
-- AFTER UPDATE
--   1 audit_update   writes the audit trail, as at INSERT
--   2 mark_update    marks the sample dirty (121)
--
-- AFTER DELETE
--   1 audit_delete   writes the audit trail, as at INSERT

CREATE SEQUENCE lims.investigation_id_seq;

CREATE TABLE lims.investigation (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.investigation_id_seq'),
    investigation_number text NOT NULL CHECK (length(investigation_number) <= 64),
    title text NOT NULL CHECK (length(title) BETWEEN 1 AND 255),
    kind text NOT NULL CHECK (kind IN (
        'oos', 'oot', 'oof', 'deviation', 'capa', 'complaint', 'qc_failure',
        'media_failure', 'holding_time', 'pt_failure')),
    sample_id bigint,
    sample_test_id bigint,
    status text NOT NULL DEFAULT 'opened' CHECK (status IN (
        'opened', 'phase_1', 'phase_2', 'conclusion', 'capa_required',
        'closed', 'cancelled')),
    opened_at timestamptz NOT NULL DEFAULT now(),
    opened_by bigint DEFAULT lims.context_id('user_id'),
    -- Due date: by default as many days after the opening as the policy gives.
    due_on date,
    assignee_id bigint,
    -- Checklist of phase 1, the investigation in the laboratory (FDA, Investigating OOS
    -- Results, 2022, III).
    checks text[] NOT NULL DEFAULT '{}' CHECK (checks <@ ARRAY[
        'sample_identity', 'method_known', 'raw_data', 'calculations', 'instrument',
        'standards_and_reagents', 'method_performance', 'retained_solutions']),
    hypotheses text CHECK (length(hypotheses) <= 4000),
    retest_plan text CHECK (length(retest_plan) <= 4000),
    -- Author of the retest plan as it stands, and the approval of that plan (172).
    retest_plan_by bigint,
    retest_plan_approved_at timestamptz,
    retest_plan_approved_by bigint,
    root_cause text CHECK (length(root_cause) <= 4000),
    -- The result that the test had when the investigation was opened, and when that was
    -- entered: later ones are in the test and in its history.
    opened_value text,
    opened_entered_at timestamptz,
    -- Batch that failed, of an investigation of the kind qc_failure.
    qc_batch_id bigint,
    -- The lot that is investigated.
    reagent_lot_id bigint,
    media_lot_id bigint,
    -- The instrument file that is investigated (200).
    instrument_file_id bigint,
    closed_at timestamptz,
    closed_by bigint,
    conclusion text CHECK (length(conclusion) <= 4000),
    parent_id bigint,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT investigation_number
        UNIQUE (organization_id, investigation_number),
    FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id),
    FOREIGN KEY (organization_id, sample_test_id)
        REFERENCES lims.sample_test (organization_id, id),
    FOREIGN KEY (organization_id, qc_batch_id)
        REFERENCES lims.qc_batch (organization_id, id),
    FOREIGN KEY (organization_id, reagent_lot_id)
        REFERENCES lims.reagent_lot (organization_id, id),
    FOREIGN KEY (organization_id, media_lot_id)
        REFERENCES lims.media_lot (organization_id, id),
    FOREIGN KEY (organization_id, assignee_id)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, opened_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, closed_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, retest_plan_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, retest_plan_approved_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, parent_id)
        REFERENCES lims.investigation (organization_id, id),
    CHECK ((status IN ('closed', 'cancelled')) = (closed_at IS NOT NULL))
);

CREATE INDEX investigation_sample
    ON lims.investigation (organization_id, sample_id);

CREATE INDEX investigation_sample_test
    ON lims.investigation (organization_id, sample_test_id)
 WHERE sample_test_id IS NOT NULL;

CREATE INDEX investigation_reagent_lot
    ON lims.investigation (organization_id, reagent_lot_id)
 WHERE reagent_lot_id IS NOT NULL;

CREATE INDEX investigation_media_lot
    ON lims.investigation (organization_id, media_lot_id)
 WHERE media_lot_id IS NOT NULL;

CREATE INDEX investigation_parent
    ON lims.investigation (organization_id, parent_id)
 WHERE parent_id IS NOT NULL;

-- Each test has at most one open investigation of kind oos.
CREATE UNIQUE INDEX investigation_open_oos
    ON lims.investigation (organization_id, sample_test_id)
 WHERE kind = 'oos' AND status NOT IN ('closed', 'cancelled');

-- Each QC batch that failed after results were verified has at most one open
-- investigation (227).
CREATE UNIQUE INDEX investigation_open_qc
    ON lims.investigation (organization_id, qc_batch_id)
 WHERE kind = 'qc_failure' AND status NOT IN ('closed', 'cancelled');

-- The statuses that can follow (FDA, Investigating OOS Results, 2022): an assignable
-- laboratory error is concluded from phase 1, and any open investigation can be cancelled.
CREATE FUNCTION lims.investigation_next(p_status text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE p_status
        WHEN 'opened' THEN ARRAY['phase_1', 'cancelled']
        WHEN 'phase_1' THEN ARRAY['phase_2', 'conclusion', 'cancelled']
        WHEN 'phase_2' THEN ARRAY['conclusion', 'cancelled']
        WHEN 'conclusion' THEN ARRAY['capa_required', 'closed', 'cancelled']
        WHEN 'capa_required' THEN ARRAY['closed', 'cancelled']
        ELSE '{}'
    END
$$;

-- A result with its qualifier, as it is written in an investigation.
CREATE FUNCTION lims.shown_result(p_qualifier text, p_result text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN p_qualifier IN ('<', '>') THEN p_qualifier || p_result
                ELSE concat_ws(' ', p_result, p_qualifier) END
$$;

-- Records the result for which an investigation is opened, and computes its due date.
CREATE FUNCTION lims.investigation_opened() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        PERFORM lims.refuse('field_not_patchable',
            'openedValue and the batch, lot or file concerned cannot be changed after an '
            'investigation was opened');
    END IF;
    SELECT lims.shown_result(t.qualifier, t.result), t.entered_at
      INTO NEW.opened_value, NEW.opened_entered_at
      FROM lims.sample_test t
     WHERE t.organization_id = NEW.organization_id
       AND t.id = NEW.sample_test_id
       AND t.result IS NOT NULL;
    IF NEW.due_on IS NULL THEN
        SELECT (NEW.opened_at AT TIME ZONE o.time_zone)::date + o.investigation_days
          INTO NEW.due_on
          FROM lims.organization o
         WHERE o.id = NEW.organization_id;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER open_insert BEFORE INSERT ON lims.investigation
FOR EACH ROW EXECUTE FUNCTION lims.investigation_opened();

CREATE TRIGGER open_update BEFORE UPDATE ON lims.investigation
FOR EACH ROW WHEN ((NEW.opened_value, NEW.opened_entered_at, NEW.qc_batch_id,
        NEW.reagent_lot_id, NEW.media_lot_id, NEW.instrument_file_id)
    IS DISTINCT FROM (OLD.opened_value, OLD.opened_entered_at, OLD.qc_batch_id,
        OLD.reagent_lot_id, OLD.media_lot_id, OLD.instrument_file_id))
EXECUTE FUNCTION lims.investigation_opened();

-- Every value of the test after the one that opened the investigation, with who entered
-- it and when; a withdrawal as one without a result. A value whose status alone changed
-- is in the history twice: it is listed once.
CREATE FUNCTION lims.investigation_values(
    p_organization bigint,
    p_sample_test bigint,
    p_after timestamptz
) RETURNS json
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
BEGIN
    RETURN (
        WITH value AS (
            SELECT h.result, h.qualifier, h.entered_at AS at, h.entered_by AS by
              FROM lims.result_history h
             WHERE h.organization_id = p_organization
               AND h.sample_test_id = p_sample_test
             UNION
            SELECT t.result, t.qualifier, t.entered_at, t.entered_by
              FROM lims.sample_test t
             WHERE t.organization_id = p_organization
               AND t.id = p_sample_test
               AND t.result IS NOT NULL
        ), change AS (
            SELECT v.result, v.qualifier, v.at, v.by
              FROM value v
             WHERE v.at > p_after OR p_after IS NULL
             UNION ALL
            SELECT NULL, NULL, h.replaced_at, h.replaced_by
              FROM lims.result_history h
             WHERE h.organization_id = p_organization
               AND h.sample_test_id = p_sample_test
               AND (h.replaced_at > p_after OR p_after IS NULL)
               AND h.status <> 'verified'
               AND NOT EXISTS (SELECT FROM value v WHERE v.at = h.replaced_at)
        )
        SELECT coalesce(json_agg(json_build_object(
                   'result', lims.shown_result(c.qualifier, nullif(c.result, '')),
                   'at', to_char(c.at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                   'by', c.by) ORDER BY c.at), '[]')
          FROM change c);
END
$$;

-- Refuses an investigation of what has an open one of the same kind, and names that.
CREATE FUNCTION lims.refuse_second_investigation(p lims.investigation) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_open text;
BEGIN
    SELECT i.investigation_number
      INTO v_open
      FROM lims.investigation i
     WHERE i.organization_id = p.organization_id
       AND i.kind = p.kind
       AND i.status NOT IN ('closed', 'cancelled')
       AND (p.kind = 'oos' AND i.sample_test_id = p.sample_test_id
            OR p.kind = 'qc_failure' AND i.qc_batch_id = p.qc_batch_id)
     LIMIT 1;
    IF FOUND THEN
        PERFORM lims.refuse('invalid_transition', format(
            'investigation %s of this %s is open already: go on with that one', v_open,
            CASE p.kind WHEN 'oos' THEN 'test' ELSE 'QC batch' END));
    END IF;
END
$$;

CREATE FUNCTION lims.investigation_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.sample_test_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM lims.sample_test t
         WHERE t.organization_id = NEW.organization_id
           AND t.id = NEW.sample_test_id
           AND t.sample_id = NEW.sample_id
    ) THEN
        PERFORM lims.refuse('invalid_reference', format(
            'sampleTestId: sample test %s does not belong to the sample',
            NEW.sample_test_id));
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'opened' OR NEW.closed_at IS NOT NULL
           OR NEW.closed_by IS NOT NULL OR NEW.conclusion IS NOT NULL THEN
            PERFORM lims.refuse('invalid_transition',
                'a new investigation has the status opened and no conclusion');
        END IF;
        -- An investigation may block the report of the sample: one of the two waits for the
        -- other.
        PERFORM FROM lims.sample s
          WHERE s.organization_id = NEW.organization_id
            AND s.id = NEW.sample_id
            FOR SHARE;
        -- Triggers that open one leave an open one as it is (ON CONFLICT), and must not be refused.
        IF pg_trigger_depth() < 2 THEN
            PERFORM lims.refuse_second_investigation(NEW);
        END IF;
        NEW.investigation_number := format('%s-%s-%s',
            CASE NEW.kind
                WHEN 'deviation' THEN 'DEV'
                WHEN 'complaint' THEN 'CMP'
                WHEN 'qc_failure' THEN 'QCF'
                WHEN 'media_failure' THEN 'MDF'
                WHEN 'holding_time' THEN 'HTV'
                WHEN 'pt_failure' THEN 'PTF'
                ELSE upper(NEW.kind)
            END,
            to_char(NEW.opened_at AT TIME ZONE 'UTC', 'YY'),
            lpad(NEW.id::text, greatest(7, length(NEW.id::text)), '0'));
        RETURN NEW;
    END IF;
    IF OLD.status IN ('closed', 'cancelled') AND NEW IS DISTINCT FROM OLD THEN
        PERFORM lims.refuse('invalid_transition', format(
            'investigation %s is %s and cannot be changed', OLD.investigation_number, OLD.status));
    END IF;
    IF NEW.status <> OLD.status
       AND NEW.status <> ALL (lims.investigation_next(OLD.status)) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'investigation %s is %s: its status can become %s',
            OLD.investigation_number, OLD.status,
            array_to_string(lims.investigation_next(OLD.status), ', ')));
    END IF;
    IF NEW.status IN ('closed', 'cancelled') AND NEW.status <> OLD.status THEN
        IF btrim(coalesce(NEW.conclusion, '')) = '' THEN
            PERFORM lims.refuse('invalid_body',
                                'closing an investigation needs a conclusion');
        END IF;
        NEW.closed_at := now();
        NEW.closed_by := lims.acting_user();
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.investigation
FOR EACH ROW EXECUTE FUNCTION lims.investigation_guard();

SELECT lims.attach_record('investigation');

CREATE FUNCTION lims.emit_investigation_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.event (organization_id, type, data)
    SELECT n.organization_id, 'investigation.opened', json_build_object(
               'investigationId', n.id,
               'investigationNumber', n.investigation_number,
               'title', n.title,
               'kind', n.kind,
               'sampleId', n.sample_id)
      FROM new_rows n
     ORDER BY n.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER events_insert AFTER INSERT ON lims.investigation
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.emit_investigation_events();

CREATE TRIGGER mark_insert AFTER INSERT ON lims.investigation
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples();

CREATE TRIGGER mark_update AFTER UPDATE ON lims.investigation
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples();
