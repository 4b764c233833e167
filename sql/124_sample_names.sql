-- SPDX-License-Identifier: Apache-2.0
--
-- Aliases of samples in instruments' files, listed by the laboratory, each valid until its
-- sample is final. (Files name samples by tracking id too, and by external id and sample
-- identifier if the profile says so: 210_readings.sql.)

-- Whether work on a sample has ended, so that its aliases no longer refer to it.
CREATE FUNCTION lims.sample_is_final(p_status text, p_disposition text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT p_status = 'reported'
        OR p_disposition IN ('cancelled', 'rejected', 'disposed')
$$;

-- The status or disposition that ended the work on a sample.
CREATE FUNCTION lims.sample_end(p_status text, p_disposition text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE p_status WHEN 'reported' THEN p_status ELSE p_disposition END
$$;

CREATE SEQUENCE lims.sample_name_id_seq;

-- An alias that analysts type at an instrument instead of a tracking id. It refers to its
-- sample until it is ended or the sample is final; then it can be listed for another one.
CREATE TABLE lims.sample_name (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.sample_name_id_seq'),
    -- Name as it stands in files, without leading or trailing blanks.
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255
        AND name !~ '[[:cntrl:]]' AND name !~ '^\s|\s$'),
    sample_id bigint NOT NULL,
    -- Why the name is this sample's.
    reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 2000),
    created_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    ended_by bigint,
    end_reason text CHECK (length(end_reason) BETWEEN 1 AND 2000),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id),
    FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, ended_by)
        REFERENCES lims.user_account (organization_id, id),
    CHECK ((ended_at IS NULL) = (end_reason IS NULL))
);

CREATE UNIQUE INDEX sample_name_listed
    ON lims.sample_name (organization_id, name)
 WHERE ended_at IS NULL;

CREATE INDEX sample_name_sample
    ON lims.sample_name (organization_id, sample_id, id);

-- Refuses an alias of a final sample, one that is a tracking id, and every change but
-- ending an alias, once.
CREATE FUNCTION lims.sample_name_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_sample lims.sample;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (NEW.name, NEW.sample_id, NEW.reason, NEW.created_by)
           IS DISTINCT FROM (OLD.name, OLD.sample_id, OLD.reason, OLD.created_by)
           OR (OLD.ended_at IS NOT NULL AND NEW *<> OLD) THEN
            PERFORM lims.refuse('invalid_transition', format(
                'name %s cannot be changed: remove it and list another', OLD.id));
        END IF;
        IF OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL THEN
            NEW.ended_at := now();
            NEW.ended_by := lims.context_id('user_id');
        END IF;
        RETURN NEW;
    END IF;
    SELECT s.*
      INTO v_sample
      FROM lims.sample s
     WHERE s.organization_id = NEW.organization_id
       AND s.id = NEW.sample_id;
    IF lims.sample_is_final(v_sample.status, v_sample.disposition) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'Sample %s is %s: no further name can be listed for it.', v_sample.tracking_id,
            lims.sample_end(v_sample.status, v_sample.disposition)));
    END IF;
    IF NEW.ended_at IS NOT NULL THEN
        PERFORM lims.refuse('invalid_transition', 'a new name cannot be listed as ended');
    END IF;
    IF EXISTS (SELECT FROM lims.sample s
                WHERE s.organization_id = NEW.organization_id
                  AND s.tracking_id = NEW.name) THEN
        PERFORM lims.refuse('invalid_body', format(
            '%s is the tracking id of a sample.', NEW.name));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.sample_name
FOR EACH ROW EXECUTE FUNCTION lims.sample_name_guard();

SELECT lims.attach_record('sample_name');

-- Lists an alias and returns its id. Ends the same alias of a final sample.
CREATE FUNCTION lims.add_sample_name(
    p_organization bigint,
    p_name text,
    p_tracking_id text,
    p_reason text
) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_sample bigint;
    v_other text;
    v_id bigint;
BEGIN
    SELECT s.id
      INTO v_sample
      FROM lims.sample s
     WHERE s.organization_id = p_organization
       AND s.tracking_id = p_tracking_id;
    IF v_sample IS NULL THEN
        PERFORM lims.refuse('invalid_reference', format(
            'There is no sample %s in your organization.', p_tracking_id));
    END IF;
    UPDATE lims.sample_name n
       SET ended_at = now(),
           end_reason = format('Sample %s is %s.', s.tracking_id,
                               lims.sample_end(s.status, s.disposition))
      FROM lims.sample s
     WHERE n.organization_id = p_organization
       AND n.name = p_name
       AND n.ended_at IS NULL
       AND s.organization_id = n.organization_id
       AND s.id = n.sample_id
       AND lims.sample_is_final(s.status, s.disposition);
    INSERT INTO lims.sample_name (organization_id, name, sample_id, reason)
    VALUES (p_organization, p_name, v_sample, p_reason)
        ON CONFLICT DO NOTHING
    RETURNING id INTO v_id;
    IF v_id IS NULL THEN
        SELECT s.tracking_id
          INTO v_other
          FROM lims.sample_name n
          JOIN lims.sample s
            ON s.organization_id = n.organization_id
           AND s.id = n.sample_id
         WHERE n.organization_id = p_organization
           AND n.name = p_name
           AND n.ended_at IS NULL;
        PERFORM lims.refuse('invalid_body', format(
            '%s is the name of sample %s already: remove it first.', p_name,
            v_other));
    END IF;
    RETURN v_id;
END
$$;
