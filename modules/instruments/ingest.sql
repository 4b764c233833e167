-- SPDX-License-Identifier: Apache-2.0
-- Queries of the import of instrument files. The database's decision about a file is
-- in sql/212_import.sql.

-- name: profiles_active many
-- Returns no definitions of profiles that the process has in its cache.
SELECT id AS "id",
       code AS "code",
       version AS "version",
       cache_key AS "cacheKey",
       CASE WHEN cache_key = ANY (:known::uuid[]) THEN NULL
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
-- In a dry run, which is rolled back, the bytes are not stored. NULL: they are known.
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
-- Entering the results of a large file takes longer than the usual statement_timeout.
SELECT set_config('statement_timeout', :milliseconds::text, true)
 WHERE :$organization::bigint IS NOT NULL

-- name: import_file one
SELECT i.status AS "status",
       i.decided AS "decided"
  FROM lims.import_file(:$organization::bigint, :fileId::bigint, :from::text,
                        :reading::jsonb, :resolution::jsonb, :because::text) i

-- name: ingest_answer one
-- A released file is reported as imported, a rejected one as quarantined. An
-- upload-only key (`bare`) sees neither cells nor samples, nor whether a sample exists:
-- it gets the codes that concern the file alone, each once, and unknown_tracking_id for
-- every other, a refusal by a rule of the laboratory included.
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
                           'empty_file', 'unsupported_container', 'encrypted_file',
                           'archive_limits', 'encoding_error', 'structure_mismatch',
                           'truncated_file', 'checksum_error', 'too_many_rows',
                           'read_timeout', 'unknown_profile', 'ambiguous_profile',
                           'profile_error', 'no_result_rows', 'missing_tracking_id',
                           'unknown_test_code', 'duplicate_row',
                           'replicate_unresolved', 'missing_value', 'value_too_long',
                           'non_numeric', 'ambiguous_number', 'unknown_qualifier',
                           'unit_missing', 'unit_mismatch', 'unit_not_convertible',
                           'dilution_missing', 'instrument_error_flag',
                           'formula_error', 'timestamp_invalid',
                           'timestamp_in_future', 'sender_not_active',
                           'already_imported', 'decisions_kept')
                           THEN r.value ->> 'code'
                           ELSE 'unknown_tracking_id' END,
                       'severity', r.value -> 'severity', 'message', NULL,
                       'sheet', NULL, 'row', NULL, 'column', NULL,
                       'excludable', false, 'cell', NULL, 'expected', NULL)), '[]')
              FROM jsonb_array_elements(f.reasons) r)
            ELSE (
            SELECT coalesce(jsonb_agg('{"message": null, "sheet": null,
                       "row": null, "column": null, "excludable": false,
                       "cell": null, "expected": null}'::jsonb || r.value ORDER BY r.place),
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
-- global: interrupted files of all organizations are resumed
SELECT t.organization_id AS "organization",
       t.id AS "id",
       t.user_id AS "user",
       t.api_key_id AS "key",
       t.spent AS "spent"
  FROM lims.take_received_file(make_interval(secs => :resumeAfter::float8), 3) t
 WHERE t.id IS NOT NULL

-- name: job_file_act exec
-- Acts as the sender of the file if it may still send files, otherwise as nobody.
SELECT lims.act_for_sender(:$organization::bigint, :$user::bigint, :$key::bigint,
                           :$request::text)

-- name: job_files_backlog one
-- global: files of all organizations
SELECT b.received AS "received",
       b.quarantined AS "quarantined",
       lims.keys_nearly_full(:fileStorage::bigint) AS "nearlyFull"
  FROM lims.file_backlog(:countAtMost::bigint) b
