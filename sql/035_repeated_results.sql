-- SPDX-License-Identifier: Apache-2.0
--
-- What a file comes to whose results another brought before: it is told by what
-- would be written, and where, and not by what the two files say.

-- What makes a reading the same as another's: what would be written, and where. Of
-- a control its name stands for the sample.
CREATE FUNCTION lims.reading_identity(
    p_sample_test bigint,
    p_control_type text,
    p_definition bigint,
    p_name text,
    p_result text,
    p_unit text,
    p_qualifier text,
    p_at timestamptz
) RETURNS text
LANGUAGE sql STABLE
AS $$
    SELECT json_build_array(p_sample_test, p_control_type,
               CASE WHEN p_sample_test IS NULL THEN p_definition END,
               CASE WHEN p_sample_test IS NULL THEN p_name END,
               p_result, coalesce(p_unit, ''), p_qualifier,
               extract(epoch FROM p_at))::text
$$;

CREATE FUNCTION lims.readings_digest(p_rows lims.file_reading[]) RETURNS bytea
LANGUAGE sql STABLE
AS $$
    SELECT sha256(convert_to(string_agg(i.identity, E'\n'
                      ORDER BY i.identity COLLATE "C"), 'UTF8'))
      FROM unnest(p_rows) r
     CROSS JOIN LATERAL (
           SELECT lims.reading_identity(r.sample_test_id, r.control ->> 'type',
                      r.test_definition_id, r.tracking_id, r.result, r.unit,
                      r.qualifier, r.analyzed_at) AS identity) i
$$;

-- The digests of what was imported up to now were of what the files said, whatever
-- became of it.
ALTER TABLE lims.instrument_file DISABLE TRIGGER USER;
UPDATE lims.instrument_file f
   SET rows_hash = (
       SELECT sha256(convert_to(string_agg(i.identity, E'\n'
                         ORDER BY i.identity COLLATE "C"), 'UTF8'))
         FROM lims.instrument_file_row r
         LEFT JOIN lims.qc_control c
           ON c.organization_id = r.organization_id
          AND c.id = r.qc_control_id
        CROSS JOIN LATERAL (
              SELECT lims.reading_identity(r.sample_test_id, c.control_type,
                         c.test_definition_id, r.tracking_id, r.result, r.unit,
                         r.qualifier, r.analyzed_at) AS identity) i
        WHERE r.organization_id = f.organization_id
          AND r.file_id = f.id)
 WHERE f.rows_hash IS NOT NULL;
ALTER TABLE lims.instrument_file ENABLE TRIGGER USER;

-- What became of results that another file brought before: `file` is that one,
-- NULL: none did. Which of the tests have a result, the one that it brought or
-- another; how many have none, since it was withdrawn; and a reason for each that
-- was corrected. The tests are held by who asks.
CREATE FUNCTION lims.brought_before(
    p_organization bigint,
    p_hash bytea,
    p_rows lims.file_reading[],
    OUT file bigint,
    OUT settled bigint[],
    OUT withdrawn bigint,
    OUT corrected jsonb
)
LANGUAGE plpgsql STABLE
SET enable_nestloop = off
SET jit = off
AS $$
BEGIN
    SELECT min(f.id)
      INTO file
      FROM lims.instrument_file f
     WHERE f.organization_id = p_organization
       AND f.rows_hash = p_hash
       AND f.status IN ('imported', 'released')
       AND f.duplicate_of IS NULL;
    IF file IS NULL THEN
        RETURN;
    END IF;
    WITH held AS MATERIALIZED (
        SELECT r.place, r.sheet, r.row_number, r.column_number, r.test_code,
               r.tracking_id, t.id, t.result AS stands,
               (t.result, t.qualifier) IS DISTINCT FROM (r.result, r.qualifier)
                   AS differs
          FROM unnest(p_rows) r
          JOIN lims.sample_test t
            ON t.id = r.sample_test_id
         WHERE t.organization_id = p_organization
    )
    SELECT array_agg(h.id) FILTER (WHERE h.stands IS NOT NULL),
           count(*) FILTER (WHERE h.stands IS NULL),
           coalesce(jsonb_path_query_array(jsonb_agg(jsonb_build_object(
               'code', 'result_conflict', 'severity', 'blocking',
               'message', format('%s of sample %s was changed since file %s '
                   'brought this result.', h.test_code, h.tracking_id,
                   brought_before.file),
               'sheet', h.sheet, 'row', h.row_number, 'column', h.column_number,
               'cell', NULL, 'expected', h.stands) ORDER BY h.place)
               FILTER (WHERE h.stands IS NOT NULL AND h.differs),
               '$[0 to 499]'), '[]')
      INTO settled, withdrawn, corrected
      FROM held h;
END
$$;

-- A reason about the file as a whole.
CREATE FUNCTION lims.file_reason(p_code text, p_severity text, p_message text)
RETURNS jsonb
LANGUAGE sql IMMUTABLE
AS $$
    SELECT jsonb_build_object('code', p_code, 'severity', p_severity,
               'message', p_message, 'sheet', NULL, 'row', NULL, 'column', NULL,
               'cell', NULL, 'expected', NULL)
$$;

-- Whether the first readings of a large file tell enough to keep it for a person:
-- as many reasons as are told, and not only those that a file whose results stand
-- already would have too.
CREATE FUNCTION lims.is_told_enough(p_reasons jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
    SELECT jsonb_array_length(p_reasons) >= 500
       AND EXISTS (SELECT FROM jsonb_array_elements(p_reasons) r
                    WHERE r.value ->> 'code' NOT IN ('result_conflict',
                          'test_verified_locked', 'sample_status_not_allowed',
                          'reagent_lot_expired', 'timestamp_invalid',
                          'timestamp_before_collection'))
$$;

-- The reasons, of which the last says that there may be more than are told.
CREATE FUNCTION lims.with_its_limit(p_reasons jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE WHEN jsonb_array_length(p_reasons) < 500 THEN p_reasons
                ELSE jsonb_set(p_reasons, '{-1,message}', to_jsonb(
                         (p_reasons -> -1 ->> 'message')
                         || ' (500 reasons of this kind are listed; there may be '
                         || 'more.)'))
           END
$$;

-- All tests and samples of the readings are locked at once, so that all lock in the
-- same order.
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

-- Decides what becomes of a file that stands as `p_from`, by what was read of
-- it. Returns its status, and whether this decided it: another may have been
-- faster. With a resolution the file is released by a person.
--
-- Of a large file the first readings come first, with `more`: as many reasons as are
-- told decide about it. With fewer the status is NULL, and nothing is done: then
-- all its readings have to come.
--
-- What the rules of the laboratory refuse in the middle undoes what was entered
-- and leaves the reason, in the same transaction.
CREATE OR REPLACE FUNCTION lims.import_file(
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
    v_rows lims.file_reading[];
    v_earlier bigint;
    v_settled bigint[];
    v_withdrawn bigint;
    v_duplicate_of bigint;
    v_written integer := 0;
    v_slug text;
    v_message text;
BEGIN
    PERFORM lims.require_read_committed();
    SELECT f.status
      INTO status
      FROM lims.instrument_file f
     WHERE f.organization_id = p_organization
       AND f.id = p_file
       FOR NO KEY UPDATE;
    decided := coalesce(status = p_from, false);
    IF NOT decided THEN
        RETURN;
    END IF;
    IF NOT v_blocked AND p_reading -> 'readings' = '[]' THEN
        v_blocked := true;
        v_reasons := v_reasons || lims.file_reason('no_result_rows', 'blocking',
            'There are no results in it.');
    END IF;
    -- Nobody enters results in nobody's name (lims.act_for_sender()).
    IF lims.context_id('user_id') IS NULL THEN
        v_blocked := true;
        v_reasons := v_reasons || lims.file_reason('sender_not_active', 'blocking',
            'The key or the user that sent it may do so no longer.');
    END IF;
    BEGIN
        v_rows := lims.resolve_readings(p_organization, p_reading);
        IF NOT v_more THEN
            v_hash := lims.readings_digest(v_rows);
            -- Two exports of the same, at once: the second waits here.
            PERFORM pg_advisory_xact_lock(
                hashtextextended(encode(v_hash, 'hex'), p_organization));
            PERFORM lims.lock_readings(p_organization, v_rows);
        END IF;
        IF NOT v_more AND NOT v_blocked THEN
            SELECT b.file, b.settled, b.withdrawn, b.corrected
              INTO v_earlier, v_settled, v_withdrawn, v_found
              FROM lims.brought_before(p_organization, v_hash, v_rows) b;
        END IF;
        IF v_earlier IS NOT NULL THEN
            v_rows := ARRAY(SELECT r FROM unnest(v_rows) r
                             WHERE r.sample_test_id = ANY (v_settled) IS NOT TRUE
                             ORDER BY r.place);
            v_reasons := v_reasons || v_found;
            v_blocked := v_found <> '[]';
        END IF;
        IF v_earlier IS NOT NULL AND NOT v_blocked AND v_withdrawn = 0 THEN
            v_duplicate_of := v_earlier;
            v_reasons := v_reasons || lims.file_reason('already_imported', 'note',
                format('File %s brought these results before, and they stand: '
                       'nothing was entered.', v_earlier));
        ELSE
            v_found := lims.reading_reasons(p_organization, v_rows,
                                            p_reading -> 'policy');
            IF v_more AND NOT lims.is_told_enough(v_found) THEN
                status := NULL;
                decided := false;
                RETURN;
            END IF;
            v_reasons := v_reasons || lims.with_its_limit(v_found);
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
                                    v_message = MESSAGE_TEXT;
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

GRANT EXECUTE ON FUNCTION
    lims.reading_identity(bigint, text, bigint, text, text, text, text,
                          timestamptz),
    lims.readings_digest(lims.file_reading[]),
    lims.brought_before(bigint, bytea, lims.file_reading[]),
    lims.file_reason(text, text, text),
    lims.is_told_enough(jsonb),
    lims.with_its_limit(jsonb),
    lims.lock_readings(bigint, lims.file_reading[])
    TO lims_app;
