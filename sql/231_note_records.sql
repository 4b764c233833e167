-- SPDX-License-Identifier: Apache-2.0
--
-- The records of people's notes and views, as those of 230_records.sql.

CREATE VIEW lims.comment_record WITH (security_invoker = true) AS
SELECT c.organization_id, c.id, c.table_name, c.record_id,
       json_build_object('table', c.table_name, 'id', c.record_id) AS "on",
       c.text, c.created_by AS "by", c.created_at AS "createdAt",
       c.created_at AS "updatedAt"
  FROM lims.comment c;

CREATE VIEW lims.attachment_record WITH (security_invoker = true) AS
SELECT a.organization_id, a.id, a.table_name, a.record_id,
       json_build_object('table', a.table_name, 'id', a.record_id) AS "on",
       a.file_name AS "fileName", a.size, encode(a.sha256, 'hex') AS sha256,
       a.media_type AS "mediaType", a.added_by AS "addedBy",
       a.withdrawn_at AS "withdrawnAt", a.withdrawal_reason AS "withdrawalReason",
       a.created_at AS "createdAt", a.updated_at AS "updatedAt"
  FROM lims.attachment a;

CREATE VIEW lims.saved_view_record WITH (security_invoker = true) AS
SELECT v.organization_id, v.id, v.name, v.page, v.query, v.shared,
       v.owner_id AS "ownerId", v.created_at AS "createdAt",
       v.updated_at AS "updatedAt"
  FROM lims.saved_view v;

-- The names of users, without the columns that need user.manage.
CREATE VIEW lims.person_record WITH (security_invoker = true) AS
SELECT u.organization_id, u.id, u.display_name AS "displayName", u.active,
       u.created_at AS "createdAt", u.updated_at AS "updatedAt"
  FROM lims.user_account u;
