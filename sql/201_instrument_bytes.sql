-- SPDX-License-Identifier: Apache-2.0
--
-- The bytes of instruments' files, in a table of their own, so that an UPDATE of a file's
-- record does not write them again. Each API key has a quota; the bytes of rejected files
-- are deleted by retention.

-- The bytes ----------------------------------------------------------------

CREATE TABLE lims.instrument_file_content (
    organization_id bigint NOT NULL,
    file_id bigint NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (organization_id, file_id),
    FOREIGN KEY (organization_id, file_id)
        REFERENCES lims.instrument_file (organization_id, id)
);

-- The stored bytes of each API key, updated with them, so that checking the quota reads one
-- row, and concurrent uploads are both counted.
CREATE TABLE lims.file_storage (
    organization_id bigint NOT NULL,
    api_key_id bigint NOT NULL,
    bytes bigint NOT NULL CHECK (bytes >= 0),
    PRIMARY KEY (organization_id, api_key_id),
    FOREIGN KEY (organization_id, api_key_id)
        REFERENCES lims.api_key (organization_id, id)
);

-- Bytes have to have the file's size and SHA-256, and do not change. Only those of a
-- rejected file can be deleted.
CREATE FUNCTION lims.instrument_file_content_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NOT EXISTS (SELECT FROM lims.instrument_file f
                        WHERE f.organization_id = NEW.organization_id
                          AND f.id = NEW.file_id
                          AND f.size = length(NEW.content)
                          AND f.sha256 = sha256(NEW.content)
                          AND f.content_removed_at IS NULL) THEN
            PERFORM lims.refuse('invalid_transition', format(
                'these are not the bytes of file %s', NEW.file_id));
        END IF;
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE'
       OR EXISTS (SELECT FROM lims.instrument_file f
                   WHERE f.organization_id = OLD.organization_id
                     AND f.id = OLD.file_id
                     AND f.status <> 'rejected') THEN
        PERFORM lims.refuse('invalid_transition',
                            'the content of a received file cannot be changed');
    END IF;
    RETURN OLD;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE
    ON lims.instrument_file_content
FOR EACH ROW EXECUTE FUNCTION lims.instrument_file_content_guard();

CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON lims.instrument_file_content
FOR EACH STATEMENT EXECUTE FUNCTION lims.append_only();

CREATE FUNCTION lims.count_file_storage() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO lims.file_storage AS s (organization_id, api_key_id, bytes)
        SELECT f.organization_id, f.received_by_key, f.size
          FROM lims.instrument_file f
         WHERE f.organization_id = NEW.organization_id
           AND f.id = NEW.file_id
           AND f.received_by_key IS NOT NULL
            ON CONFLICT (organization_id, api_key_id)
            DO UPDATE SET bytes = s.bytes + excluded.bytes;
    ELSE
        UPDATE lims.file_storage s
           SET bytes = s.bytes - f.size
          FROM lims.instrument_file f
         WHERE f.organization_id = OLD.organization_id
           AND f.id = OLD.file_id
           AND s.organization_id = f.organization_id
           AND s.api_key_id = f.received_by_key;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER count_storage AFTER INSERT OR DELETE ON lims.instrument_file_content
FOR EACH ROW EXECUTE FUNCTION lims.count_file_storage();

-- Refuses a file without bytes, checked at commit.
CREATE FUNCTION lims.instrument_file_has_content() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM lims.instrument_file_content c
                    WHERE c.organization_id = NEW.organization_id
                      AND c.file_id = NEW.id) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'file %s was stored without its bytes', NEW.id));
    END IF;
    RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER has_content AFTER INSERT ON lims.instrument_file
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION lims.instrument_file_has_content();

-- Receives a file and returns its id; NULL: the organization has these bytes already (of
-- two at once, the second waits for the first). Refuses a file beyond the key's quota
-- (p_storage_max: for keys without their own; NULL: none). For a dry run, which is rolled
-- back, the bytes are not stored.
CREATE FUNCTION lims.keep_file(
    p_organization bigint,
    p_file_name text,
    p_content bytea,
    p_profile_code text DEFAULT NULL,
    p_storage_max bigint DEFAULT NULL,
    p_trial boolean DEFAULT false
) RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_file bigint;
    v_bytes bigint;
    v_most bigint;
BEGIN
    INSERT INTO lims.instrument_file (organization_id, file_name, sha256, size,
        profile_code)
    VALUES (p_organization, p_file_name, sha256(p_content), length(p_content),
        p_profile_code)
        ON CONFLICT (organization_id, sha256) DO NOTHING
    RETURNING id INTO v_file;
    IF v_file IS NULL OR p_trial THEN
        RETURN v_file;
    END IF;
    INSERT INTO lims.instrument_file_content (organization_id, file_id, content)
    VALUES (p_organization, v_file, p_content);
    SELECT s.bytes, coalesce(k.file_storage_max, p_storage_max)
      INTO v_bytes, v_most
      FROM lims.file_storage s
      JOIN lims.api_key k
        ON k.organization_id = s.organization_id
       AND k.id = s.api_key_id
     WHERE s.organization_id = p_organization
       AND s.api_key_id = lims.context_id('api_key_id');
    IF v_bytes > v_most THEN
        PERFORM lims.refuse('FILE_STORAGE_EXCEEDED', format(
            'The files that this API key has sent may take %s bytes, and would take %s '
            'with this one. Ask your administrator to reject files that are no longer '
            'needed, or for more storage.', v_most, v_bytes));
    END IF;
    RETURN v_file;
END
$$;

-- Returns the bytes of a file, or refuses if they were removed.
CREATE FUNCTION lims.file_content(p_organization bigint, p_file bigint)
RETURNS bytea
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_removed timestamptz;
    v_content bytea;
BEGIN
    SELECT f.content_removed_at, c.content
      INTO v_removed, v_content
      FROM lims.instrument_file f
      LEFT JOIN lims.instrument_file_content c
        ON c.organization_id = f.organization_id
       AND c.file_id = f.id
     WHERE f.organization_id = p_organization
       AND f.id = p_file;
    IF v_removed IS NOT NULL THEN
        PERFORM lims.refuse('invalid_transition', format(
            'File %s was rejected, and its bytes were removed on %s.', p_file,
            to_char(v_removed AT TIME ZONE 'UTC', 'YYYY-MM-DD')));
    END IF;
    RETURN v_content;
END
$$;

-- Rejected files -----------------------------------------------------------

-- Deletes the bytes of files that were rejected longer than p_age ago, a share of each
-- organization. Their records stay, with SHA-256 and reasons.
CREATE FUNCTION lims.remove_rejected_content(p_age interval, p_limit integer)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
SET lock_timeout = '2s'
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    v_organizations bigint[];
    v_files bigint[];
BEGIN
    IF p_age IS NULL OR p_age < interval '1 day' THEN
        RAISE EXCEPTION USING
            ERRCODE = 'invalid_parameter_value',
            MESSAGE = 'a rejected file is kept for a day at least';
    END IF;
    WITH active AS MATERIALIZED (
        SELECT o.id
          FROM lims.organization o
         WHERE EXISTS (
               SELECT FROM lims.instrument_file x
                WHERE x.organization_id = o.id
                  AND x.status = 'rejected'
                  AND x.content_removed_at IS NULL
                  AND x.resolved_at < now() - p_age)
         ORDER BY random()
         LIMIT p_limit
    )
    SELECT array_agg(v.organization_id), array_agg(v.id)
      INTO v_organizations, v_files
      FROM active o
     CROSS JOIN LATERAL (
           SELECT x.organization_id, x.id
             FROM lims.instrument_file x
            WHERE x.organization_id = o.id
              AND x.status = 'rejected'
              AND x.content_removed_at IS NULL
              AND x.resolved_at < now() - p_age
            ORDER BY x.resolved_at
            LIMIT greatest(p_limit / (SELECT count(*) FROM active), 1)
              FOR NO KEY UPDATE SKIP LOCKED) v;
    DELETE FROM lims.instrument_file_content c
     USING unnest(v_organizations, v_files) AS v (organization_id, id)
     WHERE c.organization_id = v.organization_id
       AND c.file_id = v.id;
    UPDATE lims.instrument_file f
       SET content_removed_at = now()
      FROM unnest(v_organizations, v_files) AS v (organization_id, id)
     WHERE f.organization_id = v.organization_id
       AND f.id = v.id;
    RETURN coalesce(cardinality(v_files), 0);
END
$$;

-- The number of such files, at most p_most; and below, of keys that have used four fifths
-- of their quota.
CREATE FUNCTION lims.rejected_content_backlog(p_age interval, p_most bigint)
RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT count(*)
      FROM (SELECT FROM lims.organization o
              JOIN lims.instrument_file f
                ON f.organization_id = o.id
               AND f.status = 'rejected'
               AND f.content_removed_at IS NULL
               AND f.resolved_at < now() - p_age
             LIMIT p_most) r
$$;

CREATE FUNCTION lims.keys_nearly_full(p_storage_max bigint) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT count(*)
      FROM lims.organization o
      JOIN lims.file_storage s
        ON s.organization_id = o.id
      JOIN lims.api_key k
        ON k.organization_id = s.organization_id
       AND k.id = s.api_key_id
     WHERE k.revoked_at IS NULL
       AND s.bytes >= 0.8 * coalesce(k.file_storage_max, p_storage_max)
$$;
