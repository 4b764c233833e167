-- SPDX-License-Identifier: Apache-2.0
--
-- The worklist: an open test with what somebody needs to know who does it. Which tests are
-- open, and their order: sample_test_worklist (138).

CREATE VIEW lims.worklist_record WITH (security_invoker = true) AS
SELECT t.organization_id, t.id, t.sample_id AS "sampleId",
       s.tracking_id AS "trackingId", s.sample_identifier AS "sampleIdentifier",
       s.client_name AS "clientName", m.name AS "materialType", s.priority,
       s.disposition AS "sampleDisposition", s.received_at AS "receivedAt",
       s.due_date AS "dueDate", l.name AS "storageLocation",
       t.test_definition_id AS "testDefinitionId", t.test_code AS "testCode",
       t.test_name AS "testName", t.method, t.unit, t.specification, t.status,
       t.returned, t.holding_status AS "holdingStatus",
       t.holding_expires_at AS "holdingExpiresAt", t.qc_batch_id AS "qcBatchId",
       x.assigned_to AS "assignedTo", t.created_at AS "createdAt",
       t.updated_at AS "updatedAt"
  FROM lims.sample_test_state t
  JOIN lims.sample_test x
    ON x.organization_id = t.organization_id
   AND x.id = t.id
  JOIN lims.sample s
    ON s.organization_id = t.organization_id
   AND s.id = t.sample_id
  JOIN lims.material_type m
    ON m.organization_id = s.organization_id
   AND m.id = s.material_type_id
  LEFT JOIN lims.storage_location l
    ON l.organization_id = s.organization_id
   AND l.id = s.storage_location_id;
