-- SPDX-License-Identifier: Apache-2.0
--
-- Confirmation of presumptive positives: what was read at each step.

-- Triggers of lims.confirmation_step, in the order in which they run:
--
-- BEFORE INSERT
--   1 guard                 refuses where no confirmation is pending, and a media lot
--                           that is not released; locks the test, its sample and the lot
--
-- BEFORE UPDATE
--   1 append_only_change    refuses every change
--   2 identity              refuses to change id, organization or created_at
--
-- BEFORE DELETE
--   1 append_only_change    refuses every deletion
--
-- BEFORE TRUNCATE
--   1 append_only_truncate  refuses to empty the table
--
-- AFTER INSERT
--   1 audit_insert          writes the audit trail; a later refusal rolls
--                           it back
--
-- AFTER UPDATE
--   1 audit_update          writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete          writes the audit trail, as at INSERT

-- The reading of each confirmation step. The outcome of the confirmation is
-- sample_test.confirmation_status.
CREATE SEQUENCE lims.confirmation_step_id_seq;

CREATE TABLE lims.confirmation_step (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.confirmation_step_id_seq'),
    sample_test_id bigint NOT NULL,
    position integer NOT NULL CHECK (position > 0),
    medium text CHECK (length(medium) <= 255),
    media_lot_id bigint,
    procedure text CHECK (length(procedure) <= 255),
    read_at timestamptz NOT NULL DEFAULT now(),
    reading text CHECK (length(reading) <= 1000),
    outcome text NOT NULL CHECK (length(outcome) BETWEEN 1 AND 255),
    performed_by bigint DEFAULT lims.context_id('user_id'),
    notes text CHECK (length(notes) <= 4000),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, sample_test_id, position),
    FOREIGN KEY (organization_id, sample_test_id)
        REFERENCES lims.sample_test (organization_id, id),
    CONSTRAINT confirmation_step_media_lot_id FOREIGN KEY (organization_id, media_lot_id)
        REFERENCES lims.media_lot (organization_id, id),
    FOREIGN KEY (organization_id, performed_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX confirmation_step_media_lot
    ON lims.confirmation_step (organization_id, media_lot_id)
 WHERE media_lot_id IS NOT NULL;

-- Refuses a step on a media lot that is unknown, or not released, where the policy requires
-- that and no override accepts it for the sample. Locks the lot, as an entry of results
-- does.
CREATE FUNCTION lims.check_medium_read(p lims.confirmation_step, p_sample bigint)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_message text;
BEGIN
    PERFORM FROM lims.media_lot m
      WHERE m.organization_id = p.organization_id
        AND m.id = p.media_lot_id
        FOR SHARE;
    IF NOT FOUND THEN
        PERFORM lims.refuse('invalid_reference', format(
            'mediaLotId: no media lot %s', p.media_lot_id));
    END IF;
    SELECT b.message
      INTO v_message
      FROM lims.refused_lots(p.organization_id, NULL, p.media_lot_id) b
     WHERE NOT lims.lot_is_accepted(p.organization_id, p_sample, NULL, p.media_lot_id);
    IF FOUND THEN
        PERFORM lims.refuse('lot_not_released', format(
            '%s: confirm on another lot, or have this one released, or accepted for the '
            'sample', v_message));
    END IF;
END
$$;

-- Refuses a step unless the confirmation is pending. Locks the test, so that the outcome
-- is not decided meanwhile.
CREATE FUNCTION lims.confirmation_step_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_sample bigint;
BEGIN
    SELECT t.sample_id
      INTO v_sample
      FROM lims.sample_test t
     WHERE t.organization_id = NEW.organization_id
       AND t.id = NEW.sample_test_id
       AND t.confirmation_status = 'pending'
       AND t.status <> 'verified'
       AND t.disposition = 'active'
       FOR SHARE;
    IF NOT FOUND THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample test %s has no pending confirmation', NEW.sample_test_id));
    END IF;
    PERFORM lims.hold_open_sample(NEW.organization_id, v_sample);
    IF NEW.media_lot_id IS NOT NULL THEN
        PERFORM lims.check_medium_read(NEW, v_sample);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT ON lims.confirmation_step
FOR EACH ROW EXECUTE FUNCTION lims.confirmation_step_guard();

SELECT lims.attach_append_only('confirmation_step');

SELECT lims.attach_audit('confirmation_step');

-- The readings of the result that stands: those of an earlier one do not count.
CREATE FUNCTION lims.readings_made(
    p_organization bigint,
    p_sample_test bigint,
    p_entered_at timestamptz
) RETURNS TABLE (readings integer, last_at timestamptz)
LANGUAGE sql STABLE
AS $$
    SELECT count(*)::integer, max(s.read_at)
      FROM lims.confirmation_step s
     WHERE s.organization_id = p_organization
       AND s.sample_test_id = p_sample_test
       AND s.created_at >= p_entered_at
$$;

-- The next reading of a pending confirmation by the plan of its test definition: which
-- step, and when. Steps count from the entry of the result; no row where none is left.
CREATE FUNCTION lims.next_reading(p_organization bigint, p_sample_test bigint)
RETURNS TABLE (step text, due timestamptz)
LANGUAGE sql STABLE
AS $$
    SELECT p.entry ->> 'step',
           coalesce(r.last_at, t.entered_at)
               + (p.entry ->> 'afterHours')::double precision * interval '1 hour'
      FROM lims.sample_test t
      JOIN lims.test_definition d
        ON d.organization_id = t.organization_id
       AND d.id = t.test_definition_id
     CROSS JOIN LATERAL lims.readings_made(t.organization_id, t.id, t.entered_at) r
     CROSS JOIN LATERAL (SELECT d.confirmation_plan -> r.readings AS entry) p
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test
       AND t.confirmation_status = 'pending'
       AND p.entry IS NOT NULL
$$;

-- Requires a signature for the outcome of a confirmation, where the policy requires
-- signatures.
CREATE FUNCTION lims.confirmation_signed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF EXISTS (
        SELECT FROM lims.organization o
         WHERE o.id = NEW.organization_id
           AND o.esignature_required
    ) AND NOT lims.is_signed(NEW.organization_id, lims.context_id('signature_id'),
                             'reviewed', 'sample_test', NEW.id) THEN
        PERFORM lims.refuse('esignature_required', 'the outcome of a confirmation needs a '
            'signature with password re-authentication');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_confirmed BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (OLD.confirmation_status = 'pending'
    AND NEW.confirmation_status IN ('confirmed', 'refuted'))
EXECUTE FUNCTION lims.confirmation_signed();
