-- SPDX-License-Identifier: Apache-2.0

-- name: investigation_get one
SELECT id AS "id",
       investigation_number AS "investigationNumber",
       kind AS "kind",
       title AS "title",
       sample_id AS "sampleId",
       sample_test_id AS "sampleTestId",
       status AS "status",
       due_on AS "dueOn",
       conclusion AS "conclusion",
       parent_id AS "parentId",
       opened_at AS "openedAt",
       opened_by AS "openedBy",
       closed_at AS "closedAt",
       closed_by AS "closedBy",
       created_at AS "createdAt",
       updated_at AS "updatedAt"
  FROM lims.investigation
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint

-- name: investigation_list many custom
SELECT id AS "id",
       investigation_number AS "investigationNumber",
       kind AS "kind",
       title AS "title",
       sample_id AS "sampleId",
       sample_test_id AS "sampleTestId",
       status AS "status",
       due_on AS "dueOn",
       conclusion AS "conclusion",
       parent_id AS "parentId",
       opened_at AS "openedAt",
       opened_by AS "openedBy",
       closed_at AS "closedAt",
       closed_by AS "closedBy",
       created_at AS "createdAt",
       updated_at AS "updatedAt"
  FROM lims.investigation
 WHERE organization_id = :$organization::bigint
   AND id > :cursor::bigint
   AND (:kind::text IS NULL OR kind = :kind::text)
   AND (:status::text IS NULL OR status = :status::text)
   AND (:sampleId::bigint IS NULL OR sample_id = :sampleId::bigint)
   AND (:open::boolean IS NULL OR (status NOT IN ('closed', 'cancelled')) = :open::boolean)
 ORDER BY id
 LIMIT :limit::bigint + 1

-- name: investigation_lock one
SELECT id
  FROM lims.investigation
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
   FOR NO KEY UPDATE

-- name: investigation_create one
-- About a test is about its sample.
INSERT INTO lims.investigation
      (organization_id, kind, title, sample_id, sample_test_id, due_on,
       parent_id)
VALUES (:$organization::bigint, :kind::text, :title::text,
        coalesce(:sampleId::bigint,
                 (SELECT t.sample_id
                    FROM lims.sample_test t
                   WHERE t.organization_id = :$organization::bigint
                     AND t.id = :sampleTestId::bigint)),
        :sampleTestId::bigint, :dueOn::date, :parentId::bigint)
RETURNING id

-- name: investigation_update one
UPDATE lims.investigation
   SET title = CASE WHEN :?title THEN :title::text ELSE title END,
       due_on = CASE WHEN :?dueOn THEN :dueOn::date ELSE due_on END,
       conclusion = CASE WHEN :?conclusion THEN :conclusion::text ELSE conclusion END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id

-- name: investigation_advance one
UPDATE lims.investigation
   SET status = :status::text,
       conclusion = CASE WHEN :?conclusion THEN :conclusion::text ELSE conclusion END
 WHERE organization_id = :$organization::bigint
   AND id = :id::bigint
RETURNING id
