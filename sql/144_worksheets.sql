-- SPDX-License-Identifier: Apache-2.0
--
-- Worksheets: forms that were filled in for a test, and signed.

-- Tables -------------------------------------------------------------------

-- Triggers of lims.worksheet, in the order in which they run:
--
-- BEFORE INSERT
--   1 guard         uses the current template of the test's definition; locks the test
--
-- BEFORE UPDATE
--   1 guard_update  refuses to change test, template or author
--   2 identity      refuses to change id, organization or created_at
--   3 touch         sets updated_at, last, when all other columns are final
--
-- BEFORE DELETE
--   1 guard         refuses to delete one with values or sign-offs
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--   2 mark_insert   marks the sample dirty
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT
--   2 mark_delete   marks the sample dirty

CREATE SEQUENCE lims.worksheet_id_seq;

CREATE TABLE lims.worksheet (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.worksheet_id_seq'),
    sample_test_id bigint NOT NULL,
    template_id bigint NOT NULL,
    created_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, sample_test_id),
    FOREIGN KEY (organization_id, sample_test_id)
        REFERENCES lims.sample_test (organization_id, id),
    FOREIGN KEY (organization_id, template_id)
        REFERENCES lims.worksheet_template (organization_id, id),
    FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX worksheet_of_template
    ON lims.worksheet (organization_id, template_id);

-- Triggers of lims.worksheet_value, in the order in which they run. A number over 100 is the
-- file of the function.
--
-- BEFORE INSERT
--   1 guard_write   refuses on a signed worksheet; checks a value, and sets its lot
--
-- BEFORE UPDATE
--   1 guard_update  as at INSERT
--   2 identity      refuses to change id, organization or created_at
--   3 left_update   refuses to leave a failed medium, or a lot that is not released (173)
--   4 touch         sets updated_at, last, when all other columns are final
--
-- BEFORE DELETE
--   1 guard_write   refuses on a signed worksheet
--   2 left_delete   refuses to leave a failed medium, or a lot that is not released (173)
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--   2 mark_insert   marks the sample dirty
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail, as at INSERT
--   2 mark_update   marks the sample dirty
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT
--   2 mark_delete   marks the sample dirty

CREATE SEQUENCE lims.worksheet_value_id_seq;

CREATE TABLE lims.worksheet_value (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.worksheet_value_id_seq'),
    worksheet_id bigint NOT NULL,
    field_id bigint NOT NULL,
    value text CHECK (length(value) <= 1000),
    -- The lot that the value names, of a field for lots.
    reagent_lot_id bigint,
    media_lot_id bigint,
    entered_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, worksheet_id, field_id),
    FOREIGN KEY (organization_id, worksheet_id)
        REFERENCES lims.worksheet (organization_id, id),
    FOREIGN KEY (organization_id, field_id)
        REFERENCES lims.worksheet_field (organization_id, id),
    FOREIGN KEY (organization_id, reagent_lot_id)
        REFERENCES lims.reagent_lot (organization_id, id),
    FOREIGN KEY (organization_id, media_lot_id)
        REFERENCES lims.media_lot (organization_id, id),
    FOREIGN KEY (organization_id, entered_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX worksheet_value_reagent_lot
    ON lims.worksheet_value (organization_id, reagent_lot_id)
 WHERE reagent_lot_id IS NOT NULL;

CREATE INDEX worksheet_value_media_lot
    ON lims.worksheet_value (organization_id, media_lot_id)
 WHERE media_lot_id IS NOT NULL;

-- Triggers of lims.worksheet_signoff, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard         refuses out of order, on an incomplete worksheet, or without a
--                   signature; locks the test
--   2 guard_result  records the result that is signed, after the test is locked (1)
--
-- BEFORE UPDATE
--   1 guard_change  refuses changes but one withdrawal; locks the test
--   2 guard_result  keeps the recorded result
--   3 identity      refuses to change id, organization or created_at
--
-- BEFORE DELETE
--   1 guard_change  refuses every deletion
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--   2 mark_insert   marks the sample dirty
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail, as at INSERT
--   2 mark_update   marks the sample dirty
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.worksheet_signoff_id_seq;

-- A sign-off has to be withdrawn, with its reason in the audit trail, before a signed value
-- can be corrected. It is never deleted.
CREATE TABLE lims.worksheet_signoff (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.worksheet_signoff_id_seq'),
    worksheet_id bigint NOT NULL,
    step_id bigint NOT NULL,
    signature_id bigint NOT NULL,
    signed_by bigint NOT NULL,
    signed_at timestamptz NOT NULL DEFAULT now(),
    -- The last entry of the test's result_history at the time of signing: a later entry
    -- means that the signed result was replaced or reopened. A worksheet signed before
    -- there is a result is signed for the first one.
    result_history_id bigint NOT NULL DEFAULT 0,
    withdrawn_by bigint,
    withdrawn_at timestamptz,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, worksheet_id)
        REFERENCES lims.worksheet (organization_id, id),
    FOREIGN KEY (organization_id, step_id)
        REFERENCES lims.worksheet_signoff_step (organization_id, id),
    FOREIGN KEY (organization_id, signature_id)
        REFERENCES lims.electronic_signature (organization_id, id),
    FOREIGN KEY (organization_id, signed_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, withdrawn_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE UNIQUE INDEX worksheet_signoff_step_once
    ON lims.worksheet_signoff (organization_id, worksheet_id, step_id,
                               result_history_id)
 WHERE withdrawn_at IS NULL;

CREATE VIEW lims.worksheet_signoff_standing WITH (security_invoker = true) AS
SELECT s.organization_id, s.id, s.worksheet_id, s.step_id, s.signature_id,
       s.signed_by, s.signed_at
  FROM lims.worksheet_signoff s
  JOIN lims.worksheet w
    ON w.organization_id = s.organization_id
   AND w.id = s.worksheet_id
 WHERE s.withdrawn_at IS NULL
   AND NOT EXISTS (
       SELECT FROM lims.result_history h
        WHERE h.organization_id = w.organization_id
          AND h.sample_test_id = w.sample_test_id
          AND h.id > s.result_history_id);

-- State of a worksheet -----------------------------------------------------

-- The state of a test's worksheet: what is missing, and who has to sign. Status NULL:
-- none is required and none was begun. Of a worksheet that was not begun, everything that
-- the current template requires is missing.
CREATE FUNCTION lims.worksheet_state(p_organization bigint, p_sample_test bigint)
RETURNS TABLE (
    status text,
    missing text[],
    needs_signoff text[],
    worksheet_id bigint
)
LANGUAGE sql STABLE
AS $$
    SELECT CASE
               WHEN w.id IS NULL AND NOT t.requires_worksheet THEN NULL
               WHEN w.id IS NULL THEN 'missing'
               WHEN f.missing <> '{}' THEN 'incomplete'
               WHEN s.needs_signoff <> '{}' THEN 'unsigned'
               ELSE 'complete'
           END,
           f.missing, s.needs_signoff, w.id
      FROM lims.sample_test t
      LEFT JOIN lims.worksheet w
        ON w.organization_id = t.organization_id
       AND w.sample_test_id = t.id
      LEFT JOIN LATERAL (
           SELECT x.id
             FROM lims.worksheet_template x
            WHERE x.organization_id = t.organization_id
              AND x.test_definition_id = t.test_definition_id
              AND x.active
            ORDER BY x.version DESC
            LIMIT 1) current_template ON true
     CROSS JOIN LATERAL (
           SELECT coalesce(array_agg(lims.field_label(x) ORDER BY x.position), '{}') AS missing
             FROM lims.worksheet_field x
             LEFT JOIN lims.worksheet_value v
               ON v.organization_id = x.organization_id
              AND v.worksheet_id = w.id
              AND v.field_id = x.id
             LEFT JOIN lims.worksheet_computed(w.organization_id, w.id) c
               ON c.field_id = x.id
            WHERE x.organization_id = t.organization_id
              AND x.template_id = coalesce(w.template_id, current_template.id)
              AND x.required
              AND coalesce(v.value, c.value, '') !~ '\S') f
     CROSS JOIN LATERAL (
           SELECT coalesce(array_agg(x.name ORDER BY x.position), '{}')
                      AS needs_signoff
             FROM lims.worksheet_signoff_step x
             LEFT JOIN lims.worksheet_signoff_standing v
               ON v.organization_id = x.organization_id
              AND v.worksheet_id = w.id
              AND v.step_id = x.id
            WHERE x.organization_id = t.organization_id
              AND x.template_id = coalesce(w.template_id, current_template.id)
              AND v.id IS NULL) s
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test
$$;

-- Filling ------------------------------------------------------------------

-- Refuses work on the worksheet of a verified test, and locks the test, so that it is not
-- verified meanwhile.
CREATE FUNCTION lims.worksheet_hold(p_organization bigint, p_worksheet bigint)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_test bigint;
    v_sample bigint;
    v_status text;
    v_disposition text;
BEGIN
    PERFORM lims.require_read_committed();
    SELECT t.id, t.sample_id, t.status, t.disposition
      INTO v_test, v_sample, v_status, v_disposition
      FROM lims.worksheet w
      JOIN lims.sample_test t
        ON t.organization_id = w.organization_id
       AND t.id = w.sample_test_id
     WHERE w.organization_id = p_organization
       AND w.id = p_worksheet
       FOR NO KEY UPDATE OF t;
    IF v_status = 'verified' THEN
        PERFORM lims.refuse('test_verified_locked', format(
            'sample test %s is verified and its worksheet locked', v_test));
    ELSIF v_disposition <> 'active' THEN
        PERFORM lims.refuse_inactive(v_test, v_disposition);
    END IF;
    PERFORM lims.hold_open_sample(p_organization, v_sample);
END
$$;

CREATE FUNCTION lims.worksheet_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_sample bigint;
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM lims.worksheet_hold(OLD.organization_id, OLD.id);
        RETURN OLD;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        PERFORM lims.refuse('invalid_transition', 'the test, the template and the '
                                                  'author of a worksheet cannot be '
                                                  'changed');
    END IF;
    PERFORM lims.require_read_committed();
    SELECT t.sample_id
      INTO v_sample
      FROM lims.sample_test t
      JOIN lims.worksheet_template x
        ON x.organization_id = t.organization_id
       AND x.test_definition_id = t.test_definition_id
       AND x.id = NEW.template_id
     WHERE t.organization_id = NEW.organization_id
       AND t.id = NEW.sample_test_id
       AND t.status <> 'verified'
       AND t.disposition = 'active'
       AND x.active
       FOR NO KEY UPDATE OF t
       FOR SHARE OF x;
    IF NOT FOUND THEN
        PERFORM lims.refuse('invalid_reference', format(
            'no active worksheet template %s for an unverified sample test %s',
            NEW.template_id, NEW.sample_test_id));
    END IF;
    PERFORM lims.hold_open_sample(NEW.organization_id, v_sample);
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR DELETE ON lims.worksheet
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_guard();

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.worksheet
FOR EACH ROW WHEN ((NEW.sample_test_id, NEW.template_id, NEW.created_by)
    IS DISTINCT FROM (OLD.sample_test_id, OLD.template_id, OLD.created_by))
EXECUTE FUNCTION lims.worksheet_guard();

CREATE FUNCTION lims.mark_samples_of_worksheets() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.sample_dirty (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM changed_rows c
      JOIN lims.sample_test t
        ON t.organization_id = c.organization_id
       AND t.id = c.sample_test_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER mark_insert AFTER INSERT ON lims.worksheet
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples_of_worksheets();

CREATE TRIGGER mark_delete AFTER DELETE ON lims.worksheet
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples_of_worksheets();

SELECT lims.attach_record('worksheet');

-- Refuses changes of a signed worksheet, and of a verified test's. A value has to be one
-- that its field takes (173), and is recorded with who entered it.
CREATE FUNCTION lims.worksheet_value_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_row record;
    v_field lims.worksheet_field;
BEGIN
    IF TG_OP = 'DELETE' THEN
        v_row := OLD;
    ELSE
        v_row := NEW;
    END IF;
    IF TG_OP = 'UPDATE' AND (
           (NEW.worksheet_id, NEW.field_id) <> (OLD.worksheet_id, OLD.field_id)
           OR (NEW.value IS NOT DISTINCT FROM OLD.value
               AND NEW.entered_by IS DISTINCT FROM OLD.entered_by)) THEN
        PERFORM lims.refuse('invalid_transition',
            'the field and the author of a worksheet value cannot be changed');
    END IF;
    PERFORM lims.worksheet_hold(v_row.organization_id, v_row.worksheet_id);
    SELECT f.*
      INTO v_field
      FROM lims.worksheet w
      JOIN lims.worksheet_field f
        ON f.organization_id = w.organization_id
       AND f.template_id = w.template_id
       AND f.id = v_row.field_id
     WHERE w.organization_id = v_row.organization_id
       AND w.id = v_row.worksheet_id;
    IF NOT FOUND THEN
        PERFORM lims.refuse('invalid_reference',
                            'the field is not of this worksheet''s template');
    END IF;
    IF EXISTS (
        SELECT FROM lims.worksheet_signoff_standing s
         WHERE s.organization_id = v_row.organization_id
           AND s.worksheet_id = v_row.worksheet_id
    ) THEN
        PERFORM lims.refuse('invalid_transition',
            'the worksheet is signed: withdraw its sign-off to change a value');
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    IF TG_OP = 'INSERT' OR NEW.value IS DISTINCT FROM OLD.value THEN
        NEW := lims.worksheet_value_kept(v_field, NEW);
        NEW.entered_by := lims.acting_user();
    ELSE
        NEW.reagent_lot_id := OLD.reagent_lot_id;
        NEW.media_lot_id := OLD.media_lot_id;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_write BEFORE INSERT OR DELETE ON lims.worksheet_value
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_value_guard();

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.worksheet_value
FOR EACH ROW WHEN (NEW *<> OLD)
EXECUTE FUNCTION lims.worksheet_value_guard();

-- Marks the samples of the changed rows as dirty; for tables with a worksheet_id.
CREATE FUNCTION lims.mark_samples_by_worksheet() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.sample_dirty (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM changed_rows c
      JOIN lims.worksheet w
        ON w.organization_id = c.organization_id
       AND w.id = c.worksheet_id
      JOIN lims.sample_test t
        ON t.organization_id = w.organization_id
       AND t.id = w.sample_test_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER mark_insert AFTER INSERT ON lims.worksheet_value
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples_by_worksheet();

CREATE TRIGGER mark_update AFTER UPDATE ON lims.worksheet_value
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples_by_worksheet();

CREATE TRIGGER mark_delete AFTER DELETE ON lims.worksheet_value
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples_by_worksheet();

SELECT lims.attach_record('worksheet_value');

-- Signing ------------------------------------------------------------------

-- Validates a sign-off: in the order of the steps, on a complete worksheet, by a user
-- with the step's role, and with a signature of this worksheet made in this transaction.
CREATE FUNCTION lims.worksheet_signoff_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_state record;
    v_step record;
BEGIN
    PERFORM lims.worksheet_hold(NEW.organization_id, NEW.worksheet_id);
    SELECT s.missing, s.needs_signoff
      INTO v_state
      FROM lims.worksheet w
     CROSS JOIN LATERAL
           lims.worksheet_state(w.organization_id, w.sample_test_id) s
     WHERE w.organization_id = NEW.organization_id
       AND w.id = NEW.worksheet_id;
    SELECT s.name, s.role
      INTO v_step
      FROM lims.worksheet_signoff_step s
      JOIN lims.worksheet w
        ON w.organization_id = s.organization_id
       AND w.template_id = s.template_id
       AND w.id = NEW.worksheet_id
     WHERE s.organization_id = NEW.organization_id
       AND s.id = NEW.step_id;
    IF NOT FOUND THEN
        PERFORM lims.refuse('invalid_reference',
                            'the step is not of this worksheet''s template');
    END IF;
    SELECT s.signer, s.signed_at
      INTO NEW.signed_by, NEW.signed_at
      FROM lims.electronic_signature s
     WHERE s.organization_id = NEW.organization_id
       AND s.id = NEW.signature_id
       AND s.meaning IN ('performed', 'reviewed', 'witnessed')
       AND lims.is_signed(NEW.organization_id, s.id, s.meaning, 'worksheet',
                          NEW.worksheet_id);
    IF NOT FOUND THEN
        PERFORM lims.refuse('esignature_required',
                            'signing a worksheet off needs a signature on it');
    END IF;
    IF v_state.missing <> '{}' THEN
        PERFORM lims.refuse('worksheet_incomplete', format(
            'the worksheet lacks %s', lims.worksheet_lacks(
                NEW.organization_id, NEW.worksheet_id, v_state.missing)));
    END IF;
    IF v_step.name IS DISTINCT FROM v_state.needs_signoff[1] THEN
        PERFORM lims.refuse('invalid_transition', coalesce(
            'the next step to sign is ' || v_state.needs_signoff[1],
            'the worksheet is signed already'));
    END IF;
    IF v_step.role IS NOT NULL AND NOT EXISTS (
        SELECT FROM lims.user_role r
         WHERE r.organization_id = NEW.organization_id
           AND r.user_id = NEW.signed_by
           AND r.role = v_step.role
    ) THEN
        PERFORM lims.refuse('invalid_transition', format(
            '%s must be signed by a %s', v_step.name, replace(v_step.role, '_', ' ')));
    END IF;
    NEW.withdrawn_at := NULL;
    NEW.withdrawn_by := NULL;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT ON lims.worksheet_signoff
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_signoff_guard();

CREATE FUNCTION lims.worksheet_signoff_withdraw() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM lims.refuse('invalid_transition',
                            'a sign-off cannot be deleted: withdraw it');
    END IF;
    PERFORM lims.worksheet_hold(NEW.organization_id, NEW.worksheet_id);
    IF OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS NULL
       OR (NEW.worksheet_id, NEW.step_id, NEW.signature_id, NEW.signed_by,
           NEW.signed_at) <> (OLD.worksheet_id, OLD.step_id, OLD.signature_id,
           OLD.signed_by, OLD.signed_at) THEN
        PERFORM lims.refuse('invalid_transition',
                            'a sign-off cannot be changed, only withdrawn once');
    END IF;
    NEW.withdrawn_at := now();
    NEW.withdrawn_by := lims.acting_user();
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_change BEFORE UPDATE OR DELETE ON lims.worksheet_signoff
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_signoff_withdraw();

-- Runs after the guard, which has locked the test and so its history.
CREATE FUNCTION lims.worksheet_signoff_result() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_result text;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        NEW.result_history_id := OLD.result_history_id;
        RETURN NEW;
    END IF;
    SELECT t.result, coalesce(max(h.id), 0)
      INTO v_result, NEW.result_history_id
      FROM lims.worksheet w
      JOIN lims.sample_test t
        ON t.organization_id = w.organization_id
       AND t.id = w.sample_test_id
      LEFT JOIN lims.result_history h
        ON h.organization_id = w.organization_id
       AND h.sample_test_id = w.sample_test_id
     WHERE w.organization_id = NEW.organization_id
       AND w.id = NEW.worksheet_id
     GROUP BY t.result;
    IF v_result IS NULL AND NEW.result_history_id > 0 THEN
        PERFORM lims.refuse('invalid_transition',
            'the result was withdrawn: sign the worksheet after another is entered');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_result BEFORE INSERT OR UPDATE ON lims.worksheet_signoff
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_signoff_result();

CREATE TRIGGER mark_insert AFTER INSERT ON lims.worksheet_signoff
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples_by_worksheet();

CREATE TRIGGER mark_update AFTER UPDATE ON lims.worksheet_signoff
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples_by_worksheet();

SELECT lims.attach_audit('worksheet_signoff');
