-- SPDX-License-Identifier: Apache-2.0
--
-- Webhooks, and answers kept for a repeated request.

CREATE SEQUENCE lims.webhook_endpoint_id_seq;

CREATE TABLE lims.webhook_endpoint (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.webhook_endpoint_id_seq'),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    url text NOT NULL CHECK (length(url) <= 2000 AND url ~ '^https://'),
    events text[] NOT NULL CHECK (events <@ ARRAY[
        'sample.created', 'sample.received', 'result.entered',
        'result.verified', 'sample.blocked', 'sample.ready_for_review',
        'sample.ready_to_report', 'sample.reported', 'coa.generated',
        'qc.failed', 'holding_time.expiring', 'investigation.opened']),
    -- Encrypted under the key that the configuration names; after a rotation
    -- the old one signs beside the new one until its overlap ends.
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_secret_until timestamptz,
    standard_headers boolean NOT NULL DEFAULT false,
    enabled boolean NOT NULL DEFAULT true,
    disabled_at timestamptz,
    disabled_reason text CHECK (length(disabled_reason) <= 1000),
    -- Deliveries given up in a row; a success sets it back.
    consecutive_failures integer NOT NULL DEFAULT 0
        CHECK (consecutive_failures >= 0),
    created_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id),
    CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)),
    CHECK (enabled = (disabled_at IS NULL))
);

SELECT lims.attach_record('webhook_endpoint', '{consecutive_failures}',
                          '{secret,previous_secret}');

CREATE SEQUENCE lims.webhook_delivery_id_seq;

-- One event on its way to one endpoint. The body is kept as it was first made,
-- so that it is byte-identical on every attempt.
CREATE TABLE lims.webhook_delivery (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.webhook_delivery_id_seq'),
    delivery_id uuid NOT NULL DEFAULT gen_random_uuid(),
    endpoint_id bigint NOT NULL,
    event_id bigint NOT NULL,
    body text,
    state text NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'delivered', 'given_up')),
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt_at timestamptz DEFAULT now(),
    -- Whoever sends it has it until then: a lease, not a held transaction.
    claimed_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, delivery_id),
    FOREIGN KEY (organization_id, endpoint_id)
        REFERENCES lims.webhook_endpoint (organization_id, id),
    FOREIGN KEY (organization_id, event_id)
        REFERENCES lims.event (organization_id, id),
    CHECK ((state = 'pending') = (finished_at IS NULL))
);

CREATE INDEX webhook_delivery_next
    ON lims.webhook_delivery (organization_id, endpoint_id, next_attempt_at, id)
 WHERE state = 'pending';
CREATE INDEX webhook_delivery_endpoint
    ON lims.webhook_delivery (organization_id, endpoint_id, id);
CREATE INDEX webhook_delivery_event
    ON lims.webhook_delivery (organization_id, event_id);

CREATE SEQUENCE lims.webhook_attempt_id_seq;

CREATE TABLE lims.webhook_attempt (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.webhook_attempt_id_seq'),
    delivery_id bigint NOT NULL,
    number integer NOT NULL CHECK (number > 0),
    started_at timestamptz NOT NULL,
    duration_ms integer CHECK (duration_ms >= 0),
    response_status integer CHECK (response_status BETWEEN 100 AND 599),
    response_excerpt text CHECK (length(response_excerpt) <= 4000),
    error text CHECK (length(error) <= 1000),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, delivery_id)
        REFERENCES lims.webhook_delivery (organization_id, id)
);

CREATE INDEX webhook_attempt_delivery
    ON lims.webhook_attempt (organization_id, delivery_id, number);

CREATE SEQUENCE lims.webhook_recovery_id_seq;

-- A job: send again what was given up since a point in time. Its place is kept
-- in the row, so that a restart goes on where it was.
CREATE TABLE lims.webhook_recovery (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.webhook_recovery_id_seq'),
    endpoint_id bigint NOT NULL,
    since timestamptz NOT NULL,
    last_delivery_id bigint NOT NULL DEFAULT 0,
    requeued bigint NOT NULL DEFAULT 0,
    claimed_until timestamptz,
    requested_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, endpoint_id)
        REFERENCES lims.webhook_endpoint (organization_id, id),
    FOREIGN KEY (organization_id, requested_by)
        REFERENCES lims.user_account (organization_id, id)
);

-- Idempotency --------------------------------------------------------------

-- The answer to a POST that carried an Idempotency-Key, stored in the
-- transaction of what it did.
CREATE TABLE lims.idempotency_record (
    organization_id bigint NOT NULL,
    api_key_id bigint NOT NULL,
    idempotency_key text NOT NULL
        CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    -- SHA-256 of what makes two requests the same: path and body.
    fingerprint bytea NOT NULL,
    status integer,
    headers json,
    body text,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, api_key_id, idempotency_key),
    FOREIGN KEY (organization_id, api_key_id)
        REFERENCES lims.api_key (organization_id, id)
);

CREATE INDEX idempotency_record_created_at
    ON lims.idempotency_record (organization_id, created_at);

-- Whether a request is to be done. 'new': do it, then store the answer in the
-- same transaction (lims.idempotency_finish); 'replay': here is the first
-- answer; 'mismatch': the key was used for something else; 'in_progress': the
-- first is still running. Two at once meet at the primary key, and the second
-- waits no longer than the lock time-out.
CREATE FUNCTION lims.idempotency_begin(
    p_key text,
    p_fingerprint bytea,
    p_lifetime interval DEFAULT '24 hours'
) RETURNS TABLE (outcome text, status integer, headers json, body text)
LANGUAGE plpgsql
SET lock_timeout = '250ms'
AS $$
DECLARE
    v_organization CONSTANT bigint := lims.context_id('organization_id');
    v_api_key CONSTANT bigint := lims.context_id('api_key_id');
    v_record record;
BEGIN
    INSERT INTO lims.idempotency_record AS r (organization_id, api_key_id,
        idempotency_key, fingerprint)
    VALUES (v_organization, v_api_key, p_key, p_fingerprint)
        ON CONFLICT (organization_id, api_key_id, idempotency_key)
        DO UPDATE SET fingerprint = p_fingerprint,
                      status = NULL,
                      headers = NULL,
                      body = NULL,
                      created_at = now()
         WHERE r.created_at < now() - p_lifetime;
    IF FOUND THEN
        RETURN QUERY SELECT 'new', NULL::integer, NULL::json, NULL::text;
        RETURN;
    END IF;
    SELECT r.fingerprint, r.status, r.headers, r.body
      INTO v_record
      FROM lims.idempotency_record r
     WHERE r.organization_id = v_organization
       AND r.api_key_id = v_api_key
       AND r.idempotency_key = p_key;
    RETURN QUERY SELECT
        CASE
            WHEN v_record.fingerprint <> p_fingerprint THEN 'mismatch'
            WHEN v_record.status IS NULL THEN 'in_progress'
            ELSE 'replay'
        END,
        v_record.status, v_record.headers, v_record.body;
EXCEPTION
    WHEN lock_not_available THEN
        RETURN QUERY SELECT 'in_progress', NULL::integer, NULL::json, NULL::text;
END
$$;

-- Stores the answer of a request that idempotency_begin called new.
CREATE FUNCTION lims.idempotency_finish(
    p_key text,
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
           body = p_body
     WHERE r.organization_id = lims.context_id('organization_id')
       AND r.api_key_id = lims.context_id('api_key_id')
       AND r.idempotency_key = p_key;
END
$$;
