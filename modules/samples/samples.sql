-- SPDX-License-Identifier: Apache-2.0
-- Queries on samples. The record is the view lims.sample_record,
-- which derives release and holding state for the rows of the page only.

-- name: sample_get one
SELECT *
  FROM lims.sample_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: sample_list many
SELECT *
  FROM lims.sample_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: sample_search many custom
-- Planned for the values of each call: every filter has an index of its own.
SELECT *
  FROM lims.sample_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:status::text IS NULL OR status = :status::text)
   AND (:materialTypeId::bigint IS NULL OR "materialTypeId" = :materialTypeId::bigint)
   AND (:projectId::bigint IS NULL OR "projectId" = :projectId::bigint)
   AND (:clientId::bigint IS NULL OR "clientId" = :clientId::bigint)
   AND (:trackingId::text IS NULL OR "trackingId" = :trackingId::text)
   AND (:externalId::text IS NULL OR "externalId" = :externalId::text)
   AND (:orderId::bigint IS NULL OR "orderId" = :orderId::bigint)
   AND (:dueBefore::date IS NULL OR "dueDate" < :dueBefore::date)
   AND (:since::timestamptz IS NULL OR "receivedAt" >= :since::timestamptz)
   AND (:until::timestamptz IS NULL OR "receivedAt" <= :until::timestamptz)
   AND (:updatedSince::timestamptz IS NULL OR "updatedAt" >= :updatedSince::timestamptz)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: sample_lock one
SELECT id,
       status
  FROM lims.sample
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: sample_create one
WITH registered AS (
    INSERT INTO lims.sample (organization_id, material_type_id, project_id, external_id,
                             client_name, collection_date, collected_at, priority, notes,
                             plant_location, storage_location_id, due_date, created_by)
    VALUES (:$organization::bigint, :materialTypeId::bigint, :projectId::bigint,
            :externalId::text, :clientName::text, :collectionDate::date,
            :collectedAt::timestamptz, :priority::text, :notes::text, :plantLocation::text,
            :storageLocationId::bigint, :dueDate::date, :$user::bigint)
    RETURNING organization_id, id
), scheduled AS (
    INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
    SELECT r.organization_id, r.id,
           CASE WHEN d.id IS NULL
                THEN lims.refuse_definitions(r.organization_id,
                         CASE WHEN i.id = ANY (:testDefinitionIds::bigint[])
                              THEN :testDefinitionIds::bigint[]
                              ELSE ARRAY[i.id] END)
                ELSE d.id END
      FROM registered r
     CROSS JOIN unnest(CASE WHEN :panelIds::bigint[] IS NULL THEN :testDefinitionIds::bigint[]
                ELSE lims.ordered_definitions(:$organization::bigint,
                         :testDefinitionIds::bigint[], :panelIds::bigint[]) END)
           WITH ORDINALITY AS i (id, place)
      LEFT JOIN lims.test_definition d
        ON d.organization_id = :$organization::bigint
       AND d.id = i.id
       AND d.active
     ORDER BY i.place
)
SELECT id
  FROM registered

-- name: sample_update one
-- A collectedAt that is sent sets collectionDate, whatever date is sent with it: so
-- the same correction can be sent again.
UPDATE lims.sample
   SET material_type_id = CASE WHEN :?materialTypeId THEN :materialTypeId::bigint
                               ELSE material_type_id END,
       project_id = CASE WHEN :?projectId THEN :projectId::bigint ELSE project_id END,
       external_id = CASE WHEN :?externalId THEN :externalId::text ELSE external_id END,
       client_name = CASE WHEN :?clientName THEN :clientName::text ELSE client_name END,
       collection_date = CASE WHEN :collectedAt::timestamptz IS NOT NULL
                              THEN lims.collection_day(organization_id, :collectedAt::timestamptz)
                              WHEN :?collectionDate THEN :collectionDate::date
                              ELSE collection_date END,
       collected_at = CASE WHEN :?collectedAt THEN :collectedAt::timestamptz
                           ELSE collected_at END,
       priority = CASE WHEN :?priority THEN :priority::text ELSE priority END,
       notes = CASE WHEN :?notes THEN :notes::text ELSE notes END,
       plant_location = CASE WHEN :?plantLocation THEN :plantLocation::text
                             ELSE plant_location END,
       storage_location_id = CASE WHEN :?storageLocationId THEN :storageLocationId::bigint
                                  ELSE storage_location_id END,
       due_date = CASE WHEN :?dueDate THEN :dueDate::date ELSE due_date END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: sample_status_blockers many
SELECT *
  FROM lims.status_blockers(:$organization::bigint, :id::bigint, :status::text)

-- name: sample_set_status exec
UPDATE lims.sample
   SET status = :status::text
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: sample_report_blockers many
SELECT *
  FROM lims.report_blockers(:$organization::bigint, :id::bigint)

-- name: sample_report exec
UPDATE lims.sample
   SET status = 'reported'
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: sample_receive_lock many
-- Returns each requested id, in the caller's order, with the status of the sample
-- (NULL: the organization has none). Locks in order of id, so that two calls over
-- the same samples cannot deadlock. The first row has the list of the samples that
-- can be received.
WITH locked AS MATERIALIZED (
    SELECT id, status
      FROM lims.sample
     WHERE organization_id = :$organization::bigint
       AND id = ANY (:sampleIds::bigint[])
     ORDER BY id
       FOR NO KEY UPDATE
)
SELECT asked.id AS "sampleId",
       locked.status AS "status",
       CASE WHEN asked.place = 1 THEN
           (SELECT array_agg(l.id)
              FROM locked l
             WHERE l.status = 'pending')
       END AS "receivable"
  FROM unnest(:sampleIds::bigint[]) WITH ORDINALITY AS asked (id, place)
  LEFT JOIN locked ON locked.id = asked.id
 ORDER BY asked.place

-- name: sample_receive exec
UPDATE lims.sample
   SET status = 'received'
 WHERE organization_id = :$organization::bigint
   AND id = ANY (:receivable::bigint[])

-- name: sample_received many
SELECT *
  FROM lims.sample_record
 WHERE organization_id = :$organization::bigint
   AND id = ANY (:receivable::bigint[])
 ORDER BY id
