-- SPDX-License-Identifier: Apache-2.0
-- What importing an instrument's file asks of the database. What it decides is
-- sql/212_import.sql.

-- name: profiles_active many
-- Without the definitions of those that the process has parsed already.
SELECT id AS "id",
       code AS "code",
       version AS "version",
       CASE WHEN id = ANY (:known::bigint[]) THEN NULL
            ELSE definition::text END AS "definition"
  FROM lims.instrument_profile
 WHERE organization_id = :$organization::bigint
   AND status = 'active'
 ORDER BY code

-- name: instrument_file_find one
SELECT id AS "id",
       status AS "status"
  FROM lims.instrument_file
 WHERE organization_id = :$organization::bigint
   AND sha256 = :sha256::bytea

-- name: instrument_file_store one
-- Of a trial, which is undone, the bytes are not kept. NULL: they were known.
SELECT lims.keep_file(:$organization::bigint, :fileName::text,
                      coalesce(decode(:contentBase64::text, 'base64'),
                               convert_to(:content::text, 'UTF8')),
                      :profile::text, :fileStorage::bigint, :trial::boolean) AS "id"

-- name: instrument_file_load one
SELECT f.id AS "id",
       f.status AS "status",
       f.file_name AS "fileName",
       f.profile_code AS "profile",
       translate(encode(lims.file_content(f.organization_id, f.id), 'base64'),
                 E'\n', '') AS "contentBase64"
  FROM lims.instrument_file f
 WHERE f.organization_id = :$organization::bigint
   AND f.id = :id::bigint

-- name: import_patience exec
-- Entering what a large file says takes longer than a request's statement may.
SELECT set_config('statement_timeout', :milliseconds::text, true)
 WHERE :$organization::bigint IS NOT NULL

-- name: import_file one
SELECT i.status AS "status",
       i.decided AS "decided"
  FROM lims.import_file(:$organization::bigint, :fileId::bigint, :from::text,
                        :reading::jsonb, :resolution::jsonb, :because::text) i

-- name: ingest_answer one
-- What a released file came to is what an imported one did, and a rejected one is
-- as little imported as one in quarantine. To a key that only delivers (`bare`),
-- neither cells nor samples, nor whether there is a sample: each code once, and
-- whatever goes wrong with a sample as if it were not there.
SELECT CASE WHEN NOT :dryRun::boolean OR :duplicate::boolean
            THEN f.id END AS "id",
       f."fileName" AS "fileName",
       f.sha256 AS "sha256",
       CASE f.status WHEN 'released' THEN 'imported'
            WHEN 'rejected' THEN 'quarantined'
            ELSE f.status END AS "status",
       :duplicate::boolean OR f."duplicateOf" IS NOT NULL AS "duplicate",
       f."duplicateOf" AS "duplicateOf",
       :dryRun::boolean AS "dryRun",
       f."profileCode" AS "profile",
       f."profileVersion" AS "profileVersion",
       '{"rows": 0, "results": 0, "controls": 0, "skipped": 0, "written": 0}'
           ::jsonb || f.counts AS "counts",
       CASE WHEN :bare::boolean THEN (
            SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object(
                       'code', CASE WHEN r.value ->> 'code' IN (
                           'ambiguous_tracking_id',
                           'sample_status_not_allowed', 'test_not_scheduled',
                           'ambiguous_test', 'test_verified_locked',
                           'result_conflict', 'reagent_lot_expired',
                           'timestamp_before_collection', 'invalid_transition',
                           'invalid_body', 'invalid_reference',
                           'media_qc_failed', 'qc_failed')
                           THEN 'unknown_tracking_id'
                           ELSE r.value ->> 'code' END,
                       'severity', r.value -> 'severity', 'message', NULL,
                       'sheet', NULL, 'row', NULL, 'column', NULL,
                       'cell', NULL, 'expected', NULL)), '[]')
              FROM jsonb_array_elements(f.reasons) r)
            ELSE (
            SELECT coalesce(jsonb_agg('{"message": null, "sheet": null,
                       "row": null, "column": null, "cell": null,
                       "expected": null}'::jsonb || r.value ORDER BY r.place),
                       '[]')
              FROM jsonb_array_elements(f.reasons)
                   WITH ORDINALITY r (value, place)) END AS "reasons",
       CASE WHEN :bare::boolean THEN '[]'
            ELSE (
            SELECT coalesce(json_agg(x ORDER BY x."row", x."sampleTestId"), '[]')
              FROM (SELECT r.row_number AS "row",
                           r.sample_test_id AS "sampleTestId",
                           s.tracking_id AS "trackingId",
                           r.test_code AS "testCode", r.result, r.unit,
                           r.qualifier
                      FROM lims.instrument_file_row r
                      JOIN lims.sample_test t
                        ON t.organization_id = r.organization_id
                       AND t.id = r.sample_test_id
                      JOIN lims.sample s
                        ON s.organization_id = t.organization_id
                       AND s.id = t.sample_id
                     WHERE r.organization_id = :$organization::bigint
                       AND r.file_id = coalesce(f."duplicateOf", f.id)
                       AND r.sample_test_id IS NOT NULL) x) END AS "results"
  FROM lims.instrument_file_record f
 WHERE f.organization_id = :$organization::bigint
   AND f.id = :fileId::bigint

-- name: job_file_take one
-- global: what a crash left is read again in all organizations
SELECT t.organization_id AS "organization",
       t.id AS "id",
       t.user_id AS "user",
       t.api_key_id AS "key",
       t.spent AS "spent"
  FROM lims.take_received_file(make_interval(secs => :resumeAfter::float8), 3) t
 WHERE t.id IS NOT NULL

-- name: job_file_act exec
-- On behalf of who sent the file, who may do so still, or of nobody.
SELECT lims.act_for_sender(:$organization::bigint, :$user::bigint, :$key::bigint,
                           :$request::text)

-- name: job_files_backlog one
-- global: files of all organizations
SELECT b.received AS "received",
       b.quarantined AS "quarantined",
       lims.keys_nearly_full(:fileStorage::bigint) AS "nearlyFull"
  FROM lims.file_backlog(:countAtMost::bigint) b
