-- SPDX-License-Identifier: Apache-2.0
--
-- Guessed passwords: failed sign-ins lock the pair of account and address, so that nobody
-- outside locks a person out who signs in from elsewhere.

CREATE SEQUENCE lims.sign_in_guess_id_seq;

-- Failed sign-ins, counted for each account and address; of IPv6 the network of 64 bits, for
-- whoever has an address has all of them (RFC 4291 section 2.5.4).
CREATE TABLE lims.sign_in_guess (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.sign_in_guess_id_seq'),
    user_id bigint NOT NULL,
    address text NOT NULL CHECK (length(address) <= 64),
    -- Failures in a row, since the last right password or the last lock.
    failures integer NOT NULL DEFAULT 0 CHECK (failures BETWEEN 0 AND 4),
    -- Locks since the last right password: each lasts twice as long as the one before.
    locks integer NOT NULL DEFAULT 0 CHECK (locks >= 0),
    locked_until timestamptz,
    -- The last sign-in: an address that is known is not held by its own bound.
    succeeded_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, user_id, address),
    FOREIGN KEY (organization_id, user_id)
        REFERENCES lims.user_account (organization_id, id)
);

-- The look-up of counts that are too old.
CREATE INDEX sign_in_guess_age ON lims.sign_in_guess (organization_id, updated_at);

SELECT lims.attach_record('sign_in_guess', '{succeeded_at}');

-- Returns the network by which wrong passwords from an address are counted: of IPv6 its first 64
-- bits, else the address itself.
CREATE FUNCTION lims.guessing_network(p_address text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN CASE WHEN p_address ~ '^[0-9A-Fa-f:]*:[0-9A-Fa-f:]*$'
                THEN network(set_masklen(p_address::inet, 64))::text
                ELSE p_address END;
END
$$;

-- Whether an account may not sign in from an address now: by failed sign-ins from there, or
-- by failed signatures, which lock both.
CREATE FUNCTION lims.is_barred(p_organization bigint, p_user bigint, p_address text)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN lims.locked_until(p_organization, p_user) IS NOT NULL OR EXISTS (
        SELECT FROM lims.sign_in_guess g
         WHERE g.organization_id = p_organization
           AND g.user_id = p_user
           AND g.address = lims.guessing_network(p_address)
           AND g.locked_until > clock_timestamp());
END
$$;

-- Whether the account signed in from the address within 30 days.
CREATE FUNCTION lims.is_known_from(p_organization bigint, p_user bigint, p_address text)
RETURNS boolean
LANGUAGE plpgsql
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.sign_in_guess g
         WHERE g.organization_id = p_organization
           AND g.user_id = p_user
           AND g.address = lims.guessing_network(p_address)
           AND g.succeeded_at > now() - interval '30 days');
END
$$;

-- Counts a wrong password for an account from an address. The fifth in a row locks the pair
-- for 15 minutes, then for twice as long each time, up to 24 hours; what is tried meanwhile
-- does not count. Returns until when it locked, NULL if it did not.
CREATE FUNCTION lims.note_failed_sign_in(
    p_organization bigint,
    p_user bigint,
    p_address text
) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v_guess lims.sign_in_guess;
    v_network CONSTANT text := lims.guessing_network(p_address);
BEGIN
    PERFORM lims.require_read_committed();
    INSERT INTO lims.sign_in_guess (organization_id, user_id, address)
    VALUES (p_organization, p_user, v_network)
    ON CONFLICT (organization_id, user_id, address) DO NOTHING;
    SELECT g.*
      INTO v_guess
      FROM lims.sign_in_guess g
     WHERE g.organization_id = p_organization
       AND g.user_id = p_user
       AND g.address = v_network
       FOR NO KEY UPDATE;
    IF v_guess.locked_until > clock_timestamp() THEN
        RETURN NULL;
    END IF;
    UPDATE lims.sign_in_guess g
       SET failures = (g.failures + 1) % 5,
           locks = g.locks + (g.failures = 4)::integer,
           locked_until = CASE WHEN g.failures = 4 THEN clock_timestamp() + least(
               interval '15 minutes' * 2 ^ least(g.locks, 7), interval '24 hours') END
     WHERE g.organization_id = p_organization
       AND g.id = v_guess.id
    RETURNING g.locked_until INTO v_guess.locked_until;
    RETURN v_guess.locked_until;
END
$$;

-- Sets the count back after a right password.
CREATE FUNCTION lims.note_sign_in(p_organization bigint, p_user bigint, p_address text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.sign_in_guess (organization_id, user_id, address, succeeded_at)
    VALUES (p_organization, p_user, lims.guessing_network(p_address), now())
    ON CONFLICT (organization_id, user_id, address) DO UPDATE
       SET failures = 0,
           locks = 0,
           locked_until = NULL,
           succeeded_at = now();
END
$$;

-- Sets the counts of all addresses back, after a link was spent.
CREATE FUNCTION lims.forget_failed_sign_ins(p_organization bigint, p_user bigint)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE lims.sign_in_guess g
       SET failures = 0,
           locks = 0,
           locked_until = NULL
     WHERE g.organization_id = p_organization
       AND g.user_id = p_user
       AND (g.failures > 0 OR g.locks > 0 OR g.locked_until IS NOT NULL);
END
$$;

-- Deletes counts that nothing was added to for 30 days: no lock lasts so long, and an address
-- is known for as long (lims.is_known_from). The number of addresses that guess is not
-- bounded.
CREATE FUNCTION lims.delete_old_guesses(p_limit integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
SET lock_timeout = '2s'
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
    v_count bigint;
BEGIN
    WITH old AS MATERIALIZED (
        SELECT g.organization_id, g.id
          FROM lims.organization o
          JOIN lims.sign_in_guess g
            ON g.organization_id = o.id
         WHERE g.updated_at < now() - interval '30 days'
         LIMIT p_limit
           FOR UPDATE OF g SKIP LOCKED
    )
    DELETE FROM lims.sign_in_guess g
     USING old
     WHERE g.organization_id = old.organization_id
       AND g.id = old.id;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END
$$;

-- The number of these counts, at most p_most (NULL: all).
CREATE FUNCTION lims.old_guesses_backlog(p_most bigint) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT count(*)
      FROM (SELECT FROM lims.organization o
              JOIN lims.sign_in_guess g
                ON g.organization_id = o.id
               AND g.updated_at < now() - interval '30 days'
             LIMIT p_most) r
$$;
