-- SPDX-License-Identifier: Apache-2.0
--
-- Instruments, the profiles that say how to read their files, and the files
-- themselves: kept byte for byte, whatever became of them.

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
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT instrument_code UNIQUE (organization_id, code),
    FOREIGN KEY (organization_id, storage_location_id)
        REFERENCES lims.storage_location (organization_id, id)
);

SELECT lims.attach_record('instrument');

CREATE SEQUENCE lims.instrument_profile_id_seq;

-- How a file is read, as data. A version that has been active stays as it was:
-- a file can always be read again the way it was read.
CREATE TABLE lims.instrument_profile (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.instrument_profile_id_seq'),
    code text NOT NULL CHECK (length(code) BETWEEN 1 AND 64),
    version integer NOT NULL DEFAULT 1 CHECK (version > 0),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    instrument_id bigint,
    definition jsonb NOT NULL CHECK (jsonb_typeof(definition) = 'object'),
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
       AND ((NEW.code, NEW.version, NEW.definition)
            IS DISTINCT FROM (OLD.code, OLD.version, OLD.definition)
            OR NEW.status = 'draft') THEN
        PERFORM lims.refuse('invalid_transition', format(
            'profile %s version %s is in use: make a new version', OLD.code,
            OLD.version));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE UPDATE ON lims.instrument_profile
FOR EACH ROW EXECUTE FUNCTION lims.instrument_profile_guard();

SELECT lims.attach_record('instrument_profile');

CREATE SEQUENCE lims.instrument_file_id_seq;

CREATE TABLE lims.instrument_file (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.instrument_file_id_seq'),
    file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 255),
    -- The same bytes a second time are the same file.
    sha256 bytea NOT NULL CHECK (length(sha256) = 32),
    content bytea NOT NULL,
    size bigint NOT NULL CHECK (size >= 0),
    profile_id bigint,
    status text NOT NULL DEFAULT 'received' CHECK (status IN (
        'received', 'imported', 'quarantined', 'rejected', 'released')),
    -- Every reason for a quarantine, as the API lists them.
    reasons jsonb NOT NULL DEFAULT '[]'
        CHECK (jsonb_typeof(reasons) = 'array'),
    counts jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(counts) = 'object'),
    received_at timestamptz NOT NULL DEFAULT now(),
    received_by bigint DEFAULT lims.context_id('user_id'),
    received_by_key bigint DEFAULT lims.context_id('api_key_id'),
    resolved_at timestamptz,
    resolved_by bigint,
    resolution text CHECK (length(resolution) <= 2000),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT instrument_file_sha256 UNIQUE (organization_id, sha256),
    FOREIGN KEY (organization_id, profile_id)
        REFERENCES lims.instrument_profile (organization_id, id),
    FOREIGN KEY (organization_id, received_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, received_by_key)
        REFERENCES lims.api_key (organization_id, id),
    FOREIGN KEY (organization_id, resolved_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX instrument_file_status
    ON lims.instrument_file (organization_id, status, id);

CREATE FUNCTION lims.instrument_file_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.sha256 := sha256(NEW.content);
        NEW.size := length(NEW.content);
    ELSIF (NEW.file_name, NEW.sha256, NEW.content)
          IS DISTINCT FROM (OLD.file_name, OLD.sha256, OLD.content) THEN
        PERFORM lims.refuse('invalid_transition',
                            'a file is kept as it was received');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.instrument_file
FOR EACH ROW EXECUTE FUNCTION lims.instrument_file_guard();

SELECT lims.attach_record('instrument_file', '{content}');

CREATE SEQUENCE lims.instrument_file_row_id_seq;

-- What each row of a file was read as, and what became of it.
CREATE TABLE lims.instrument_file_row (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.instrument_file_row_id_seq'),
    file_id bigint NOT NULL,
    row_number integer NOT NULL CHECK (row_number > 0),
    sample_test_id bigint,
    tracking_id text CHECK (length(tracking_id) <= 1000),
    test_code text CHECK (length(test_code) <= 1000),
    result text CHECK (length(result) <= 1000),
    unit text CHECK (length(unit) <= 1000),
    qualifier text CHECK (length(qualifier) <= 64),
    status text NOT NULL CHECK (length(status) BETWEEN 1 AND 64),
    message text CHECK (length(message) <= 1000),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, file_id)
        REFERENCES lims.instrument_file (organization_id, id),
    FOREIGN KEY (organization_id, sample_test_id)
        REFERENCES lims.sample_test (organization_id, id)
);

CREATE INDEX instrument_file_row_file
    ON lims.instrument_file_row (organization_id, file_id, row_number);

SELECT lims.attach_audit('instrument_file_row');
