-- SPDX-License-Identifier: Apache-2.0
--
-- The records of the API, a view each, which is the only list of the record's columns: all
-- statements that read one record, a page or nested ones select all of them. The columns
-- stand in the order of the fields in C, so that each is found at once. PostgreSQL
-- inlines the views, and row-level security applies to the caller (security_invoker).
--
-- Members that only some rows need are in functions, so that other reads do not pay for
-- planning and starting them.

-- Organizations, users and keys -------------------------------------------

CREATE VIEW lims.organization_record WITH (security_invoker = true) AS
SELECT o.id, o.code, o.name, o.time_zone AS "timeZone", o.locale, o.address, o.logo,
       encode(o.logo_sha256, 'hex') AS "logoSha256", o.accreditation,
       lims.certificate_layout_shown(o.certificate_layout) AS "certificateLayout",
       o.tracking_prefix AS "trackingPrefix", o.plan,
       o.api_access AS "apiAccess",
       o.monthly_sample_allowance AS "monthlySampleAllowance",
       o.reagent_expiry_policy AS "reagentExpiryPolicy",
       o.coa_before_approval AS "coaBeforeApproval",
       o.esignature_required AS "esignatureRequired",
       o.ai_data_access AS "aiDataAccess",
       o.oos_opens_investigation AS "oosOpensInvestigation",
       o.holding_warning_hours AS "holdingWarningHours",
       ARRAY(SELECT s.name
               FROM lims.approval_step s
              WHERE s.organization_id = o.id
                AND s.active
              ORDER BY s.position) AS "approvalSteps",
       ARRAY(SELECT s.role
               FROM lims.approval_step s
              WHERE s.organization_id = o.id
                AND s.active
              ORDER BY s.position) AS "approvalStepRoles",
       json_build_object('selfVerification',
           o.self_verification, 'approverMayBeVerifier',
           o.approver_may_be_verifier, 'reasonOnChange',
           o.reason_on_change, 'openInvestigationBlocks',
           o.open_investigation_blocks, 'keysWithinRoles',
           o.keys_within_roles, 'qcRequired',
           o.qc_required, 'lotQcPolicy',
           o.lot_qc_policy, 'sessionMinutes',
           o.session_minutes, 'investigationDays',
           o.investigation_days, 'attachmentBytes',
           o.attachment_bytes) AS policies,
       o.active, o.created_at AS "createdAt", o.updated_at AS "updatedAt"
  FROM lims.organization o;

-- The roles of an organization with their permissions, also those without any.
CREATE VIEW lims.permission_record WITH (security_invoker = true) AS
SELECT o.id AS organization_id,
       (SELECT json_agg(json_build_object('role', r.role, 'permissions', ARRAY(
                   SELECT p.permission
                     FROM lims.role_permission p
                    WHERE p.organization_id = o.id
                      AND p.role = r.role
                    ORDER BY p.permission)) ORDER BY r.place)
          FROM unnest(ARRAY[
              'system_administrator', 'administrator', 'lab_manager', 'qa_officer',
              'analyst', 'microbiologist', 'receiving_clerk', 'client_services', 'auditor',
              'client_viewer']) WITH ORDINALITY AS r (role, place)) AS roles
  FROM lims.organization o;

CREATE VIEW lims.user_record WITH (security_invoker = true) AS
SELECT u.organization_id, u.id, u.email, u.display_name AS "displayName",
       ARRAY(SELECT r.role
               FROM lims.user_role r
              WHERE r.organization_id = u.organization_id
                AND r.user_id = u.id
              ORDER BY r.role) AS roles,
       coalesce(u.password_hash, a.signature_hash) IS NOT NULL AS "canSign",
       u.identity, u.active,
       CASE WHEN a.locked_until > now() THEN a.locked_until END AS "lockedUntil",
       a.last_sign_in_at AS "lastSignInAt",
       u.created_at AS "createdAt", u.updated_at AS "updatedAt"
  FROM lims.user_account u
  LEFT JOIN lims.account_state a
    ON a.organization_id = u.organization_id
   AND a.user_id = u.id;

-- A session goes on as lims.authenticate_session() decides it.
CREATE VIEW lims.session_record WITH (security_invoker = true) AS
SELECT s.organization_id, s.id, s.user_id AS "userId", u.display_name AS person,
       s.address, s.browser,
       s.ended_at IS NULL AND u.active
           AND s.created_at > now() - lims.session_life()
           AND s.last_used_at > now() - make_interval(mins => o.session_minutes) AS active,
       s.last_used_at AS "lastUsedAt", s.ended_at AS "endedAt",
       s.end_reason AS "endReason", s.created_at AS "createdAt",
       s.updated_at AS "updatedAt"
  FROM lims.user_session s
  JOIN lims.organization o
    ON o.id = s.organization_id
  JOIN lims.user_account u
    ON u.organization_id = s.organization_id
   AND u.id = s.user_id;

CREATE VIEW lims.api_key_record WITH (security_invoker = true) AS
SELECT k.organization_id, k.id, k.name, k.key_prefix AS "keyPrefix", k.scopes,
       k.upload_only AS "uploadOnly",
       k.file_storage_max / 1048576 AS "fileStorageMegabytes",
       coalesce(s.bytes, 0) AS "fileBytes", k.created_by AS "createdBy",
       k.acts_for AS "actsFor",
       k.created_at AS "createdAt", k.last_used_at AS "lastUsedAt",
       k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt"
  FROM lims.api_key k
  LEFT JOIN lims.file_storage s
    ON s.organization_id = k.organization_id
   AND s.api_key_id = k.id;

-- Reference records -------------------------------------------------------

CREATE VIEW lims.client_record WITH (security_invoker = true) AS
SELECT c.organization_id, c.id, c.code, c.name,
       c.contact_name AS "contactName", c.email, c.phone, c.address, c.active,
       c.created_at AS "createdAt", c.updated_at AS "updatedAt"
  FROM lims.client c;

CREATE VIEW lims.project_record WITH (security_invoker = true) AS
SELECT p.organization_id, p.id, p.code, p.name, p.client_id AS "clientId",
       p.composite_sample_identifier AS "compositeSampleIdentifier", p.active,
       p.created_at AS "createdAt", p.updated_at AS "updatedAt"
  FROM lims.project p;

CREATE VIEW lims.material_type_record WITH (security_invoker = true) AS
SELECT m.organization_id, m.id, m.code, m.name, m.active,
       m.created_at AS "createdAt", m.updated_at AS "updatedAt"
  FROM lims.material_type m;

CREATE VIEW lims.storage_location_record WITH (security_invoker = true) AS
SELECT l.organization_id, l.id, l.code, l.name, l.parent_id AS "parentId",
       l.kind, l.min_temperature AS "minTemperature",
       l.max_temperature AS "maxTemperature", l.active,
       l.created_at AS "createdAt", l.updated_at AS "updatedAt"
  FROM lims.storage_location l;

CREATE VIEW lims.test_definition_record WITH (security_invoker = true) AS
SELECT d.organization_id, d.id, d.code, d.name, d.method, d.unit,
       d.result_type AS "resultType", d.decimals,
       d.specification_low AS "specificationLow",
       d.specification_high AS "specificationHigh",
       d.specification_text AS "specificationText",
       d.decision_rule AS "decisionRule",
       d.reporting_limit AS "reportingLimit",
       d.method_detection_limit AS "methodDetectionLimit", d.uncertainty, d.accredited,
       d.holding_time_hours AS "holdingTimeHours", d.preservation,
       d.requires_worksheet AS "requiresWorksheet",
       d.requires_confirmation AS "requiresConfirmation",
       d.presumptive_minimum AS "presumptiveMinimum",
       d.turnaround_days AS "turnaroundDays",
       d.confirmation_plan AS "confirmationPlan", d.active,
       d.created_at AS "createdAt", d.updated_at AS "updatedAt"
  FROM lims.test_definition d;

CREATE VIEW lims.panel_record WITH (security_invoker = true) AS
SELECT p.organization_id, p.id, p.code, p.name,
       p.test_definition_ids AS "testDefinitionIds", p.active,
       p.created_at AS "createdAt", p.updated_at AS "updatedAt"
  FROM lims.panel p;

CREATE VIEW lims.specification_record WITH (security_invoker = true) AS
SELECT s.organization_id, s.id, s.test_definition_id AS "testDefinitionId",
       s.material_type_id AS "materialTypeId", s.project_id AS "projectId",
       s.low, s.high, s.expected_text AS "expectedText",
       s.decision_rule AS "decisionRule",
       s.created_at AS "createdAt", s.updated_at AS "updatedAt"
  FROM lims.specification s;

-- Samples and their tests -------------------------------------------------

-- A sample's state, computed, for the few samples without a valid cache entry. Planned once,
-- not for each row of a list that is planned for its values.
CREATE FUNCTION lims.sample_state(p_organization bigint, p_sample bigint,
    OUT release_state text, OUT holding_status text)
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    SELECT r.release_state, r.holding_status
      INTO release_state, holding_status
      FROM lims.sample_release(p_organization, p_sample) r;
END
$$;

-- The state of a reported sample is constant; of another it is taken from the cache if
-- valid. OFFSET 0: looked up for each row of the page, in this order; flattened into a
-- join, it could be computed for every sample of the organization. The two are joined with each
-- other first, because a join costs as much as it has columns. Investigations of failed
-- batches are few: which organizations have any is asked once for all rows.
CREATE VIEW lims.sample_record WITH (security_invoker = true) AS
SELECT s.organization_id, s.id, s.tracking_id AS "trackingId", s.status,
       s.material_type_id AS "materialTypeId", s.project_id AS "projectId",
       s.received_at AS "receivedAt",
       s.sample_identifier AS "sampleIdentifier",
       s.external_id AS "externalId", s.client_id AS "clientId",
       s.client_name AS "clientName", s.collection_date AS "collectionDate",
       s.collected_at AS "collectedAt", s.priority, s.notes,
       s.plant_location AS "plantLocation",
       s.storage_location_id AS "storageLocationId",
       CASE s.status WHEN 'reported' THEN 'reported' ELSE x.release_state
       END AS "releaseState",
       x.holding_status AS "holdingStatus",
       s.created_at AS "createdAt", s.updated_at AS "updatedAt",
       s.reported_at AS "reportedAt", s.order_id AS "orderId",
       s.due_date AS "dueDate",
       CASE WHEN s.received_at IS NOT NULL THEN json_build_object(
           'temperature', s.receipt_temperature, 'condition', s.receipt_condition,
           'containers', s.receipt_containers, 'deviations', s.receipt_deviations,
           'receivedBy', s.received_by) END AS receipt, s.disposition,
       s.disposition_reason AS "dispositionReason",
       s.note_on_report AS "noteOnReport",
       CASE WHEN s.status = 'reported' AND s.organization_id IN (
                     SELECT i.organization_id
                       FROM lims.investigation i
                      WHERE i.kind = 'qc_failure'
                        AND i.status NOT IN ('closed', 'cancelled'))
            THEN lims.is_under_review(s.organization_id, s.id)
            ELSE false END AS "underReview",
       CASE WHEN s.amendment_id IS NOT NULL
            THEN lims.amendment_shown(s.organization_id, s.amendment_id)
       END AS amendment
  FROM lims.sample s
  LEFT JOIN LATERAL (
       SELECT coalesce(k.release_state, r.release_state) AS release_state,
              CASE WHEN k.release_state IS NULL THEN r.holding_status
                   ELSE k.holding_status END AS holding_status
         FROM (VALUES (s.status)) AS v (status)
         LEFT JOIN LATERAL lims.cached_sample_state(s.organization_id, s.id) k ON true
         LEFT JOIN LATERAL (
              SELECT c.release_state, c.holding_status
                FROM lims.sample_state(s.organization_id, s.id) c
               WHERE k.release_state IS NULL
              OFFSET 0) r ON true
        WHERE v.status <> 'reported'
       OFFSET 0) x ON true;

CREATE VIEW lims.sample_order_record WITH (security_invoker = true) AS
SELECT o.organization_id, o.id, o.order_number AS "orderNumber",
       o.client_id AS "clientId", o.contact, o.notes,
       (SELECT count(*)
          FROM lims.sample s
         WHERE s.organization_id = o.organization_id
           AND s.order_id = o.id) AS "sampleCount",
       ARRAY(SELECT DISTINCT t.test_definition_id
               FROM lims.sample s
               JOIN lims.sample_test t
                 ON t.organization_id = s.organization_id
                AND t.sample_id = s.id
              WHERE s.organization_id = o.organization_id
                AND s.order_id = o.id
              ORDER BY 1) AS "testDefinitionIds",
       o.panel_ids AS "panelIds", o.created_at AS "createdAt",
       o.updated_at AS "updatedAt"
  FROM lims.sample_order o;

CREATE VIEW lims.sample_name_record WITH (security_invoker = true) AS
SELECT n.organization_id, n.id, n.name, s.tracking_id AS "trackingId",
       s.status AS "sampleStatus",
       n.ended_at IS NULL
       AND NOT lims.sample_is_final(s.status, s.disposition) AS active,
       n.reason, n.created_by AS "createdBy", n.created_at AS "createdAt",
       n.ended_at AS "endedAt", n.ended_by AS "endedBy",
       n.end_reason AS "endReason", n.updated_at AS "updatedAt"
  FROM lims.sample_name n
  JOIN lims.sample s
    ON s.organization_id = n.organization_id
   AND s.id = n.sample_id;

CREATE VIEW lims.sample_test_record WITH (security_invoker = true) AS
SELECT t.organization_id, t.id, t.sample_id AS "sampleId",
       t.test_definition_id AS "testDefinitionId", t.test_code AS "testCode",
       t.test_name AS "testName", t.status, t.result, t.unit, t.qualifier,
       t.notes, t.out_of_specification AS "outOfSpecification",
       t.specification, t.reagent_lot_id AS "reagentLotId",
       t.media_lot_id AS "mediaLotId", t.qc_batch_id AS "qcBatchId",
       t.confirmation_status AS "confirmationStatus",
       t.worksheet_status AS "worksheetStatus",
       t.holding_status AS "holdingStatus",
       t.holding_expires_at AS "holdingExpiresAt",
       t.analyzed_at AS "analyzedAt", t.entered_by AS "enteredBy",
       t.entered_at AS "enteredAt", t.verified_by AS "verifiedBy",
       t.verified_at AS "verifiedAt", t.warnings,
       t.entry_warnings AS "entryWarnings", t.disposition,
       t.retest_of AS "retestOf", t.reported, t.returned,
       t.note_on_report AS "noteOnReport", t.created_at AS "createdAt",
       t.updated_at AS "updatedAt"
  FROM lims.sample_test_state t;

-- Quality control (its records are in 229_qc_records.sql) -----------------

CREATE VIEW lims.instrument_record WITH (security_invoker = true) AS
SELECT i.organization_id, i.id, i.code, i.name, i.manufacturer, i.model,
       i.serial_number AS "serialNumber",
       i.storage_location_id AS "storageLocationId",
       i.calibration_due AS "calibrationDue", i.active,
       i.created_at AS "createdAt", i.updated_at AS "updatedAt"
  FROM lims.instrument i;

-- OFFSET 0 keeps the next reading a look-up for each test, not a join with all that wait.
CREATE VIEW lims.confirmation_record WITH (security_invoker = true) AS
SELECT t.organization_id, t.id, t.sample_id AS "sampleId",
       p.tracking_id AS "trackingId", d.code AS "testCode", d.name AS "testName",
       t.result, t.first_entered_at AS "presumptiveSince",
       t.confirmation_status AS "confirmationStatus",
       d.confirmation_plan AS plan, m.readings AS "readingsMade", n.step AS "nextStep", n.due AS "nextReadDue"
  FROM lims.sample_test t
  JOIN lims.sample p
    ON p.organization_id = t.organization_id
   AND p.id = t.sample_id
  JOIN lims.test_definition d
    ON d.organization_id = t.organization_id
   AND d.id = t.test_definition_id
 CROSS JOIN LATERAL (
       SELECT r.readings
         FROM lims.readings_made(t.organization_id, t.id, t.entered_at) r
       OFFSET 0) m
  LEFT JOIN LATERAL (
       SELECT r.step, r.due
         FROM lims.next_reading(t.organization_id, t.id) r
       OFFSET 0) n
    ON t.confirmation_status = 'pending';

CREATE VIEW lims.confirmation_step_record WITH (security_invoker = true) AS
SELECT s.organization_id, s.id, s.sample_test_id AS "sampleTestId", s.position,
       s.medium, s.media_lot_id AS "mediaLotId", m.code AS "mediaLotCode",
       s.procedure, s.read_at AS "readAt", s.reading, s.outcome, s.notes,
       s.performed_by AS "performedBy", s.created_at AS "createdAt"
  FROM lims.confirmation_step s
  LEFT JOIN lims.media_lot m
    ON m.organization_id = s.organization_id
   AND m.id = s.media_lot_id;

CREATE VIEW lims.worksheet_template_record WITH (security_invoker = true) AS
SELECT x.organization_id, x.id, x.test_definition_id AS "testDefinitionId",
       x.name, x.version, x.active,
       (SELECT coalesce(json_agg(json_build_object(
                            'name', f.name, 'label', f.label, 'unit', f.unit,
                            'kind', f.kind, 'required', f.required,
                            'formula', f.formula, 'decimals', f.decimals)
                                 ORDER BY f.position), '[]')
          FROM lims.worksheet_field f
         WHERE f.organization_id = x.organization_id
           AND f.template_id = x.id) AS fields,
       (SELECT coalesce(json_agg(json_build_object('name', s.name, 'role', s.role)
                                 ORDER BY s.position), '[]')
          FROM lims.worksheet_signoff_step s
         WHERE s.organization_id = x.organization_id
           AND s.template_id = x.id) AS "signoffSteps",
       x.created_at AS "createdAt", x.updated_at AS "updatedAt"
  FROM lims.worksheet_template x;

CREATE VIEW lims.worksheet_record WITH (security_invoker = true) AS
SELECT w.organization_id, w.id, w.sample_test_id AS "sampleTestId",
       n."trackingId", n."testCode",
       w.template_id AS "templateId", x.name AS "templateName", s.status, s.missing,
       s.needs_signoff AS "needsSignoff",
       (SELECT coalesce(json_agg(json_build_object(
                            'field', f.name, 'label', f.label,
                            'value', coalesce(v.value, c.value), 'unit', f.unit,
                            'kind', f.kind, 'required', f.required,
                            'formula', f.formula, 'problem', c.problem,
                            'enteredBy', v.entered_by)
                                 ORDER BY f.position), '[]')
          FROM lims.worksheet_field f
          LEFT JOIN lims.worksheet_value v
            ON v.organization_id = f.organization_id
           AND v.worksheet_id = w.id
           AND v.field_id = f.id
          LEFT JOIN lims.worksheet_computed(w.organization_id, w.id) c
            ON c.field_id = f.id
         WHERE f.organization_id = w.organization_id
           AND f.template_id = w.template_id) AS "values",
       (SELECT coalesce(json_agg(json_build_object(
                            'step', p.name, 'meaning', e.meaning,
                            'printedName', e.printed_name, 'signedBy', o.signed_by,
                            'signedAt', to_char(o.signed_at AT TIME ZONE 'UTC',
                                                'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
                                 ORDER BY p.position), '[]')
          FROM lims.worksheet_signoff_standing o
          JOIN lims.worksheet_signoff_step p
            ON p.organization_id = o.organization_id
           AND p.id = o.step_id
          JOIN lims.electronic_signature e
            ON e.organization_id = o.organization_id
           AND e.id = o.signature_id
         WHERE o.organization_id = w.organization_id
           AND o.worksheet_id = w.id) AS "signOffs",
       w.created_by AS "createdBy", w.created_at AS "createdAt",
       w.updated_at AS "updatedAt"
  FROM lims.worksheet w
  JOIN lims.worksheet_template x
    ON x.organization_id = w.organization_id
   AND x.id = w.template_id
 CROSS JOIN LATERAL (
       SELECT p.tracking_id AS "trackingId",
              coalesce(t.test_code, d.code) AS "testCode"
         FROM lims.sample_test t
         JOIN lims.test_definition d
           ON d.organization_id = t.organization_id
          AND d.id = t.test_definition_id
         JOIN lims.sample p
           ON p.organization_id = t.organization_id
          AND p.id = t.sample_id
        WHERE t.organization_id = w.organization_id
          AND t.id = w.sample_test_id
       OFFSET 0) n
 CROSS JOIN LATERAL lims.worksheet_state(w.organization_id, w.sample_test_id) s;

-- Events and webhooks -----------------------------------------------------

-- Events in the order of the feed, which is that of (position, cursor): see
-- 170_events.sql.
CREATE VIEW lims.event_record WITH (security_invoker = true) AS
SELECT e.organization_id, e.position, e.id AS cursor,
       lims.event_uuid(e.organization_id, e.id, e.created_at) AS id, e.type,
       e.created_at AS "createdAt", e.organization_id AS "organizationId",
       e.data
  FROM lims.event e;

CREATE VIEW lims.webhook_endpoint_record WITH (security_invoker = true) AS
SELECT e.organization_id, e.id, e.name, e.url, e.events,
       e.standard_headers AS "standardHeaders", e.enabled,
       e.disabled_at AS "disabledAt", e.disabled_reason AS "disabledReason",
       e.consecutive_failures AS "consecutiveFailures",
       CASE WHEN e.previous_secret_until > now()
            THEN e.previous_secret_until END AS "previousSecretUntil",
       e.created_by AS "createdBy", e.created_at AS "createdAt",
       e.updated_at AS "updatedAt", e.deleted_at AS "deletedAt"
  FROM lims.webhook_endpoint e;

CREATE VIEW lims.webhook_recovery_record WITH (security_invoker = true) AS
SELECT r.organization_id, r.id, r.endpoint_id AS "endpointId", r.since,
       r.requeued, r.requested_by AS "requestedBy",
       r.created_at AS "createdAt", r.finished_at AS "finishedAt"
  FROM lims.webhook_recovery r;

-- Deliveries with the outcome of the last attempt. There is no next attempt while the
-- endpoint is disabled, and when the delivery has ended.
CREATE VIEW lims.webhook_delivery_record WITH (security_invoker = true) AS
SELECT d.organization_id, d.id, d.given_up, d.delivery_id AS "deliveryId",
       d.endpoint_id AS "endpointId", v.type, d.state,
       d.attempts AS "attemptCount",
       CASE WHEN e.enabled AND d.state = 'pending'
            THEN greatest(d.next_attempt_at, d.created_at) END AS "nextAttemptAt",
       a.response_status AS "lastStatus", a.error AS "lastError",
       v.created_at AS "createdAt", d.finished_at AS "finishedAt"
  FROM lims.webhook_delivery d
  JOIN lims.webhook_endpoint e
    ON e.organization_id = d.organization_id
   AND e.id = d.endpoint_id
  JOIN lims.event v
    ON v.organization_id = d.organization_id
   AND v.id = d.event_id
  LEFT JOIN lims.webhook_attempt a
    ON a.organization_id = d.organization_id
   AND a.delivery_id = d.id
   AND a.number = d.attempts;

CREATE VIEW lims.webhook_attempt_record WITH (security_invoker = true) AS
SELECT a.organization_id, a.delivery_id AS "deliveryId", a.number,
       a.started_at AS "startedAt", a.duration_ms AS "durationMs",
       a.response_status AS "responseStatus",
       a.response_excerpt AS "responseExcerpt", a.error
  FROM lims.webhook_attempt a;

-- Files of instruments ----------------------------------------------------

-- Profiles, with a warning where a test code that the profile names is that of no active
-- test definition.
CREATE VIEW lims.instrument_profile_record WITH (security_invoker = true) AS
SELECT p.organization_id, p.id, p.code, p.version, p.name,
       p.instrument_id AS "instrumentId", p.status, p.definition,
       p.created_by AS "createdBy", p.created_at AS "createdAt",
       p.updated_at AS "updatedAt",
       (SELECT CASE WHEN count(*) FILTER (WHERE NOT c.there) = 0 THEN NULL
                    WHEN NOT bool_or(c.there)
                    THEN format('No active test definition has any of its %s test '
                                'codes: %s.', count(*),
                                string_agg(c.code, ', ' ORDER BY c.code))
                    ELSE format('No active test definition has these of its test '
                                'codes: %s.',
                                string_agg(c.code, ', ' ORDER BY c.code)
                                    FILTER (WHERE NOT c.there)) END
          FROM (SELECT t.code, EXISTS (
                       SELECT FROM lims.test_definition d
                        WHERE d.organization_id = p.organization_id
                          AND d.code = t.code
                          AND d.active) AS there
                  FROM (SELECT DISTINCT e.value ->> 'testCode' AS code
                          FROM jsonb_array_elements(p.definition -> 'tests') e) t) c
       ) AS warning
  FROM lims.instrument_profile p;

CREATE VIEW lims.instrument_file_record WITH (security_invoker = true) AS
SELECT f.organization_id, f.id, f.file_name AS "fileName",
       encode(f.sha256, 'hex') AS sha256, f.size, f.status,
       f.duplicate_of AS "duplicateOf", f.profile_code AS "profileAsked",
       f.profile_id AS "profileId", p.code AS "profileCode",
       p.version AS "profileVersion", p.name AS "profileName",
       f.counts, f.reasons, f.reasons -> 0 ->> 'message' AS "firstReason",
       f.received_at AS "receivedAt",
       f.received_by AS "receivedBy", f.received_by_key AS "receivedByKey",
       coalesce(k.name, u.display_name) AS "sentBy", p.instrument_id AS "instrumentId",
       f.processed_at AS "processedAt", f.decisions,
       f.resolution,
       f.resolution_reason AS "resolutionReason",
       f.resolved_at AS "resolvedAt", f.resolved_by AS "resolvedBy",
       f.updated_at AS "updatedAt", f.content_removed_at AS "contentRemovedAt"
  FROM lims.instrument_file f
  LEFT JOIN lims.instrument_profile p
    ON p.organization_id = f.organization_id
   AND p.id = f.profile_id
  LEFT JOIN lims.api_key k
    ON k.organization_id = f.organization_id
   AND k.id = f.received_by_key
  LEFT JOIN lims.user_account u
    ON u.organization_id = f.organization_id
   AND u.id = f.received_by;

CREATE VIEW lims.instrument_file_row_record WITH (security_invoker = true) AS
SELECT r.organization_id, r.id, r.file_id AS "fileId", r.sheet,
       r.row_number AS "row", r.column_number AS "column",
       r.byte_offset AS "offset", r.cell, r.sample_test_id AS "sampleTestId",
       r.qc_control_id AS "qcControlId", r.tracking_id AS "trackingId",
       r.test_code AS "testCode", r.result, r.unit, r.qualifier,
       r.analyzed_at AS "analyzedAt", r.operator_name AS operator, r.status
  FROM lims.instrument_file_row r;
