-- SPDX-License-Identifier: Apache-2.0
--
-- Control charts: the series of a control, its baseline, and the rules of Westgard
-- (J. O. Westgard et al., Clinical Chemistry 27, 1981, 493) by which a point is out of
-- control. No rule changes the status of a QC batch.

CREATE SEQUENCE lims.qc_series_id_seq;

-- A QC series, which is one control chart: the controls of one definition, type,
-- criterion, level, lot and instrument. Created with its first point. Not for rpd, whose
-- scale changes at five times the reporting limit, nor for controls without a number.
CREATE TABLE lims.qc_series (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.qc_series_id_seq'),
    test_definition_id bigint NOT NULL,
    control_type text NOT NULL CHECK (control_type IN (
        'MB', 'LRB', 'FB', 'LCS', 'LFB', 'LCSD', 'MS', 'LFM', 'MSD', 'DUP',
        'ICV', 'QCS', 'CCV', 'IPC', 'ICB', 'CCB', 'SUR', 'IS', 'CRM', 'PT',
        'POS', 'NEG', 'STR')),
    -- The trigger makes none for rpd and expected.
    criterion text NOT NULL CHECK (criterion IN (
        'recovery', 'rpd', 'maximum', 'range', 'expected')),
    level text,
    lot text,
    instrument_id bigint,
    -- first: mean and s of the first baseline_n points that were accepted; fixed: as given.
    baseline_kind text NOT NULL DEFAULT 'first'
        CHECK (baseline_kind IN ('first', 'fixed')),
    baseline_n integer DEFAULT 20 CHECK (baseline_n BETWEEN 5 AND 1000),
    baseline_mean numeric CHECK (abs(baseline_mean) < 'Infinity'),
    baseline_s numeric CHECK (baseline_s >= 0 AND baseline_s < 'Infinity'),
    rules text[] NOT NULL DEFAULT '{1-3s,2-2s,R-4s,4-1s,10-x}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT qc_series_of_control UNIQUE NULLS NOT DISTINCT (organization_id,
        test_definition_id, control_type, criterion, level, lot, instrument_id),
    FOREIGN KEY (organization_id, test_definition_id)
        REFERENCES lims.test_definition (organization_id, id),
    CHECK (CASE baseline_kind WHEN 'first' THEN baseline_n IS NOT NULL
        ELSE baseline_mean IS NOT NULL AND baseline_s IS NOT NULL END)
);

ALTER TABLE lims.qc_control
    ADD CONSTRAINT qc_control_series FOREIGN KEY (organization_id, qc_series_id)
        REFERENCES lims.qc_series (organization_id, id);

CREATE INDEX qc_control_series
    ON lims.qc_control (organization_id, qc_series_id, charted_at, id)
 WHERE qc_series_id IS NOT NULL;

CREATE FUNCTION lims.qc_series_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF (NEW.test_definition_id, NEW.control_type, NEW.criterion, NEW.level, NEW.lot,
        NEW.instrument_id) IS DISTINCT FROM
       (OLD.test_definition_id, OLD.control_type, OLD.criterion, OLD.level, OLD.lot,
        OLD.instrument_id) THEN
        PERFORM lims.refuse('field_not_patchable',
                            'the control, the test definition and the instrument of a '
                            'QC series cannot be changed');
    END IF;
    IF NOT NEW.rules <@ ARRAY['1-2s', '1-3s', '2-2s', 'R-4s', '3-1s', '4-1s', '7-T',
                              '10-x'] THEN
        PERFORM lims.refuse('invalid_body', 'rules: the known rules are 1-2s, 1-3s, '
                                            '2-2s, R-4s, 3-1s, 4-1s, 7-T and 10-x');
    END IF;
    IF NEW.baseline_kind = 'fixed'
       AND (NEW.baseline_mean IS NULL OR NEW.baseline_s IS NULL) THEN
        PERFORM lims.refuse('invalid_body', 'baseline: a fixed baseline needs mean and '
                                            's');
    END IF;
    IF NEW.baseline_kind = 'first' THEN
        NEW.baseline_n := coalesce(NEW.baseline_n, 20);
        IF NEW.baseline_n NOT BETWEEN 5 AND 1000 THEN
            PERFORM lims.refuse('invalid_body', 'baseline: n is a number of points from 5 to 1000');
        END IF;
        NEW.baseline_mean := NULL;
        NEW.baseline_s := NULL;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE UPDATE ON lims.qc_series
FOR EACH ROW EXECUTE FUNCTION lims.qc_series_guard();

SELECT lims.attach_record('qc_series');

-- The series of a control ---------------------------------------------------

-- Adds a control to its QC series, which is created with its first point, at the time of
-- its measurement, else on the day of the batch's analysis. Triggers run in the order of
-- their names: this one after `judge`.
CREATE FUNCTION lims.qc_control_series() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_batch record;
BEGIN
    IF NEW.evaluated_value IS NULL OR NEW.test_definition_id IS NULL
       OR NEW.criterion NOT IN ('recovery', 'maximum', 'range') THEN
        NEW.qc_series_id := NULL;
        NEW.charted_at := NULL;
        RETURN NEW;
    END IF;
    SELECT b.instrument_id,
           b.analysis_date::timestamp AT TIME ZONE o.time_zone AS analysed_at
      INTO v_batch
      FROM lims.qc_batch b
      JOIN lims.organization o ON o.id = b.organization_id
     WHERE b.organization_id = NEW.organization_id
       AND b.id = NEW.qc_batch_id;
    IF NOT FOUND OR NOT EXISTS (
        SELECT FROM lims.test_definition d
         WHERE d.organization_id = NEW.organization_id
           AND d.id = NEW.test_definition_id) THEN
        -- The foreign keys refuse the row.
        RETURN NEW;
    END IF;
    NEW.charted_at := coalesce(NEW.measured_at, v_batch.analysed_at, NEW.created_at);
    INSERT INTO lims.qc_series (organization_id, test_definition_id, control_type,
        criterion, level, lot, instrument_id)
    VALUES (NEW.organization_id, NEW.test_definition_id, NEW.control_type,
        NEW.criterion, NEW.level, NEW.lot, v_batch.instrument_id)
        ON CONFLICT ON CONSTRAINT qc_series_of_control DO NOTHING;
    SELECT s.id
      INTO NEW.qc_series_id
      FROM lims.qc_series s
     WHERE s.organization_id = NEW.organization_id
       AND s.test_definition_id = NEW.test_definition_id
       AND s.control_type = NEW.control_type
       AND s.criterion = NEW.criterion
       AND s.level IS NOT DISTINCT FROM NEW.level
       AND s.lot IS NOT DISTINCT FROM NEW.lot
       AND s.instrument_id IS NOT DISTINCT FROM v_batch.instrument_id;
    RETURN NEW;
END
$$;

CREATE TRIGGER series BEFORE INSERT OR UPDATE ON lims.qc_control
FOR EACH ROW EXECUTE FUNCTION lims.qc_control_series();

-- Records who excluded a point from its QC series and when. Refuses an exclusion without
-- a reason.
CREATE FUNCTION lims.qc_control_exclude() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM lims.refuse('invalid_transition',
                            'a new control cannot be excluded from its QC series');
    END IF;
    IF OLD.qc_series_id IS NULL THEN
        PERFORM lims.refuse('invalid_transition',
                            'a control without a QC series cannot be excluded from one');
    END IF;
    IF NEW.excluded_reason IS NOT NULL AND btrim(NEW.excluded_reason) = '' THEN
        PERFORM lims.refuse('invalid_body', 'reason: excluding a control from its QC '
                                            'series needs a reason');
    END IF;
    NEW.excluded_by := CASE WHEN NEW.excluded_reason IS NOT NULL
                            THEN lims.acting_user() END;
    NEW.excluded_at := CASE WHEN NEW.excluded_reason IS NOT NULL THEN now() END;
    RETURN NEW;
END
$$;

CREATE TRIGGER exclude_insert BEFORE INSERT ON lims.qc_control
FOR EACH ROW WHEN (NEW.excluded_reason IS NOT NULL OR NEW.excluded_by IS NOT NULL
    OR NEW.excluded_at IS NOT NULL)
EXECUTE FUNCTION lims.qc_control_exclude();

CREATE TRIGGER exclude_update BEFORE UPDATE ON lims.qc_control
FOR EACH ROW WHEN ((NEW.excluded_reason, NEW.excluded_by, NEW.excluded_at)
    IS DISTINCT FROM (OLD.excluded_reason, OLD.excluded_by, OLD.excluded_at))
EXECUTE FUNCTION lims.qc_control_exclude();

-- Moves the points of a batch to the series of its instrument and to its day.
CREATE FUNCTION lims.qc_batch_chart() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE lims.qc_control c
       SET charted_at = NULL
     WHERE c.organization_id = NEW.organization_id
       AND c.qc_batch_id = NEW.id
       AND c.qc_series_id IS NOT NULL;
    RETURN NULL;
END
$$;

CREATE TRIGGER chart AFTER UPDATE ON lims.qc_batch
FOR EACH ROW WHEN ((NEW.instrument_id, NEW.analysis_date)
    IS DISTINCT FROM (OLD.instrument_id, OLD.analysis_date))
EXECUTE FUNCTION lims.qc_batch_chart();

-- Rules ---------------------------------------------------------------------

-- Returns the Westgard rules that the points of a series break: p_z are their distances
-- from the mean in s, in order of time; p_opposed says whether another control of the
-- same batch lies beyond 2s on the other side. A rule is named on every point of the run
-- that breaks it. A z of NULL breaks none.
CREATE FUNCTION lims.westgard(p_z numeric[], p_opposed boolean[], p_rules text[])
RETURNS TABLE (place bigint, broken text[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    WITH point AS (
        SELECT p.place, p.z, p.opposed,
               sign(p.z - lag(p.z) OVER (ORDER BY p.place)) AS step
          FROM unnest(p_z, p_opposed) WITH ORDINALITY AS p (z, opposed, place)
    ), run AS (
        -- Whether a run of a rule ends at the point.
        SELECT p.place, p.z, p.opposed,
               2 IN (count(*) FILTER (WHERE p.z > 2) OVER of_2,
                     count(*) FILTER (WHERE p.z < -2) OVER of_2) AS two_2s,
               3 IN (count(*) FILTER (WHERE p.z > 1) OVER of_3,
                     count(*) FILTER (WHERE p.z < -1) OVER of_3) AS three_1s,
               4 IN (count(*) FILTER (WHERE p.z > 1) OVER of_4,
                     count(*) FILTER (WHERE p.z < -1) OVER of_4) AS four_1s,
               6 IN (count(*) FILTER (WHERE p.step > 0) OVER of_6,
                     count(*) FILTER (WHERE p.step < 0) OVER of_6) AS seven_t,
               10 IN (count(*) FILTER (WHERE p.z > 0) OVER of_10,
                      count(*) FILTER (WHERE p.z < 0) OVER of_10) AS ten_x
          FROM point p
        WINDOW of_2 AS (ORDER BY p.place ROWS 1 PRECEDING),
               of_3 AS (ORDER BY p.place ROWS 2 PRECEDING),
               of_4 AS (ORDER BY p.place ROWS 3 PRECEDING),
               of_6 AS (ORDER BY p.place ROWS 5 PRECEDING),
               of_10 AS (ORDER BY p.place ROWS 9 PRECEDING)
    ), part AS (
        -- Whether the point is in a run that ends at it or behind it.
        SELECT r.place, r.z, r.opposed,
               bool_or(r.two_2s) OVER (ORDER BY r.place
                   ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS two_2s,
               bool_or(r.three_1s) OVER (ORDER BY r.place
                   ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING) AS three_1s,
               bool_or(r.four_1s) OVER (ORDER BY r.place
                   ROWS BETWEEN CURRENT ROW AND 3 FOLLOWING) AS four_1s,
               bool_or(r.seven_t) OVER (ORDER BY r.place
                   ROWS BETWEEN CURRENT ROW AND 6 FOLLOWING) AS seven_t,
               bool_or(r.ten_x) OVER (ORDER BY r.place
                   ROWS BETWEEN CURRENT ROW AND 9 FOLLOWING) AS ten_x
          FROM run r
    )
    SELECT p.place, array_remove(ARRAY[
               CASE WHEN abs(p.z) > 2 AND '1-2s' = ANY (p_rules) THEN '1-2s' END,
               CASE WHEN abs(p.z) > 3 AND '1-3s' = ANY (p_rules) THEN '1-3s' END,
               CASE WHEN p.two_2s AND '2-2s' = ANY (p_rules) THEN '2-2s' END,
               CASE WHEN p.opposed AND abs(p.z) > 2 AND 'R-4s' = ANY (p_rules)
                    THEN 'R-4s' END,
               CASE WHEN p.three_1s AND '3-1s' = ANY (p_rules) THEN '3-1s' END,
               CASE WHEN p.four_1s AND '4-1s' = ANY (p_rules) THEN '4-1s' END,
               CASE WHEN p.seven_t AND '7-T' = ANY (p_rules) THEN '7-T' END,
               CASE WHEN p.ten_x AND '10-x' = ANY (p_rules) THEN '10-x' END], NULL)
      FROM part p
     ORDER BY p.place
$$;

-- The baseline of a series. Points count that passed and are not excluded. The mean is
-- NULL without points, s with fewer than two.
CREATE FUNCTION lims.qc_baseline(
    p_organization bigint,
    p_series bigint,
    OUT kind text,
    OUT n bigint,
    OUT mean numeric,
    OUT s numeric
)
LANGUAGE plpgsql STABLE
AS $$
#variable_conflict use_variable
DECLARE
    v lims.qc_series;
BEGIN
    SELECT x.*
      INTO v
      FROM lims.qc_series x
     WHERE x.organization_id = p_organization
       AND x.id = p_series;
    kind := v.baseline_kind;
    IF kind = 'fixed' THEN
        mean := v.baseline_mean;
        s := v.baseline_s;
        RETURN;
    END IF;
    SELECT count(*), trim_scale(avg(c.evaluated_value)),
           trim_scale(stddev_samp(c.evaluated_value))
      INTO n, mean, s
      FROM (SELECT x.evaluated_value
              FROM lims.qc_control x
             WHERE x.organization_id = p_organization
               AND x.qc_series_id = p_series
               AND x.passed
               AND x.excluded_at IS NULL
             ORDER BY x.charted_at, x.id
             LIMIT v.baseline_n) c;
END
$$;

-- The distance of a value from its series' mean in s; NULL: s is 0, or of fewer than five
-- points.
CREATE FUNCTION lims.qc_z(p_organization bigint, p_series bigint, p_value numeric)
RETURNS numeric
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT (p_value - b.mean) / b.s
          FROM lims.qc_baseline(p_organization, p_series) b
         WHERE b.s > 0
           AND (b.kind = 'fixed' OR b.n >= 5));
END
$$;

-- Whether another control of the batch and definition lies beyond 2s of its own series on
-- the other side (R-4s looks across levels).
CREATE FUNCTION lims.qc_opposed(p_control lims.qc_control, p_z numeric) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN abs(p_z) > 2 AND EXISTS (
        SELECT FROM lims.qc_control c
         WHERE c.organization_id = p_control.organization_id
           AND c.qc_batch_id = p_control.qc_batch_id
           AND c.test_definition_id = p_control.test_definition_id
           AND c.id <> p_control.id
           AND c.qc_series_id IS NOT NULL
           AND c.excluded_at IS NULL
           AND lims.qc_z(c.organization_id, c.qc_series_id, c.evaluated_value)
               * sign(p_z) < -2);
END
$$;

-- The controls of a series from p_from to p_to, at most p_limit, the latest, and the nine
-- before and after them, which are not shown.
CREATE FUNCTION lims.qc_near(
    p_organization bigint,
    p_series bigint,
    p_from timestamptz,
    p_to timestamptz,
    p_limit bigint
) RETURNS TABLE (c lims.qc_control, is_shown boolean)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN QUERY
    WITH shown AS MATERIALIZED (
        SELECT k AS c
          FROM lims.qc_control k
         WHERE k.organization_id = p_organization
           AND k.qc_series_id = p_series
           AND k.charted_at >= coalesce(p_from, '-infinity')
           AND k.charted_at <= coalesce(p_to, 'infinity')
         ORDER BY k.charted_at DESC, k.id DESC
         LIMIT p_limit
    ), edge AS (
        SELECT (SELECT ((x.c).charted_at) FROM shown x
                 ORDER BY (x.c).charted_at, (x.c).id LIMIT 1) AS first_at,
               (SELECT ((x.c).id) FROM shown x
                 ORDER BY (x.c).charted_at, (x.c).id LIMIT 1) AS first_id,
               (SELECT ((x.c).charted_at) FROM shown x
                 ORDER BY (x.c).charted_at DESC, (x.c).id DESC LIMIT 1) AS last_at,
               (SELECT ((x.c).id) FROM shown x
                 ORDER BY (x.c).charted_at DESC, (x.c).id DESC LIMIT 1) AS last_id
    )
    SELECT x.c, true AS is_shown
      FROM shown x
     UNION ALL
    SELECT b.c, false
      FROM edge e
     CROSS JOIN LATERAL (
           SELECT k AS c
             FROM lims.qc_control k
            WHERE k.organization_id = p_organization
              AND k.qc_series_id = p_series
              AND (k.charted_at, k.id) < (e.first_at, e.first_id)
              AND k.excluded_at IS NULL
            ORDER BY k.charted_at DESC, k.id DESC
            LIMIT 9) b
     UNION ALL
    SELECT a.c, false
      FROM edge e
     CROSS JOIN LATERAL (
           SELECT k AS c
             FROM lims.qc_control k
            WHERE k.organization_id = p_organization
              AND k.qc_series_id = p_series
              AND (k.charted_at, k.id) > (e.last_at, e.last_id)
              AND k.excluded_at IS NULL
            ORDER BY k.charted_at, k.id
            LIMIT 9) a;
END
$$;

-- The points of a series from p_from to p_to, at most p_limit, the latest; in order of
-- time. The nine before and after them count for the rules. An excluded point breaks
-- none, and runs continue across it.
CREATE FUNCTION lims.qc_points(
    p_organization bigint,
    p_series bigint,
    p_from timestamptz DEFAULT NULL,
    p_to timestamptz DEFAULT NULL,
    p_limit bigint DEFAULT 1000
) RETURNS TABLE (
    qc_control_id bigint,
    qc_batch_id bigint,
    charted_at timestamptz,
    value numeric,
    z numeric,
    broken text[],
    excluded boolean,
    reason text
)
LANGUAGE plpgsql STABLE
AS $$
#variable_conflict use_column
DECLARE
    v_base record;
    v_rules text[];
BEGIN
    SELECT b.kind, b.mean, b.s, b.s > 0 AND (b.kind = 'fixed' OR b.n >= 5) AS is_enough
      INTO v_base
      FROM lims.qc_baseline(p_organization, p_series) b;
    SELECT x.rules
      INTO v_rules
      FROM lims.qc_series x
     WHERE x.organization_id = p_organization
       AND x.id = p_series;
    RETURN QUERY
    WITH counted AS MATERIALIZED (
        SELECT n.c, n.is_shown, (n.c).excluded_at IS NOT NULL AS is_out,
               CASE WHEN v_base.is_enough
                    THEN ((n.c).evaluated_value - v_base.mean) / v_base.s END AS z,
               row_number() OVER (PARTITION BY (n.c).excluded_at IS NOT NULL
                   ORDER BY (n.c).charted_at, (n.c).id) AS place
          FROM lims.qc_near(p_organization, p_series, p_from, p_to, p_limit) n
    ), breaking AS MATERIALIZED (
        SELECT w.place, w.broken
          FROM (SELECT array_agg(k.z ORDER BY k.place) AS z,
                       -- Few points need the call, which costs more than all else of one.
                       array_agg(CASE WHEN abs(k.z) > 2 THEN lims.qc_opposed(k.c, k.z) END
                           ORDER BY k.place) AS opposed
                  FROM counted k
                 WHERE NOT k.is_out) a
         CROSS JOIN LATERAL lims.westgard(a.z, a.opposed, v_rules) w
    )
    SELECT (k.c).id, (k.c).qc_batch_id, (k.c).charted_at,
           trim_scale((k.c).evaluated_value), trim_scale(round(k.z, 6)),
           CASE WHEN k.is_out THEN '{}' ELSE w.broken END, k.is_out,
           (k.c).excluded_reason
      FROM counted k
      LEFT JOIN breaking w
        ON w.place = k.place
     WHERE k.is_shown
     ORDER BY (k.c).charted_at, (k.c).id;
END
$$;

-- The rules that one control breaks in its series, as the control chart shows them.
CREATE FUNCTION lims.qc_broken(
    p_organization bigint,
    p_series bigint,
    p_charted_at timestamptz,
    p_control bigint
) RETURNS text[]
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT p.broken
          FROM lims.qc_points(p_organization, p_series, p_charted_at, p_charted_at) p
         WHERE p.qc_control_id = p_control);
END
$$;
