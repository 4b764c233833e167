-- SPDX-License-Identifier: Apache-2.0
--
-- Labels: what is printed on the label of each kind of record, the most needed first, for a
-- small label has room for few lines. The code is what a reader finds: lims.samples_named()
-- and GET /lookup know it.

CREATE VIEW lims.label_size_record WITH (security_invoker = true) AS
SELECT z.organization_id, z.id, z.code, z.name, z.page_width AS "pageWidth",
       z.page_height AS "pageHeight", z.label_width AS "labelWidth",
       z.label_height AS "labelHeight", z.columns, z.rows,
       z.margin_left AS "marginLeft", z.margin_top AS "marginTop", z.gap_x AS "gapX",
       z.gap_y AS "gapY", z.dpi, z.active,
       z.created_at AS "createdAt", z.updated_at AS "updatedAt"
  FROM lims.label_size z;

-- The codes of a sample's tests, each once, in the order in which they were ordered, and how
-- the sample is kept for them.
CREATE FUNCTION lims.label_tests(
    p_organization bigint,
    p_sample bigint,
    OUT codes text,
    OUT preservation text
)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    SELECT string_agg(x.code, ', ' ORDER BY x.first_id),
           string_agg(DISTINCT x.preservation, '; ')
      INTO codes, preservation
      FROM (SELECT coalesce(t.test_code, d.code) AS code, d.preservation,
                   min(t.id) AS first_id
              FROM lims.sample_test t
              JOIN lims.test_definition d
                ON d.organization_id = t.organization_id
               AND d.id = t.test_definition_id
             WHERE t.organization_id = p_organization
               AND t.sample_id = p_sample
               AND t.disposition = 'active'
             GROUP BY 1, 2) x;
END
$$;

-- The storage location with those that contain it, the outermost first.
CREATE FUNCTION lims.storage_path(p_organization bigint, p_location bigint) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        WITH RECURSIVE around AS (
            SELECT l.parent_id, l.name, 1 AS height
              FROM lims.storage_location l
             WHERE l.organization_id = p_organization
               AND l.id = p_location
             UNION ALL
            SELECT l.parent_id, l.name, a.height + 1
              FROM around a
              JOIN lims.storage_location l
                ON l.organization_id = p_organization
               AND l.id = a.parent_id)
        SELECT string_agg(a.name, ' / ' ORDER BY a.height DESC)
          FROM around a);
END
$$;

-- The labels of all kinds; whoever reads names the kind. A lot's status is not printed: it
-- changes, and the label does not. Containers are no records: a sample has as many as were
-- received, or one, each with the sample's code.
CREATE VIEW lims.label WITH (security_invoker = true) AS
SELECT s.organization_id, 'sample' AS kind, s.id, s.tracking_id AS code,
       CASE WHEN s.sample_identifier <> s.tracking_id THEN s.sample_identifier
            ELSE s.client_name END AS title,
       greatest(s.receipt_containers, 1) AS containers,
       array_remove(ARRAY[
           concat_ws(', ', CASE WHEN s.priority <> 'routine' THEN upper(s.priority) END,
               coalesce(s.material_type_name, m.name), s.plant_location,
               CASE WHEN s.sample_identifier <> s.tracking_id THEN s.client_name END),
           'Collected ' || coalesce(
               to_char(s.collected_at AT TIME ZONE o.time_zone, 'YYYY-MM-DD HH24:MI'),
               to_char(s.collection_date, 'YYYY-MM-DD')),
           'Tests: ' || t.codes, 'Preservation: ' || t.preservation,
           'Storage: ' || l.code,
           'External id: ' || s.external_id], NULL) AS lines
  FROM lims.sample s
  JOIN lims.organization o
    ON o.id = s.organization_id
  JOIN lims.material_type m
    ON m.organization_id = s.organization_id
   AND m.id = s.material_type_id
  LEFT JOIN lims.storage_location l
    ON l.organization_id = s.organization_id
   AND l.id = s.storage_location_id
 CROSS JOIN LATERAL lims.label_tests(s.organization_id, s.id) t
 UNION ALL
SELECT r.organization_id, 'reagent-lot', r.id, r.code, r.name, 1,
       array_remove(ARRAY['Lot ' || r.lot_number, 'Use until ' || r.usable_until,
           'Opened ' || r.opened_on, r.supplier], NULL)
  FROM lims.reagent_lot r
 UNION ALL
SELECT m.organization_id, 'media-lot', m.id, m.code, m.name, 1,
       array_remove(ARRAY[m.medium || ', lot ' || m.lot_number,
           'Use until ' || m.usable_until, 'Prepared ' || m.prepared_on,
           'Opened ' || m.opened_on, m.supplier], NULL)
  FROM lims.media_lot m
 UNION ALL
SELECT l.organization_id, 'storage-location', l.id, l.code, l.name, 1,
       array_remove(ARRAY[l.kind,
           CASE WHEN l.min_temperature IS NULL THEN 'At most ' || l.max_temperature || ' °C'
                WHEN l.max_temperature IS NULL THEN 'At least ' || l.min_temperature || ' °C'
                ELSE format('%s to %s °C', l.min_temperature, l.max_temperature) END,
           CASE WHEN l.parent_id IS NOT NULL
                THEN 'In ' || lims.storage_path(l.organization_id, l.parent_id) END], NULL)
  FROM lims.storage_location l;
