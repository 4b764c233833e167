-- SPDX-License-Identifier: Apache-2.0
-- GET of a sample in 1.0.0, for pgbench: the statements authenticate_read, sample_get and
-- sample_tests in one round trip, over the views of records.sql.

\set id random(0, :count - 1) * :step + :first
\startpipeline
SELECT key_id AS "keyId",
       organization_id AS "organizationId",
       user_id AS "userId",
       scopes AS "scopes",
       upload_only AS "uploadOnly",
       (last_used_at IS NULL
        OR last_used_at < now() - make_interval(secs => :touchInterval::float8)) AS "touchDue"
  FROM bench.authenticate(:keyHash::bytea, NULL);
SELECT *
  FROM bench.sample_record
 WHERE organization_id = :organization::bigint
   AND id = :id::bigint;
SELECT *
  FROM bench.sample_test_record
 WHERE organization_id = :organization::bigint
   AND "sampleId" = :id::bigint
 ORDER BY id;
\endpipeline
