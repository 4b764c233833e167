-- SPDX-License-Identifier: Apache-2.0
--
-- Instruments, the profiles by which their files are read, and the files.

CREATE SEQUENCE lims.instrument_id_seq;

CREATE TABLE lims.instrument (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.instrument_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    manufacturer text CHECK (length(manufacturer) <= 255),
    model text CHECK (length(model) <= 255),
    serial_number text CHECK (length(serial_number) <= 255),
    storage_location_id bigint,
    -- The day by which it is to be calibrated again.
    calibration_due date,
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT instrument_code UNIQUE (organization_id, code),
    FOREIGN KEY (organization_id, storage_location_id)
        REFERENCES lims.storage_location (organization_id, id)
);

SELECT lims.attach_record('instrument');

-- QC batches and the series of their controls, which come before instruments, refer to them.
ALTER TABLE lims.qc_batch
    ADD CONSTRAINT qc_batch_instrument_id FOREIGN KEY (organization_id, instrument_id)
        REFERENCES lims.instrument (organization_id, id);

ALTER TABLE lims.qc_series
    ADD CONSTRAINT qc_series_instrument_id FOREIGN KEY (organization_id, instrument_id)
        REFERENCES lims.instrument (organization_id, id);

CREATE SEQUENCE lims.instrument_profile_id_seq;

-- The declaration by which files are read. A version that has been active does not change,
-- so that a file can be read again in the same way.
CREATE TABLE lims.instrument_profile (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.instrument_profile_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    version integer NOT NULL DEFAULT 1 CHECK (version > 0),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    instrument_id bigint,
    definition jsonb NOT NULL CHECK (jsonb_typeof(definition) = 'object'),
    -- Identifies the version in the caches of the service's processes. Its id does not: a
    -- process may serve several databases, or one that was restored to an earlier time.
    cache_key uuid NOT NULL DEFAULT gen_random_uuid(),
    status text NOT NULL DEFAULT 'draft'
        CHECK (status IN ('draft', 'active', 'retired')),
    created_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT instrument_profile_code UNIQUE (organization_id, code, version),
    FOREIGN KEY (organization_id, instrument_id)
        REFERENCES lims.instrument (organization_id, id),
    FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE UNIQUE INDEX instrument_profile_active
    ON lims.instrument_profile (organization_id, code)
 WHERE status = 'active';

CREATE FUNCTION lims.instrument_profile_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF OLD.status <> 'draft'
       AND ((NEW.code, NEW.version, NEW.definition, NEW.cache_key)
            IS DISTINCT FROM (OLD.code, OLD.version, OLD.definition, OLD.cache_key)
            OR NEW.status = 'draft') THEN
        PERFORM lims.refuse('invalid_transition', format(
            'profile %s version %s is in use: create a new version', OLD.code,
            OLD.version));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE UPDATE ON lims.instrument_profile
FOR EACH ROW EXECUTE FUNCTION lims.instrument_profile_guard();

SELECT lims.attach_record('instrument_profile');

-- Files --------------------------------------------------------------------

-- Triggers of lims.instrument_file, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard         refuses a new file that is not received
--
-- BEFORE UPDATE
--   1 decisions     sets user and time of decisions (213)
--   2 guard         lets its status change only as allowed
--   3 identity      refuses to change id, organization or created_at
--   4 touch         sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--   2 has_content   refuses, at commit, a file without its bytes (201)
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.instrument_file_id_seq;

CREATE TABLE lims.instrument_file (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.instrument_file_id_seq'),
    file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 255),
    -- Identifies the file: the same bytes are stored once.
    sha256 bytea NOT NULL CHECK (length(sha256) = 32),
    size bigint NOT NULL CHECK (size >= 0),
    -- The profile that the sender asked for.
    profile_code text CHECK (length(profile_code) BETWEEN 1 AND 64),
    -- The profile by which the file was read.
    profile_id bigint,
    status text NOT NULL DEFAULT 'received' CHECK (status IN (
        'received', 'imported', 'quarantined', 'rejected', 'released')),
    -- Every reason for a quarantine, as the API lists them.
    reasons jsonb NOT NULL DEFAULT '[]'
        CHECK (jsonb_typeof(reasons) = 'array'),
    counts jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(counts) = 'object'),
    -- Digest of the readings (lims.readings_digest), by which a repeated export with
    -- other bytes is recognized.
    rows_hash bytea CHECK (length(rows_hash) = 32),
    -- The earlier file that brought the same results; nothing was written.
    duplicate_of bigint,
    -- Number of times that reading was restarted after an interruption.
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    received_at timestamptz NOT NULL DEFAULT now(),
    received_by bigint DEFAULT lims.context_id('user_id'),
    received_by_key bigint DEFAULT lims.context_id('api_key_id'),
    processed_at timestamptz,
    -- Decisions for a release to come: the profile, exclusions, aliases of tracking ids, the
    -- tests that values are for, each with the person and the time (213).
    decisions jsonb NOT NULL DEFAULT '{}'
        CHECK (jsonb_typeof(decisions) = 'object'),
    -- A person's decision: the profile, excluded rows, aliases of tracking ids.
    resolution jsonb CHECK (jsonb_typeof(resolution) = 'object'),
    resolution_reason text CHECK (length(resolution_reason) BETWEEN 1 AND 2000),
    resolved_at timestamptz,
    resolved_by bigint,
    content_removed_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT instrument_file_sha256 UNIQUE (organization_id, sha256),
    FOREIGN KEY (organization_id, profile_id)
        REFERENCES lims.instrument_profile (organization_id, id),
    FOREIGN KEY (organization_id, duplicate_of)
        REFERENCES lims.instrument_file (organization_id, id),
    FOREIGN KEY (organization_id, received_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, received_by_key)
        REFERENCES lims.api_key (organization_id, id),
    FOREIGN KEY (organization_id, resolved_by)
        REFERENCES lims.user_account (organization_id, id)
);

ALTER TABLE lims.investigation
    ADD FOREIGN KEY (organization_id, instrument_file_id)
        REFERENCES lims.instrument_file (organization_id, id);

CREATE INDEX investigation_instrument_file
    ON lims.investigation (organization_id, instrument_file_id)
 WHERE instrument_file_id IS NOT NULL;

CREATE INDEX instrument_file_status
    ON lims.instrument_file (organization_id, status, id);

CREATE INDEX instrument_file_rows_hash
    ON lims.instrument_file (organization_id, rows_hash)
 WHERE rows_hash IS NOT NULL AND status IN ('imported', 'released');

-- Files whose reading was interrupted, which are few.
CREATE INDEX instrument_file_received
    ON lims.instrument_file (organization_id, received_at)
 WHERE status = 'received';

-- Index for retention.
CREATE INDEX instrument_file_rejected
    ON lims.instrument_file (organization_id, resolved_at)
 WHERE status = 'rejected' AND content_removed_at IS NULL;

-- Index for the time of an API key's latest file.
CREATE INDEX instrument_file_key
    ON lims.instrument_file (organization_id, received_by_key, received_at);

-- A circle of nouns: a batch refers to its file, and a file's row to its control.
ALTER TABLE lims.qc_batch
    ADD CONSTRAINT qc_batch_file_id FOREIGN KEY (organization_id, file_id)
        REFERENCES lims.instrument_file (organization_id, id);

-- A file is received, then imported or quarantined; a person releases or rejects it. An
-- imported or released file is final; a rejected one can be reopened until its bytes are
-- removed.
CREATE FUNCTION lims.instrument_file_guard() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'received' OR NEW.content_removed_at IS NOT NULL THEN
            PERFORM lims.refuse('invalid_transition',
                                'a new file has the status received');
        END IF;
        RETURN NEW;
    END IF;
    IF (NEW.file_name, NEW.sha256, NEW.size, NEW.profile_code, NEW.received_at,
        NEW.received_by, NEW.received_by_key)
       IS DISTINCT FROM (OLD.file_name, OLD.sha256, OLD.size, OLD.profile_code,
        OLD.received_at, OLD.received_by, OLD.received_by_key) THEN
        PERFORM lims.refuse('invalid_transition',
                            'the name, the content and the origin of a received file '
                            'cannot be changed');
    END IF;
    IF OLD.status IN ('imported', 'released') AND NEW *<> OLD THEN
        PERFORM lims.refuse('invalid_transition', format(
            'file %s is %s, which is final', OLD.id, OLD.status));
    END IF;
    IF (OLD.status, NEW.status) NOT IN (
        ('received', 'received'), ('received', 'imported'),
        ('received', 'quarantined'), ('quarantined', 'quarantined'),
        ('quarantined', 'imported'), ('quarantined', 'released'),
        ('quarantined', 'rejected'), ('rejected', 'rejected'),
        ('rejected', 'quarantined'), ('imported', 'imported'),
        ('released', 'released')) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'file %s is %s and cannot become %s', OLD.id, OLD.status,
            NEW.status));
    END IF;
    IF NEW.status <> 'rejected' AND NEW.content_removed_at IS NOT NULL THEN
        PERFORM lims.refuse('invalid_transition', format(
            'file %s was rejected, and its bytes were removed on %s: it cannot be '
            'read again', OLD.id, to_char(OLD.content_removed_at AT TIME ZONE 'UTC',
                                          'YYYY-MM-DD')));
    END IF;
    IF NEW.content_removed_at IS DISTINCT FROM OLD.content_removed_at
       AND (OLD.content_removed_at IS NOT NULL
            OR EXISTS (SELECT FROM lims.instrument_file_content c
                        WHERE c.organization_id = OLD.organization_id
                          AND c.file_id = OLD.id)) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'the time at which the bytes of file %s were removed cannot be changed',
            OLD.id));
    END IF;
    IF NEW.status IN ('released', 'rejected') AND NEW.status <> OLD.status THEN
        IF NEW.resolution_reason IS NULL THEN
            PERFORM lims.refuse('invalid_body',
                                'a decision on a file needs a reason');
        END IF;
        NEW.resolved_at := now();
        NEW.resolved_by := lims.acting_user();
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.instrument_file
FOR EACH ROW EXECUTE FUNCTION lims.instrument_file_guard();

SELECT lims.attach_record('instrument_file', '{attempts}');

CREATE SEQUENCE lims.instrument_file_row_id_seq;

-- The place in the file of each result that was imported, which distinguishes it from one
-- entered by hand. Written once, by the import.
CREATE TABLE lims.instrument_file_row (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.instrument_file_row_id_seq'),
    file_id bigint NOT NULL,
    sheet text CHECK (length(sheet) <= 255),
    row_number integer NOT NULL CHECK (row_number > 0),
    column_number integer CHECK (column_number > 0),
    byte_offset bigint CHECK (byte_offset >= 0),
    -- The cell, to the letter.
    cell text CHECK (length(cell) <= 32768),
    sample_test_id bigint,
    qc_control_id bigint,
    tracking_id text CHECK (length(tracking_id) <= 1000),
    test_code text CHECK (length(test_code) <= 1000),
    result text CHECK (length(result) <= 1000),
    unit text CHECK (length(unit) <= 1000),
    qualifier text CHECK (length(qualifier) <= 64),
    analyzed_at timestamptz,
    operator_name text CHECK (length(operator_name) <= 1000),
    -- written: entered by this file; unchanged: the test had it already; control.
    status text NOT NULL CHECK (status IN ('written', 'unchanged', 'control')),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, file_id)
        REFERENCES lims.instrument_file (organization_id, id),
    FOREIGN KEY (organization_id, sample_test_id)
        REFERENCES lims.sample_test (organization_id, id),
    FOREIGN KEY (organization_id, qc_control_id)
        REFERENCES lims.qc_control (organization_id, id)
);

CREATE INDEX instrument_file_row_file
    ON lims.instrument_file_row (organization_id, file_id, id);

CREATE INDEX instrument_file_row_test
    ON lims.instrument_file_row (organization_id, sample_test_id, id);

SELECT lims.attach_append_only('instrument_file_row');
