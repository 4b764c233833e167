-- SPDX-License-Identifier: Apache-2.0
--
-- Sample tests: a result from entry to verification, judged, locked and kept
-- with every value it ever had.
--
-- Lock order. Every transaction locks rows in this order, so that no two of them can
-- deadlock: sample tests (by id), samples (by id), QC batches, media lots, reagent lots,
-- investigations (by id), approvals.
-- Whoever changes a test holds its sample FOR SHARE until the transaction ends; whoever
-- reports or moves a sample holds it FOR NO KEY UPDATE, which conflicts with that. So no
-- result is written into a sample that is being reported. A statement on several tests
-- locks them in order of id first.
--
-- One exception: a change of a sample's material type, project, collection, disposition or
-- priority locks the sample first, and then writes derived columns of its tests. If it
-- meets an entry of results, PostgreSQL detects the deadlock and rolls one of the two
-- back; the service tries that one again.

-- Triggers of lims.sample_test, in the order in which they run, which is that of their
-- names. The first word of a name says what the trigger does:
--
--   guard, keep, lock, check, final, identity   validates a change, or refuses it
--   permit                                      asks for the user's permission
--   judge, measure, names, entered, touch       computes columns of the row
--   audit, events, history                      writes audit trail, outbox, old results
--   investigate, mark, reapprove, undo          changes other rows as a consequence
--
-- A number over 100 is the file of the function, a smaller one another trigger of the
-- list, which has to run earlier or later for the reason given. A function without a
-- file is in 131 (BEFORE INSERT and UPDATE: references, judgement), 132 (BEFORE UPDATE
-- and DELETE: locks, frozen names) or 133 (AFTER).
--
-- BEFORE INSERT
--   1 guard_analyzed_insert  refuses a time of analysis in the future, or before the
--                            sample was collected
--   2 guard_insert           validates definition and lots; copies the requirements of
--                            the definition, which the judgement (5) reads
--   3 guard_links_insert     locks the media lot, so that a quality control test of the
--                            lot at the same time sees this row or is seen
--   4 guard_lots_insert      locks the reagent lot, so that a quarantine of it at the same
--                            time sees this row or is seen; after the media lot (3), for
--                            the lock order above
--   5 judge_insert           judges a result that comes with the row: numeric value,
--                            limits, out of specification, confirmation, status
--   6 measure_insert         computes whether the judged result (5) met its holding time
--                            (138)
--   7 names_insert           copies the definition's reporting limit to a judged result
--                            (5) of a test that requires confirmation
--
-- BEFORE UPDATE
--   1 entered_again          clears who sent the result back, when and why, once it is
--                            entered again (139); asks for the reason of the policy
--   2 guard_analyzed_update  as at INSERT
--   3 guard_confirmed        asks for the signature of a confirmation's outcome, where
--                            the policy requires signatures (142)
--   4 guard_disposition      refuses to cancel a verified test; refuses to cancel or set
--                            aside one with an open investigation, where the policy says
--                            so (135)
--   5 guard_inactive         refuses changes of a cancelled test, or one set aside (135)
--   6 guard_links_update     refuses to replace a failed media lot, unless by a lot that
--                            has not failed and together with another result: compares
--                            results as they were sent, so before the judgement (10)
--   7 guard_lots_update      refuses to leave a lot that is not released, where the policy
--                            requires that, unless together with another result
--   8 guard_update           validates lots; refuses to change sample, definition or
--                            requirements
--   9 identity               refuses to change id, organization or created_at (102)
--  10 judge_update           judges a changed result, unless lims.enter_results() has
--                            judged it; sets the status, which the lock (11) reads
--  11 lock_update            refuses changes of a verified result but a signed reopening;
--                            passes a verification through its gates
--  12 measure_update         computes holding_met after the lock (11) has cleared what a
--                            reopening withdraws (138)
--  13 names_update           copies names and limits from the definition at verification,
--                            and clears them at reopening, once the lock (11) allows it
--  14 permit_reopen          refuses a user without the permission to reopen (105)
--  15 permit_verify          refuses a user without the permission to verify (105)
--  16 touch                  sets updated_at, last, when all other columns are final
--
-- BEFORE DELETE
--   1 keep                   refuses to delete a test that has former results
--   2 lock                   refuses to delete a verified test
--
-- AFTER INSERT
--   1 audit_insert           writes the audit trail (102); a later refusal rolls it back
--   2 check_lots_insert      refuses results with a lot that has expired or is not
--                            released
--   3 events_insert          writes result.entered to the outbox
--   4 final_insert           locks the samples; refuses where one is closed, or reported
--                            without an open amendment; asks for a reason where one is
--                            received and the policy requires reasons. Before the
--                            approvals (8), for the lock order above
--   5 final_plans            refuses retests while the retest plan of an open investigation
--                            is not approved, after the locks (4) (172)
--   6 investigate_insert     opens investigations of results out of specification, where
--                            the policy says so
--   7 mark_insert            marks the samples dirty: their derived state is to be
--                            computed again (121)
--   8 reapprove_insert       requests the approvals of the locked samples (4) again
--
-- AFTER UPDATE
--   1 undo_choice            makes the tests that were set aside active again, when the
--                            chosen result of a family of retests is reopened (136)
--   2 audit_update           as at INSERT
--   3 check_lots_update      as at INSERT
--   4 events_update          writes result.entered and result.verified to the outbox
--   5 final_update           as at INSERT; before the approvals (9)
--   6 history                keeps results that were replaced, withdrawn or reopened; asks
--                            for the reason of the policy
--   7 investigate_update     as at INSERT
--   8 mark_update            as at INSERT (121)
--   9 reapprove_update       as at INSERT, after the locks (5)
--
-- AFTER DELETE
--   1 audit_delete           as at INSERT
--   2 final_delete           as at INSERT; before the approvals (4)
--   3 mark_delete            as at INSERT (121)
--   4 reapprove_delete       as at INSERT, after the locks (2)

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
    -- Value to the letter as entered: '7.10' stays '7.10'.
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
    -- Time at which the first result was entered; corrections keep it.
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
    -- State of confirmation, set when the result is judged: the judgement depends on it.
    reporting_limit numeric,
    method_detection_limit numeric,
    uncertainty text,
    accredited boolean,
    -- The rule by which the statement of conformity was made, at verification.
    spec_decision_rule text,
    -- Disposition: only active tests count in gates, completeness, worklists and
    -- certificates.
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
    CONSTRAINT sample_test_sample_id FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id),
    CONSTRAINT sample_test_test_definition_id
        FOREIGN KEY (organization_id, test_definition_id)
        REFERENCES lims.test_definition (organization_id, id),
    CONSTRAINT sample_test_reagent_lot_id
        FOREIGN KEY (organization_id, reagent_lot_id)
        REFERENCES lims.reagent_lot (organization_id, id),
    CONSTRAINT sample_test_media_lot_id FOREIGN KEY (organization_id, media_lot_id)
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

CREATE INDEX sample_test_disposition
    ON lims.sample_test (organization_id, disposition, id)
 WHERE disposition <> 'active';

-- (With what lists ask of a definition's tests besides: nearly all of them were verified
-- long ago, and are passed over in the index.)
CREATE INDEX sample_test_definition
    ON lims.sample_test (organization_id, test_definition_id, id)
INCLUDE (sample_id, status, disposition, holding_met, holding_expires_at);

CREATE INDEX sample_test_media_lot
    ON lims.sample_test (organization_id, media_lot_id, id)
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
    ON lims.sample_test (organization_id, reagent_lot_id, id)
 WHERE reagent_lot_id IS NOT NULL;
