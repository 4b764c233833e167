-- SPDX-License-Identifier: Apache-2.0
--
-- The records of the trail, as those of 230_records.sql.

-- An electronic signature, and whether the signed content is unchanged.
CREATE VIEW lims.signature_record WITH (security_invoker = true) AS
SELECT s.organization_id, s.id, s.signer AS "userId",
       s.printed_name AS "printedName", s.signed_at AS "signedAt", s.meaning,
       s.reason, s.table_name AS "table", s.record_id AS "recordId", s.method,
       s.content, s.act,
       lims.signature_fits(s.organization_id, s.id) AS stands
  FROM lims.electronic_signature s;

-- A block of the chain. Its head is one word in the form of the error log, so that
-- limsctl finds it in any text.
CREATE VIEW lims.audit_block_record WITH (security_invoker = true) AS
SELECT b.organization_id, b.id, b.closed_at AS "closedAt",
       cardinality(b.entry_ids) AS entries, b.key_id AS "keyId",
       'lims-audit-1:' || b.organization_id || ':' || b.id || ':'
           || encode(b.head, 'hex') AS head
  FROM lims.audit_block b;
