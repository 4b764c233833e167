-- SPDX-License-Identifier: Apache-2.0
--
-- Panels: test definitions that are ordered together, such as those of a permit's weekly
-- sample.

CREATE SEQUENCE lims.panel_id_seq;

CREATE TABLE lims.panel (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.panel_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    -- Test definitions in the order in which the tests are scheduled. An array, because a
    -- panel is always read and changed whole; lims.panel_guard() keeps the references.
    test_definition_ids bigint[] NOT NULL
        CHECK (cardinality(test_definition_ids) BETWEEN 1 AND 200),
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT panel_code UNIQUE (organization_id, code)
);

-- Refuses a list with a definition that is unknown, inactive or listed twice. An
-- unchanged list may contain definitions that became inactive since.
CREATE FUNCTION lims.panel_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_active bigint;
    v_distinct bigint;
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.test_definition_ids = OLD.test_definition_ids THEN
        RETURN NEW;
    END IF;
    SELECT count(*) FILTER (WHERE d.active), count(DISTINCT i.id)
      INTO v_active, v_distinct
      FROM unnest(NEW.test_definition_ids) AS i (id)
      LEFT JOIN lims.test_definition d
        ON d.organization_id = NEW.organization_id
       AND d.id = i.id;
    IF v_active < cardinality(NEW.test_definition_ids) THEN
        PERFORM lims.refuse_definitions(NEW.organization_id, NEW.test_definition_ids);
    ELSIF v_distinct < cardinality(NEW.test_definition_ids) THEN
        PERFORM lims.refuse('invalid_body',
            'testDefinitionIds: a panel contains each test definition only once');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.panel
FOR EACH ROW EXECUTE FUNCTION lims.panel_guard();

SELECT lims.attach_record('panel');

-- Returns the definitions that are ordered by themselves and by panels, each once: first
-- those named, then those of the panels in order. Refuses an unknown or inactive panel,
-- and more than 200 definitions.
CREATE FUNCTION lims.ordered_definitions(
    p_organization bigint,
    p_definitions bigint[],
    p_panels bigint[]
) RETURNS bigint[]
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_missing bigint[];
    v_ids bigint[];
BEGIN
    SELECT array_agg(i.id ORDER BY i.place)
      INTO v_missing
      FROM unnest(p_panels) WITH ORDINALITY AS i (id, place)
     WHERE NOT EXISTS (
            SELECT FROM lims.panel p
             WHERE p.organization_id = p_organization
               AND p.id = i.id
               AND p.active);
    IF v_missing IS NOT NULL THEN
        PERFORM lims.refuse('invalid_reference', format(
            'panelIds: no active panel%s %s',
            CASE WHEN cardinality(v_missing) > 1 THEN 's' END,
            array_to_string(v_missing, ', ')));
    END IF;
    SELECT array_agg(o.id ORDER BY o.place)
      INTO v_ids
      FROM (SELECT a.id, min(a.place) AS place
              FROM (SELECT i.id, i.place AS place
                      FROM unnest(p_definitions) WITH ORDINALITY AS i (id, place)
                     UNION ALL
                    SELECT d.id, 1000 * i.place + d.place
                      FROM unnest(p_panels) WITH ORDINALITY AS i (id, place)
                      JOIN lims.panel p
                        ON p.organization_id = p_organization
                       AND p.id = i.id
                     CROSS JOIN unnest(p.test_definition_ids)
                           WITH ORDINALITY AS d (id, place)) a
             GROUP BY a.id) o;
    IF cardinality(v_ids) > 200 THEN
        PERFORM lims.refuse('invalid_body', format(
            'panelIds: a sample has at most 200 tests, not %s', cardinality(v_ids)));
    END IF;
    RETURN v_ids;
END
$$;
