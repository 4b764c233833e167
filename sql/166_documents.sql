-- SPDX-License-Identifier: Apache-2.0
--
-- Documents: the PDF of each certificate. A document is asked for by the transaction that
-- issues the certificate, and printed behind it by a job, from the certificate's content
-- alone. Its bytes are kept for ever.
--
-- coa.generated is written once for each certificate: with its bytes, or when it is clear
-- that they will not come soon, or, where the service has no printer, when it is issued.

CREATE SEQUENCE lims.document_id_seq;

CREATE TABLE lims.document (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.document_id_seq'),
    certificate_id bigint NOT NULL,
    -- failed: the printer refuses it, or came to nothing with it several times.
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'made', 'failed')),
    -- Attempts that came to nothing since it was last asked for, and why the last one did.
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    failure text CHECK (length(failure) <= 1000),
    -- The lease of the job that prints it, or the time before which it is not tried again.
    claimed_until timestamptz NOT NULL DEFAULT '-infinity',
    sha256 bytea CHECK (length(sha256) = 32),
    size integer,
    made_at timestamptz,
    -- The event coa.generated of the certificate; without a foreign key, for retention
    -- deletes events.
    announced_at timestamptz,
    event_id bigint,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, certificate_id),
    FOREIGN KEY (organization_id, certificate_id)
        REFERENCES lims.certificate (organization_id, id),
    CHECK ((state = 'made') = (sha256 IS NOT NULL)
           AND (state = 'made') = (size IS NOT NULL)
           AND (state = 'made') = (made_at IS NOT NULL)),
    CHECK (state = 'pending' OR announced_at IS NOT NULL),
    CHECK ((announced_at IS NULL) = (event_id IS NULL))
);

-- For the job, which takes those that were never tried first.
CREATE INDEX document_waiting ON lims.document (organization_id, claimed_until, id)
 WHERE state = 'pending';

CREATE INDEX document_unannounced ON lims.document (organization_id, created_at)
 WHERE announced_at IS NULL;

CREATE INDEX document_failed ON lims.document (organization_id, certificate_id)
 WHERE state = 'failed';

-- The bytes, in a table of their own, so that no change of a document writes them again.
CREATE TABLE lims.document_content (
    organization_id bigint NOT NULL,
    document_id bigint NOT NULL,
    content bytea NOT NULL CHECK (length(content) BETWEEN 1 AND 67108864),
    PRIMARY KEY (organization_id, document_id),
    FOREIGN KEY (organization_id, document_id)
        REFERENCES lims.document (organization_id, id)
);

-- Bytes that are compressed already.
ALTER TABLE lims.document_content ALTER content SET STORAGE EXTERNAL;

SELECT lims.attach_append_only('document_content');

-- Writes coa.generated of a certificate, and returns the event.
CREATE FUNCTION lims.emit_coa_generated(p_organization bigint, p_certificate bigint)
RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_event bigint;
BEGIN
    INSERT INTO lims.event (organization_id, type, data)
    SELECT s.organization_id, 'coa.generated', json_build_object(
               'sampleId', s.id,
               'trackingId', s.tracking_id,
               'sampleIdentifier', s.sample_identifier)
      FROM lims.certificate c
      JOIN lims.sample s
        ON s.organization_id = c.organization_id
       AND s.id = c.sample_id
     WHERE c.organization_id = p_organization
       AND c.id = p_certificate
    RETURNING id INTO v_event;
    RETURN v_event;
END
$$;

-- Refuses to change what was made, and to call made what has no bytes.
CREATE FUNCTION lims.check_document(p_old lims.document, p_new lims.document)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF p_old.state = 'made' AND p_new IS DISTINCT FROM p_old
       OR p_new.certificate_id <> p_old.certificate_id
       OR p_old.announced_at IS NOT NULL
          AND (p_new.announced_at, p_new.event_id)
              IS DISTINCT FROM (p_old.announced_at, p_old.event_id) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'document %s is made or announced, which cannot be undone', p_old.id));
    END IF;
    IF p_new.state = 'made' AND p_old.state <> 'made' AND NOT EXISTS (
           SELECT FROM lims.document_content c
            WHERE c.organization_id = p_new.organization_id
              AND c.document_id = p_new.id
              AND sha256(c.content) = p_new.sha256
              AND length(c.content) = p_new.size) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'document %s has no such bytes', p_new.id));
    END IF;
END
$$;

-- Announces a document once: when it is made or failed, or when its announcement is asked
-- for by the time of it, or, where no printer is in the context, at once. A failed one that
-- is asked for again begins anew.
CREATE FUNCTION lims.document_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        PERFORM lims.check_document(OLD, NEW);
        IF OLD.state = 'failed' AND NEW.state = 'pending' THEN
            NEW.attempts := 0;
            NEW.failure := NULL;
            NEW.claimed_until := '-infinity';
        END IF;
    ELSE
        NEW.state := 'pending';
        NEW.event_id := NULL;
        NEW.announced_at := CASE WHEN lims.context('printer') IS NULL THEN now() END;
    END IF;
    IF NEW.announced_at IS NULL AND NEW.state <> 'pending' THEN
        NEW.announced_at := now();
    END IF;
    IF NEW.announced_at IS NOT NULL AND NEW.event_id IS NULL THEN
        NEW.event_id := lims.emit_coa_generated(NEW.organization_id, NEW.certificate_id);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.document
FOR EACH ROW EXECUTE FUNCTION lims.document_guard();

SELECT lims.attach_record('document', '{attempts,claimed_until,event_id}');

-- Every certificate has a document, whoever issues it.
CREATE FUNCTION lims.certificate_document() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.document (organization_id, certificate_id)
    SELECT n.organization_id, n.id
      FROM new_rows n
     ORDER BY n.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER document_insert AFTER INSERT ON lims.certificate
REFERENCING NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.certificate_document();

-- Returns the job for the printer (modules/print/protocol.h): the content alone, and the
-- logo that it names.
CREATE FUNCTION lims.certificate_print_job(
    p_organization bigint,
    p_content jsonb,
    p_draft boolean
) RETURNS json
LANGUAGE sql STABLE
AS $$
    SELECT json_build_object('kind', 'certificate', 'draft', p_draft, 'content', p_content,
                             'files', lims.logo_files(p_organization, ARRAY[
                                 p_content #>> '{laboratory,logoSha256}']))
$$;

-- Printing -----------------------------------------------------------------

-- Serves all organizations, for the job has none.

-- Claims the next document for p_lease and returns what the printer is asked for; no row:
-- none waits. The organizations take turns by chance.
CREATE FUNCTION lims.claim_document(
    p_lease interval,
    OUT organization_id bigint,
    OUT id bigint,
    OUT certificate text,
    OUT issued_at timestamptz,
    OUT job json
) RETURNS SETOF record
LANGUAGE plpgsql SECURITY DEFINER ROWS 1
SET search_path = lims, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    v_organization bigint;
    v_certificate bigint;
BEGIN
    FOR v_organization IN
        SELECT o.id
          FROM lims.organization o
         WHERE EXISTS (
               SELECT FROM lims.document d
                WHERE d.organization_id = o.id
                  AND d.state = 'pending'
                  AND d.claimed_until < clock_timestamp())
         ORDER BY random()
    LOOP
        UPDATE lims.document d
           SET claimed_until = clock_timestamp() + p_lease
         WHERE d.organization_id = v_organization
           AND d.id = (
               SELECT x.id
                 FROM lims.document x
                WHERE x.organization_id = v_organization
                  AND x.state = 'pending'
                  AND x.claimed_until < clock_timestamp()
                ORDER BY x.claimed_until, x.id
                LIMIT 1
                  FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING d.organization_id, d.id, d.certificate_id
             INTO organization_id, id, v_certificate;
        IF FOUND THEN
            SELECT format('%s version %s', c.certificate_number, c.version), c.issued_at,
                   lims.certificate_print_job(v_organization, c.content, false)
              INTO certificate, issued_at, job
              FROM lims.certificate c
             WHERE c.organization_id = v_organization
               AND c.id = v_certificate;
            RETURN NEXT;
            RETURN;
        END IF;
    END LOOP;
END
$$;

-- Keeps the bytes of a document and announces it. Does nothing where another process was
-- faster: the same content has the same bytes.
CREATE FUNCTION lims.keep_document(
    p_organization bigint,
    p_id bigint,
    p_content bytea,
    p_request_id text
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    PERFORM lims.set_context(p_organization, NULL, NULL, p_request_id, NULL, NULL, 'job');
    PERFORM
       FROM lims.document d
      WHERE d.organization_id = p_organization
        AND d.id = p_id
        AND d.state <> 'made'
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO lims.document_content (organization_id, document_id, content)
    VALUES (p_organization, p_id, p_content);
    UPDATE lims.document d
       SET state = 'made',
           failure = NULL,
           sha256 = sha256(p_content),
           size = length(p_content),
           made_at = now()
     WHERE d.organization_id = p_organization
       AND d.id = p_id;
    RETURN true;
END
$$;

-- Notes that an attempt came to nothing. The document is failed if the printer refuses it
-- (p_refused) or it was the third attempt in a row, else tried again a little later, behind
-- those that wait. Returns whether it is failed now; NULL: another process has decided.
CREATE FUNCTION lims.fail_document(
    p_organization bigint,
    p_id bigint,
    p_failure text,
    p_refused boolean,
    p_request_id text
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_failed boolean;
BEGIN
    PERFORM lims.set_context(p_organization, NULL, NULL, p_request_id, NULL, NULL, 'job');
    UPDATE lims.document d
       SET attempts = d.attempts + 1,
           failure = left(p_failure, 1000),
           state = CASE WHEN p_refused OR d.attempts + 1 >= 3 THEN 'failed'
                        ELSE 'pending' END,
           claimed_until = clock_timestamp() + (d.attempts + 1) * interval '2 seconds'
     WHERE d.organization_id = p_organization
       AND d.id = p_id
       AND d.state = 'pending'
    RETURNING d.state = 'failed' INTO v_failed;
    RETURN v_failed;
END
$$;

-- Announces documents that have waited for p_age, where there is no printer that could make
-- them; they are made later all the same. Returns their number, at most p_limit.
CREATE FUNCTION lims.announce_documents(
    p_age interval,
    p_limit integer,
    p_request_id text
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v record;
    v_count bigint := 0;
BEGIN
    FOR v IN
        SELECT w.organization_id, w.id
          FROM lims.organization o
         CROSS JOIN LATERAL (
               SELECT d.organization_id, d.id
                 FROM lims.document d
                WHERE d.organization_id = o.id
                  AND d.announced_at IS NULL
                  AND d.created_at < now() - p_age
                ORDER BY d.created_at, d.id
                LIMIT p_limit
                  FOR NO KEY UPDATE SKIP LOCKED) w
         LIMIT p_limit
    LOOP
        PERFORM lims.set_context(v.organization_id, NULL, NULL, p_request_id, NULL, NULL,
                                 'job');
        UPDATE lims.document d
           SET announced_at = now()
         WHERE d.organization_id = v.organization_id
           AND d.id = v.id;
        v_count := v_count + 1;
    END LOOP;
    RETURN v_count;
END
$$;

-- The numbers of documents that wait and that failed, at most p_most, and since when the
-- oldest waits.
CREATE FUNCTION lims.document_backlog(
    p_most bigint,
    OUT waiting bigint,
    OUT failed bigint,
    OUT oldest_at timestamptz
)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT (SELECT count(*)
              FROM (SELECT FROM lims.organization o
                      JOIN lims.document d
                        ON d.organization_id = o.id
                       AND d.state = 'pending'
                     LIMIT p_most) w),
           (SELECT count(*)
              FROM (SELECT FROM lims.organization o
                      JOIN lims.document d
                        ON d.organization_id = o.id
                       AND d.state = 'failed'
                     LIMIT p_most) f),
           (SELECT min(d.created_at)
              FROM lims.organization o
              JOIN lims.document d
                ON d.organization_id = o.id
               AND d.state = 'pending')
$$;

-- Returns the bytes of a document that was made; missing or damaged ones are an error of the
-- server.
CREATE FUNCTION lims.document_bytes(p lims.document) RETURNS bytea
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_content bytea;
BEGIN
    SELECT c.content
      INTO v_content
      FROM lims.document_content c
     WHERE c.organization_id = p.organization_id
       AND c.document_id = p.id;
    IF sha256(v_content) IS DISTINCT FROM p.sha256 THEN
        RAISE EXCEPTION USING ERRCODE = 'data_corrupted', MESSAGE = format(
            'document %s has %s', p.id, CASE WHEN v_content IS NULL THEN 'no bytes'
                ELSE 'other bytes than were made: their SHA-256 is another' END);
    END IF;
    RETURN v_content;
END
$$;
