-- SPDX-License-Identifier: Apache-2.0
-- Records by what is written on them.

-- name: lookup_find many
-- The words are the text, as it is written and in capitals. Samples come first; of a
-- certificate or a profile only the newest version. What a person may not read is not found.
SELECT f.noun, f.id, f.name
  FROM (SELECT ARRAY[btrim(:text::text), upper(btrim(:text::text))] AS words,
               lower(btrim(:text::text)) AS lowered,
               CASE WHEN lims.context_id('user_id') IS NULL
                    THEN '{user.manage,key.manage,webhook.manage}'
                    ELSE lims.permissions_of(:$organization::bigint,
                             lims.context_id('user_id')) END AS permissions) w
 CROSS JOIN LATERAL (
       SELECT 1 AS rank, 'sample' AS noun, s.id, s.tracking_id AS name
         FROM lims.samples_named(:$organization::bigint, w.words[1], false) s
        UNION ALL
       SELECT 2, 'order', x.id, x.order_number
         FROM lims.sample_order x
        WHERE x.organization_id = :$organization::bigint
          AND x.order_number = ANY (w.words)
        UNION ALL
       SELECT 3, 'qc-batch', x.id, x.batch_number
         FROM lims.qc_batch x
        WHERE x.organization_id = :$organization::bigint
          AND x.batch_number = ANY (w.words)
        UNION ALL
       SELECT 4, 'reagent-lot', x.id, x.code
         FROM lims.reagent_lot x
        WHERE x.organization_id = :$organization::bigint
          AND (x.code = ANY (w.words) OR x.lot_number = ANY (w.words))
        UNION ALL
       SELECT 5, 'media-lot', x.id, x.code
         FROM lims.media_lot x
        WHERE x.organization_id = :$organization::bigint
          AND (x.code = ANY (w.words) OR x.lot_number = ANY (w.words))
        UNION ALL
       SELECT 6, 'certificate', max(x.id), x.certificate_number
         FROM lims.certificate x
        WHERE x.organization_id = :$organization::bigint
          AND x.certificate_number = ANY (w.words)
        GROUP BY x.certificate_number
        UNION ALL
       SELECT 7, 'investigation', x.id, x.investigation_number
         FROM lims.investigation x
        WHERE x.organization_id = :$organization::bigint
          AND x.investigation_number = ANY (w.words)
        UNION ALL
       SELECT 8, 'project', x.id, x.code
         FROM lims.project x
        WHERE x.organization_id = :$organization::bigint
          AND x.code = ANY (w.words)
        UNION ALL
       SELECT 9, 'client', x.id, x.code
         FROM lims.client x
        WHERE x.organization_id = :$organization::bigint
          AND x.code = ANY (w.words)
        UNION ALL
       SELECT 10, 'test-definition', x.id, x.code
         FROM lims.test_definition x
        WHERE x.organization_id = :$organization::bigint
          AND x.code = ANY (w.words)
        UNION ALL
       SELECT 11, 'panel', x.id, x.code
         FROM lims.panel x
        WHERE x.organization_id = :$organization::bigint
          AND x.code = ANY (w.words)
        UNION ALL
       SELECT 12, 'storage-location', x.id, x.code
         FROM lims.storage_location x
        WHERE x.organization_id = :$organization::bigint
          AND x.code = ANY (w.words)
        UNION ALL
       SELECT 13, 'instrument', x.id, x.code
         FROM lims.instrument x
        WHERE x.organization_id = :$organization::bigint
          AND x.code = ANY (w.words)
        UNION ALL
       SELECT 14, 'material-type', x.id, x.code
         FROM lims.material_type x
        WHERE x.organization_id = :$organization::bigint
          AND x.code = ANY (w.words)
        UNION ALL
       SELECT 15, 'profile', max(x.id), x.code
         FROM lims.instrument_profile x
        WHERE x.organization_id = :$organization::bigint
          AND x.code = ANY (w.words || w.lowered)
        GROUP BY x.code
        UNION ALL
       SELECT 16, 'instrument-file', x.id, x.file_name
         FROM lims.instrument_file x
        WHERE x.organization_id = :$organization::bigint
          AND w.lowered ~ '^[0-9a-f]{64}$'
          AND x.sha256 = decode(CASE WHEN w.lowered ~ '^[0-9a-f]{64}$'
                                     THEN w.lowered ELSE '' END, 'hex')
        UNION ALL
       SELECT 17, 'user', x.id, x.display_name
         FROM lims.user_account x
        WHERE x.organization_id = :$organization::bigint
          AND lower(x.email) = w.lowered
          AND 'user.manage' = ANY (w.permissions)
        UNION ALL
       SELECT 18, 'key', x.id, x.name
         FROM lims.api_key x
        WHERE x.organization_id = :$organization::bigint
          AND (x.key_prefix = w.words[1] OR x.name = w.words[1])
          AND 'key.manage' = ANY (w.permissions)
        UNION ALL
       SELECT 19, 'webhook', x.id, x.name
         FROM lims.webhook_endpoint x
        WHERE x.organization_id = :$organization::bigint
          AND x.name = w.words[1]
          AND 'webhook.manage' = ANY (w.permissions)) f
 ORDER BY f.rank, f.id

-- name: lookup_is_mistyped one
SELECT lims.tracking_id_is_mistyped(btrim(:text::text)) AS "mistyped"
 WHERE :$organization::bigint IS NOT NULL
