-- SPDX-License-Identifier: Apache-2.0
--
-- The samples of orders: a row of an order is a sample to be registered, and all rows are
-- registered together or not at all.

-- Refuses a client other than that of the sample's order, and a change of the order.
CREATE FUNCTION lims.sample_guard_order() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.order_id IS DISTINCT FROM OLD.order_id THEN
        PERFORM lims.refuse('field_not_patchable',
            'orderId cannot be changed after the sample was registered');
    END IF;
    IF NEW.client_id IS DISTINCT FROM (
        SELECT o.client_id
          FROM lims.sample_order o
         WHERE o.organization_id = NEW.organization_id
           AND o.id = NEW.order_id) THEN
        PERFORM lims.refuse('invalid_body',
            'clientName cannot differ from the client of the sample''s order');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER order_insert BEFORE INSERT ON lims.sample
FOR EACH ROW WHEN (NEW.order_id IS NOT NULL)
EXECUTE FUNCTION lims.sample_guard_order();

CREATE TRIGGER order_update BEFORE UPDATE ON lims.sample
FOR EACH ROW WHEN (NEW.order_id IS DISTINCT FROM OLD.order_id
    OR (NEW.order_id IS NOT NULL AND NEW.client_id IS DISTINCT FROM OLD.client_id))
EXECUTE FUNCTION lims.sample_guard_order();

-- Rows ---------------------------------------------------------------------

-- The rows of an order as the service has validated them: [ { "row": { ... } } ], each
-- with its place from 0. A member that was not sent, or not valid, is NULL.
CREATE FUNCTION lims.order_rows(p_organization bigint, p_samples json)
RETURNS TABLE (
    place bigint,
    material_type_id bigint,
    project_id bigint,
    external_id text,
    client_name text,
    collection_date date,
    collected_at timestamptz,
    priority text,
    notes text,
    plant_location text,
    storage_location_id bigint,
    due_date date,
    definitions bigint[],
    panels bigint[]
)
LANGUAGE sql STABLE
AS $$
    SELECT e.place - 1, r."materialTypeId", r."projectId", r."externalId", r."clientName",
           coalesce((r."collectedAt" AT TIME ZONE o.time_zone)::date, r."collectionDate"),
           r."collectedAt", r.priority, r.notes, r."plantLocation",
           r."storageLocationId", r."dueDate",
           coalesce(r."testDefinitionIds", '{}'), coalesce(r."panelIds", '{}')
      FROM lims.organization o
     CROSS JOIN json_array_elements(p_samples) WITH ORDINALITY AS e (value, place)
     CROSS JOIN json_to_record(e.value -> 'row') AS r (
           "materialTypeId" bigint, "projectId" bigint, "externalId" text,
           "clientName" text, "collectionDate" date, "collectedAt" timestamptz,
           priority text, notes text, "plantLocation" text,
           "storageLocationId" bigint, "dueDate" date,
           "testDefinitionIds" bigint[], "panelIds" bigint[])
     WHERE o.id = p_organization
$$;

-- The definitions of a row of an order, each once (lims.ordered_definitions).
CREATE FUNCTION lims.row_definitions(
    p_organization bigint,
    p_definitions bigint[],
    p_panels bigint[]
) RETURNS bigint[]
LANGUAGE sql STABLE
AS $$
    SELECT CASE WHEN p_panels = '{}' THEN p_definitions
                ELSE lims.ordered_definitions(p_organization, p_definitions, p_panels)
           END
$$;

-- Mistakes -----------------------------------------------------------------

-- Lists the faults of references in rows, each as lims.sample_guard() would refuse it.
CREATE FUNCTION lims.order_reference_mistakes(p_organization bigint, p_samples json)
RETURNS TABLE (place bigint, member text, slug text, message text)
LANGUAGE sql STABLE
AS $$
    SELECT r.place, x.member, 'invalid_reference',
           format('%s: no active %s %s', x.member, x.noun, x.id)
      FROM lims.order_rows(p_organization, p_samples) r
     CROSS JOIN LATERAL (
           SELECT 'materialTypeId', 'material type', r.material_type_id
            WHERE NOT EXISTS (
                  SELECT FROM lims.material_type m
                   WHERE m.organization_id = p_organization
                     AND m.id = r.material_type_id
                     AND m.active)
            UNION ALL
           SELECT 'projectId', 'project', r.project_id
            WHERE NOT EXISTS (
                  SELECT FROM lims.project p
                   WHERE p.organization_id = p_organization
                     AND p.id = r.project_id
                     AND p.active)
            UNION ALL
           SELECT 'storageLocationId', 'storage location', r.storage_location_id
            WHERE NOT EXISTS (
                  SELECT FROM lims.storage_location l
                   WHERE l.organization_id = p_organization
                     AND l.id = r.storage_location_id
                     AND l.active)
            UNION ALL
           SELECT 'testDefinitionIds', 'test definition', i.id
             FROM unnest(r.definitions) AS i (id)
            WHERE NOT EXISTS (
                  SELECT FROM lims.test_definition d
                   WHERE d.organization_id = p_organization
                     AND d.id = i.id
                     AND d.active)
            UNION ALL
           SELECT 'panelIds', 'panel', i.id
             FROM unnest(r.panels) AS i (id)
            WHERE NOT EXISTS (
                  SELECT FROM lims.panel n
                   WHERE n.organization_id = p_organization
                     AND n.id = i.id
                     AND n.active)) AS x (member, noun, id)
     WHERE x.id IS NOT NULL
$$;

-- Lists the faults of panels in rows, besides unknown panels: an inactive definition, or
-- too many tests.
CREATE FUNCTION lims.order_panel_mistakes(p_organization bigint, p_samples json)
RETURNS TABLE (place bigint, member text, slug text, message text)
LANGUAGE sql STABLE
AS $$
    SELECT DISTINCT r.place, 'panelIds', 'invalid_reference',
           format('panelIds: no active test definition %s', d.id)
      FROM lims.order_rows(p_organization, p_samples) r
      JOIN lims.panel n
        ON n.organization_id = p_organization
       AND n.id = ANY (r.panels)
       AND n.active
      JOIN lims.test_definition d
        ON d.organization_id = p_organization
       AND d.id = ANY (n.test_definition_ids)
       AND NOT d.active
     UNION ALL
    SELECT r.place, 'panelIds', 'invalid_body',
           format('panelIds: a sample has at most 200 tests, not %s', c.tests)
      FROM lims.order_rows(p_organization, p_samples) r
     CROSS JOIN LATERAL (
           SELECT count(DISTINCT i.id) AS tests
             FROM (SELECT unnest(r.definitions)
                    UNION ALL
                   SELECT unnest(n.test_definition_ids)
                     FROM lims.panel n
                    WHERE n.organization_id = p_organization
                      AND n.id = ANY (r.panels)) AS i (id)) c
     WHERE r.panels <> '{}'
       AND c.tests > 200
$$;

-- Lists the other faults of rows: client, plant location, dates, external ids.
CREATE FUNCTION lims.order_row_mistakes(
    p_organization bigint,
    p_client bigint,
    p_samples json
) RETURNS TABLE (place bigint, member text, slug text, message text)
LANGUAGE sql STABLE
AS $$
    WITH sent AS MATERIALIZED (
        SELECT r.place, r.client_name, r.project_id, r.plant_location, r.external_id,
               r.collection_date, r.collected_at,
               row_number() OVER (PARTITION BY r.external_id ORDER BY r.place) AS nth
          FROM lims.order_rows(p_organization, p_samples) r
    )
    SELECT s.place, x.member, 'invalid_body', x.message
      FROM sent s
     CROSS JOIN LATERAL (
           SELECT 'clientName', 'clientName cannot differ from the client of the '
                                'sample''s order'
            WHERE s.client_name IS NOT NULL
              AND lims.client_named(p_organization, s.client_name)
                  IS DISTINCT FROM p_client
              AND lower(s.client_name) IS DISTINCT FROM
                  lower(lims.name_of_client(p_organization, p_client))
            UNION ALL
           SELECT 'plantLocation', format('plantLocation is required: the sample '
                                          'identifiers of project %s contain it', p.code)
             FROM lims.project p
            WHERE p.organization_id = p_organization
              AND p.id = s.project_id
              AND p.active
              AND p.composite_sample_identifier
              AND btrim(coalesce(s.plant_location, '')) = ''
            UNION ALL
           SELECT d.member, d.member || ' lies in the future'
             FROM (SELECT CASE WHEN s.collected_at IS NULL THEN 'collectionDate'
                               ELSE 'collectedAt' END AS member) d
            WHERE s.collection_date > (now() AT TIME ZONE 'UTC')::date + 1
               OR s.collected_at > now() + interval '1 day'
            UNION ALL
           SELECT 'externalId', 'externalId: another record of your organization has '
                  'this value already'
            WHERE EXISTS (
                  SELECT FROM lims.sample o
                   WHERE o.organization_id = p_organization
                     AND o.external_id = s.external_id)
            UNION ALL
           SELECT 'externalId', 'externalId: another row of the order has this value'
            WHERE s.external_id IS NOT NULL
              AND s.nth > 1) AS x (member, message)
$$;

-- Lists the faults of an order, the first 1,000 in the order of its rows: those that the
-- service found (given in the rows) and those that only the database knows.
CREATE FUNCTION lims.order_mistakes(
    p_organization bigint,
    p_client bigint,
    p_number text,
    p_samples json
) RETURNS TABLE (path text, error text, message text)
LANGUAGE sql STABLE
AS $$
    SELECT a.path, a.slug, a.message
      FROM (SELECT -1::bigint AS place, 'clientId' AS path, 'invalid_reference' AS slug,
                   format('clientId: no active client %s', p_client) AS message
             WHERE lims.name_of_client(p_organization, p_client) IS NULL
             UNION ALL
            SELECT -1, 'orderNumber', 'invalid_body',
                   format('orderNumber: %s has the form that is reserved for numbers '
                          'assigned by the service', p_number)
             WHERE lims.order_number_is_ours(p_number)
             UNION ALL
            SELECT -1, 'orderNumber', 'invalid_body',
                   'orderNumber: another record of your organization has this value '
                   'already'
             WHERE EXISTS (
                   SELECT FROM lims.sample_order o
                    WHERE o.organization_id = p_organization
                      AND o.order_number = p_number)
             UNION ALL
            SELECT e.place - 1, m.value ->> 'path', m.value ->> 'error',
                   m.value ->> 'message'
              FROM json_array_elements(p_samples) WITH ORDINALITY AS e (value, place)
             CROSS JOIN json_array_elements(e.value -> 'mistakes') AS m (value)
             UNION ALL
            SELECT x.place, format('samples[%s].%s', x.place, x.member), x.slug, x.message
              FROM (SELECT * FROM lims.order_reference_mistakes(p_organization, p_samples)
                     UNION ALL
                    SELECT * FROM lims.order_panel_mistakes(p_organization, p_samples)
                     UNION ALL
                    SELECT * FROM lims.order_row_mistakes(p_organization, p_client,
                                                          p_samples)) x) a
     ORDER BY a.place, a.path, a.message
     LIMIT 1000
$$;

-- Allowance ----------------------------------------------------------------

-- The monthly allowance of samples (NULL: any number), how many of it are used, and how many
-- remain (NULL: any number).
CREATE FUNCTION lims.allowance(
    p_organization bigint,
    OUT allowed bigint,
    OUT used bigint,
    OUT remaining bigint
)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_month CONSTANT date := date_trunc('month', now() AT TIME ZONE 'UTC')::date;
BEGIN
    SELECT o.monthly_sample_allowance, a.used
      INTO allowed, used
      FROM lims.organization o
      LEFT JOIN lims.sample_allowance a
        ON a.organization_id = o.id
       AND a.month = v_month
       AND o.monthly_sample_allowance IS NOT NULL
     WHERE o.id = p_organization;
    IF used IS NULL THEN
        SELECT count(*)
          INTO used
          FROM lims.sample s
         WHERE s.organization_id = p_organization
           AND s.created_at >= v_month::timestamp AT TIME ZONE 'UTC';
    END IF;
    IF allowed IS NOT NULL THEN
        remaining := greatest(allowed - used, 0);
    END IF;
END
$$;
