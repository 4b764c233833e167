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
-- has its results rejudged, and one that changes its collection, disposition or
-- priority has what its tests derive from these written. Meeting an entry, one of
-- the two is undone as a deadlock, and tried again by who asked.

-- Triggers of lims.sample_test, in the order in which they run:
--
-- BEFORE INSERT
--   1 guard_analyzed_insert  refuses a time of analysis that cannot be
--   2 guard_insert           refuses references not in use; takes over what the
--                            definition asks for, which the judgement (4) rests on
--   3 guard_links_insert     locks the media lot, so that a test of it at the same time
--                            sees this row or is seen
--   4 judge_insert           judges a result that comes with the row, and decides the
--                            status
--   5 measure_insert         says whether the holding time was met, of a result that was
--                            judged (4)
--   6 names_insert           freezes the reporting limit of a result, once it is judged
--                            (4)
--
-- BEFORE UPDATE
--   1 entered_again          ends the return of a result that was sent back, when another
--                            is entered (139)
--   2 guard_analyzed_update  refuses a time of analysis that cannot be
--   3 guard_confirmed        asks for the signature of a confirmation's outcome (142)
--   4 guard_disposition      refuses to cancel what is verified, and what an open
--                            investigation is about where that blocks (135)
--   5 guard_inactive         refuses changes of a test that is not active (135)
--   6 guard_links_update     lets a failed media lot be left for another only, with
--                            another result: looks at the result as it was sent, before
--                            it is judged (9)
--   7 guard_update           refuses references not in use, and another sample or
--                            definition
--   8 identity               refuses another id, organization or created_at
--   9 judge_update           judges a result that changed, unless a function of the
--                            owner writes it judged; decides the status, which the lock
--                            looks at (10)
--  10 lock_update            refuses changes of a verified result; a verification
--                            passes its gates
--  11 measure_update         says whether the holding time was met, once it is decided
--                            what is withdrawn (10)
--  12 names_update           freezes names and limits of what is verified, once that
--                            was allowed (10)
--  13 permit_reopen          refuses whoever may not reopen (165)
--  14 permit_verify          refuses whoever may not verify (165)
--  15 touch                  sets updated_at, last, when the row is what it will be
--
-- BEFORE DELETE
--   1 keep                   refuses to delete a test that has had results
--   2 lock                   refuses to delete a verified one
--
-- AFTER INSERT
--   1 audit_insert           writes the audit trail; a refusal that comes later undoes
--                            it
--   2 check_lots_insert      refuses results with a lot that has expired or is not released
--   3 events_insert          writes result.entered to the outbox
--   4 final_insert           locks the samples, and refuses where one is reported and
--                            not being amended: tests are locked before samples, and these before the
--                            approvals (7)
--   5 investigate_insert     opens investigations of results out of specification
--   6 mark_insert            makes the samples dirty (121)
--   7 reapprove_insert       requests approvals again, last: of samples that are locked
--                            (4)
--
-- AFTER UPDATE
--   1 undo_choice            makes the others of its family active again, when the chosen
--                            result is reopened (136)
--   2 audit_update           writes the audit trail, as at INSERT
--   3 check_lots_update      refuses results with a lot that has expired or is not released
--   4 events_update          writes result.entered and result.verified to the outbox
--   5 final_update           locks the samples, as at INSERT: before the approvals (9)
--   6 history                keeps the values that were replaced, withdrawn or reopened
--   7 investigate_update     opens investigations of results out of specification
--   8 mark_update            makes the samples dirty (121)
--   9 reapprove_update       requests approvals again, last: of samples that are locked
--                            (5)
--
-- AFTER DELETE
--   1 audit_delete           writes the audit trail, as at INSERT
--   2 final_delete           locks the samples, as at INSERT: before the approvals (4)
--   3 mark_delete            makes the samples dirty (121)
--   4 reapprove_delete       requests approvals again, last: of samples that are locked
--                            (2)

CREATE SEQUENCE lims.sample_test_id_seq;

CREATE TABLE lims.sample_test (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.sample_test_id_seq'),
    sample_id bigint NOT NULL,
    test_definition_id bigint NOT NULL,
    -- Requirements of the definition when the test was scheduled.
    holding_time_hours numeric,
    requires_worksheet boolean NOT NULL DEFAULT false,
    requires_confirmation boolean NOT NULL DEFAULT false,
    status text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'entered', 'verified')),
    -- As entered, to the letter: '7.10' stays '7.10'.
    result text CHECK (length(result) BETWEEN 1 AND 1000),
    -- The exact value of a numeric result, with or without a leading sign.
    numeric_value numeric,
    qualifier text CHECK (qualifier IN ('<', '>', 'ND', 'J', 'U')),
    notes text CHECK (length(notes) <= 4000),
    out_of_specification boolean,
    -- The limits by which the result was judged, and their material type and project.
    -- A later change of the specification does not rejudge it, one of the sample does.
    spec_low numeric,
    spec_high numeric,
    spec_text text,
    spec_material_type_id bigint,
    spec_project_id bigint,
    reagent_lot_id bigint,
    media_lot_id bigint,
    confirmation_status text
        CHECK (confirmation_status IN ('pending', 'confirmed', 'refuted')),
    -- Warnings about the value, as it was judged (lims.value_warnings).
    value_warnings jsonb,
    analyzed_at timestamptz,
    entered_by bigint,
    entered_at timestamptz,
    -- When the first result was entered; corrections keep it.
    first_entered_at timestamptz,
    -- Derived (138): the end of the holding time, whether the analysis was within it, and
    -- how urgent the work is: NULL for a sample that was cancelled or rejected, else 1
    -- (stat) to 3 (routine).
    holding_expires_at timestamptz,
    holding_met boolean,
    work_priority smallint,
    verified_by bigint,
    verified_at timestamptz,
    verification_signature_id bigint,
    reopening_signature_id bigint,
    -- Values of the definition at verification; NULL before.
    test_code text,
    test_name text,
    method text,
    unit text,
    -- For a test that requires confirmation, set when the result is judged: the
    -- judgement depends on it.
    reporting_limit numeric,
    method_detection_limit numeric,
    -- Only active tests count: in gates, completeness, worklists and certificates.
    disposition text NOT NULL DEFAULT 'active'
        CHECK (disposition IN ('active', 'cancelled', 'set_aside')),
    -- The first test of the family, of which this one is a repetition.
    retest_of bigint,
    -- Whether the report carries this result: it is the only active one of its family.
    reported boolean NOT NULL DEFAULT true,
    -- The QC batches that it left when it was cancelled, and joins again when restored.
    left_batch_ids bigint[],
    assigned_to bigint,
    -- Sent back to whoever enters it, until it is entered again.
    returned_by bigint,
    returned_at timestamptz,
    return_reason text CHECK (length(return_reason) BETWEEN 1 AND 1000),
    -- Whether the notes are printed on the certificate.
    note_on_report boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT sample_test_retest_of FOREIGN KEY (organization_id, retest_of)
        REFERENCES lims.sample_test (organization_id, id),
    FOREIGN KEY (organization_id, assigned_to)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, returned_by)
        REFERENCES lims.user_account (organization_id, id),
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

-- Free space in each page for the next version of a row: an UPDATE that changes no indexed
-- column then touches no index (HOT). Set on the partitions of a partitioned table.
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

CREATE INDEX sample_test_media_lot
    ON lims.sample_test (organization_id, media_lot_id)
 WHERE media_lot_id IS NOT NULL;

CREATE INDEX sample_test_assigned_to
    ON lims.sample_test (organization_id, assigned_to, id)
 WHERE assigned_to IS NOT NULL;

-- Holding times of tests that were not analysed, and those that were missed.
CREATE INDEX sample_test_holding
    ON lims.sample_test (organization_id, holding_expires_at, id)
 WHERE holding_met IS NULL
   AND holding_expires_at IS NOT NULL;

CREATE INDEX sample_test_holding_missed
    ON lims.sample_test (organization_id, id)
 WHERE NOT holding_met;

CREATE INDEX sample_test_confirmation
    ON lims.sample_test (organization_id, id)
 WHERE confirmation_status IS NOT NULL;

CREATE INDEX sample_test_reagent_lot
    ON lims.sample_test (organization_id, reagent_lot_id)
 WHERE reagent_lot_id IS NOT NULL;
