-- SPDX-License-Identifier: Apache-2.0
--
-- Decisions of people about a quarantined file, before its release or with it.

-- Tests that are named ------------------------------------------------------

-- The readings with the tests that a person has named for them, an array of { row, sheet,
-- column, sampleTestId }: active tests of the sample and the definition that the row names. Sheet
-- and column may be left out where they are not needed to tell values of a row's number apart.
-- NULL: none are named.
CREATE FUNCTION lims.name_tests(
    p_organization bigint,
    p_rows lims.file_reading[],
    p_tests jsonb
) RETURNS lims.file_reading[]
LANGUAGE plpgsql
AS $$
DECLARE
    v_rows lims.file_reading[] := p_rows;
    v record;
BEGIN
    FOR v IN
        SELECT (n.value ->> 'row')::integer AS row, t.id, n.value ->> 'sampleTestId' AS asked,
               ARRAY(
                SELECT i
                  FROM generate_subscripts(p_rows, 1) i
                 WHERE (p_rows[i]).row_number = (n.value ->> 'row')::integer
                   AND coalesce((p_rows[i]).sheet, '')
                       = coalesce(n.value ->> 'sheet', (p_rows[i]).sheet, '')
                   AND (n.value ->> 'column' IS NULL
                        OR (p_rows[i]).column_number = (n.value ->> 'column')::integer)
                   AND (p_rows[i]).control IS NULL
                   AND (p_rows[i]).sample_id = t.sample_id
                   AND (p_rows[i]).test_definition_id = t.test_definition_id) AS places
          FROM jsonb_array_elements(p_tests) n
          LEFT JOIN lims.sample_test t
            ON t.organization_id = p_organization
           AND t.id = (n.value ->> 'sampleTestId')::bigint
           AND t.disposition = 'active'
    LOOP
        IF v.places = '{}' THEN
            PERFORM lims.refuse('invalid_body', format(
                'tests: row %s has no value for sample test %s', v.row, v.asked));
        ELSIF cardinality(v.places) > 1 THEN
            PERFORM lims.refuse('invalid_body', format(
                'tests: several values of row %s are of the sample and the test of sample test %s: '
                'name the sheet and the column of the one that is meant', v.row, v.asked));
        ELSIF (v_rows[v.places[1]]).named THEN
            PERFORM lims.refuse('invalid_body', format(
                'tests: a value of row %s is to be for two tests, of which %s is one',
                v.row, v.asked));
        END IF;
        v_rows[v.places[1]].sample_test_id := v.id;
        v_rows[v.places[1]].tests := 1;
        v_rows[v.places[1]].named := true;
    END LOOP;
    RETURN v_rows;
END
$$;

-- Decisions that are kept ---------------------------------------------------

-- A list of decisions without their persons and times; NULL: there is none.
CREATE FUNCTION lims.bare_decisions(p_list jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT jsonb_agg(d.value - 'by' - 'at' ORDER BY d.place)
      FROM jsonb_array_elements(p_list) WITH ORDINALITY AS d (value, place)
$$;

-- Returns a decision with user and time: those of the same decision in a list, else the
-- acting user and now.
CREATE FUNCTION lims.signed_decision(p_decision jsonb, p_kept jsonb) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
    SELECT coalesce((
        SELECT k.value
          FROM jsonb_array_elements(p_kept) k
         WHERE k.value - 'by' - 'at' = p_decision - 'by' - 'at'
         LIMIT 1),
        p_decision || jsonb_build_object('by', lims.context_id('user_id'), 'at',
            to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
$$;

-- Sets user and time of each new decision. Refuses decisions on a file that is not in
-- quarantine.
CREATE FUNCTION lims.instrument_file_decided() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF OLD.status <> 'quarantined' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'file %s is %s: it needs no decision', OLD.id, OLD.status));
    END IF;
    PERFORM lims.acting_user();
    SELECT coalesce(jsonb_object_agg(d.key, CASE jsonb_typeof(d.value)
               WHEN 'array' THEN (
                   SELECT coalesce(jsonb_agg(lims.signed_decision(e.value,
                                                 OLD.decisions -> d.key)
                                             ORDER BY e.place), '[]')
                     FROM jsonb_array_elements(d.value)
                              WITH ORDINALITY AS e (value, place))
               ELSE lims.signed_decision(d.value,
                        jsonb_build_array(OLD.decisions -> d.key)) END), '{}')
      INTO NEW.decisions
      FROM jsonb_each(NEW.decisions) d
     WHERE d.value <> 'null';
    RETURN NEW;
END
$$;

CREATE TRIGGER decisions BEFORE UPDATE ON lims.instrument_file
FOR EACH ROW WHEN (NEW.decisions IS DISTINCT FROM OLD.decisions)
EXECUTE FUNCTION lims.instrument_file_decided();
