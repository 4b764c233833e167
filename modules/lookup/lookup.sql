-- SPDX-License-Identifier: Apache-2.0
-- Records by what is written on them.

-- name: lookup_find many
-- Samples come first; of a certificate only the newest version.
SELECT f.noun, f.id, f.name
  FROM (
       SELECT 1 AS rank, 'sample' AS noun, s.id, s.tracking_id AS name
         FROM lims.samples_named(:$organization::bigint, btrim(:text::text), false) s
        UNION ALL
       SELECT 2, 'order', o.id, o.order_number
         FROM lims.sample_order o
        WHERE o.organization_id = :$organization::bigint
          AND o.order_number = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))])
        UNION ALL
       SELECT 3, 'qc-batch', b.id, b.batch_number
         FROM lims.qc_batch b
        WHERE b.organization_id = :$organization::bigint
          AND b.batch_number = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))])
        UNION ALL
       SELECT 4, 'reagent-lot', r.id, r.code
         FROM lims.reagent_lot r
        WHERE r.organization_id = :$organization::bigint
          AND (r.code = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))])
               OR r.lot_number = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))]))
        UNION ALL
       SELECT 5, 'media-lot', m.id, m.code
         FROM lims.media_lot m
        WHERE m.organization_id = :$organization::bigint
          AND (m.code = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))])
               OR m.lot_number = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))]))
        UNION ALL
       SELECT 6, 'certificate', max(c.id), c.certificate_number
         FROM lims.certificate c
        WHERE c.organization_id = :$organization::bigint
          AND c.certificate_number = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))])
        GROUP BY c.certificate_number
        UNION ALL
       SELECT 7, 'investigation', i.id, i.investigation_number
         FROM lims.investigation i
        WHERE i.organization_id = :$organization::bigint
          AND i.investigation_number = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))])
        UNION ALL
       SELECT 8, 'project', p.id, p.code
         FROM lims.project p
        WHERE p.organization_id = :$organization::bigint
          AND p.code = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))])
        UNION ALL
       SELECT 9, 'client', c.id, c.code
         FROM lims.client c
        WHERE c.organization_id = :$organization::bigint
          AND c.code = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))])
        UNION ALL
       SELECT 10, 'test-definition', d.id, d.code
         FROM lims.test_definition d
        WHERE d.organization_id = :$organization::bigint
          AND d.code = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))])
        UNION ALL
       SELECT 11, 'panel', n.id, n.code
         FROM lims.panel n
        WHERE n.organization_id = :$organization::bigint
          AND n.code = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))])
        UNION ALL
       SELECT 12, 'storage-location', l.id, l.code
         FROM lims.storage_location l
        WHERE l.organization_id = :$organization::bigint
          AND l.code = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))])
        UNION ALL
       SELECT 13, 'instrument', x.id, x.code
         FROM lims.instrument x
        WHERE x.organization_id = :$organization::bigint
          AND x.code = ANY (ARRAY[btrim(:text::text), upper(btrim(:text::text))])) f
 ORDER BY f.rank, f.id

-- name: lookup_is_mistyped one
SELECT lims.tracking_id_is_mistyped(btrim(:text::text)) AS "mistyped"
 WHERE :$organization::bigint IS NOT NULL
