-- SPDX-License-Identifier: Apache-2.0
-- Queries on samples. The record is the view lims.sample_record,
-- which derives release and holding state for the rows of the page only.

-- name: sample_get one
SELECT *
  FROM lims.sample_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: sample_list many list
SELECT *
  FROM lims.sample_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: sample_lock one
SELECT id,
       status,
       received_at AS "receivedAt",
       CASE WHEN lims.sample_is_closed(status, disposition) THEN disposition END AS "closed",
       NOT lims.sample_is_closed(status, disposition)
       AND (status <> 'reported' OR lims.sample_is_open(status, amendment_id)) AS "open"
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
-- the same correction can be sent again. Other notes of a key are not printed unless it says so;
-- people see where they write notes that these are printed.
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
       due_date = CASE WHEN :?dueDate THEN :dueDate::date ELSE due_date END,
       note_on_report = CASE WHEN :?noteOnReport THEN :noteOnReport::boolean
                             WHEN :?notes AND :$key::bigint IS NOT NULL
                              AND :notes::text IS DISTINCT FROM notes THEN false
                             ELSE note_on_report END
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

-- name: samples_lock many
-- Locks samples in order of id. Returns those asked for that the organization has not.
WITH locked AS MATERIALIZED (
    SELECT id
      FROM lims.sample
     WHERE organization_id = :$organization::bigint
       AND id = ANY (:sampleIds::bigint[])
     ORDER BY id
       FOR NO KEY UPDATE
)
SELECT a.id
  FROM unnest(:sampleIds::bigint[]) AS a (id)
  LEFT JOIN locked l ON l.id = a.id
 WHERE l.id IS NULL

-- name: samples_advance many
-- Moves each sample forward as far as its results and the gates of its status allow. The
-- samples are locked: the update refuses none that was found to pass.
WITH working AS MATERIALIZED (
    SELECT s.id, s.tracking_id, s.status, w.is_done
      FROM lims.sample s
     CROSS JOIN LATERAL (
           SELECT bool_or(t.status <> 'pending') AS is_begun,
                  bool_and(t.status <> 'pending' AND t.returned_at IS NULL) AS is_done
             FROM lims.sample_test t
            WHERE t.organization_id = s.organization_id
              AND t.sample_id = s.id
              AND t.disposition = 'active') w
     WHERE s.organization_id = :$organization::bigint
       AND s.id = ANY (:sampleIds::bigint[])
       AND s.status IN ('received', 'processing')
       AND NOT lims.sample_is_closed(s.status, s.disposition)
       AND w.is_begun
), judged AS MATERIALIZED (
    SELECT w.id, w.tracking_id, b.slug, b.message,
           CASE WHEN w.is_done AND b.slug IS NULL THEN 'completed'
                WHEN w.status = 'received' THEN 'processing' END AS becomes
      FROM working w
      LEFT JOIN LATERAL (
           SELECT f.slug, f.message
             FROM lims.status_blockers(:$organization::bigint, w.id, 'completed') f
            LIMIT 1) b ON w.is_done
), moved AS (
    UPDATE lims.sample s
       SET status = j.becomes
      FROM judged j
     WHERE s.organization_id = :$organization::bigint
       AND s.id = j.id
       AND j.becomes IS NOT NULL
    RETURNING s.id
)
SELECT j.id AS "sampleId",
       j.tracking_id AS "trackingId",
       j.becomes AS "status",
       j.slug AS "error",
       j.message
  FROM judged j
 WHERE j.becomes IS NOT NULL
    OR j.slug IS NOT NULL
 ORDER BY j.id

-- name: sample_disposition_lock one
-- A change of disposition takes tests from the worklist or puts them there: they are locked
-- first, since tests are locked before samples.
WITH tests AS MATERIALIZED (
    SELECT id
      FROM lims.sample_test
     WHERE organization_id = :$organization::bigint
       AND sample_id = :id::bigint
     ORDER BY id
       FOR NO KEY UPDATE
)
SELECT id,
       status
  FROM lims.sample
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   AND (SELECT count(*) FROM tests) >= 0
   FOR NO KEY UPDATE

-- name: sample_set_disposition exec
UPDATE lims.sample
   SET disposition = :disposition::text
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
-- (NULL: the organization has none), or the disposition that has closed it. Locks in order of id, so that two calls over
-- the same samples cannot deadlock. The first row has the list of the samples that
-- can be received.
WITH locked AS MATERIALIZED (
    SELECT id,
           CASE WHEN lims.sample_is_closed(status, disposition) THEN disposition
                ELSE status END AS status
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

-- name: sample_receive_lock_items many
-- The same of items that name a sample by id, tracking id or another name: "error" is why
-- it is not received. The first row has what is received, and what was found of it.
WITH asked AS MATERIALIZED (
    SELECT i.place,
           coalesce(r."trackingId", r.identifier) AS asked,
           r.containers, r.deviations,
           coalesce(f.ids, ARRAY[r."sampleId"]) AS ids, f.names
      FROM json_array_elements(:items::json) WITH ORDINALITY AS i (value, place)
     CROSS JOIN json_to_record(i.value) AS r (
           "sampleId" bigint, "trackingId" text, identifier text, containers integer,
           deviations text)
      LEFT JOIN LATERAL (
           SELECT array_agg(n.id) AS ids,
                  string_agg(n.tracking_id, ', ' ORDER BY n.id) AS names
             FROM lims.samples_named(:$organization::bigint,
                      btrim(coalesce(r."trackingId", r.identifier)),
                      r."trackingId" IS NOT NULL) n) f ON r."sampleId" IS NULL
), locked AS MATERIALIZED (
    SELECT id,
           CASE WHEN lims.sample_is_closed(status, disposition) THEN disposition
                ELSE status END AS status
      FROM lims.sample
     WHERE organization_id = :$organization::bigint
       AND id = ANY (ARRAY(SELECT unnest(a.ids) FROM asked a WHERE cardinality(a.ids) = 1))
     ORDER BY id
       FOR NO KEY UPDATE
), judged AS MATERIALIZED (
    SELECT a.place, a.asked, a.names, a.containers, a.deviations, l.id, l.status,
           CASE WHEN cardinality(a.ids) > 1 THEN 'ambiguous'
                WHEN l.id IS NULL AND lims.tracking_id_is_mistyped(btrim(a.asked))
                THEN 'check_character'
                WHEN l.id IS NULL THEN 'not_found'
                WHEN l.status <> 'pending'
                  OR row_number() OVER (PARTITION BY l.id ORDER BY a.place) > 1
                THEN 'not_receivable'
           END AS error,
           a.ids[1] AS asked_id
      FROM asked a
      LEFT JOIN locked l
        ON cardinality(a.ids) = 1
       AND l.id = a.ids[1]
)
SELECT CASE WHEN j.asked IS NULL THEN j.asked_id END AS "sampleId",
       j.asked AS "asked",
       j.names AS "names",
       j.status AS "status",
       j.error AS "error",
       CASE WHEN j.place = 1 THEN
           (SELECT array_agg(r.id)
              FROM judged r
             WHERE r.error IS NULL)
       END AS "receivable",
       CASE WHEN j.place = 1 THEN
           (SELECT json_agg(json_build_object('id', r.id, 'containers', r.containers,
                                              'deviations', r.deviations))
              FROM judged r
             WHERE r.error IS NULL)
       END AS "arrivals"
  FROM judged j
 ORDER BY j.place

-- name: sample_receive_items exec
UPDATE lims.sample s
   SET status = 'received',
       storage_location_id = coalesce(:storageLocationId::bigint, s.storage_location_id),
       receipt_temperature = coalesce((:receipt::json ->> 'temperature')::numeric,
                                      s.receipt_temperature),
       receipt_condition = coalesce(:receipt::json ->> 'condition', s.receipt_condition),
       receipt_containers = coalesce(a.containers, s.receipt_containers),
       receipt_deviations = coalesce(a.deviations, s.receipt_deviations)
  FROM json_to_recordset(coalesce(:arrivals::json, '[]')) AS a (
       id bigint, containers integer, deviations text)
 WHERE s.organization_id = :$organization::bigint
   AND s.id = a.id

-- name: sample_unreceive exec
UPDATE lims.sample
   SET status = 'pending',
       received_at = NULL
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: sample_set_receipt exec
UPDATE lims.sample
   SET receipt_temperature = CASE WHEN :?temperature THEN :temperature::numeric
                                  ELSE receipt_temperature END,
       receipt_condition = CASE WHEN :?condition THEN :condition::text
                                ELSE receipt_condition END,
       receipt_containers = CASE WHEN :?containers THEN :containers::integer
                                 ELSE receipt_containers END,
       receipt_deviations = CASE WHEN :?deviations THEN :deviations::text
                                 ELSE receipt_deviations END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: sample_receive exec
UPDATE lims.sample
   SET status = 'received',
       storage_location_id = coalesce(:storageLocationId::bigint, storage_location_id),
       receipt_temperature = coalesce((:receipt::json ->> 'temperature')::numeric,
                                      receipt_temperature),
       receipt_condition = coalesce(:receipt::json ->> 'condition', receipt_condition)
 WHERE organization_id = :$organization::bigint
   AND id = ANY (:receivable::bigint[])

-- name: sample_received many
SELECT *
  FROM lims.sample_record
 WHERE organization_id = :$organization::bigint
   AND id = ANY (:receivable::bigint[])
 ORDER BY id
