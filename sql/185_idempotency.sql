-- SPDX-License-Identifier: Apache-2.0
--
-- Idempotency records: answers stored for repeated requests. An Idempotency-Key is claimed
-- with a lease.
--
-- A request with one transaction holds its record by the row lock. One that works between
-- two transactions (asking a model about a file) holds a lease: a token for its second
-- transaction, and a time until when no other request may claim the key. A request that
-- ends without an answer releases its lease; after a crash the lease runs out.

-- The answer to a POST with an Idempotency-Key, stored in the same transaction as its
-- changes.
CREATE TABLE lims.idempotency_record (
    organization_id bigint NOT NULL,
    -- Owner of the record, a key or a person: a session may end between a request and its
    -- repetition.
    api_key_id bigint,
    user_id bigint,
    caller bigint NOT NULL GENERATED ALWAYS AS (coalesce(api_key_id, -user_id)) STORED,
    idempotency_key text NOT NULL
        CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    -- SHA-256 of path and body, by which repeated requests are recognized.
    fingerprint bytea NOT NULL,
    claim_token uuid,
    claimed_until timestamptz,
    status integer,
    headers json,
    body text,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, caller, idempotency_key),
    FOREIGN KEY (organization_id, api_key_id)
        REFERENCES lims.api_key (organization_id, id),
    FOREIGN KEY (organization_id, user_id)
        REFERENCES lims.user_account (organization_id, id),
    CHECK (num_nonnulls(api_key_id, user_id) = 1)
);

-- Returns the owner of the records of the context: the id of the API key, or that of the
-- person as a negative number.
CREATE FUNCTION lims.idempotency_caller() RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT coalesce(lims.context_id('api_key_id'), -lims.context_id('user_id')) $$;

CREATE INDEX idempotency_record_created_at
    ON lims.idempotency_record (organization_id, created_at);

-- Claims an Idempotency-Key. 'new': execute the request and store the answer in the same
-- transaction (lims.idempotency_finish), or commit and call this again with the token in
-- the transaction that stores it; 'replay': with the stored answer; 'mismatch': the key was
-- used for another request; 'in_progress': the first request is still running. Of two at
-- once, the second waits at the primary key, no longer than the lock time-out.
CREATE FUNCTION lims.idempotency_begin(
    p_key text,
    p_fingerprint bytea,
    p_lifetime interval DEFAULT '24 hours',
    p_lease interval DEFAULT '1 minute',
    p_token uuid DEFAULT NULL
) RETURNS TABLE (outcome text, token uuid, status integer, headers json, body text)
LANGUAGE plpgsql
SET lock_timeout = '250ms'
AS $$
DECLARE
    v_organization CONSTANT bigint := lims.context_id('organization_id');
    v_api_key CONSTANT bigint := lims.context_id('api_key_id');
    v_caller CONSTANT bigint := lims.idempotency_caller();
    v_token CONSTANT uuid := coalesce(p_token, gen_random_uuid());
    v_now CONSTANT timestamptz := clock_timestamp();
    v_record record;
BEGIN
    INSERT INTO lims.idempotency_record AS r (organization_id, api_key_id, user_id,
        idempotency_key, fingerprint, claim_token, claimed_until)
    VALUES (v_organization, v_api_key,
            CASE WHEN v_api_key IS NULL THEN -v_caller END, p_key, p_fingerprint, v_token,
            v_now + p_lease)
        ON CONFLICT (organization_id, caller, idempotency_key)
        DO UPDATE SET fingerprint = p_fingerprint,
                      status = NULL,
                      headers = NULL,
                      body = NULL,
                      created_at = now(),
                      claim_token = v_token,
                      claimed_until = v_now + p_lease
         WHERE r.claim_token = p_token
            OR ((r.claimed_until IS NULL OR r.claimed_until <= v_now)
                AND (r.created_at < now() - p_lifetime
                     OR (r.status IS NULL AND r.fingerprint = p_fingerprint)));
    IF FOUND THEN
        RETURN QUERY SELECT 'new', v_token, NULL::integer, NULL::json, NULL::text;
        RETURN;
    END IF;
    SELECT r.fingerprint, r.status, r.headers, r.body
      INTO v_record
      FROM lims.idempotency_record r
     WHERE r.organization_id = v_organization
       AND r.caller = v_caller
       AND r.idempotency_key = p_key;
    RETURN QUERY SELECT
        CASE
            WHEN v_record.fingerprint <> p_fingerprint THEN 'mismatch'
            WHEN v_record.status IS NULL THEN 'in_progress'
            ELSE 'replay'
        END,
        NULL::uuid, v_record.status, v_record.headers, v_record.body;
EXCEPTION
    WHEN lock_not_available THEN
        RETURN QUERY SELECT 'in_progress', NULL::uuid, NULL::integer, NULL::json, NULL::text;
END
$$;

-- Stores the answer of a request for which idempotency_begin() returned 'new'.
CREATE FUNCTION lims.idempotency_finish(
    p_key text,
    p_token uuid,
    p_status integer,
    p_headers json,
    p_body text
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE lims.idempotency_record r
       SET status = p_status,
           headers = p_headers,
           body = p_body,
           claim_token = NULL,
           claimed_until = NULL
     WHERE r.organization_id = lims.context_id('organization_id')
       AND r.caller = lims.idempotency_caller()
       AND r.idempotency_key = p_key
       AND r.claim_token = p_token;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'an answer is kept by the request that claimed its key only';
    END IF;
END
$$;

-- Releases the lease of a request without an answer, so that it can be sent again at once;
-- the key remains that request's. Does nothing while the transaction that stores the
-- answer is running, since its outcome is unknown.
CREATE FUNCTION lims.idempotency_release(p_key text, p_token uuid) RETURNS void
LANGUAGE plpgsql
SET lock_timeout = '250ms'
AS $$
BEGIN
    UPDATE lims.idempotency_record r
       SET claim_token = NULL,
           claimed_until = NULL
     WHERE r.organization_id = lims.context_id('organization_id')
       AND r.caller = lims.idempotency_caller()
       AND r.idempotency_key = p_key
       AND r.claim_token = p_token;
EXCEPTION
    WHEN lock_not_available THEN
        NULL;
END
$$;

-- Quota of kept answers ----------------------------------------------------

-- Bytes of large stored answers for each API key or person, updated with them. Small answers are
-- bounded by the rate limit.
CREATE TABLE lims.answer_storage (
    organization_id bigint NOT NULL,
    caller bigint NOT NULL,
    bytes bigint NOT NULL CHECK (bytes >= 0),
    PRIMARY KEY (organization_id, caller)
);

-- Returns the bytes of an answer that count against the limit: 0 for a small one.
CREATE FUNCTION lims.answer_size(p_body text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN octet_length(p_body) > 16384 THEN octet_length(p_body)
                ELSE 0 END::bigint
$$;

CREATE FUNCTION lims.count_answer_storage() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_change CONSTANT bigint :=
        CASE TG_OP WHEN 'DELETE' THEN 0 ELSE lims.answer_size(NEW.body) END
        - lims.answer_size(OLD.body);
BEGIN
    INSERT INTO lims.answer_storage AS s (organization_id, caller, bytes)
    VALUES (OLD.organization_id, OLD.caller, greatest(v_change, 0))
        ON CONFLICT (organization_id, caller)
        DO UPDATE SET bytes = greatest(s.bytes + v_change, 0);
    RETURN NULL;
END
$$;

CREATE TRIGGER count_storage AFTER UPDATE ON lims.idempotency_record
FOR EACH ROW WHEN (octet_length(NEW.body) > 16384 OR octet_length(OLD.body) > 16384)
EXECUTE FUNCTION lims.count_answer_storage();

CREATE TRIGGER count_storage_deleted AFTER DELETE ON lims.idempotency_record
FOR EACH ROW WHEN (octet_length(OLD.body) > 16384)
EXECUTE FUNCTION lims.count_answer_storage();

-- Refuses a new record while the key's stored answers take too much, until the oldest have
-- expired. Answers that are stored already are replayed.
CREATE FUNCTION lims.idempotency_record_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM lims.answer_storage s
                    WHERE s.organization_id = NEW.organization_id
                      AND s.caller = coalesce(NEW.api_key_id, -NEW.user_id)
                      AND s.bytes >= 268435456) THEN
        RETURN NEW;
    END IF;
    IF NOT EXISTS (SELECT FROM lims.idempotency_record r
                    WHERE r.organization_id = NEW.organization_id
                      AND r.caller = coalesce(NEW.api_key_id, -NEW.user_id)
                      AND r.idempotency_key = NEW.idempotency_key) THEN
        PERFORM lims.refuse('rate_limited',
            'The answers that are kept for the Idempotency-Keys of this API key take '
            '256 MB: try again when the oldest have expired, or send no '
            'Idempotency-Key.');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT ON lims.idempotency_record
FOR EACH ROW EXECUTE FUNCTION lims.idempotency_record_guard();
