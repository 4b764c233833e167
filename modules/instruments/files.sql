-- SPDX-License-Identifier: Apache-2.0

-- name: instrument_file_get one
SELECT *
  FROM lims.instrument_file_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: instrument_file_list many list custom
SELECT f.*
  FROM lims.instrument_file_record f
 WHERE f.organization_id = :$organization::bigint
   AND f.id > :cursor::bigint
   AND (:status::text IS NULL OR f.status = :status::text)
   AND (:profile::text IS NULL OR f."profileCode" = :profile::text)
   AND (:reasonCode::text IS NULL
        OR f.reasons @> jsonb_build_array(
               jsonb_build_object('code', :reasonCode::text)))
 ORDER BY f.id
 LIMIT :limit::bigint + 1

-- name: instrument_file_lock one
SELECT id AS "id",
       status AS "status"
  FROM lims.instrument_file
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: instrument_file_rows many
-- The nested member of a file.
SELECT *
  FROM lims.instrument_file_row_record
 WHERE organization_id = :$organization::bigint
   AND "fileId" = :id::bigint
 ORDER BY id

-- name: instrument_file_content one
-- The bytes of the file, unchanged.
SELECT json_build_object(
           'id', f.id,
           'fileName', f.file_name,
           'sha256', encode(f.sha256, 'hex'),
           'contentBase64', translate(encode(lims.file_content(f.organization_id,
                                                               f.id), 'base64'),
                                      E'\n', '')
       ) AS "document"
  FROM lims.instrument_file f
 WHERE f.organization_id = :$organization::bigint
   AND f.id = :id::bigint

-- name: instrument_file_decisions many
-- The decisions that were kept, as a release takes them.
SELECT f.decisions -> 'profile' ->> 'code' AS "profile",
       lims.bare_decisions(f.decisions -> 'exclude') AS "exclude",
       lims.bare_decisions(f.decisions -> 'aliases') AS "aliases",
       lims.bare_decisions(f.decisions -> 'tests') AS "tests"
  FROM lims.instrument_file f
 WHERE f.organization_id = :$organization::bigint
   AND f.id = :id::bigint

-- name: instrument_file_decide one
UPDATE lims.instrument_file
   SET decisions = CASE WHEN (:decisions::jsonb) ? 'profile'
                        THEN :decisions::jsonb || jsonb_build_object('profile',
                                 jsonb_build_object('code', :decisions::jsonb -> 'profile'))
                        ELSE :decisions::jsonb END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: instrument_file_reject one
UPDATE lims.instrument_file
   SET status = 'rejected',
       resolution_reason = left(:$reason::text, 2000)
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: instrument_file_reopen one
-- The reason is in the audit trail.
UPDATE lims.instrument_file
   SET status = 'quarantined',
       resolution_reason = NULL,
       resolved_at = NULL,
       resolved_by = NULL
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: instrument_file_candidates one
-- Finds samples for an unknown id among the newest pending tests: a mistyped sample most
-- likely has the client, or the day, of those that the other rows name.
WITH beside AS MATERIALIZED (
    SELECT s.client_name, s.collection_date
      FROM lims.sample s
     WHERE s.organization_id = :$organization::bigint
       AND s.id = ANY (ARRAY(
               SELECT f.sample_id
                 FROM lims.find_samples(:$organization::bigint,
                          ARRAY(SELECT n.value FROM json_array_elements_text(:named::json) n),
                          '{trackingId,externalId,sampleIdentifier,name}') f))
)
SELECT coalesce(json_agg(json_build_object(
           'sheet', r.sheet,
           'column', nullif(r."column", 0),
           'trackingId', r."trackingId",
           'testCode', r."testCode",
           'result', r.result,
           'candidates', c.list) ORDER BY r.place), '[]') AS "readings"
  FROM ROWS FROM (json_to_recordset(:readings::json) AS (
           sheet text, "column" integer, "trackingId" text, "testCode" text, result text))
           WITH ORDINALITY AS r (sheet, "column", "trackingId", "testCode", result, place)
  LEFT JOIN lims.test_definition d
    ON d.organization_id = :$organization::bigint
   AND d.code = r."testCode"
  LEFT JOIN LATERAL lims.find_samples(:$organization::bigint, ARRAY[r."trackingId"],
                '{trackingId,externalId,sampleIdentifier,name}') f ON true
 CROSS JOIN LATERAL (
       SELECT coalesce(json_agg(json_build_object(
                  'sampleTestId', x.id,
                  'sampleId', s.id,
                  'trackingId', s.tracking_id,
                  'sampleIdentifier', s.sample_identifier,
                  'near', s.tracking_id <> r."trackingId"
                      AND left(s.tracking_id, -1) = left(r."trackingId", -1),
                  'status', x.status,
                  'result', x.result,
                  'retestOf', x.retest_of,
                  'clientName', s.client_name,
                  'collectionDate', s.collection_date,
                  'sameClient', x.client,
                  'sameDay', x.day)
                  ORDER BY left(s.tracking_id, -1) = left(r."trackingId", -1) DESC,
                           x.client::integer + x.day::integer DESC, x.id),
                  '[]') AS list
         FROM (SELECT t.id, t.sample_id, t.status, t.result, t.retest_of,
                      false AS client, false AS day
                 FROM lims.sample_test t
                WHERE t.organization_id = :$organization::bigint
                  AND t.sample_id = f.sample_id
                  AND t.test_definition_id = d.id
                  AND t.status <> 'verified'
                  AND t.disposition = 'active'
                UNION ALL
               (SELECT n.id, n.sample_id, n.status, n.result, n.retest_of, w.client, w.day
                  FROM (SELECT t.*
                          FROM lims.sample_test t
                         WHERE f.sample_id IS NULL
                           AND t.organization_id = :$organization::bigint
                           AND t.status = 'pending'
                         ORDER BY t.id DESC
                         LIMIT 1000) n
                  JOIN lims.sample m
                    ON m.organization_id = :$organization::bigint
                   AND m.id = n.sample_id
                 CROSS JOIN LATERAL (
                       SELECT m.client_name IN (SELECT b.client_name FROM beside b),
                              coalesce(m.collection_date IN (SELECT b.collection_date
                                                               FROM beside b
                                                              WHERE b.collection_date
                                                                    IS NOT NULL), false)
                       ) w (client, day)
                 WHERE n.test_definition_id = d.id
                   AND n.disposition = 'active'
                 ORDER BY left(m.tracking_id, -1) = left(r."trackingId", -1) DESC,
                          w.client::integer + w.day::integer DESC, n.id DESC
                 LIMIT 20)) x
         JOIN lims.sample s
           ON s.organization_id = :$organization::bigint
          AND s.id = x.sample_id
          AND s.status IN ('received', 'processing')
          AND NOT lims.sample_is_final(s.status, s.disposition)) c
 WHERE :$organization::bigint IS NOT NULL

-- name: instrument_file_counts many
-- Counts the files of each status, up to one more than the largest number that is told.
SELECT x.state,
       (SELECT count(*)
          FROM (SELECT f.id
                  FROM lims.instrument_file f
                 WHERE f.organization_id = :$organization::bigint
                   AND f.status = x.state
                 LIMIT 10001) o) AS count
  FROM unnest('{received,imported,quarantined,rejected,released}'::text[])
       WITH ORDINALITY AS x (state, place)
 ORDER BY x.place

-- name: instrument_files_held many
SELECT f.id
  FROM lims.instrument_file f
 WHERE f.organization_id = :$organization::bigint
   AND f.status = 'quarantined'
   AND f.id > :cursor::bigint
   AND (:reasonCode::text IS NULL
        OR f.reasons @> jsonb_build_array(
               jsonb_build_object('code', :reasonCode::text)))
 ORDER BY f.id
 LIMIT :filesMax::bigint + 1
