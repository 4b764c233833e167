-- SPDX-License-Identifier: Apache-2.0
--
-- Triggers that run before a sample's row is written: references, status, and the gates of
-- a status change (161_gates.sql), which hold for every surface.

CREATE FUNCTION lims.client_named(p_organization bigint, p_name text)
RETURNS bigint
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT c.id
          FROM lims.client c
         WHERE c.organization_id = p_organization
           AND lower(c.name) = lower(p_name)
           AND c.active
         ORDER BY c.id
         LIMIT 1);
END
$$;

CREATE FUNCTION lims.name_of_client(p_organization bigint, p_client bigint)
RETURNS text
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT c.name
          FROM lims.client c
         WHERE c.organization_id = p_organization
           AND c.id = p_client
           AND c.active);
END
$$;

-- The day of collection: derived from the time of collection if that changed. Refuses a
-- contradiction, and a time in the future.
CREATE FUNCTION lims.collection_day_of(
    p_collected_at timestamptz,
    p_was_collected_at timestamptz,
    p_day date,
    p_time_zone text
) RETURNS date
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_day date := p_day;
BEGIN
    IF p_collected_at IS DISTINCT FROM p_was_collected_at
       AND p_collected_at IS NOT NULL THEN
        v_day := (p_collected_at AT TIME ZONE p_time_zone)::date;
    ELSIF v_day IS DISTINCT FROM (p_collected_at AT TIME ZONE p_time_zone)::date
       AND p_collected_at IS NOT NULL THEN
        PERFORM lims.refuse('invalid_body', 'collectionDate contradicts '
            'collectedAt: change or clear collectedAt as well');
    END IF;
    -- Today, with one day of tolerance for time zones.
    IF v_day > (now() AT TIME ZONE 'UTC')::date + 1
       OR p_collected_at > now() + interval '1 day' THEN
        PERFORM lims.refuse('invalid_body', format('%s lies in the future',
            CASE WHEN p_collected_at IS NULL THEN 'collectionDate'
                 ELSE 'collectedAt' END));
    END IF;
    RETURN v_day;
END
$$;

-- Validates a sample's row: references, client, dates, identifiers. An UPDATE is checked
-- only for the columns that it changes, so that a sample can still be worked on after its
-- material type became inactive.
CREATE FUNCTION lims.sample_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
    v_new boolean := TG_OP = 'INSERT';
    v_material boolean := NEW.material_type_id IS DISTINCT FROM OLD.material_type_id;
    v_project boolean := NEW.project_id IS DISTINCT FROM OLD.project_id;
    v_storage boolean := NEW.storage_location_id IS DISTINCT FROM OLD.storage_location_id;
    v_client boolean := v_new OR (NEW.client_name, NEW.client_id)
        IS DISTINCT FROM (OLD.client_name, OLD.client_id);
    v_date boolean := (NEW.collected_at, NEW.collection_date)
        IS DISTINCT FROM (OLD.collected_at, OLD.collection_date);
    v_place boolean := v_project OR NEW.plant_location IS DISTINCT FROM OLD.plant_location;
BEGIN
    IF v_new AND (NEW.status <> 'pending' OR NEW.received_at IS NOT NULL
                  OR NEW.disposition <> 'active') THEN
        PERFORM lims.refuse('invalid_transition',
                            'a new sample is pending, active and not yet received');
    ELSIF (NEW.tracking_id, NEW.sample_identifier, NEW.organization_id, NEW.id)
          <> (OLD.tracking_id, OLD.sample_identifier, OLD.organization_id, OLD.id) THEN
        PERFORM lims.refuse('field_not_patchable',
            'trackingId and sampleIdentifier cannot be changed');
    ELSIF NOT (v_client OR v_project OR v_material OR v_storage OR v_date OR v_place) THEN
        RETURN NEW;
    END IF;

    SELECT o.time_zone, o.tracking_prefix, now() AT TIME ZONE o.time_zone AS local_time,
           m.active AS material_active,
           p.active AS project_active, p.code AS project_code,
           p.composite_sample_identifier AS composite, pc.id AS project_client_id,
           pc.name AS project_client_name, l.active AS storage_active
      INTO v
      FROM lims.organization o
      LEFT JOIN lims.material_type m
        ON m.organization_id = o.id AND m.id = NEW.material_type_id
      LEFT JOIN lims.project p
        ON p.organization_id = o.id AND p.id = NEW.project_id
      LEFT JOIN lims.client pc
        ON pc.organization_id = o.id AND pc.id = p.client_id AND pc.active
      LEFT JOIN lims.storage_location l
        ON l.organization_id = o.id AND l.id = NEW.storage_location_id
     WHERE o.id = NEW.organization_id;

    IF v_material AND NEW.material_type_id IS NOT NULL
       AND v.material_active IS NOT TRUE THEN
        PERFORM lims.refuse('invalid_reference', format(
            'materialTypeId: no active material type %s', NEW.material_type_id));
    ELSIF v_project AND NEW.project_id IS NOT NULL
       AND v.project_active IS NOT TRUE THEN
        PERFORM lims.refuse('invalid_reference', format(
            'projectId: no active project %s', NEW.project_id));
    ELSIF v_storage AND NEW.storage_location_id IS NOT NULL
       AND v.storage_active IS NOT TRUE THEN
        PERFORM lims.refuse('invalid_reference', format(
            'storageLocationId: no active storage location %s',
            NEW.storage_location_id));
    END IF;
    IF v_client AND v_new AND NEW.client_name IS NULL AND NEW.client_id IS NULL THEN
        NEW.client_id := v.project_client_id;
        NEW.client_name := v.project_client_name;
    ELSIF v_client AND NEW.client_name IS NOT NULL
          AND NEW.client_name IS DISTINCT FROM OLD.client_name THEN
        NEW.client_id := lims.client_named(NEW.organization_id, NEW.client_name);
    ELSIF v_client THEN
        NEW.client_name := lims.name_of_client(NEW.organization_id, NEW.client_id);
    END IF;
    IF v_client AND btrim(coalesce(NEW.client_name, '')) = '' THEN
        PERFORM lims.refuse('invalid_body',
            'clientName is required unless the project names an active client');
    END IF;
    IF v_date THEN
        NEW.collection_date := lims.collection_day_of(NEW.collected_at,
            OLD.collected_at, NEW.collection_date, v.time_zone);
    END IF;
    IF v_place AND v.composite AND btrim(coalesce(NEW.plant_location, '')) = '' THEN
        PERFORM lims.refuse('invalid_body', format(
            'plantLocation is required: the sample identifiers of project %s contain it',
            v.project_code));
    END IF;
    IF v_new THEN
        -- The monthly allowance is counted by it.
        IF NEW.created_at <> now() AND NOT lims.is_owner_acting() THEN
            NEW.created_at := now();
        END IF;
        NEW.tracking_id := lims.tracking_id(v.tracking_prefix,
            extract(year FROM v.local_time)::integer, NEW.id);
        NEW.sample_identifier := CASE WHEN v.composite
            THEN lims.composite_identifier(NEW.organization_id, v.project_code,
                NEW.plant_location, coalesce(NEW.collection_date, v.local_time::date))
            ELSE NEW.tracking_id END;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.sample
FOR EACH ROW EXECUTE FUNCTION lims.sample_guard();

-- Refuses a change of material type or project while the sample has verified tests, whose
-- limits it would change; entered ones are judged again (lims.sample_rejudge). Refuses a
-- time of collection after an analysis.
CREATE FUNCTION lims.sample_guard_tests() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_collected timestamptz;
    v_code text;
    v_verified bigint[];
BEGIN
    PERFORM lims.require_read_committed();
    IF (NEW.material_type_id, NEW.project_id)
       IS DISTINCT FROM (OLD.material_type_id, OLD.project_id) THEN
        SELECT array_agg(t.id ORDER BY t.id)
          INTO v_verified
          FROM lims.sample_test t
         WHERE t.organization_id = NEW.organization_id
           AND t.sample_id = NEW.id
           AND t.status = 'verified';
        IF v_verified IS NOT NULL THEN
            PERFORM lims.refuse_for('test_verified_locked', format(
                'sample %s has verified results, judged by its material type and '
                'project: reopen them to change either', NEW.tracking_id),
                json_build_object('testIds', v_verified));
        END IF;
    END IF;
    SELECT coalesce(NEW.collected_at,
                    NEW.collection_date::timestamp AT TIME ZONE o.time_zone)
      INTO v_collected
      FROM lims.organization o
     WHERE o.id = NEW.organization_id;
    SELECT d.code
      INTO v_code
      FROM lims.sample_test t
      JOIN lims.test_definition d
        ON d.organization_id = t.organization_id
       AND d.id = t.test_definition_id
     WHERE t.organization_id = NEW.organization_id
       AND t.sample_id = NEW.id
       AND t.analyzed_at < v_collected
     ORDER BY t.id
     LIMIT 1;
    IF FOUND THEN
        PERFORM lims.refuse('invalid_body', format(
            '%s lies after the analysis of %s',
            CASE WHEN NEW.collected_at IS NULL THEN 'collectionDate'
                 ELSE 'collectedAt' END, v_code));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_tests BEFORE UPDATE ON lims.sample
FOR EACH ROW WHEN ((NEW.material_type_id, NEW.project_id, NEW.collection_date,
    NEW.collected_at) IS DISTINCT FROM (OLD.material_type_id, OLD.project_id,
    OLD.collection_date, OLD.collected_at))
EXECUTE FUNCTION lims.sample_guard_tests();

-- Locks project and material type, so that they are not renamed during the report.
CREATE FUNCTION lims.sample_hold_names() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM FROM lims.material_type m
      WHERE m.organization_id = NEW.organization_id
        AND m.id = NEW.material_type_id
        FOR SHARE;
    PERFORM FROM lims.project p
      WHERE p.organization_id = NEW.organization_id
        AND p.id = NEW.project_id
        FOR SHARE;
    RETURN NEW;
END
$$;

CREATE TRIGGER hold_names BEFORE UPDATE ON lims.sample
FOR EACH ROW WHEN (NEW.status = 'reported' AND OLD.status <> 'reported')
EXECUTE FUNCTION lims.sample_hold_names();

-- Whether the actor may change a sample. A reported one can only be changed while it has
-- an open amendment (158; p_amendment NULL: none), and only by people, not by API keys,
-- files or jobs.
CREATE FUNCTION lims.sample_is_open(p_status text, p_amendment bigint) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN p_status <> 'reported'
        OR (p_amendment IS NOT NULL
            AND lims.acting_person() IS NOT NULL
            AND coalesce(lims.context('surface'), '') NOT IN ('instrument file', 'job'));
END
$$;

-- Refuses work on a sample that is reported, or closed by its disposition.
CREATE FUNCTION lims.refuse_final(p_sample lims.sample) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF p_sample.status = 'reported' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s is reported and final', p_sample.tracking_id));
    ELSIF lims.sample_is_closed(p_sample.status, p_sample.disposition) THEN
        PERFORM lims.refuse_closed(p_sample.tracking_id, p_sample.disposition);
    END IF;
END
$$;

-- Refuses changes of a reported sample, except by its amendment (158), and of a sample
-- that its disposition has closed, except of the disposition (127). Every other change of
-- status is allowed that passes its gates; received_at is set once, and unset only when a
-- receipt is undone (126).
CREATE FUNCTION lims.sample_lock() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_same lims.sample;
    v_slug text;
    v_message text;
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM lims.refuse_final(OLD);
        RETURN OLD;
    ELSIF lims.sample_is_final(OLD.status, OLD.disposition) THEN
        v_same := NEW;
        v_same.disposition := OLD.disposition;
        v_same.disposition_reason := OLD.disposition_reason;
        IF OLD.status = 'reported' AND NEW IS DISTINCT FROM OLD THEN
            PERFORM lims.check_amended(OLD, NEW);
        ELSIF v_same IS DISTINCT FROM OLD THEN
            PERFORM lims.refuse_final(OLD);
        END IF;
        RETURN NEW;
    END IF;

    IF NEW.received_at IS DISTINCT FROM OLD.received_at
       AND NOT (OLD.received_at IS NULL AND NEW.status = 'received'
                AND lims.is_owner_acting())
       AND NOT (NEW.received_at IS NULL AND NEW.status = 'pending') THEN
        PERFORM lims.refuse('invalid_transition', format(
            'receivedAt of sample %s cannot be set: it is the time at which the sample '
            'was received',
            OLD.tracking_id));
    END IF;
    IF NEW.status = OLD.status THEN
        RETURN NEW;
    END IF;

    IF NEW.status = 'received' THEN
        NEW.received_at := coalesce(NEW.received_at, now());
    ELSIF NEW.status = 'reported' THEN
        SELECT b.slug, b.message
          INTO v_slug, v_message
          FROM lims.report_blockers(NEW.organization_id, NEW.id) b
         LIMIT 1;
        NEW.reported_at := now();
    ELSIF NEW.status IN ('completed', 'verified') THEN
        SELECT b.slug, b.message
          INTO v_slug, v_message
          FROM lims.status_blockers(NEW.organization_id, NEW.id, NEW.status) b
         LIMIT 1;
    END IF;
    IF v_slug IS NOT NULL THEN
        PERFORM lims.refuse(v_slug, v_message);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER lock BEFORE UPDATE OR DELETE ON lims.sample
FOR EACH ROW EXECUTE FUNCTION lims.sample_lock();

-- Freezes names, content and its hash with the report, and refuses other changes with it: what
-- is reported is what was approved.
CREATE FUNCTION lims.sample_names() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_same lims.sample;
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.project_name := NULL;
        NEW.material_type_name := NULL;
        NEW.content_hash := NULL;
        NEW.reported_content := NULL;
        NEW.amendment_id := NULL;
        RETURN NEW;
    ELSIF OLD.amendment_id IS NOT NULL THEN
        RETURN lims.amended_names(OLD, NEW);
    END IF;
    NEW.project_name := OLD.project_name;
    NEW.material_type_name := OLD.material_type_name;
    NEW.content_hash := OLD.content_hash;
    NEW.reported_content := OLD.reported_content;
    IF NEW.status = 'reported' AND OLD.status <> 'reported' THEN
        v_same := NEW;
        v_same.status := OLD.status;
        v_same.reported_at := OLD.reported_at;
        v_same.updated_at := OLD.updated_at;
        IF v_same *<> OLD THEN
            PERFORM lims.refuse('invalid_transition', format(
                'sample %s cannot be changed and reported in one step', OLD.tracking_id));
        END IF;
        SELECT m.name
          INTO NEW.material_type_name
          FROM lims.material_type m
         WHERE m.organization_id = NEW.organization_id
           AND m.id = NEW.material_type_id;
        SELECT p.name
          INTO NEW.project_name
          FROM lims.project p
         WHERE p.organization_id = NEW.organization_id
           AND p.id = NEW.project_id;
        NEW.reported_content := lims.release_content(NEW.organization_id, NEW.id);
        NEW.content_hash := lims.digest_of(NEW.reported_content);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER names_insert BEFORE INSERT ON lims.sample
FOR EACH ROW WHEN (NOT ROW(NEW.project_name, NEW.material_type_name,
    NEW.content_hash, NEW.reported_content, NEW.amendment_id) IS NULL)
EXECUTE FUNCTION lims.sample_names();

-- Triggers run in the order of their names: this one after the gates.
CREATE TRIGGER names_update BEFORE UPDATE ON lims.sample
FOR EACH ROW WHEN ((NEW.status = 'reported') <> (OLD.status = 'reported')
    OR OLD.amendment_id IS NOT NULL
    OR (NEW.project_name, NEW.material_type_name, NEW.content_hash, NEW.reported_content)
       IS DISTINCT FROM
       (OLD.project_name, OLD.material_type_name, OLD.content_hash, OLD.reported_content))
EXECUTE FUNCTION lims.sample_names();

SELECT lims.attach_record('sample', '{reported_content}');
