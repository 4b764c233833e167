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
    -- Attempts since it was last asked for that came to nothing, and the one under way: counted
    -- when it begins, so that one that ends the process which prints it counts, too. Why the last
    -- one came to nothing, and when the first began.
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    failure text CHECK (length(failure) <= 1000),
    begun_at timestamptz,
    -- The lease of the job that prints it, by which that job is known, or the time before which
    -- it is not tried again.
    claimed_until timestamptz NOT NULL DEFAULT '-infinity',
    sha256 bytea CHECK (length(sha256) = 32),
    size integer,
    made_at timestamptz,
    -- Whether its bytes have a signature, by the key of the service.
    signed boolean NOT NULL DEFAULT false,
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
    IF p_new.state <> p_old.state AND p_new.state <> 'pending'
       AND NOT pg_has_role(current_user, 'lims_owner', 'MEMBER') THEN
        PERFORM lims.refuse('invalid_transition', format(
            'document %s is made or failed by the job that prints it', p_old.id));
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

SELECT lims.attach_record('document', '{attempts,begun_at,claimed_until,event_id}');

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
-- none waits. The organizations take turns by chance. One that was begun three times already,
-- and never came to an end, ends the process that prints it: it is failed, without a job.
CREATE FUNCTION lims.claim_document(
    p_lease interval,
    p_request_id text,
    OUT organization_id bigint,
    OUT id bigint,
    OUT claimed_until timestamptz,
    OUT certificate text,
    OUT issued_at timestamptz,
    OUT job json,
    OUT failure text
) RETURNS SETOF record
LANGUAGE plpgsql SECURITY DEFINER ROWS 1
SET search_path = lims, pg_temp
AS $$
#variable_conflict use_column
DECLARE
    v_organization bigint;
    v lims.document;
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
        SELECT *
          INTO v
          FROM lims.document d
         WHERE d.organization_id = v_organization
           AND d.state = 'pending'
           AND d.claimed_until < clock_timestamp()
         ORDER BY d.claimed_until, d.id
         LIMIT 1
           FOR NO KEY UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
        SELECT v.organization_id, v.id, clock_timestamp() + p_lease,
               format('%s version %s', c.certificate_number, c.version), c.issued_at,
               CASE WHEN v.attempts < 3 AND i.is_whole
                    THEN lims.certificate_print_job(v_organization, c.content, false) END,
               CASE WHEN NOT i.is_whole
                    THEN 'its content is not the one that was issued: its SHA-256 is another'
                    WHEN v.attempts >= 3
                    THEN 'three attempts came to nothing, and the last one ended the process '
                         'of the service that printed it' END
          INTO organization_id, id, claimed_until, certificate, issued_at, job, failure
          FROM lims.certificate c
         CROSS JOIN LATERAL (
               SELECT lims.is_as_issued(c) AS is_whole
               OFFSET 0) i
         WHERE c.organization_id = v_organization
           AND c.id = v.certificate_id;
        IF failure IS NULL THEN
            UPDATE lims.document d
               SET attempts = v.attempts + 1,
                   begun_at = CASE WHEN v.attempts = 0 THEN clock_timestamp()
                                   ELSE v.begun_at END,
                   claimed_until = claim_document.claimed_until
             WHERE d.organization_id = v_organization
               AND d.id = v.id;
        ELSE
            PERFORM lims.set_context(v_organization, NULL, NULL, p_request_id, NULL, NULL,
                                     'job');
            UPDATE lims.document d
               SET state = 'failed',
                   failure = claim_document.failure
             WHERE d.organization_id = v_organization
               AND d.id = v.id;
        END IF;
        RETURN NEXT;
        RETURN;
    END LOOP;
END
$$;

-- Gives a claim back that the printer was not asked for: it was no attempt, and the document is
-- due at once, for a machine whose printer can be started.
CREATE FUNCTION lims.unclaim_document(
    p_organization bigint,
    p_id bigint,
    p_claim timestamptz
) RETURNS void
LANGUAGE sql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    UPDATE lims.document d
       SET attempts = d.attempts - 1,
           claimed_until = clock_timestamp()
     WHERE d.organization_id = p_organization
       AND d.id = p_id
       AND d.state = 'pending'
       AND d.claimed_until = p_claim
       AND d.attempts > 0
$$;

-- Keeps the bytes of a document that was claimed, and announces it. Does nothing where another
-- process has claimed it since: the same content has the same bytes.
CREATE FUNCTION lims.keep_document(
    p_organization bigint,
    p_id bigint,
    p_claim timestamptz,
    p_content bytea,
    p_signed boolean,
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
        AND d.state = 'pending'
        AND d.claimed_until = p_claim
        AND isfinite(p_claim)
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO lims.document_content (organization_id, document_id, content)
    VALUES (p_organization, p_id, p_content);
    UPDATE lims.document d
       SET state = 'made',
           attempts = greatest(d.attempts - 1, 0),
           failure = NULL,
           sha256 = sha256(p_content),
           size = length(p_content),
           made_at = now(),
           signed = p_signed
     WHERE d.organization_id = p_organization
       AND d.id = p_id;
    RETURN true;
END
$$;

-- Notes that an attempt came to nothing. The document is failed if the printer refuses it
-- (p_refused), or it was the third attempt in a row, or another one, which may take p_lease,
-- might end later than 50 seconds after the first began; else it is tried again a little later,
-- behind those that wait. Returns whether it is failed now; NULL: another process has decided.
CREATE FUNCTION lims.fail_document(
    p_organization bigint,
    p_id bigint,
    p_claim timestamptz,
    p_failure text,
    p_refused boolean,
    p_lease interval,
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
       SET failure = left(p_failure, 1000),
           state = CASE WHEN p_refused OR d.attempts >= 3
                          OR clock_timestamp() + p_lease > d.begun_at + interval '50 seconds'
                        THEN 'failed' ELSE 'pending' END,
           claimed_until = clock_timestamp() + d.attempts * interval '2 seconds'
     WHERE d.organization_id = p_organization
       AND d.id = p_id
       AND d.state = 'pending'
       AND d.claimed_until = p_claim
    RETURNING d.state = 'failed' INTO v_failed;
    RETURN v_failed;
END
$$;

-- Announces documents that have waited for p_age without their bytes; they are made later all
-- the same. p_tried: only those of which an attempt came to nothing; else all, because there is
-- no printer that could make them. Returns their certificates, at most p_limit; NULL: none.
CREATE FUNCTION lims.announce_documents(
    p_age interval,
    p_tried boolean,
    p_limit integer,
    p_request_id text
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v record;
    v_certificates text;
BEGIN
    FOR v IN
        SELECT w.organization_id, w.id, format('%s version %s of organization %s',
                   c.certificate_number, c.version, c.organization_id) AS certificate
          FROM lims.organization o
         CROSS JOIN LATERAL (
               SELECT d.organization_id, d.id, d.certificate_id
                 FROM lims.document d
                WHERE d.organization_id = o.id
                  AND d.announced_at IS NULL
                  AND d.created_at < now() - p_age
                  AND (NOT p_tried OR d.failure IS NOT NULL OR d.attempts > 1
                       OR d.attempts = 1 AND d.claimed_until < clock_timestamp())
                ORDER BY d.created_at, d.id
                LIMIT p_limit
                  FOR NO KEY UPDATE SKIP LOCKED) w
          JOIN lims.certificate c
            ON c.organization_id = w.organization_id
           AND c.id = w.certificate_id
         LIMIT p_limit
    LOOP
        PERFORM lims.set_context(v.organization_id, NULL, NULL, p_request_id, NULL, NULL,
                                 'job');
        UPDATE lims.document d
           SET announced_at = now()
         WHERE d.organization_id = v.organization_id
           AND d.id = v.id;
        v_certificates := concat_ws(', ', v_certificates, v.certificate);
    END LOOP;
    RETURN v_certificates;
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
