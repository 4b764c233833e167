-- SPDX-License-Identifier: Apache-2.0
--
-- Extraction: results that a language model located in a file, with file, model and
-- evidence. The values are the file's own, and are entered like others.

CREATE SEQUENCE lims.extraction_id_seq;

-- A file from which results were extracted. Neither the file nor what was sent to the
-- model is stored.
CREATE TABLE lims.extraction (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.extraction_id_seq'),
    file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 255),
    sha256 bytea NOT NULL CHECK (length(sha256) = 32),
    size bigint NOT NULL CHECK (size >= 0),
    -- The service, its model and the version of the prompt.
    host text NOT NULL CHECK (length(host) <= 255),
    model text CHECK (length(model) <= 255),
    prompt_version text NOT NULL CHECK (length(prompt_version) <= 64),
    -- The number of independent requests to the model.
    looks smallint NOT NULL DEFAULT 1 CHECK (looks BETWEEN 1 AND 2),
    confidence_threshold numeric NOT NULL
        CHECK (confidence_threshold BETWEEN 0 AND 1),
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by bigint DEFAULT lims.context_id('user_id'),
    created_by_key bigint DEFAULT lims.context_id('api_key_id'),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, created_by_key)
        REFERENCES lims.api_key (organization_id, id)
);

SELECT lims.attach_append_only('extraction');
SELECT lims.attach_audit('extraction');

CREATE SEQUENCE lims.extraction_row_id_seq;

-- The outcome of each location that the model gave, with its place in the file and the
-- factors of its confidence.
CREATE TABLE lims.extraction_row (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.extraction_row_id_seq'),
    extraction_id bigint NOT NULL,
    sheet text CHECK (length(sheet) <= 255),
    row_number integer CHECK (row_number > 0),
    column_number integer CHECK (column_number > 0),
    -- The text of the cell, and its unit as in the file.
    cell text CHECK (length(cell) <= 1000),
    cell_unit text CHECK (length(cell_unit) <= 200),
    tracking_id text CHECK (length(tracking_id) <= 64),
    sample_test_id bigint,
    -- Value and unit as in the file, or both converted to the test's unit.
    result text CHECK (length(result) <= 1000),
    unit text CHECK (length(unit) <= 200),
    qualifier text CHECK (length(qualifier) <= 64),
    confidence numeric NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    features jsonb NOT NULL CHECK (jsonb_typeof(features) = 'object'),
    status text NOT NULL CHECK (status IN (
        'applied', 'below_threshold', 'unmatched', 'ambiguous', 'locked',
        'rejected_check')),
    message text CHECK (length(message) <= 1000),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, extraction_id)
        REFERENCES lims.extraction (organization_id, id),
    FOREIGN KEY (organization_id, sample_test_id)
        REFERENCES lims.sample_test (organization_id, id)
);

CREATE INDEX extraction_row_extraction
    ON lims.extraction_row (organization_id, extraction_id, id);

CREATE INDEX extraction_row_test
    ON lims.extraction_row (organization_id, sample_test_id, id)
 WHERE sample_test_id IS NOT NULL;

SELECT lims.attach_append_only('extraction_row');

-- Ends coverage by the QC batches of earlier files: extracted results were measured
-- again.
CREATE FUNCTION lims.extraction_measured() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT n.organization_id, array_agg(n.sample_test_id) AS tests
          FROM new_rows n
         WHERE n.status = 'applied'
         GROUP BY n.organization_id
    LOOP
        PERFORM lims.cover_measured(v.organization_id, NULL, v.tests);
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER measured AFTER INSERT ON lims.extraction_row
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.extraction_measured();

-- The slug and message by which a row is refused, by what its test was when it was looked at:
-- its status or disposition, or returned; NULL: there is none. Both NULL: it takes an entry.
CREATE FUNCTION lims.extraction_refusal(p_stood text, OUT slug text, OUT message text)
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE WHEN p_stood IN ('cancelled', 'set_aside', 'returned') THEN 'invalid_transition'
                WHEN p_stood = 'verified' THEN 'test_verified_locked'
                WHEN p_stood IS NULL THEN 'not_found' END,
           CASE WHEN p_stood IN ('cancelled', 'set_aside')
                THEN 'The test is not active: it takes no entry.'
                WHEN p_stood = 'returned'
                THEN 'The result was sent back: what was measured since is entered by hand.'
                WHEN p_stood = 'verified'
                THEN 'The result is verified: it takes no entry.'
                WHEN p_stood IS NULL THEN 'The test is gone.' END
$$;

-- Enters extracted results through lims.enter_results(). p_updates: an array of
-- { sampleTestId, result, qualifier, stood, stoodQualifier }, each test once; those that
-- stood are the result and qualifier that the test had when the file was evaluated. A refused
-- row does not affect the others. Returns for each test the slug and message of its refusal,
-- or NULL.
CREATE FUNCTION lims.apply_extraction(p_organization bigint, p_updates jsonb)
RETURNS TABLE (sample_test_id bigint, slug text, message text)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    v_returned bigint[];
    v_moved bigint[];
    v_rest jsonb;
    v record;
BEGIN
    -- Locked in the order of ids first: after a refusal rows are entered one by one.
    SELECT coalesce(array_agg(h.id) FILTER (WHERE h.returned_at IS NOT NULL), '{}'),
           coalesce(array_agg(h.id) FILTER (
               WHERE h.returned_at IS NULL
                 AND (h.result, h.qualifier) IS DISTINCT FROM
                     (h.update ->> 'stood', h.update ->> 'stoodQualifier')
                 AND (h.result, h.qualifier) IS DISTINCT FROM
                     (h.update ->> 'result', h.update ->> 'qualifier')), '{}')
      INTO v_returned, v_moved
      FROM (WITH asked AS MATERIALIZED (
                SELECT (u.value ->> 'sampleTestId')::bigint AS id,
                       u.value AS update
                  FROM jsonb_array_elements(p_updates) u)
            SELECT t.id, t.result, t.qualifier, t.returned_at, asked.update
              FROM asked
              JOIN lims.sample_test t ON t.id = asked.id
             WHERE t.organization_id = p_organization
             ORDER BY t.id
               FOR NO KEY UPDATE OF t) h;
    RETURN QUERY
    SELECT r.id, f.slug, f.message
      FROM unnest(v_returned) r (id)
     CROSS JOIN lims.extraction_refusal('returned') f;
    RETURN QUERY
    SELECT m.id, 'result_conflict',
           'Another result was entered while the file was looked at.'
      FROM unnest(v_moved) m (id);
    SELECT coalesce(jsonb_agg(u.value - '{stood,stoodQualifier}'::text[]
                              ORDER BY (u.value ->> 'sampleTestId')::bigint), '[]')
      INTO v_rest
      FROM jsonb_array_elements(p_updates) u
     WHERE (u.value ->> 'sampleTestId')::bigint <> ALL (v_returned || v_moved);
    BEGIN
        RETURN QUERY
        SELECT e.sample_test_id, f.slug, f.message
          FROM lims.enter_results(p_organization, v_rest) e
         CROSS JOIN lims.extraction_refusal(e.stood) f;
        RETURN;
    EXCEPTION WHEN SQLSTATE 'LM001' THEN
        NULL; -- one of them is refused: each is entered by itself
    END;
    FOR v IN
        SELECT (u.value ->> 'sampleTestId')::bigint AS id, u.value AS update
          FROM jsonb_array_elements(v_rest) WITH ORDINALITY u (value, place)
         ORDER BY u.place
    LOOP
        sample_test_id := v.id;
        slug := NULL;
        message := NULL;
        BEGIN
            SELECT f.slug, f.message
              INTO slug, message
              FROM lims.enter_results(p_organization, jsonb_build_array(v.update)) e
             CROSS JOIN lims.extraction_refusal(e.stood) f;
        EXCEPTION WHEN SQLSTATE 'LM001' THEN
            GET STACKED DIAGNOSTICS slug = PG_EXCEPTION_DETAIL,
                                    message = MESSAGE_TEXT;
        END;
        RETURN NEXT;
    END LOOP;
END
$$;

-- Whether two results with their qualifiers are equal: 7.1 and 7.10 are, <0.5 and 0.5 ND
-- are, 7.1 and <7.1 are not.
CREATE FUNCTION lims.same_result(p_one text, p_one_qualifier text, p_other text,
                                 p_other_qualifier text)
RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT coalesce(
               lims.result_number(p_one) = lims.result_number(p_other)
               AND lims.result_bound(p_one, p_one_qualifier)
                   = lims.result_bound(p_other, p_other_qualifier),
               p_one = p_other)
$$;
