-- SPDX-License-Identifier: Apache-2.0
--
-- Samples: what they are, how they are called and when they were taken.

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

-- Triggers of lims.sample, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list. A function without
-- a file is in 122 (BEFORE) or 123 (AFTER).
--
-- BEFORE INSERT
--   1 guard             fills in client and identifiers; refuses references that are not
--                       active
--   2 names_insert      clears the columns of frozen names, whatever was written
--   3 order_insert      refuses a client that is not the order's, once it is known (1)
--                       (125)
--
-- BEFORE UPDATE
--   1 disposition       lets the disposition change alone, with a reason and the
--                       permission (127)
--   2 guard             as at INSERT, of the columns that change; before material type and
--                       project are compared (3)
--   3 guard_tests       refuses changes on which verified results depend
--   4 hold_names        locks project and material type when it becomes reported, before
--                       the gates (6)
--   5 identity          refuses to change id, organization or created_at
--   6 lock              refuses changes of a reported or cancelled sample, except its
--                       disposition and amendment; a new status passes its gates
--   7 lock_reason       asks for a reason of a received sample's changes, where the policy
--                       requires one (154); after the lock (6)
--   8 names_update      copies names and content when it becomes reported, and names that
--                       an amendment changes; after the gates (6)
--   9 order_update      refuses to change the order; refuses a client that is not the
--                       order's (125)
--  10 permit_report     refuses users who may not report (105)
--  11 receipt           sets who received it and when it is due, once its time is set (6);
--                       refuses to undo a receipt of another day, or with results, and to
--                       change findings of one that is completed and not amended, or without
--                       a reason where the policy asks for one (126)
--  12 shelve            removes its tests from the worklist when it is closed (138), while
--                       they can still be changed
--  13 touch             sets updated_at, last, when all other columns are final
--
-- BEFORE DELETE
--   1 lock              refuses to delete a reported sample
--
-- AFTER INSERT
--   1 audit_insert      writes the audit trail; a later refusal rolls it back
--   2 count_allowance   counts the samples of the month; refuses more than the allowance
--   3 events_insert     writes sample.created to the outbox
--   4 mark_insert       marks it dirty (121)
--
-- AFTER UPDATE
--   1 rejudge           judges its results again, by the limits of the new material type
--                       or project
--   2 reschedule        computes holding times and urgency of its tests again, where
--                       collection, disposition or priority changed; forgets the cached
--                       state of one that was closed (138)
--   3 audit_update      writes the audit trail, as at INSERT
--   4 completed         requests approvals of a sample that became completed
--   5 events_update     writes sample.received and sample.reported to the outbox
--   6 mark_update       marks it dirty, where its time of collection, its disposition or
--                       its amendment changed, or it was reported (121)
--   7 reapprove_update  requests approvals again where content that was approved changed
--
-- AFTER DELETE
--   1 audit_delete      writes the audit trail, as at INSERT

CREATE SEQUENCE lims.sample_id_seq;

CREATE TABLE lims.sample (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.sample_id_seq'),
    -- Collated by bytes, so that their unique indexes serve a search by the beginning of
    -- a text.
    tracking_id text COLLATE "C" NOT NULL CHECK (length(tracking_id) <= 64),
    sample_identifier text COLLATE "C" NOT NULL CHECK (length(sample_identifier) <= 400),
    external_id text COLLATE "C" CHECK (length(external_id) BETWEEN 1 AND 255),
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
    plant_location text CHECK (length(plant_location) BETWEEN 1 AND 64),
    storage_location_id bigint,
    reported_at timestamptz,
    -- The names at the time of the report; NULL before.
    project_name text,
    material_type_name text,
    -- Hash of the reported content (lims.release_content), equal to the approved one.
    content_hash bytea CHECK (length(content_hash) = 32),
    -- That content, which its first certificate prints.
    reported_content jsonb,
    -- The open amendment of a reported sample (158), kept by its triggers: with the row
    -- that every change locks, so that changing and closing it exclude each other.
    amendment_id bigint,
    order_id bigint,
    due_date date,
    -- Findings at receipt, and who received it; the temperature is in degrees Celsius.
    received_by bigint,
    receipt_temperature numeric CHECK (receipt_temperature BETWEEN -273.15 AND 1000),
    receipt_condition text CHECK (length(receipt_condition) BETWEEN 1 AND 255),
    receipt_containers integer CHECK (receipt_containers BETWEEN 0 AND 10000),
    receipt_deviations text CHECK (length(receipt_deviations) BETWEEN 1 AND 2000),
    -- Disposition of the sample, beside the six statuses of its way through the
    -- laboratory.
    disposition text NOT NULL DEFAULT 'active' CHECK (disposition IN (
        'active', 'on_hold', 'cancelled', 'rejected', 'disposed')),
    disposition_reason text CHECK (length(disposition_reason) BETWEEN 1 AND 1000),
    -- Whether the notes are printed on the certificate.
    note_on_report boolean NOT NULL DEFAULT false,
    created_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT sample_tracking_id UNIQUE (organization_id, tracking_id),
    CONSTRAINT sample_identifier UNIQUE (organization_id, sample_identifier),
    CONSTRAINT sample_client_id FOREIGN KEY (organization_id, client_id)
        REFERENCES lims.client (organization_id, id),
    CONSTRAINT sample_material_type_id
        FOREIGN KEY (organization_id, material_type_id)
        REFERENCES lims.material_type (organization_id, id),
    CONSTRAINT sample_project_id FOREIGN KEY (organization_id, project_id)
        REFERENCES lims.project (organization_id, id),
    CONSTRAINT sample_order_id FOREIGN KEY (organization_id, order_id)
        REFERENCES lims.sample_order (organization_id, id),
    CONSTRAINT sample_storage_location_id
        FOREIGN KEY (organization_id, storage_location_id)
        REFERENCES lims.storage_location (organization_id, id),
    CONSTRAINT sample_received_by FOREIGN KEY (organization_id, received_by)
        REFERENCES lims.user_account (organization_id, id),
    CONSTRAINT sample_created_by FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id),
    CHECK ((status = 'reported') = (reported_at IS NOT NULL)),
    CHECK ((disposition = 'active') = (disposition_reason IS NULL))
);

-- Covering index for the filters of the list of samples, in order of its cursor: filters
-- that hardly any sample passes together, or none until far down the list, are evaluated
-- in the index alone. (No change of a sample is HOT, since each changes updated_at.)
CREATE INDEX sample_filters ON lims.sample (organization_id, id)
INCLUDE (status, disposition, priority, material_type_id, project_id, client_id, order_id,
         due_date, received_at, created_at, updated_at);

-- Indexes for single filters; those for equality continue in the order of the cursor.
CREATE UNIQUE INDEX sample_external_id
    ON lims.sample (organization_id, external_id)
 WHERE external_id IS NOT NULL;

-- (By status they are counted, with what lists of people nearly always ask besides.)
CREATE INDEX sample_status ON lims.sample (organization_id, status, id)
INCLUDE (disposition, priority);

CREATE INDEX sample_material_type_id
    ON lims.sample (organization_id, material_type_id, id);

CREATE INDEX sample_project_id ON lims.sample (organization_id, project_id, id);

CREATE INDEX sample_client_id ON lims.sample (organization_id, client_id, id);

CREATE INDEX sample_storage_location_id
    ON lims.sample (organization_id, storage_location_id)
 WHERE storage_location_id IS NOT NULL;

CREATE INDEX sample_received_at ON lims.sample (organization_id, received_at, id);

-- Serves the turnaround of a period.
CREATE INDEX sample_reported_at ON lims.sample (organization_id, reported_at, id)
 WHERE reported_at IS NOT NULL;

CREATE INDEX sample_updated_at ON lims.sample (organization_id, updated_at, id);

CREATE INDEX sample_order_id ON lims.sample (organization_id, order_id, id)
 WHERE order_id IS NOT NULL;

CREATE INDEX sample_due_date ON lims.sample (organization_id, due_date, id)
 WHERE due_date IS NOT NULL;

CREATE INDEX sample_disposition ON lims.sample (organization_id, disposition, id)
 WHERE disposition <> 'active';

-- Index for reported samples that are being amended.
CREATE INDEX sample_amendment ON lims.sample (organization_id, id)
 WHERE amendment_id IS NOT NULL;

CREATE INDEX sample_created_at ON lims.sample (organization_id, created_at);

CREATE INDEX sample_priority ON lims.sample (organization_id, priority, id)
 WHERE priority <> 'routine';

-- Extended statistics (most common combinations of values): from the selectivity of each
-- column alone the planner would expect combinations that hardly occur, and search all
-- samples for them.
CREATE STATISTICS lims.sample_states (mcv)
    ON status, priority, disposition FROM lims.sample;

-- Composite identifiers ----------------------------------------------------

-- The last number used for the stem of a composite identifier. Only writers of projects
-- with such identifiers wait for each other here.
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

-- Time of collection -------------------------------------------------------

-- The time of collection: exact if known, else the beginning of the day of collection in
-- the organization's time zone.
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

-- Returns the end of a test's holding time; NULL: it has none, or the time of collection
-- is unknown.
CREATE FUNCTION lims.holding_end(
    p_collected_at timestamptz,
    p_collection_date date,
    p_time_zone text,
    p_hours numeric
) RETURNS timestamptz
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT coalesce(p_collected_at,
                    p_collection_date::timestamp AT TIME ZONE p_time_zone)
               + p_hours::double precision * interval '1 hour'
$$;

-- Returns the rank of a sample's tests in the worklist, 1 being the most urgent; NULL:
-- the sample was cancelled or rejected.
CREATE FUNCTION lims.work_priority(p_disposition text, p_priority text)
RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN p_disposition IN ('active', 'on_hold')
                THEN array_position(ARRAY['stat', 'rush', 'routine'], p_priority)::smallint
           END
$$;

-- Returns the day of a time of collection in the laboratory's time zone.
CREATE FUNCTION lims.collection_day(p_organization bigint, p_time timestamptz)
RETURNS date
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT (p_time AT TIME ZONE o.time_zone)::date
          FROM lims.organization o
         WHERE o.id = p_organization);
END
$$;
