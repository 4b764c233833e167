-- SPDX-License-Identifier: Apache-2.0
--
-- The records of the trail, as those of 230_records.sql.

-- An electronic signature, and whether the signed content is unchanged.
CREATE VIEW lims.signature_record WITH (security_invoker = true) AS
SELECT s.organization_id, s.id, s.signer AS "userId",
       s.printed_name AS "printedName", s.signed_at AS "signedAt", s.meaning,
       s.reason, s.table_name AS "table", s.record_id AS "recordId",
       lims.record_full_name(s.organization_id, s.table_name, s.record_id) AS record,
       s.method, s.content, s.act,
       lims.signature_fits(s.organization_id, s.id) AS stands
  FROM lims.electronic_signature s;

-- The signatures of a sample: of itself and of what belongs to it, its tests, their
-- worksheets, its approvals, amendments and investigations.
CREATE FUNCTION lims.sample_signatures(p_organization bigint, p_sample bigint)
RETURNS SETOF bigint
LANGUAGE sql STABLE
AS $$
    WITH tests AS MATERIALIZED (
        SELECT t.id
          FROM lims.sample_test t
         WHERE t.organization_id = p_organization
           AND t.sample_id = p_sample
    )
    SELECT e.id
      FROM (SELECT 'sample' AS of_table, p_sample AS id
             UNION ALL
            SELECT 'sample_test', t.id
              FROM tests t
             UNION ALL
            SELECT 'worksheet', w.id
              FROM tests t
              JOIN lims.worksheet w
                ON w.organization_id = p_organization
               AND w.sample_test_id = t.id
             UNION ALL
            SELECT 'approval', a.id
              FROM lims.approval a
             WHERE a.organization_id = p_organization
               AND a.sample_id = p_sample
             UNION ALL
            SELECT 'amendment', a.id
              FROM lims.amendment a
             WHERE a.organization_id = p_organization
               AND a.sample_id = p_sample
             UNION ALL
            SELECT 'investigation', i.id
              FROM lims.investigation i
             WHERE i.organization_id = p_organization
               AND i.sample_id = p_sample) r
      JOIN lims.electronic_signature e
        ON e.organization_id = p_organization
       AND e.table_name = r.of_table
       AND e.record_id = r.id
$$;

-- A block of the chain. Its head is one word in the form of the error log, so that
-- limsctl finds it in any text.
CREATE VIEW lims.audit_block_record WITH (security_invoker = true) AS
SELECT b.organization_id, b.id, b.closed_at AS "closedAt",
       cardinality(b.entry_ids) AS entries, b.key_id AS "keyId",
       'lims-audit-1:' || b.organization_id || ':' || b.id || ':'
           || encode(b.head, 'hex') AS head
  FROM lims.audit_block b;
