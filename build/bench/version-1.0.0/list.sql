-- SPDX-License-Identifier: Apache-2.0
-- GET of a page of samples in 1.0.0, for pgbench: the statements authenticate_read and
-- sample_list in one round trip, over the views of records.sql.

\set cursor random(0, :pages - 1) * :step + :first
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
   AND id > :cursor::bigint
 ORDER BY id
 LIMIT :limit::bigint + 1;
\endpipeline
