-- SPDX-License-Identifier: Apache-2.0
--
-- Reagent and media lots, with the media's own tests.
--
-- A status that decides a release gate cannot be written: triggers derive it from the
-- evidence, whoever writes.

-- Reagent lots -------------------------------------------------------------

-- Triggers of lims.reagent_lot, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 opened        computes the day on which the lot was opened (116)
--   2 quarantine    asks for the reason of a quarantine, and records it; counts it (116)
--
-- BEFORE UPDATE
--   1 identity      refuses to change id, organization or created_at
--   2 leave         asks for lot.release and a reason to end quarantine or failure (116)
--   3 opened        computes the day on which the lot was opened (116)
--   4 quarantine    asks for the reason of a quarantine, and records it; counts it (116)
--   5 touch         sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail, as at INSERT
--   2 mark_update   marks the samples tested with it dirty (116)
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.reagent_lot_id_seq;

CREATE TABLE lims.reagent_lot (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.reagent_lot_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    lot_number text NOT NULL CHECK (length(lot_number) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    supplier text CHECK (length(supplier) <= 255),
    -- Days, in the organization's time zone; the last on which the lot may be used is the
    -- earlier end. opened_at is known where the lot was opened here (116).
    expires_on date,
    opened_on date,
    opened_at timestamptz,
    use_days_after_opening integer CHECK (use_days_after_opening BETWEEN 1 AND 3650),
    usable_until date GENERATED ALWAYS AS (
        least(expires_on, opened_on + use_days_after_opening)) STORED,
    qc_status text NOT NULL DEFAULT 'pending'
        CHECK (qc_status IN ('pending', 'passed', 'failed', 'quarantined')),
    quarantine_reason text CHECK (length(quarantine_reason) BETWEEN 1 AND 1000),
    -- How often the lot was quarantined or failed: an override (149) is for one of these times.
    times_unreleased integer NOT NULL DEFAULT 0,
    notes text CHECK (length(notes) <= 4000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT reagent_lot_code UNIQUE (organization_id, code)
);

CREATE INDEX reagent_lot_number ON lims.reagent_lot (organization_id, lot_number);

SELECT lims.attach_record('reagent_lot');

-- Media lots ---------------------------------------------------------------

-- Triggers of lims.media_lot, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 judge         computes the statuses from the lot's quality control tests
--   2 opened        computes the day on which the lot was opened (116)
--   3 quarantine    asks for the reason of a quarantine, and records it; counts it (116)
--
-- BEFORE UPDATE
--   1 identity      refuses to change id, organization or created_at
--   2 judge         computes the statuses from the lot's quality control tests
--   3 leave         asks for lot.release and a reason to end quarantine (116)
--   4 opened        computes the day on which the lot was opened (116)
--   5 quarantine    asks for the reason of a quarantine, and records it; counts it (116)
--   6 touch         sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail, as at INSERT
--   2 mark_update   marks the samples tested on it dirty
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.media_lot_id_seq;

CREATE TABLE lims.media_lot (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.media_lot_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    lot_number text NOT NULL CHECK (length(lot_number) BETWEEN 1 AND 64),
    medium text NOT NULL CHECK (length(medium) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    supplier text CHECK (length(supplier) <= 255),
    prepared_on date,
    expires_on date,
    opened_on date,
    opened_at timestamptz,
    use_days_after_opening integer CHECK (use_days_after_opening BETWEEN 1 AND 3650),
    usable_until date GENERATED ALWAYS AS (
        least(expires_on, opened_on + use_days_after_opening)) STORED,
    -- Derived from media_qc_test; a person may only quarantine the lot.
    growth_promotion_status text NOT NULL DEFAULT 'pending'
        CHECK (growth_promotion_status IN ('pending', 'passed', 'failed')),
    sterility_status text NOT NULL DEFAULT 'pending'
        CHECK (sterility_status IN ('pending', 'passed', 'failed')),
    qc_status text NOT NULL DEFAULT 'pending'
        CHECK (qc_status IN ('pending', 'passed', 'failed', 'quarantined')),
    quarantine_reason text CHECK (length(quarantine_reason) BETWEEN 1 AND 1000),
    -- How often the lot was quarantined or failed: an override (149) is for one of these times.
    times_unreleased integer NOT NULL DEFAULT 0,
    notes text CHECK (length(notes) <= 4000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT media_lot_code UNIQUE (organization_id, code)
);

CREATE INDEX media_lot_number ON lims.media_lot (organization_id, lot_number);

-- Triggers of lims.media_qc_test, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard                 refuses a date in the future
--   2 leave                 asks for lot.release and a reason after a failed test (116)
--
-- BEFORE UPDATE
--   1 append_only_change    refuses every change
--   2 identity              refuses to change id, organization or created_at
--
-- BEFORE DELETE
--   1 append_only_change    refuses every deletion
--
-- BEFORE TRUNCATE
--   1 append_only_truncate  refuses to empty the table
--
-- AFTER INSERT
--   1 audit_insert          writes the audit trail; a later refusal rolls
--                           it back
--   2 judge_lot             updates the lots, so that their statuses are computed again
--
-- AFTER UPDATE
--   1 audit_update          writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete          writes the audit trail, as at INSERT

CREATE SEQUENCE lims.media_qc_test_id_seq;

CREATE TABLE lims.media_qc_test (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.media_qc_test_id_seq'),
    media_lot_id bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN (
        'growth_promotion', 'sterility', 'inhibition', 'indication')),
    organism text CHECK (length(organism) BETWEEN 1 AND 255),
    inoculum_cfu numeric
        CHECK (inoculum_cfu >= 0 AND inoculum_cfu < 'Infinity'),
    recovery_percent numeric
        CHECK (recovery_percent >= 0 AND recovery_percent < 'Infinity'),
    outcome text NOT NULL CHECK (outcome IN ('passed', 'failed')),
    performed_on date NOT NULL,
    performed_by bigint DEFAULT lims.context_id('user_id'),
    notes text CHECK (length(notes) <= 4000),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, media_lot_id)
        REFERENCES lims.media_lot (organization_id, id),
    FOREIGN KEY (organization_id, performed_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX media_qc_test_lot
    ON lims.media_qc_test (organization_id, media_lot_id, kind);

-- 'failed' if the latest test of any organism failed, 'pending' without tests.
-- A passed requalification of the same kind and organism takes the place of
-- the failure before it; one of another organism does not.
CREATE FUNCTION lims.media_test_status(
    p_organization bigint,
    p_media_lot bigint,
    p_sterility boolean
) RETURNS text
LANGUAGE sql STABLE
AS $$
    SELECT CASE
               WHEN count(*) = 0 THEN 'pending'
               WHEN bool_or(l.outcome = 'failed') THEN 'failed'
               ELSE 'passed'
           END
      FROM (SELECT DISTINCT ON (t.kind, lower(btrim(t.organism))) t.outcome
              FROM lims.media_qc_test t
             WHERE t.organization_id = p_organization
               AND t.media_lot_id = p_media_lot
               AND (t.kind = 'sterility') = p_sterility
             ORDER BY t.kind, lower(btrim(t.organism)),
                      t.performed_on DESC, t.id DESC) l
$$;

CREATE FUNCTION lims.media_lot_judge() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    NEW.growth_promotion_status :=
        lims.media_test_status(NEW.organization_id, NEW.id, false);
    NEW.sterility_status :=
        lims.media_test_status(NEW.organization_id, NEW.id, true);
    IF NEW.qc_status <> 'quarantined' THEN
        NEW.qc_status := CASE
            WHEN 'failed' IN (NEW.growth_promotion_status, NEW.sterility_status)
            THEN 'failed'
            WHEN 'pending' IN (NEW.growth_promotion_status, NEW.sterility_status)
            THEN 'pending'
            ELSE 'passed'
        END;
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER judge BEFORE INSERT OR UPDATE ON lims.media_lot
FOR EACH ROW EXECUTE FUNCTION lims.media_lot_judge();

-- Names the tests that a media lot failed; NULL: none. Stable, as concat_ws() is: only so it
-- becomes a part of the statement that asks.
CREATE FUNCTION lims.failed_media_tests(p_growth_promotion text, p_sterility text)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT nullif(concat_ws(' and ',
               CASE WHEN p_growth_promotion = 'failed' THEN 'growth promotion' END,
               CASE WHEN p_sterility = 'failed' THEN 'sterility' END), '')
$$;

CREATE FUNCTION lims.mark_samples_of_media_lots() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.sample_dirty (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM (SELECT n.organization_id, n.id,
                   (n.growth_promotion_status, n.sterility_status, n.qc_status,
                    n.times_unreleased)
                   <> (o.growth_promotion_status, o.sterility_status, o.qc_status,
                       o.times_unreleased)
                       AS has_changed
              FROM new_rows n
              FULL JOIN old_rows o
                ON o.organization_id = n.organization_id
               AND o.id = n.id
            OFFSET 0) m
      JOIN lims.lot_use t
        ON t.organization_id = m.organization_id
       AND t.media_lot_id = m.id
     WHERE m.has_changed;
    RETURN NULL;
END
$$;

CREATE TRIGGER mark_update AFTER UPDATE ON lims.media_lot
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples_of_media_lots();

SELECT lims.attach_record('media_lot');

-- Updates the lots of new quality control tests, so that the lots' trigger computes their
-- statuses. Each test that failed is counted, also of a lot that had failed or was in
-- quarantine already.
CREATE FUNCTION lims.media_qc_test_changed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE lims.media_lot l
       SET qc_status = l.qc_status,
           times_unreleased = l.times_unreleased + c.failures
      FROM (SELECT r.organization_id, r.media_lot_id,
                   count(*) FILTER (WHERE r.outcome = 'failed') AS failures
              FROM changed_rows r
             GROUP BY r.organization_id, r.media_lot_id) c
     WHERE l.organization_id = c.organization_id
       AND l.id = c.media_lot_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER judge_lot AFTER INSERT ON lims.media_qc_test
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.media_qc_test_changed();

-- Refuses a date in the future: such a test would remain the latest, whatever is found
-- afterwards.
CREATE FUNCTION lims.media_qc_test_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.performed_on > (
        SELECT (now() AT TIME ZONE o.time_zone)::date
          FROM lims.organization o
         WHERE o.id = NEW.organization_id
    ) THEN
        PERFORM lims.refuse('invalid_body', 'performedOn lies in the future');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT ON lims.media_qc_test
FOR EACH ROW EXECUTE FUNCTION lims.media_qc_test_guard();

SELECT lims.attach_append_only('media_qc_test');

SELECT lims.attach_audit('media_qc_test');
