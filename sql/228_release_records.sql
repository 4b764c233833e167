-- SPDX-License-Identifier: Apache-2.0
--
-- The records of the release, as 230_records.sql has the others: approvals, investigations,
-- certificates, amendments.

-- `current`: whether the content that was decided about is still the sample's, which is that
-- of its report unless it is being amended; NULL while nothing is decided.
CREATE VIEW lims.approval_record WITH (security_invoker = true) AS
SELECT a.organization_id, a.id, a.sample_id AS "sampleId", a.step, a.name,
       a.status, a.requested_at AS "requestedAt", a.decided_at AS "decidedAt",
       a.decided_by AS "decidedBy", a.comment, a.round,
       a.updated_at AS "updatedAt",
       CASE
           WHEN a.status = 'pending' THEN NULL
           WHEN a.replaced_at IS NOT NULL THEN false
           ELSE a.content_hash = coalesce(
               CASE WHEN s.amendment_id IS NULL THEN s.content_hash END,
               lims.release_hash(s.organization_id, s.id))
       END AS current
  FROM lims.approval a
  JOIN lims.sample s
    ON s.organization_id = a.organization_id
   AND s.id = a.sample_id;

CREATE VIEW lims.approval_task_record WITH (security_invoker = true) AS
SELECT a.organization_id, a.id, a.sample_id AS "sampleId", a.step, a.name,
       CASE a.status WHEN 'pending' THEN lims.approval_role(a) ELSE a.role END AS role,
       a.round, a.status, a.requested_at AS "requestedAt",
       a.decided_at AS "decidedAt", a.decided_by AS "decidedBy", a.comment,
       a.status = 'pending' AND NOT lims.sample_is_closed(s.status, s.disposition)
           AND lims.is_mine_to_decide(a) AS mine,
       json_build_object('trackingId', s.tracking_id, 'sampleIdentifier',
           s.sample_identifier, 'clientName', s.client_name, 'priority', s.priority,
           'dueDate', s.due_date, 'status', s.status,
           'results', (
               SELECT count(*)
                 FROM lims.sample_test t
                WHERE t.organization_id = a.organization_id
                  AND t.sample_id = a.sample_id
                  AND t.disposition = 'active'
                  AND t.reported),
           'investigations', (
               SELECT count(*)
                 FROM lims.investigation i
                WHERE i.organization_id = a.organization_id
                  AND i.sample_id = a.sample_id
                  AND i.status NOT IN ('closed', 'cancelled'))) AS sample,
       lims.approval_flags(a) AS flags
  FROM lims.approval a
  JOIN lims.sample s
    ON s.organization_id = a.organization_id
   AND s.id = a.sample_id;

CREATE VIEW lims.investigation_record WITH (security_invoker = true) AS
SELECT i.organization_id, i.id,
       i.investigation_number AS "investigationNumber", i.kind, i.title,
       i.sample_id AS "sampleId", s.tracking_id AS "trackingId",
       i.sample_test_id AS "sampleTestId",
       (SELECT coalesce(t.test_code, d.code)
          FROM lims.sample_test t
          JOIN lims.test_definition d
            ON d.organization_id = t.organization_id
           AND d.id = t.test_definition_id
         WHERE t.organization_id = i.organization_id
           AND t.id = i.sample_test_id) AS "testCode",
       i.status, lims.investigation_next(i.status) AS "nextStatuses",
       i.due_on AS "dueOn", i.due_on AS "dueDate", i.assignee_id AS "assigneeId",
       i.checks, i.hypotheses, i.retest_plan AS "retestPlan",
       i.retest_plan_by AS "retestPlanBy",
       lims.plan_approval_shown(i.retest_plan_approved_by, i.retest_plan_approved_at)
           AS "retestPlanApproved",
       i.root_cause AS "rootCause", i.opened_value AS "openedValue",
       CASE WHEN i.sample_test_id IS NULL THEN '[]'
            ELSE lims.investigation_values(i.organization_id, i.sample_test_id,
                                           i.opened_entered_at) END AS "values",
       lims.investigation_actions(i.organization_id, i.id) AS actions,
       i.qc_batch_id AS "qcBatchId", q.batch_number AS "qcBatchNumber",
       i.reagent_lot_id AS "reagentLotId", i.media_lot_id AS "mediaLotId",
       coalesce(l.code, m.code) AS "lotCode",
       i.instrument_file_id AS "instrumentFileId", f.file_name AS "fileName",
       i.conclusion, i.parent_id AS "parentId",
       i.opened_at AS "openedAt", i.opened_by AS "openedBy",
       i.closed_at AS "closedAt", i.closed_by AS "closedBy",
       i.created_at AS "createdAt", i.updated_at AS "updatedAt"
  FROM lims.investigation i
  LEFT JOIN lims.sample s
    ON s.organization_id = i.organization_id
   AND s.id = i.sample_id
  LEFT JOIN lims.qc_batch q
    ON q.organization_id = i.organization_id
   AND q.id = i.qc_batch_id
  LEFT JOIN lims.reagent_lot l
    ON l.organization_id = i.organization_id
   AND l.id = i.reagent_lot_id
  LEFT JOIN lims.media_lot m
    ON m.organization_id = i.organization_id
   AND m.id = i.media_lot_id
  LEFT JOIN lims.instrument_file f
    ON f.organization_id = i.organization_id
   AND f.id = i.instrument_file_id;

-- The deliveries of an event to webhook endpoints.
CREATE FUNCTION lims.event_deliveries(p_organization bigint, p_event bigint) RETURNS json
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(json_agg(json_build_object(
                   'id', d.id,
                   'endpointId', d.endpoint_id,
                   'endpointName', p.name,
                   'state', d.state,
                   'attempts', d.attempts,
                   'finishedAt', to_char(d.finished_at AT TIME ZONE 'UTC',
                                         'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY d.id), '[]')
          FROM lims.webhook_delivery d
          JOIN lims.webhook_endpoint p
            ON p.organization_id = d.organization_id
           AND p.id = d.endpoint_id
         WHERE d.organization_id = p_organization
           AND d.event_id = p_event);
END
$$;

-- The document of a certificate, and its deliveries: of the event that told of it. None
-- where nobody subscribed to that, or where it is no longer kept.
CREATE VIEW lims.document_record WITH (security_invoker = true) AS
SELECT d.organization_id, d.id, d.certificate_id AS "certificateId",
       c.certificate_number AS "certificateNumber", c.version,
       c.sample_id AS "sampleId", d.state, d.attempts, d.failure,
       encode(d.sha256, 'hex') AS sha256, d.size, d.made_at AS "madeAt",
       d.announced_at AS "announcedAt", d.created_at AS "createdAt",
       d.updated_at AS "updatedAt"
  FROM lims.document d
  JOIN lims.certificate c
    ON c.organization_id = d.organization_id
   AND c.id = d.certificate_id;

CREATE FUNCTION lims.certificate_deliveries(p_organization bigint, p_certificate bigint)
RETURNS json
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_event bigint;
BEGIN
    SELECT d.event_id
      INTO v_event
      FROM lims.document d
     WHERE d.organization_id = p_organization
       AND d.certificate_id = p_certificate;
    RETURN lims.event_deliveries(p_organization, v_event);
END
$$;

CREATE VIEW lims.certificate_record WITH (security_invoker = true) AS
SELECT c.organization_id, c.id, c.certificate_number AS "certificateNumber",
       c.version, c.sample_id AS "sampleId", s.tracking_id AS "trackingId",
       s.client_name AS "clientName", c.status,
       c.supersedes_id AS "supersedesId", c.reason AS amendment,
       encode(c.sha256, 'hex') AS sha256, c.issued_at AS "issuedAt",
       c.issued_by AS "issuedBy", c.verification_code AS "verificationCode",
       ARRAY(SELECT t.code
               FROM jsonb_array_elements_text(c.content -> 'withoutAnalysisDay')
                    AS t (code)) AS "withoutAnalysisDay",
       (SELECT json_build_object(
                   'id', d.id,
                   'state', d.state,
                   'sha256', encode(d.sha256, 'hex'),
                   'size', d.size,
                   'madeAt', to_char(d.made_at AT TIME ZONE 'UTC',
                                     'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                   'failure', d.failure)
          FROM lims.document d
         WHERE d.organization_id = c.organization_id
           AND d.certificate_id = c.id) AS document,
       lims.certificate_deliveries(c.organization_id, c.id) AS deliveries
  FROM lims.certificate c
  JOIN lims.sample s
    ON s.organization_id = c.organization_id
   AND s.id = c.sample_id;

CREATE VIEW lims.amendment_record WITH (security_invoker = true) AS
SELECT a.organization_id, a.id, a.sample_id AS "sampleId", a.reason, a.status,
       a.opened_by AS "openedBy", a.signature_id AS "signatureId",
       a.certificate_id AS "certificateId",
       lims.amendment_differences(a.organization_id, a.id) AS differences,
       a.submissions, a.closed_by AS "closedBy", a.closed_at AS "closedAt",
       a.close_reason AS "closeReason", a.created_at AS "createdAt",
       a.updated_at AS "updatedAt"
  FROM lims.amendment a;
