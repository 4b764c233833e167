-- SPDX-License-Identifier: Apache-2.0
--
-- Import of an instrument's file: all readings in one transaction, through the function of
-- bulk entry (134_result_entry.sql) with its gates and locks, or none, with all reasons.

-- Refuses to enter a file's readings into reported samples, also where a person who may
-- amend them releases the file. The caller has locked the samples.
CREATE FUNCTION lims.refuse_files_of_reported(
    p_organization bigint,
    p_rows lims.file_reading[]
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_reported text;
BEGIN
    SELECT min(s.tracking_id)
      INTO v_reported
      FROM lims.sample s
     WHERE s.organization_id = p_organization
       AND s.id = ANY (ARRAY(SELECT r.sample_id
                               FROM unnest(p_rows) r
                              WHERE r.sample_test_id IS NOT NULL))
       AND s.amendment_id IS NOT NULL;
    IF v_reported IS NOT NULL THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s is reported: a file cannot change it', v_reported));
    END IF;
END
$$;

-- Enters the readings and records their places in the file. Returns the number of results
-- that changed.
CREATE FUNCTION lims.write_readings(
    p_organization bigint,
    p_file bigint,
    p_rows lims.file_reading[],
    p_method text
) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
    v_same bigint[];
    v_refused bigint;
    v_updates jsonb;
    v_batch bigint;
BEGIN
    IF EXISTS (SELECT FROM unnest(p_rows) r
                WHERE r.control IS NULL
                  AND r.sample_test_id IS NULL) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'check_violation',
            MESSAGE = 'a value was read that is no sample''s';
    END IF;
    SELECT coalesce(array_agg(t.id), '{}')
      INTO v_same
      FROM lims.sample_test t
      JOIN unnest(p_rows) r
        ON r.sample_test_id = t.id
     WHERE t.organization_id = p_organization
       -- Sent back: it was measured again, also with the same value.
       AND t.returned_at IS NULL
       AND (t.result, t.qualifier)
           IS NOT DISTINCT FROM (r.result, r.qualifier);
    SELECT jsonb_agg(jsonb_build_object('sampleTestId', r.sample_test_id,
               'result', r.result, 'qualifier', r.qualifier)
               -- The same value again does not change the time at which it was found.
               || CASE WHEN r.analyzed_at IS NULL
                         OR r.sample_test_id = ANY (v_same) THEN '{}'
                       ELSE jsonb_build_object('analyzedAt', r.analyzed_at) END
               -- A remark that is to be printed is a person's.
               || CASE WHEN r.comment IS NULL OR t.note_on_report THEN '{}'
                       ELSE jsonb_build_object('notes', left(r.comment, 4000))
                  END)
      INTO v_updates
      FROM unnest(p_rows) r
      LEFT JOIN lims.sample_test t
        ON t.organization_id = p_organization
       AND t.id = r.sample_test_id
     WHERE r.sample_test_id IS NOT NULL;
    PERFORM lims.refuse_files_of_reported(p_organization, p_rows);
    IF v_updates IS NOT NULL THEN
        SELECT min(e.sample_test_id)
          INTO v_refused
          FROM lims.enter_results(p_organization, v_updates) e
         WHERE e.stood IS NULL
            OR e.stood NOT IN ('pending', 'entered');
        IF v_refused IS NOT NULL THEN
            PERFORM lims.refuse('test_verified_locked', format(
                'sample test %s is verified and locked', v_refused));
        END IF;
    END IF;
    v_batch := lims.write_controls(p_organization, p_file, p_rows, p_method);
    INSERT INTO lims.instrument_file_row (organization_id, file_id, sheet,
        row_number, column_number, byte_offset, cell, sample_test_id,
        tracking_id, test_code, result, unit, qualifier, analyzed_at,
        operator_name, status)
    SELECT p_organization, p_file, r.sheet, r.row_number, r.column_number,
           r.byte_offset, r.cell, r.sample_test_id, r.tracking_id, r.test_code,
           r.result, r.unit, r.qualifier, r.analyzed_at, r.operator_name,
           CASE WHEN s.id IS NULL THEN 'written' ELSE 'unchanged' END
      FROM unnest(p_rows) r
      LEFT JOIN unnest(v_same) s (id)
        ON s.id = r.sample_test_id
     WHERE r.control IS NULL
     ORDER BY r.place;
    PERFORM lims.cover_measured(p_organization, v_batch, ARRAY(
        SELECT r.sample_test_id FROM unnest(p_rows) r WHERE r.control IS NULL));
    RETURN coalesce(jsonb_array_length(v_updates), 0) - cardinality(v_same);
END
$$;

-- Locks all tests and samples of the readings, in the lock order of 130_sample_tests.sql.
CREATE FUNCTION lims.lock_readings(
    p_organization bigint,
    p_rows lims.file_reading[]
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM FROM lims.sample_test t
      WHERE t.organization_id = p_organization
        AND t.id = ANY (ARRAY(SELECT r.sample_test_id FROM unnest(p_rows) r))
      ORDER BY t.id
        FOR NO KEY UPDATE;
    PERFORM FROM lims.sample s
      WHERE s.organization_id = p_organization
        AND s.id = ANY (ARRAY(SELECT DISTINCT r.sample_id FROM unnest(p_rows) r))
      ORDER BY s.id
        FOR SHARE;
END
$$;

-- Imports or quarantines a file with status p_from. Returns its status, and whether this
-- call decided it: another may have been faster. With a resolution: a person releases it.
--
-- For a large file this is called with the first readings first (`more`). If they suffice
-- to quarantine it, that is done; else the status is NULL, nothing is done, and the call
-- is repeated with all readings.
--
-- A refusal by a rule of the laboratory rolls back what was entered (a subtransaction) and
-- quarantines the file with that reason.
CREATE FUNCTION lims.import_file(
    p_organization bigint,
    p_file bigint,
    p_from text,
    p_reading jsonb,
    p_resolution jsonb DEFAULT NULL,
    p_reason text DEFAULT NULL,
    OUT status text,
    OUT decided boolean
)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    v_hash bytea;
    v_reasons jsonb := coalesce(p_reading -> 'reasons', '[]');
    v_blocked boolean := (p_reading ->> 'blocking')::integer > 0;
    v_more boolean := coalesce((p_reading ->> 'more')::boolean, false);
    v_found jsonb;
    v_refused bigint;
    v_rows lims.file_reading[];
    v_earlier bigint;
    v_settled bigint[];
    v_withdrawn bigint;
    v_duplicate_of bigint;
    v_written integer := 0;
    v_decisions jsonb;
    v_slug text;
    v_message text;
    v_constraint text;
BEGIN
    PERFORM lims.require_read_committed();
    SELECT f.status, f.decisions
      INTO status, v_decisions
      FROM lims.instrument_file f
     WHERE f.organization_id = p_organization
       AND f.id = p_file
       FOR NO KEY UPDATE;
    decided := coalesce(status = p_from, false);
    IF NOT decided THEN
        RETURN;
    END IF;
    -- Whichever way the file came, nobody but the instrument says what is entered now.
    IF p_from = 'received' THEN
        PERFORM set_config('lims.surface', 'instrument file', true);
    END IF;
    IF NOT v_blocked AND p_reading -> 'readings' = '[]' THEN
        v_blocked := true;
        v_reasons := v_reasons || lims.file_reason('no_result_rows', 'blocking',
            'There are no results in it.');
    END IF;
    -- Results are entered in the name of an active sender only (lims.act_for_sender).
    IF lims.context_id('user_id') IS NULL THEN
        v_blocked := true;
        v_reasons := v_reasons || lims.file_reason('sender_not_active', 'blocking',
            'The key or the user that sent it may do so no longer.');
    END IF;
    -- A release alone applies what people have decided: read without it, the file would enter
    -- what they left out.
    IF p_reason IS NULL AND EXISTS (
           SELECT FROM jsonb_each(v_decisions) d WHERE d.value NOT IN ('[]', 'null')) THEN
        v_blocked := true;
        v_reasons := v_reasons || lims.file_reason('decisions_kept', 'blocking',
            'People have decided about it: release it, or take their decisions back.');
    END IF;
    BEGIN
        v_rows := lims.resolve_readings(p_organization, p_reading);
        IF NOT v_more THEN
            v_hash := lims.readings_digest(v_rows);
            -- If two files with the same results arrive at the same time, the second
            -- waits here.
            PERFORM pg_advisory_xact_lock(
                hashtextextended(encode(v_hash, 'hex'), p_organization));
            PERFORM lims.lock_readings(p_organization, v_rows);
        END IF;
        IF NOT v_more AND NOT v_blocked THEN
            SELECT b.file, b.settled, b.withdrawn, b.reasons, b.corrected
              INTO v_earlier, v_settled, v_withdrawn, v_found, v_refused
              FROM lims.brought_before(p_organization, v_hash, v_rows) b;
        END IF;
        IF v_earlier IS NOT NULL THEN
            v_rows := ARRAY(SELECT r FROM unnest(v_rows) r
                             WHERE r.sample_test_id = ANY (v_settled) IS NOT TRUE
                             ORDER BY r.place);
            v_reasons := v_reasons || lims.with_its_limit(v_found, v_refused, false);
            v_blocked := v_found <> '[]';
        END IF;
        IF v_earlier IS NOT NULL AND NOT v_blocked AND v_withdrawn = 0 THEN
            v_duplicate_of := v_earlier;
            v_reasons := v_reasons || lims.file_reason('already_imported', 'note',
                format('File %s brought these results before, and they stand: '
                       'nothing was entered.', v_earlier));
        ELSE
            SELECT r.reasons, r.refused
              INTO v_found, v_refused
              FROM lims.reading_reasons(p_organization, v_rows,
                                        p_reading -> 'policy', p_reason) r;
            IF v_more AND NOT lims.is_told_enough(v_found) THEN
                status := NULL;
                decided := false;
                RETURN;
            END IF;
            v_reasons := v_reasons || lims.with_its_limit(v_found, v_refused, v_more);
            v_blocked := v_blocked OR v_found <> '[]';
            IF NOT v_blocked THEN
                v_written := lims.write_readings(p_organization, p_file, v_rows,
                                                 p_reading ->> 'profileName');
            END IF;
        END IF;
        IF v_earlier IS NOT NULL AND v_written > 0 THEN
            v_reasons := v_reasons || lims.file_reason('already_imported', 'note',
                format('File %s brought these results before: those that were '
                       'withdrawn since were entered again.', v_earlier));
        END IF;
    EXCEPTION
        WHEN SQLSTATE 'LM001' OR data_exception OR check_violation THEN
            GET STACKED DIAGNOSTICS v_slug = PG_EXCEPTION_DETAIL,
                                    v_message = MESSAGE_TEXT,
                                    v_constraint = CONSTRAINT_NAME;
            -- Else a bound that no reason of a reading names: its words are not for people.
            IF SQLSTATE <> 'LM001' THEN
                v_message := format('A value of it does not fit where it is kept (%s).',
                                    coalesce(nullif(v_constraint, ''), SQLSTATE));
            END IF;
            v_blocked := true;
            v_written := 0;
            v_duplicate_of := NULL;
            v_reasons := v_reasons || lims.file_reason(
                CASE SQLSTATE WHEN 'LM001' THEN v_slug ELSE 'profile_error' END,
                'blocking', v_message);
    END;
    status := CASE WHEN v_blocked THEN 'quarantined'
                   WHEN p_reason IS NULL THEN 'imported'
                   ELSE 'released' END;
    UPDATE lims.instrument_file f
       SET status = import_file.status,
           profile_id = (p_reading ->> 'profileId')::bigint,
           reasons = v_reasons,
           counts = coalesce(p_reading -> 'counts', '{}')
               || jsonb_build_object('written', v_written),
           rows_hash = v_hash,
           duplicate_of = v_duplicate_of,
           processed_at = now(),
           resolution = p_resolution,
           resolution_reason = p_reason
     WHERE f.organization_id = p_organization
       AND f.id = p_file;
END
$$;

-- Files cut short ----------------------------------------------------------

-- Takes a file whose reading was interrupted, to be read in the name of its sender. After
-- p_attempts attempts it is quarantined, so that a file that crashes processes does not
-- crash one after the other.
CREATE FUNCTION lims.take_received_file(
    p_age interval,
    p_attempts integer,
    OUT organization_id bigint,
    OUT id bigint,
    OUT user_id bigint,
    OUT api_key_id bigint,
    OUT spent boolean
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    v_organization bigint;
BEGIN
    FOR v_organization IN SELECT o.id FROM lims.organization o ORDER BY o.id
    LOOP
        UPDATE lims.instrument_file f
           SET attempts = f.attempts + 1
         WHERE f.organization_id = v_organization
           AND f.id = (
               SELECT x.id
                 FROM lims.instrument_file x
                WHERE x.organization_id = v_organization
                  AND x.status = 'received'
                  AND greatest(x.received_at, x.updated_at) < now() - p_age
                ORDER BY x.received_at, x.id
                LIMIT 1
                  FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING f.organization_id, f.id, f.received_by, f.received_by_key,
                  f.attempts > p_attempts
             INTO organization_id, id, user_id, api_key_id, spent;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
END
$$;

-- Sets the context to the sender of an interrupted file; without a user if key or user are
-- no longer active: then lims.import_file() does not import it.
CREATE FUNCTION lims.act_for_sender(
    p_organization bigint,
    p_user bigint,
    p_key bigint,
    p_request_id text
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_stands boolean;
BEGIN
    PERFORM lims.set_context(p_organization, NULL, NULL, p_request_id, NULL, NULL,
                             'job');
    SELECT u.active AND o.active
           AND (p_key IS NULL
                OR EXISTS (SELECT FROM lims.api_key k
                            WHERE k.organization_id = p_organization
                              AND k.id = p_key
                              AND k.acts_for = u.id
                              AND (k.created_by = u.id
                                   OR lims.is_active_user(k.organization_id, k.created_by))
                              AND k.revoked_at IS NULL
                              AND coalesce(k.expires_at > now(), true)
                              AND o.api_access))
      INTO v_stands
      FROM lims.organization o
      JOIN lims.user_account u
        ON u.organization_id = o.id
     WHERE o.id = p_organization
       AND u.id = p_user;
    IF v_stands THEN
        PERFORM lims.set_context(p_organization, p_user, p_key, p_request_id, NULL,
                                 NULL, 'instrument file');
    END IF;
END
$$;

-- Counts the files that wait to be read, and those that wait for a person.
CREATE FUNCTION lims.file_backlog(
    p_at_most bigint,
    OUT received bigint,
    OUT quarantined bigint
)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT (SELECT count(*)
              FROM (SELECT FROM lims.organization o
                      JOIN lims.instrument_file f
                        ON f.organization_id = o.id
                       AND f.status = 'received'
                     LIMIT p_at_most) r),
           (SELECT count(*)
              FROM (SELECT FROM lims.organization o
                      JOIN lims.instrument_file f
                        ON f.organization_id = o.id
                       AND f.status = 'quarantined'
                     LIMIT p_at_most) q)
$$;
