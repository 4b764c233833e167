-- SPDX-License-Identifier: Apache-2.0
--
-- The records of the API, a view each. What they cost is paid by every read, so
-- what only some rows need is behind functions: their plans are made and started
-- for those rows.

-- A sample's state as it is worked out, for the few that are not known to stand.
CREATE FUNCTION lims.sample_state(
    p_organization bigint,
    p_sample bigint,
    OUT release_state text,
    OUT holding_status text
)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    SELECT r.release_state, r.holding_status
      INTO release_state, holding_status
      FROM lims.sample_release(p_organization, p_sample) r;
END
$$;

-- Of a reported sample nothing is open; of another, what the scan keeps is taken
-- where it stands. OFFSET 0: looked up for each row of the page, in this order.
-- Taken apart and joined, it would be worked out for every sample of the
-- organization before tables are first analysed.
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
       CASE s.status WHEN 'reported' THEN 'reported'
            ELSE coalesce(k.release_state, r.release_state)
       END AS "releaseState",
       CASE WHEN k.release_state IS NULL THEN r.holding_status
            ELSE k.holding_status
       END AS "holdingStatus",
       s.created_at AS "createdAt", s.updated_at AS "updatedAt",
       s.reported_at AS "reportedAt"
  FROM lims.sample s
  LEFT JOIN LATERAL (
       SELECT x.release_state, x.holding_status
         FROM lims.cached_sample_state(s.organization_id, s.id) x
        WHERE s.status <> 'reported'
       OFFSET 0) k ON true
  LEFT JOIN LATERAL (
       SELECT x.release_state, x.holding_status
         FROM lims.sample_state(s.organization_id, s.id) x
        WHERE s.status <> 'reported'
          AND k.release_state IS NULL
       OFFSET 0) r ON true;

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
       t.verified_at AS "verifiedAt", t.created_at AS "createdAt",
       t.updated_at AS "updatedAt", t.warnings
  FROM lims.sample_test_state t;

CREATE VIEW lims.sample_name_record WITH (security_invoker = true) AS
SELECT n.organization_id, n.id, n.name, s.tracking_id AS "trackingId",
       s.status AS "sampleStatus",
       n.ended_at IS NULL AND NOT lims.sample_is_final(s.status) AS active,
       n.reason, n.created_by AS "createdBy", n.created_at AS "createdAt",
       n.ended_at AS "endedAt", n.ended_by AS "endedBy",
       n.end_reason AS "endReason", n.updated_at AS "updatedAt"
  FROM lims.sample_name n
  JOIN lims.sample s
    ON s.organization_id = n.organization_id
   AND s.id = n.sample_id;

-- `current`: whether the content that was decided about is still the sample's; NULL
-- while nothing is decided.
CREATE VIEW lims.approval_record WITH (security_invoker = true) AS
SELECT a.organization_id, a.id, a.sample_id AS "sampleId", a.step, a.name,
       a.status, a.requested_at AS "requestedAt", a.decided_at AS "decidedAt",
       a.decided_by AS "decidedBy", a.comment, a.round,
       a.updated_at AS "updatedAt",
       CASE
           WHEN a.status = 'pending' THEN NULL
           WHEN a.replaced_at IS NOT NULL THEN false
           ELSE a.content_hash = coalesce(s.content_hash,
                                          lims.release_hash(s.organization_id,
                                                            s.id))
       END AS current
  FROM lims.approval a
  JOIN lims.sample s
    ON s.organization_id = a.organization_id
   AND s.id = a.sample_id;

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

-- With what its last attempt brought. Kept for an endpoint that is disabled, or
-- done with, it has no next one.
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

CREATE VIEW lims.instrument_profile_record WITH (security_invoker = true) AS
SELECT p.organization_id, p.id, p.code, p.version, p.name,
       p.instrument_id AS "instrumentId", p.status, p.definition,
       p.created_by AS "createdBy", p.created_at AS "createdAt",
       p.updated_at AS "updatedAt"
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
       f.processed_at AS "processedAt", f.resolution,
       f.resolution_reason AS "resolutionReason",
       f.resolved_at AS "resolvedAt", f.resolved_by AS "resolvedBy",
       f.updated_at AS "updatedAt", f.content_removed_at AS "contentRemovedAt"
  FROM lims.instrument_file f
  LEFT JOIN lims.instrument_profile p
    ON p.organization_id = f.organization_id
   AND p.id = f.profile_id;
