-- SPDX-License-Identifier: Apache-2.0
-- Queries on orders. Their rows are read and judged by sql/125_order_samples.sql.

-- name: order_get one
SELECT *
  FROM lims.sample_order_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: order_list many list
SELECT *
  FROM lims.sample_order_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: order_search many list custom
SELECT *
  FROM lims.sample_order_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:clientId::bigint IS NULL OR "clientId" = :clientId::bigint)
   AND (:orderNumber::text IS NULL OR "orderNumber" = :orderNumber::text)
   AND (:panelId::bigint IS NULL OR :panelId::bigint = ANY ("panelIds"))
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: order_lock one
SELECT id
  FROM lims.sample_order
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: order_samples many
SELECT *
  FROM lims.sample_record
 WHERE organization_id = :$organization::bigint
   AND "orderId" = :id::bigint
 ORDER BY id

-- name: order_update one
UPDATE lims.sample_order
   SET contact = CASE WHEN :?contact THEN :contact::text ELSE contact END,
       notes = CASE WHEN :?notes THEN :notes::text ELSE notes END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: order_mistakes many
SELECT *
  FROM lims.order_mistakes(:$organization::bigint, :clientId::bigint, :orderNumber::text,
                           :samples::json)

-- name: order_allowance one
SELECT a.allowed AS "limit",
       a.used AS "used",
       a.remaining AS "left",
       a.allowed - a.used < json_array_length(:samples::json) AS "exceeded"
  FROM lims.allowance(:$organization::bigint) a

-- name: order_create one
INSERT INTO lims.sample_order (organization_id, order_number, client_id, contact, notes,
                               panel_ids, created_by)
SELECT :$organization::bigint, :orderNumber::text, :clientId::bigint, :contact::text,
       :notes::text,
       ARRAY(SELECT DISTINCT p.id
               FROM lims.order_rows(:$organization::bigint, :samples::json) r
              CROSS JOIN unnest(r.panels) AS p (id)
              ORDER BY p.id),
       :$user::bigint
RETURNING id

-- name: order_register exec
-- Registers the rows as samples, with ids in the order of the rows. Samples that share
-- the counter of a composite identifier are written in the counter's order, so that two
-- orders at once do not lock counters crosswise.
INSERT INTO lims.sample (organization_id, id, order_id, client_id, material_type_id,
                         project_id, external_id, collection_date, collected_at, priority,
                         notes, plant_location, storage_location_id, due_date, created_by)
SELECT :$organization::bigint, n.id, :id::bigint, :clientId::bigint, n.material_type_id,
       n.project_id, n.external_id, n.collection_date, n.collected_at, n.priority,
       n.notes, n.plant_location, n.storage_location_id, n.due_date, :$user::bigint
  FROM (SELECT nextval('lims.sample_id_seq') AS id, r.*
          FROM (SELECT *
                  FROM lims.order_rows(:$organization::bigint, :samples::json)
                 ORDER BY place) r) n
 ORDER BY n.project_id, n.plant_location COLLATE "C", n.collection_date, n.id

-- name: order_schedule exec
INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
SELECT :$organization::bigint, s.id,
       CASE WHEN d.id IS NULL
            THEN lims.refuse_definitions(:$organization::bigint, ARRAY[i.id])
            ELSE d.id END
  FROM (SELECT m.id, row_number() OVER (ORDER BY m.id) - 1 AS place
          FROM lims.sample m
         WHERE m.organization_id = :$organization::bigint
           AND m.order_id = :id::bigint) s
  JOIN lims.order_rows(:$organization::bigint, :samples::json) r
    ON r.place = s.place
 CROSS JOIN unnest(lims.row_definitions(:$organization::bigint, r.definitions, r.panels))
       WITH ORDINALITY AS i (id, place)
  LEFT JOIN lims.test_definition d
    ON d.organization_id = :$organization::bigint
   AND d.id = i.id
   AND d.active
 ORDER BY s.id, i.place

-- name: order_registered many
SELECT s.id,
       s.tracking_id AS "trackingId",
       s.sample_identifier AS "sampleIdentifier",
       s.external_id AS "externalId",
       s.client_id AS "clientId",
       s.client_name AS "clientName",
       s.material_type_id AS "materialTypeId",
       s.project_id AS "projectId",
       s.collection_date AS "collectionDate",
       s.collected_at AS "collectedAt",
       s.priority,
       s.notes,
       s.plant_location AS "plantLocation",
       s.storage_location_id AS "storageLocationId",
       s.due_date AS "dueDate",
       ARRAY(SELECT t.test_definition_id
               FROM lims.sample_test t
              WHERE t.organization_id = s.organization_id
                AND t.sample_id = s.id
              ORDER BY t.id) AS "testDefinitionIds"
  FROM lims.sample s
 WHERE s.organization_id = :$organization::bigint
   AND s.order_id = :id::bigint
 ORDER BY s.id

-- name: order_planned many
-- Returns the samples that rows without mistakes would make, none of them registered.
SELECT NULL AS "id",
       NULL AS "trackingId",
       NULL AS "sampleIdentifier",
       r.external_id AS "externalId",
       c.id AS "clientId",
       c.name AS "clientName",
       r.material_type_id AS "materialTypeId",
       r.project_id AS "projectId",
       r.collection_date AS "collectionDate",
       r.collected_at AS "collectedAt",
       r.priority,
       r.notes,
       r.plant_location AS "plantLocation",
       r.storage_location_id AS "storageLocationId",
       r.due_date AS "dueDate",
       lims.row_definitions(:$organization::bigint, r.definitions, r.panels)
           AS "testDefinitionIds"
  FROM lims.order_rows(:$organization::bigint, :samples::json) r
  JOIN lims.client c
    ON c.organization_id = :$organization::bigint
   AND c.id = :clientId::bigint
 ORDER BY r.place
