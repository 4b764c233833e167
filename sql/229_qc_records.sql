-- SPDX-License-Identifier: Apache-2.0
--
-- The records of quality control, as 230_records.sql has the others.

CREATE VIEW lims.qc_template_record WITH (security_invoker = true) AS
SELECT x.organization_id, x.id, x.method, x.name, x.required,
       x.per_samples AS "perSamples", x.version, x.active,
       lims.qc_template_controls(x.organization_id, x.id) AS controls,
       x.created_at AS "createdAt", x.updated_at AS "updatedAt"
  FROM lims.qc_template x;

CREATE VIEW lims.qc_batch_record WITH (security_invoker = true) AS
SELECT b.organization_id, b.id, b.batch_number AS "batchNumber", b.method,
       b.analysis_date AS "analysisDate", b.qc_status AS "qcStatus",
       b.file_id AS "fileId", b.instrument_id AS "instrumentId",
       b.qc_template_id AS "qcTemplateId",
       ARRAY(SELECT c.sample_test_id
               FROM lims.qc_coverage c
              WHERE c.organization_id = b.organization_id
                AND c.qc_batch_id = b.id
              ORDER BY c.sample_test_id) AS "sampleTestIds",
       ARRAY(SELECT q.sample_test_id
               FROM lims.qc_covered q
              WHERE b.qc_status = 'overridden'
                AND q.organization_id = b.organization_id
                AND q.qc_batch_id = b.id
                AND q.standing = 'overridden'
              ORDER BY q.sample_test_id) AS "overriddenTestIds",
       lims.is_qc_failing(b.organization_id, b.id) AS failing,
       b.evaluated_at AS "evaluatedAt", b.evaluated_by AS "evaluatedBy",
       b.override_reason AS "overrideReason", b.override_by AS "overrideBy",
       b.override_at AS "overrideAt", b.notes, b.created_by AS "createdBy",
       b.created_at AS "createdAt", b.updated_at AS "updatedAt"
  FROM lims.qc_batch b;

CREATE VIEW lims.qc_control_record WITH (security_invoker = true) AS
SELECT c.organization_id, c.id, c.qc_batch_id AS "qcBatchId",
       c.control_type AS "controlType",
       c.test_definition_id AS "testDefinitionId", c.criterion,
       c.expected_value AS "expectedValue",
       c.measured_value AS "measuredValue", c.native_value AS "nativeValue",
       c.lower_limit AS "lowerLimit", c.upper_limit AS "upperLimit",
       c.expected_text AS "expectedText", c.measured_text AS "measuredText",
       c.unit, c.level, c.lot, c.measured_at AS "measuredAt",
       trim_scale(c.evaluated_value) AS "evaluatedValue", c.passed, c.expected,
       c.qc_series_id AS "qcSeriesId",
       CASE WHEN c.qc_series_id IS NULL THEN '{}'
            ELSE lims.qc_broken(c.organization_id, c.qc_series_id, c.charted_at, c.id)
       END AS broken,
       c.excluded_at IS NOT NULL AS excluded, c.excluded_reason AS "excludedReason",
       c.notes, c.created_at AS "createdAt", c.updated_at AS "updatedAt"
  FROM lims.qc_control c;

CREATE VIEW lims.qc_series_record WITH (security_invoker = true) AS
SELECT s.organization_id, s.id, s.test_definition_id AS "testDefinitionId",
       s.control_type AS "controlType", s.criterion, s.level, s.lot,
       s.instrument_id AS "instrumentId",
       (SELECT json_build_object('kind', b.kind, 'n', b.n, 'mean', b.mean, 's', b.s)
          FROM lims.qc_baseline(s.organization_id, s.id) b) AS baseline,
       CASE s.baseline_kind WHEN 'first' THEN s.baseline_n END AS "baselineSize",
       s.rules, s.created_at AS "createdAt", s.updated_at AS "updatedAt"
  FROM lims.qc_series s;

-- The points of a series in a period, as the record shows them.
CREATE FUNCTION lims.qc_points_shown(
    p_organization bigint,
    p_series bigint,
    p_from timestamptz,
    p_to timestamptz
) RETURNS TABLE (
    "qcControlId" bigint,
    "qcBatchId" bigint,
    "batchNumber" text,
    "measuredAt" timestamptz,
    value numeric,
    "lowerLimit" numeric,
    "upperLimit" numeric,
    passed boolean,
    z numeric,
    broken text[],
    excluded boolean,
    reason text
)
LANGUAGE sql STABLE
AS $$
    SELECT p.qc_control_id, p.qc_batch_id, b.batch_number, p.charted_at, p.value,
           c.lower_limit, c.upper_limit, c.passed, p.z, p.broken, p.excluded, p.reason
      FROM lims.qc_points(p_organization, p_series, p_from, p_to) p
      JOIN lims.qc_control c
        ON c.organization_id = p_organization
       AND c.id = p.qc_control_id
      JOIN lims.qc_batch b
        ON b.organization_id = c.organization_id
       AND b.id = c.qc_batch_id
$$;

CREATE VIEW lims.qc_point_record WITH (security_invoker = true) AS
SELECT s.organization_id, s.id AS "qcSeriesId", p.*
  FROM lims.qc_series s
 CROSS JOIN LATERAL lims.qc_points_shown(s.organization_id, s.id, NULL, NULL) p;
