-- SPDX-License-Identifier: Apache-2.0
--
-- The records of the trail, as those of 230_records.sql.

-- An entry, with the names of who acted and with what changed field by field. Values are
-- JSON texts, so that null, a number and a text are told apart; secrets are not in the
-- trail.
CREATE VIEW lims.audit_entry_record WITH (security_invoker = true) AS
SELECT a.organization_id, a.id, a.occurred_at AS "occurredAt",
       a.table_name AS "table", a.record_id AS "recordId", a.action,
       (SELECT coalesce(json_agg(json_build_object('field', c.key,
                            'old', (c.value -> 'old')::text,
                            'new', (c.value -> 'new')::text)), '[]')
          FROM json_each(a.changes) c) AS changes,
       a.user_id AS "userId", u.display_name AS person,
       a.api_key_id AS "apiKeyId", k.name AS "apiKey", a.surface,
       a.session_id AS "sessionId", a.request_id AS "requestId", a.reason,
       a.signature_id AS "signatureId",
       (SELECT b.id
          FROM lims.audit_block b
         WHERE b.organization_id = a.organization_id
           AND b.to_position > a.position
         ORDER BY b.to_position
         LIMIT 1) AS block
  FROM lims.audit_entry a
  LEFT JOIN lims.user_account u
    ON u.organization_id = a.organization_id
   AND u.id = a.user_id
  LEFT JOIN lims.api_key k
    ON k.organization_id = a.organization_id
   AND k.id = a.api_key_id;

-- An electronic signature, and whether what was signed still stands.
CREATE VIEW lims.signature_record WITH (security_invoker = true) AS
SELECT s.organization_id, s.id, s.signer AS "userId",
       s.printed_name AS "printedName", s.signed_at AS "signedAt", s.meaning,
       s.reason, s.table_name AS "table", s.record_id AS "recordId", s.method,
       s.content, s.act,
       lims.signature_fits(s.organization_id, s.id) AS stands
  FROM lims.electronic_signature s;

-- A block of the chain. Its head is one word, as in the error log, which the verification
-- finds again in any text.
CREATE VIEW lims.audit_block_record WITH (security_invoker = true) AS
SELECT b.organization_id, b.id, b.closed_at AS "closedAt",
       cardinality(b.entry_ids) AS entries, b.key_id AS "keyId",
       'lims-audit-1:' || b.organization_id || ':' || b.id || ':'
           || encode(b.head, 'hex') AS head
  FROM lims.audit_block b;
