-- SPDX-License-Identifier: Apache-2.0
--
-- Sample tests: a result from entry to verification, judged, locked and kept
-- with every value it ever had.
--
-- Locking. A row lock is taken in this order and never against it: sample
-- tests (by id), samples (by id), QC batches, media lots, approvals. Whoever
-- changes a test holds its sample FOR SHARE until the end, whoever reports or
-- moves a sample holds it FOR NO KEY UPDATE, which excludes that: a result
-- cannot slip into a sample that is being reported, and no two of them can wait
-- for each other. Several tests at once are to be locked in order of id first.
-- One act goes against it: a sample that changes its material type or project
-- has its results rejudged. Meeting an entry, one of the two is undone as a
-- deadlock, and tried again by who asked.

CREATE SEQUENCE lims.sample_test_id_seq;

CREATE TABLE lims.sample_test (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.sample_test_id_seq'),
    sample_id bigint NOT NULL,
    test_definition_id bigint NOT NULL,
    -- What the definition asked for when the test was scheduled.
    holding_time_hours numeric,
    requires_worksheet boolean NOT NULL DEFAULT false,
    requires_confirmation boolean NOT NULL DEFAULT false,
    status text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'entered', 'verified')),
    -- As entered, to the letter: '7.10' stays '7.10'.
    result text CHECK (length(result) BETWEEN 1 AND 1000),
    -- Its exact value where it is a number, with or without a leading sign.
    numeric_value numeric,
    qualifier text CHECK (qualifier IN ('<', '>', 'ND', 'J', 'U')),
    notes text CHECK (length(notes) <= 4000),
    out_of_specification boolean,
    -- The limits it was judged by, and whose they are: later changes of a
    -- specification do not rejudge it, those of the sample do.
    spec_low numeric,
    spec_high numeric,
    spec_text text,
    spec_material_type_id bigint,
    spec_project_id bigint,
    -- How often it was judged: one more says that a row brings its judgement,
    -- none that it is to be judged. Either way it is checked.
    judgements integer NOT NULL DEFAULT 0,
    reagent_lot_id bigint,
    media_lot_id bigint,
    qc_batch_id bigint,
    confirmation_status text
        CHECK (confirmation_status IN ('pending', 'confirmed', 'refuted')),
    analyzed_at timestamptz,
    entered_by bigint,
    entered_at timestamptz,
    -- Since when there has been a result, corrections aside.
    first_entered_at timestamptz,
    verified_by bigint,
    verified_at timestamptz,
    verification_signature_id bigint,
    reopening_signature_id bigint,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT sample_test_sample FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id),
    CONSTRAINT sample_test_test_definition
        FOREIGN KEY (organization_id, test_definition_id)
        REFERENCES lims.test_definition (organization_id, id),
    CONSTRAINT sample_test_reagent_lot
        FOREIGN KEY (organization_id, reagent_lot_id)
        REFERENCES lims.reagent_lot (organization_id, id),
    CONSTRAINT sample_test_media_lot FOREIGN KEY (organization_id, media_lot_id)
        REFERENCES lims.media_lot (organization_id, id),
    CONSTRAINT sample_test_qc_batch FOREIGN KEY (organization_id, qc_batch_id)
        REFERENCES lims.qc_batch (organization_id, id),
    FOREIGN KEY (organization_id, entered_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, verified_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, verification_signature_id)
        REFERENCES lims.electronic_signature (organization_id, id),
    FOREIGN KEY (organization_id, reopening_signature_id)
        REFERENCES lims.electronic_signature (organization_id, id),
    CONSTRAINT sample_test_status_result
        CHECK ((status = 'pending') = (result IS NULL)),
    CONSTRAINT sample_test_status_verified
        CHECK ((status = 'verified') = (verified_at IS NOT NULL))
);

-- Room for the next version of a row beside it: a correction, which changes no
-- indexed column, then touches no index. Of a partitioned table, its parts.
DO $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT t AS leaf
          FROM lims.leaves('lims.sample_test') t
    LOOP
        EXECUTE format('ALTER TABLE %s SET (fillfactor = 80)', v.leaf);
    END LOOP;
END
$$;

CREATE INDEX sample_test_sample
    ON lims.sample_test (organization_id, sample_id, id);
CREATE INDEX sample_test_status
    ON lims.sample_test (organization_id, status, id);
CREATE INDEX sample_test_definition
    ON lims.sample_test (organization_id, test_definition_id, id);
CREATE INDEX sample_test_qc_batch
    ON lims.sample_test (organization_id, qc_batch_id)
 WHERE qc_batch_id IS NOT NULL;
CREATE INDEX sample_test_media_lot
    ON lims.sample_test (organization_id, media_lot_id)
 WHERE media_lot_id IS NOT NULL;
CREATE INDEX sample_test_reagent_lot
    ON lims.sample_test (organization_id, reagent_lot_id)
 WHERE reagent_lot_id IS NOT NULL;

-- Judging a result ---------------------------------------------------------

-- What a test that stands so becomes by a result: nothing of a blank one, and of
-- another one its number, the limits of this moment, and whether it breaks them
-- or needs confirmation. The result that stands already is rejudged (its sample
-- has become another material's or project's), and stays who entered it when,
-- and as confirmed as it was.
CREATE FUNCTION lims.judged(
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
                WHEN (p_result, p_qualifier) IS NOT DISTINCT FROM
                     ((p_stands).result, (p_stands).qualifier)
                THEN (p_stands).confirmation_status
                WHEN (p_stands).requires_confirmation
                 AND lims.is_presumptive(p_result, e.number, e.bound,
                         l.presumptive_minimum, l.result_type = 'presence')
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

-- Judges what is entered without its judgement, a row at a time.
CREATE FUNCTION lims.sample_test_judge() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_stands lims.sample_test := OLD;
    v_analyzed_at timestamptz;
BEGIN
    IF NEW.status = 'verified' THEN
        PERFORM lims.refuse('invalid_transition',
            'a result is entered and verified in two steps');
    END IF;
    IF TG_OP = 'INSERT' THEN
        -- A row that is not there yet is not rejudged by who changes its sample.
        PERFORM FROM lims.sample s
          WHERE s.organization_id = NEW.organization_id
            AND s.id = NEW.sample_id
            FOR SHARE;
        v_stands := NEW;
        v_stands.result := NULL;
        v_stands.first_entered_at := NULL;
    END IF;
    SELECT j.status, j.result, j.numeric_value, j.out_of_specification,
           j.spec_low, j.spec_high, j.spec_text, j.spec_material_type_id,
           j.spec_project_id, j.confirmation_status, j.analyzed_at,
           j.entered_by, j.entered_at, j.first_entered_at,
           v_stands.judgements + 1
      INTO NEW.status, NEW.result, NEW.numeric_value, NEW.out_of_specification,
           NEW.spec_low, NEW.spec_high, NEW.spec_text, NEW.spec_material_type_id,
           NEW.spec_project_id, NEW.confirmation_status, v_analyzed_at,
           NEW.entered_by, NEW.entered_at, NEW.first_entered_at,
           NEW.judgements
      FROM lims.judged(v_stands, NEW.result, NEW.qualifier) j;
    IF NOT FOUND THEN
        PERFORM lims.refuse('invalid_reference',
                            format('no sample %s', NEW.sample_id));
    END IF;
    IF NEW.entered_at = now() AND NEW.entered_by IS NULL THEN
        PERFORM lims.acting_user();
    END IF;
    IF NEW.analyzed_at IS NOT DISTINCT FROM v_stands.analyzed_at THEN
        NEW.analyzed_at := v_analyzed_at;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER judge_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW WHEN (NEW.status <> 'pending' OR NEW.judgements <> 0
    OR NOT ROW(NEW.result, NEW.numeric_value, NEW.out_of_specification,
        NEW.spec_low, NEW.spec_high, NEW.spec_text, NEW.spec_material_type_id,
        NEW.spec_project_id, NEW.confirmation_status, NEW.entered_by,
        NEW.entered_at, NEW.first_entered_at) IS NULL)
EXECUTE FUNCTION lims.sample_test_judge();

CREATE TRIGGER judge_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (OLD.status <> 'verified'
    AND NEW.judgements = OLD.judgements
    AND (NEW.result, NEW.qualifier, NEW.spec_material_type_id,
         NEW.spec_project_id) IS DISTINCT FROM
        (OLD.result, OLD.qualifier, OLD.spec_material_type_id,
         OLD.spec_project_id))
EXECUTE FUNCTION lims.sample_test_judge();

-- References and lots ------------------------------------------------------

-- Only what is the organization's, and in use, can be newly referred to.
CREATE FUNCTION lims.sample_test_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT d.holding_time_hours, d.requires_worksheet,
               d.requires_confirmation, NULL, NULL, NULL, NULL
          INTO NEW.holding_time_hours, NEW.requires_worksheet,
               NEW.requires_confirmation, NEW.verified_by, NEW.verified_at,
               NEW.verification_signature_id, NEW.reopening_signature_id
          FROM lims.test_definition d
         WHERE d.organization_id = NEW.organization_id
           AND d.id = NEW.test_definition_id
           AND d.active;
        IF NOT FOUND THEN
            PERFORM lims.refuse('invalid_reference', format(
                'testDefinitionIds: no active test definition %s',
                NEW.test_definition_id));
        END IF;
    ELSE
        IF (NEW.organization_id, NEW.id, NEW.sample_id, NEW.test_definition_id)
           <> (OLD.organization_id, OLD.id, OLD.sample_id,
               OLD.test_definition_id) THEN
            PERFORM lims.refuse('field_not_patchable',
                'a test stays with its sample and its definition');
        END IF;
        IF (NEW.holding_time_hours, NEW.requires_worksheet,
            NEW.requires_confirmation)
           IS DISTINCT FROM (OLD.holding_time_hours, OLD.requires_worksheet,
                             OLD.requires_confirmation) THEN
            PERFORM lims.refuse('field_not_patchable',
                'what a test asks for is settled when it is scheduled');
        END IF;
    END IF;
    IF NEW.reagent_lot_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM lims.reagent_lot r
         WHERE r.organization_id = NEW.organization_id
           AND r.id = NEW.reagent_lot_id
    ) THEN
        PERFORM lims.refuse('invalid_reference', format(
            'reagentLotId: no reagent lot %s', NEW.reagent_lot_id));
    END IF;
    IF NEW.media_lot_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM lims.media_lot m
         WHERE m.organization_id = NEW.organization_id
           AND m.id = NEW.media_lot_id
    ) THEN
        PERFORM lims.refuse('invalid_reference', format(
            'mediaLotId: no media lot %s', NEW.media_lot_id));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW EXECUTE FUNCTION lims.sample_test_guard();

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (
    (NEW.organization_id, NEW.id, NEW.sample_id, NEW.test_definition_id)
    <> (OLD.organization_id, OLD.id, OLD.sample_id, OLD.test_definition_id)
    OR (NEW.holding_time_hours, NEW.requires_worksheet,
        NEW.requires_confirmation) IS DISTINCT FROM
       (OLD.holding_time_hours, OLD.requires_worksheet,
        OLD.requires_confirmation)
    OR NEW.media_lot_id IS DISTINCT FROM OLD.media_lot_id
    OR NEW.reagent_lot_id IS DISTINCT FROM OLD.reagent_lot_id)
EXECUTE FUNCTION lims.sample_test_guard();

-- A lot that has expired today, where the organization blocks that. What the
-- client says of when it analysed does not count: it could say anything.
CREATE FUNCTION lims.blocked_reagent(p_organization bigint, p_lot bigint)
RETURNS TABLE (code text, expires_on date)
LANGUAGE sql STABLE
AS $$
    SELECT r.code, r.expires_on
      FROM lims.organization o
      JOIN lims.reagent_lot r
        ON r.organization_id = o.id
     WHERE o.id = p_organization
       AND o.reagent_expiry_policy = 'block'
       AND r.id = p_lot
       AND r.expires_on < (now() AT TIME ZONE o.time_zone)::date
$$;

-- A result is not entered with such a lot. There are few of them: only where the
-- statement's tests have one does it matter which of their results are new.
--
-- Pairing the old rows of a statement with the new, here and in the triggers
-- below: a FULL JOIN that nothing outside of its subquery reaches into. Every
-- row has its other half, so it is no other than an inner one; but it is never
-- carried out by nested loops. The plan is made once, for a statement of perhaps
-- one row, and kept for the one of a thousand.
CREATE FUNCTION lims.sample_test_reagents() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    SELECT b.code, b.expires_on
      INTO v
      FROM (SELECT DISTINCT n.organization_id, n.reagent_lot_id
              FROM new_rows n
             WHERE n.status = 'entered'
               AND n.reagent_lot_id IS NOT NULL) l
     CROSS JOIN LATERAL lims.blocked_reagent(l.organization_id, l.reagent_lot_id) b
     ORDER BY b.code
     LIMIT 1;
    IF FOUND AND TG_OP = 'UPDATE' THEN
        SELECT b.code, b.expires_on
          INTO v
          FROM (SELECT n.organization_id, n.reagent_lot_id,
                       n.status = 'entered' AND o.status <> 'verified'
                       AND (n.result, n.qualifier, n.reagent_lot_id)
                           IS DISTINCT FROM
                           (o.result, o.qualifier, o.reagent_lot_id) AS entered
                  FROM new_rows n
                  FULL JOIN old_rows o
                    ON o.organization_id = n.organization_id
                   AND o.id = n.id
                OFFSET 0) e
         CROSS JOIN LATERAL lims.blocked_reagent(e.organization_id, e.reagent_lot_id) b
         WHERE e.entered
         ORDER BY b.code
         LIMIT 1;
    END IF;
    IF FOUND THEN
        PERFORM lims.refuse('reagent_lot_expired', format(
            'reagent lot %s expired on %s: enter the result with a lot that is '
            'in date', v.code, v.expires_on));
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER check_reagents_insert AFTER INSERT ON lims.sample_test
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_reagents();

CREATE TRIGGER check_reagents_update AFTER UPDATE ON lims.sample_test
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_test_reagents();

-- An analysis has been done when it is entered; a clock may be a little fast.
-- And it was not done before there was a sample.
CREATE FUNCTION lims.sample_test_analyzed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.analyzed_at > now() + interval '5 minutes' THEN
        PERFORM lims.refuse('invalid_body', 'analyzedAt lies in the future');
    END IF;
    IF NEW.analyzed_at < lims.collection_moment(NEW.organization_id,
                                                NEW.sample_id) THEN
        PERFORM lims.refuse('invalid_body',
            'analyzedAt lies before the collection of the sample');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_analyzed_insert BEFORE INSERT ON lims.sample_test
FOR EACH ROW WHEN (NEW.analyzed_at IS NOT NULL)
EXECUTE FUNCTION lims.sample_test_analyzed();

CREATE TRIGGER guard_analyzed_update BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (NEW.analyzed_at IS DISTINCT FROM OLD.analyzed_at
    AND NEW.analyzed_at IS NOT NULL)
EXECUTE FUNCTION lims.sample_test_analyzed();

SELECT lims.attach_record('sample_test', '{judgements}');

-- What brings its judgement brings when it was made as well.
CREATE OR REPLACE TRIGGER touch BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (NEW.judgements = OLD.judgements
    OR NEW.updated_at <> now())
EXECUTE FUNCTION lims.touch();
