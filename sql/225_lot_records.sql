-- SPDX-License-Identifier: Apache-2.0
--
-- The records of lots and of their use, as routes answer them. Columns are named as in the
-- API; row-level security applies to the caller.

CREATE VIEW lims.reagent_lot_record WITH (security_invoker = true) AS
SELECT r.organization_id, r.id, r.code, r.lot_number AS "lotNumber", r.name,
       r.supplier, r.expires_on AS "expiresOn", r.opened_on AS "openedOn",
       r.opened_at AS "openedAt", r.use_days_after_opening AS "useDaysAfterOpening",
       r.usable_until AS "usableUntil", r.qc_status AS "qcStatus",
       r.qc_status = 'quarantined' AS quarantined,
       r.quarantine_reason AS "quarantineReason",
       (SELECT count(*)
          FROM (SELECT
                  FROM lims.lot_use t
                 WHERE t.organization_id = r.organization_id
                   AND t.reagent_lot_id = r.id
                 LIMIT 1000) u) AS "usedBy", r.notes,
       r.created_at AS "createdAt", r.updated_at AS "updatedAt"
  FROM lims.reagent_lot r;

CREATE VIEW lims.media_lot_record WITH (security_invoker = true) AS
SELECT m.organization_id, m.id, m.code, m.lot_number AS "lotNumber", m.name,
       m.supplier, m.expires_on AS "expiresOn", m.opened_on AS "openedOn",
       m.opened_at AS "openedAt", m.use_days_after_opening AS "useDaysAfterOpening",
       m.usable_until AS "usableUntil",
       m.medium, m.prepared_on AS "preparedOn",
       m.growth_promotion_status AS "growthPromotionStatus",
       m.sterility_status AS "sterilityStatus", m.qc_status AS "qcStatus",
       m.qc_status = 'quarantined' AS quarantined,
       m.quarantine_reason AS "quarantineReason",
       (SELECT count(*)
          FROM (SELECT
                  FROM lims.lot_use t
                 WHERE t.organization_id = m.organization_id
                   AND t.media_lot_id = m.id
                 LIMIT 1000) u) AS "usedBy",
       m.notes, m.created_at AS "createdAt", m.updated_at AS "updatedAt"
  FROM lims.media_lot m;

CREATE VIEW lims.media_qc_test_record WITH (security_invoker = true) AS
SELECT t.organization_id, t.id, t.media_lot_id AS "mediaLotId", t.kind,
       t.organism, t.inoculum_cfu AS "inoculumCfu",
       t.recovery_percent AS "recoveryPercent", t.outcome,
       t.performed_on AS "performedOn", t.notes,
       t.performed_by AS "performedBy", t.created_at AS "createdAt"
  FROM lims.media_qc_test t;

-- Recall: what there is to say of a test that used a lot (lims.lot_use has which did), with
-- the certificate in force of its sample.
CREATE VIEW lims.lot_recall_record WITH (security_invoker = true) AS
SELECT t.organization_id, t.id, t.id AS "sampleTestId", t.sample_id AS "sampleId",
       s.tracking_id AS "trackingId", coalesce(t.test_code, d.code) AS "testCode",
       t.result, t.status,
       c.id AS "certificateId", c.certificate_number AS "certificateNumber", c.version
  FROM lims.sample_test t
  JOIN lims.test_definition d
    ON d.organization_id = t.organization_id
   AND d.id = t.test_definition_id
  JOIN lims.sample s
    ON s.organization_id = t.organization_id
   AND s.id = t.sample_id
  LEFT JOIN lims.certificate c
    ON c.organization_id = t.organization_id
   AND c.sample_id = t.sample_id
   AND c.status = 'issued';
