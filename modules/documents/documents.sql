-- SPDX-License-Identifier: Apache-2.0

-- name: document_get one
SELECT *
  FROM lims.document_record
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: document_list many list custom
SELECT *
  FROM lims.document_record
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:state::text IS NULL OR state = :state::text)
   AND (:sampleId::bigint IS NULL OR "sampleId" = :sampleId::bigint)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: document_lock one
SELECT id,
       state
  FROM lims.document
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: document_retry one
-- One that waits already goes on waiting.
UPDATE lims.document
   SET state = 'pending'
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   AND state <> 'made'
RETURNING id

-- name: certificate_document_content one
-- The bytes of a certificate's document, but where the caller has them (known: its
-- If-None-Match).
SELECT c.certificate_number AS "certificateNumber",
       c.version AS "version",
       d.state AS "state",
       d.failure AS "failure",
       encode(d.sha256, 'hex') AS "sha256",
       CASE WHEN d.state = 'made'
             AND '"' || encode(d.sha256, 'hex') || '"' IS DISTINCT FROM :known::text
            THEN translate(encode(lims.document_bytes(d), 'base64'), E'\n', '')
            END AS "content"
  FROM lims.certificate c
  JOIN lims.document d
    ON d.organization_id = c.organization_id
   AND d.certificate_id = c.id
 WHERE c.organization_id = :$organization::bigint
   AND c.id = :id::bigint

-- name: certificate_preview_job one
-- Makes the job for the printer: the next certificate of a sample, as a draft.
SELECT s.tracking_id AS "trackingId",
       lims.certificate_print_job(s.organization_id,
           lims.certificate_preview(s.organization_id, s.id), true) AS "job"
  FROM lims.sample s
 WHERE s.organization_id = :$organization::bigint
   AND s.id = :id::bigint

-- name: order_certificates_job one
-- Makes the job for the printer: the valid certificate of each sample of an order. The digest is
-- of what the document is made of, by this version of the service; NULL: there is no
-- certificate. Without the job where the caller has the document (known: its If-None-Match).
WITH valid AS MATERIALIZED (
    SELECT c.id, c.sample_id, encode(sha256(convert_to(concat_ws(':', :version::text,
               string_agg(encode(c.sha256, 'hex'), ':') OVER (
                   ORDER BY c.sample_id
                   ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)), 'UTF8')),
               'hex') AS digest
      FROM lims.sample s
      JOIN lims.certificate c
        ON c.organization_id = s.organization_id
       AND c.sample_id = s.id
       AND c.status = 'issued'
     WHERE s.organization_id = :$organization::bigint
       AND s.order_id = :id::bigint
)
SELECT o.order_number AS "orderNumber",
       (SELECT v.digest FROM valid v LIMIT 1) AS "digest",
       (SELECT CASE WHEN count(*) > 0 THEN json_build_object(
                   'kind', 'certificates', 'draft', false,
                   'contents', json_agg(lims.issued_content(c) ORDER BY c.sample_id),
                   'files', lims.logo_files(:$organization::bigint, array_agg(
                       DISTINCT c.content #>> '{laboratory,logoSha256}'))) END
          FROM valid v
          JOIN lims.certificate c
            ON c.organization_id = :$organization::bigint
           AND c.id = v.id
         WHERE '"' || v.digest || '"' IS DISTINCT FROM :known::text) AS "job"
  FROM lims.sample_order o
 WHERE o.organization_id = :$organization::bigint
   AND o.id = :id::bigint

-- name: document_claim one
-- global: the documents of all organizations take turns
SELECT organization_id AS "organizationId",
       id AS "id",
       claimed_until AS "claim",
       certificate AS "certificate",
       to_char(issued_at AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISS') AS "issuedAt",
       job AS "job",
       failure AS "failure"
  FROM lims.claim_document(make_interval(secs => :lease::float8), :$request::text)

-- name: document_unclaim exec
-- global: of the organization whose document was claimed
SELECT lims.unclaim_document(:organizationId::bigint, :id::bigint, :claim::timestamptz)

-- name: document_keep one
-- global: of the organization whose document was claimed
SELECT lims.keep_document(:organizationId::bigint, :id::bigint, :claim::timestamptz,
                          decode(:contentBase64::text, 'base64'), :signed::boolean,
                          :$request::text) AS "kept"

-- name: document_fail one
-- global: of the organization whose document was claimed
SELECT lims.fail_document(:organizationId::bigint, :id::bigint, :claim::timestamptz,
                          :failure::text, :refused::boolean,
                          make_interval(secs => :lease::float8), :$request::text) AS "failed"

-- name: document_last_signed one
-- global: documents of all organizations. Whether the last one that was made is signed.
SELECT coalesce((SELECT d.signed
                   FROM lims.organization o
                  CROSS JOIN LATERAL (
                        SELECT x.signed, x.made_at
                          FROM lims.document x
                         WHERE x.organization_id = o.id
                           AND x.state = 'made'
                         ORDER BY x.id DESC
                         LIMIT 1) d
                  ORDER BY d.made_at DESC
                  LIMIT 1), false) AS "signed"

-- name: document_announce one
-- global: documents of all organizations. Those that were tried (tried) a little earlier: the
-- next look is at least five seconds away.
SELECT lims.announce_documents(CASE WHEN :tried::boolean THEN interval '45 seconds'
                                    ELSE interval '1 minute' END,
                               :tried::boolean, 50, :$request::text) AS "announced"

-- name: job_print_backlog one
-- global: documents of all organizations
SELECT b.waiting AS "waiting",
       b.failed AS "failedDocuments",
       coalesce(extract(epoch FROM now() - b.oldest_at), 0)::bigint AS "oldestSeconds"
  FROM lims.document_backlog(:countAtMost::bigint) b
