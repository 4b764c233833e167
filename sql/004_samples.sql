-- SPDX-License-Identifier: Apache-2.0
--
-- Samples: their identifiers, who they belong to, their workflow status and
-- the monthly allowance. The gates that a status change has to pass are the
-- blockers of the release migration; the trigger here asks them, so that no
-- surface gets around them.

-- Tracking identifiers -----------------------------------------------------

-- The check character of ISO 7064 MOD 37,36 over digits and capital letters:
-- it finds every single wrong character and almost every transposition.
CREATE FUNCTION lims.check_character(p_text text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    v_alphabet CONSTANT text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
    v_product integer := 36;
    v_sum integer;
BEGIN
    FOR i IN 1 .. length(p_text) LOOP
        v_sum := (v_product + strpos(v_alphabet, substr(p_text, i, 1)) - 1) % 36;
        v_product := (CASE v_sum WHEN 0 THEN 36 ELSE v_sum END * 2) % 37;
    END LOOP;
    RETURN substr(v_alphabet, (37 - v_product) % 36 + 1, 1);
END
$$;

-- <prefix>-<YY>-<seven digits or more>-<check>, as LAB-26-0004217-K: from the
-- sample's own id, so that no writer queues for a counter.
CREATE FUNCTION lims.tracking_id(p_prefix text, p_year integer, p_id bigint)
RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    v_year text := lpad((p_year % 100)::text, 2, '0');
    v_number text := lpad(p_id::text, greatest(7, length(p_id::text)), '0');
BEGIN
    RETURN concat_ws('-', p_prefix, v_year, v_number,
                     lims.check_character(p_prefix || v_year || v_number));
END
$$;

CREATE FUNCTION lims.tracking_id_is_valid(p_text text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$
    SELECT p_text ~ '^[A-Z0-9]{1,8}-[0-9]{2}-[0-9]{7,16}-[0-9A-Z]$'
       AND lims.check_character(
               replace(left(p_text, -2), '-', '')) = right(p_text, 1)
$$;

-- Samples ------------------------------------------------------------------

CREATE SEQUENCE lims.sample_id_seq;

CREATE TABLE lims.sample (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.sample_id_seq'),
    tracking_id text NOT NULL CHECK (length(tracking_id) <= 64),
    sample_identifier text NOT NULL CHECK (length(sample_identifier) <= 400),
    external_id text CHECK (length(external_id) BETWEEN 1 AND 255),
    client_id bigint,
    client_name text NOT NULL CHECK (length(client_name) BETWEEN 1 AND 255),
    material_type_id bigint NOT NULL,
    project_id bigint,
    collection_date date,
    collected_at timestamptz,
    received_at timestamptz,
    priority text NOT NULL DEFAULT 'routine'
        CHECK (priority IN ('routine', 'rush', 'stat')),
    status text NOT NULL DEFAULT 'pending' CHECK (status IN (
        'pending', 'received', 'processing', 'completed', 'verified',
        'reported')),
    notes text CHECK (length(notes) <= 4000),
    plant_location text CHECK (length(plant_location) BETWEEN 1 AND 255),
    storage_location_id bigint,
    reported_at timestamptz,
    created_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT sample_tracking_id UNIQUE (organization_id, tracking_id),
    CONSTRAINT sample_identifier UNIQUE (organization_id, sample_identifier),
    CONSTRAINT sample_client FOREIGN KEY (organization_id, client_id)
        REFERENCES lims.client (organization_id, id),
    CONSTRAINT sample_material_type
        FOREIGN KEY (organization_id, material_type_id)
        REFERENCES lims.material_type (organization_id, id),
    CONSTRAINT sample_project FOREIGN KEY (organization_id, project_id)
        REFERENCES lims.project (organization_id, id),
    CONSTRAINT sample_storage_location
        FOREIGN KEY (organization_id, storage_location_id)
        REFERENCES lims.storage_location (organization_id, id),
    CONSTRAINT sample_created_by FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id),
    CHECK ((status = 'reported') = (reported_at IS NOT NULL))
);

-- The filters of the list, each in order of the cursor where it is equality.
CREATE UNIQUE INDEX sample_external_id
    ON lims.sample (organization_id, external_id)
 WHERE external_id IS NOT NULL;
CREATE INDEX sample_status ON lims.sample (organization_id, status, id);
CREATE INDEX sample_material_type_id
    ON lims.sample (organization_id, material_type_id, id);
CREATE INDEX sample_project_id ON lims.sample (organization_id, project_id, id);
CREATE INDEX sample_client_id ON lims.sample (organization_id, client_id, id);
CREATE INDEX sample_received_at ON lims.sample (organization_id, received_at, id);
CREATE INDEX sample_updated_at ON lims.sample (organization_id, updated_at, id);
CREATE INDEX sample_created_at ON lims.sample (organization_id, created_at);

-- The last number given for a composite identifier's stem. Only projects that
-- ask for such identifiers have their writers meet here.
CREATE TABLE lims.sample_identifier_counter (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    stem text NOT NULL CHECK (length(stem) <= 400),
    last_number bigint NOT NULL,
    PRIMARY KEY (organization_id, stem)
);

CREATE FUNCTION lims.composite_identifier(
    p_organization bigint,
    p_project_code text,
    p_plant_location text,
    p_date date
) RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
    v_stem text := concat_ws('-', p_project_code, p_plant_location,
                             to_char(p_date, 'YYYYMMDD'));
    v_number bigint;
BEGIN
    INSERT INTO lims.sample_identifier_counter AS c
           (organization_id, stem, last_number)
    VALUES (p_organization, v_stem, 1)
        ON CONFLICT (organization_id, stem)
        DO UPDATE SET last_number = c.last_number + 1
    RETURNING c.last_number INTO v_number;
    RETURN v_stem || '-' || v_number;
END
$$;

-- What a sample's row has to say before it is stored: references that are the
-- organization's and in use, the client behind the name, dates, identifiers.
-- An UPDATE judges only the columns that it changes, so that a sample whose
-- material type was retired since can still be worked on.
CREATE FUNCTION lims.sample_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
    v_new boolean := TG_OP = 'INSERT';
    v_project boolean := TG_OP = 'INSERT';
    v_client boolean := TG_OP = 'INSERT';
    v_date boolean := TG_OP = 'INSERT';
    v_place boolean := TG_OP = 'INSERT';
    v_material boolean := TG_OP = 'INSERT';
    v_storage boolean := TG_OP = 'INSERT';
BEGIN
    IF NOT v_new THEN
        v_project := NEW.project_id IS DISTINCT FROM OLD.project_id;
        v_material := NEW.material_type_id IS DISTINCT FROM OLD.material_type_id;
        v_storage := NEW.storage_location_id
                     IS DISTINCT FROM OLD.storage_location_id;
        v_client := NEW.client_name IS DISTINCT FROM OLD.client_name
                    OR NEW.client_id IS DISTINCT FROM OLD.client_id;
        v_date := NEW.collected_at IS DISTINCT FROM OLD.collected_at
                  OR NEW.collection_date IS DISTINCT FROM OLD.collection_date;
        v_place := v_project OR NEW.plant_location IS DISTINCT FROM OLD.plant_location;
        IF (NEW.tracking_id, NEW.sample_identifier, NEW.organization_id, NEW.id)
           <> (OLD.tracking_id, OLD.sample_identifier, OLD.organization_id, OLD.id)
        THEN
            PERFORM lims.refuse('field_not_patchable',
                'trackingId and sampleIdentifier are assigned once');
        END IF;
        IF NOT (v_project OR v_material OR v_storage OR v_client OR v_date
                OR v_place) THEN
            RETURN NEW;
        END IF;
    ELSIF NEW.status <> 'pending' OR NEW.received_at IS NOT NULL THEN
        PERFORM lims.refuse('invalid_transition',
                            'a new sample is pending and not yet received');
    END IF;

    SELECT o.time_zone, o.tracking_prefix,
           m.active AS material_active,
           p.active AS project_active, p.code AS project_code,
           p.composite_sample_identifier AS composite,
           pc.id AS project_client_id, pc.name AS project_client_name,
           l.active AS storage_active
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

    IF v_material AND v.material_active IS NOT TRUE
       AND NEW.material_type_id IS NOT NULL THEN
        PERFORM lims.refuse('invalid_reference', format(
            'materialTypeId: no active material type %s', NEW.material_type_id));
    END IF;
    IF v_project AND NEW.project_id IS NOT NULL
       AND v.project_active IS NOT TRUE THEN
        PERFORM lims.refuse('invalid_reference', format(
            'projectId: no active project %s', NEW.project_id));
    END IF;
    IF v_storage AND NEW.storage_location_id IS NOT NULL
       AND v.storage_active IS NOT TRUE THEN
        PERFORM lims.refuse('invalid_reference', format(
            'storageLocationId: no active storage location %s',
            NEW.storage_location_id));
    END IF;

    IF v_client THEN
        IF v_new AND NEW.client_name IS NULL AND NEW.client_id IS NULL THEN
            NEW.client_id := v.project_client_id;
            NEW.client_name := v.project_client_name;
        ELSIF NEW.client_name IS NOT NULL
              AND (v_new OR NEW.client_name IS DISTINCT FROM OLD.client_name) THEN
            NEW.client_id := lims.client_named(NEW.organization_id, NEW.client_name);
        ELSE
            SELECT c.name
              INTO NEW.client_name
              FROM lims.client c
             WHERE c.organization_id = NEW.organization_id
               AND c.id = NEW.client_id
               AND c.active;
        END IF;
        IF NEW.client_name IS NULL OR btrim(NEW.client_name) = '' THEN
            PERFORM lims.refuse('invalid_body',
                'clientName is required unless the project names an active '
                'client');
        END IF;
    END IF;

    IF v_date THEN
        IF NEW.collected_at IS NOT NULL
           AND (v_new OR NEW.collected_at IS DISTINCT FROM OLD.collected_at) THEN
            NEW.collection_date :=
                (NEW.collected_at AT TIME ZONE v.time_zone)::date;
        ELSIF NEW.collected_at IS NOT NULL AND NEW.collection_date IS DISTINCT FROM
              (NEW.collected_at AT TIME ZONE v.time_zone)::date THEN
            PERFORM lims.refuse('invalid_body', 'collectionDate contradicts '
                'collectedAt: change or clear collectedAt as well');
        END IF;
        -- A day of grace: somewhere it is tomorrow already.
        IF NEW.collection_date > (now() AT TIME ZONE 'UTC')::date + 1
           OR NEW.collected_at > now() + interval '1 day' THEN
            PERFORM lims.refuse('invalid_body', format(
                '%s lies in the future',
                CASE WHEN NEW.collected_at IS NULL THEN 'collectionDate'
                     ELSE 'collectedAt' END));
        END IF;
    END IF;

    IF v_place AND v.composite AND btrim(coalesce(NEW.plant_location, '')) = '' THEN
        PERFORM lims.refuse('invalid_body', format(
            'plantLocation is required: project %s makes composite sample '
            'identifiers', v.project_code));
    END IF;

    IF v_new THEN
        -- The allowance counts by it.
        IF NEW.created_at <> now() AND NOT lims.is_owner_acting() THEN
            NEW.created_at := now();
        END IF;
        NEW.tracking_id := lims.tracking_id(v.tracking_prefix,
            extract(year FROM now() AT TIME ZONE v.time_zone)::integer, NEW.id);
        NEW.sample_identifier := CASE WHEN v.composite
            THEN lims.composite_identifier(NEW.organization_id, v.project_code,
                NEW.plant_location, coalesce(NEW.collection_date,
                    (now() AT TIME ZONE v.time_zone)::date))
            ELSE NEW.tracking_id END;
    END IF;
    RETURN NEW;
END
$$;

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

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.sample
FOR EACH ROW EXECUTE FUNCTION lims.sample_guard();

-- When a sample was taken: the exact time where it is known, else the beginning
-- of its day in the organization's time zone.
CREATE FUNCTION lims.collection_moment(p_organization bigint, p_sample bigint)
RETURNS timestamptz
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(s.collected_at,
                   s.collection_date::timestamp AT TIME ZONE o.time_zone)
          FROM lims.sample s
          JOIN lims.organization o
            ON o.id = s.organization_id
         WHERE s.organization_id = p_organization
           AND s.id = p_sample);
END
$$;

-- Status -------------------------------------------------------------------

-- A reported sample is final. Among the other five every move is allowed that
-- passes its gates; received_at is stamped once.
CREATE FUNCTION lims.sample_lock() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_slug text;
    v_message text;
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.status = 'reported' THEN
            PERFORM lims.refuse('invalid_transition', format(
                'sample %s is reported and final', OLD.tracking_id));
        END IF;
        RETURN OLD;
    END IF;

    IF OLD.status = 'reported' THEN
        IF NEW IS DISTINCT FROM OLD THEN
            PERFORM lims.refuse('invalid_transition', format(
                'sample %s is reported and final', OLD.tracking_id));
        END IF;
        RETURN NEW;
    END IF;

    IF NEW.received_at IS DISTINCT FROM OLD.received_at
       AND NOT (OLD.received_at IS NULL AND NEW.status = 'received'
                AND lims.is_owner_acting()) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'receiving stamps receivedAt of sample %s, once: it is not set',
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

SELECT lims.attach_record('sample');

-- Monthly allowance --------------------------------------------------------

-- One row per organization and UTC month, made when the first sample of an
-- organization that has an allowance is registered in it. The UPDATE's row
-- lock is what makes parallel registrations count exactly.
CREATE TABLE lims.sample_allowance (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    month date NOT NULL,
    used bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (organization_id, month)
);

CREATE FUNCTION lims.sample_count() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_month CONSTANT date :=
        date_trunc('month', now() AT TIME ZONE 'UTC')::date;
    v_new record;
    v_used bigint;
BEGIN
    FOR v_new IN
        SELECT o.id, o.monthly_sample_allowance AS allowance, c.samples
          FROM (SELECT n.organization_id, count(*) AS samples
                  FROM new_rows n
                 GROUP BY n.organization_id) c
          JOIN lims.organization o ON o.id = c.organization_id
         WHERE o.monthly_sample_allowance IS NOT NULL
         ORDER BY o.id
    LOOP
        UPDATE lims.sample_allowance a
           SET used = a.used + v_new.samples
         WHERE a.organization_id = v_new.id
           AND a.month = v_month
        RETURNING a.used INTO v_used;
        IF NOT FOUND THEN
            -- The count takes in this statement's own samples; whoever made
            -- the row meanwhile had counted only their own.
            INSERT INTO lims.sample_allowance AS a
                   (organization_id, month, used)
            SELECT v_new.id, v_month, count(*)
              FROM lims.sample s
             WHERE s.organization_id = v_new.id
               AND s.created_at >= v_month::timestamp AT TIME ZONE 'UTC'
                ON CONFLICT (organization_id, month)
                DO UPDATE SET used = a.used + v_new.samples
            RETURNING a.used INTO v_used;
        END IF;
        IF v_used > v_new.allowance THEN
            PERFORM lims.refuse('SAMPLE_LIMIT_EXCEEDED', format(
                'the plan allows %s samples a month, and they are used up until '
                '%s (UTC)', v_new.allowance,
                (v_month + interval '1 month')::date));
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER count_allowance AFTER INSERT ON lims.sample
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.sample_count();

-- While there was no allowance nobody counted, so counting begins afresh.
CREATE FUNCTION lims.organization_recount() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    DELETE FROM lims.sample_allowance a
     WHERE a.organization_id = NEW.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER recount AFTER UPDATE ON lims.organization
FOR EACH ROW WHEN (OLD.monthly_sample_allowance IS NULL
    AND NEW.monthly_sample_allowance IS NOT NULL)
EXECUTE FUNCTION lims.organization_recount();
