-- SPDX-License-Identifier: Apache-2.0
--
-- The chain of the audit trail. A job closes blocks of each organization's entries in the
-- order of positions, below the oldest running transaction, where nothing is added any
-- more. It computes the MACs (HMAC-SHA-256) outside the database, under a key that the
-- database does not have: whoever changes, removes or inserts an entry, the owner of the
-- schema included, cannot make the MACs that would fit. modules/kernel/chain.h has their
-- form.

-- The SHA-256 of an entry, of all its columns. Numbers and texts only, so that no setting
-- of the session changes it. Version 1; a new version gets a function of its own.
CREATE FUNCTION lims.audit_digest(a lims.audit_entry) RETURNS bytea
LANGUAGE sql STABLE
AS $$
    SELECT sha256(convert_to(ROW(
               a.organization_id, a.id, a.position,
               (extract(epoch FROM a.occurred_at) * 1000000)::bigint,
               a.table_name, a.record_id, a.action, a.changes, a.user_id,
               a.api_key_id, a.request_id, a.reason, a.signature_id, a.surface,
               a.session_id)::text, 'UTF8'))
$$;

-- Entries of an organization in the order of the chain, from one position up to another.
-- The index of positions is read by bitmap alone, which the service's sessions switch off.
CREATE FUNCTION lims.audit_entries_between(
    p_organization bigint,
    p_from bigint,
    p_to bigint
) RETURNS TABLE (id bigint, "position" bigint, occurred_at timestamptz, digest bytea)
LANGUAGE sql STABLE
SET enable_bitmapscan = on
AS $$
    SELECT a.id, a.position, a.occurred_at, lims.audit_digest(a)
      FROM lims.audit_entry a
     WHERE a.organization_id = p_organization
       AND a.position >= p_from
       AND a.position < p_to
     ORDER BY a.position, a.id
$$;

-- Blocks of an organization after one, in order: as many as have some 20,000 entries.
CREATE FUNCTION lims.audit_blocks_after(p_organization bigint, p_after bigint)
RETURNS SETOF lims.audit_block
LANGUAGE sql STABLE
AS $$
    SELECT b.organization_id, b.id, b.from_position, b.to_position, b.closed_at, b.key_id,
           b.entry_version, b.entry_ids, b.marks, b.head
      FROM (SELECT x.*, sum(cardinality(x.entry_ids)) OVER (ORDER BY x.id)
                            - cardinality(x.entry_ids) AS before
              FROM (SELECT *
                      FROM lims.audit_block
                     WHERE organization_id = p_organization
                       AND id > p_after
                     ORDER BY id
                     LIMIT 500) x) b
     WHERE b.before < 20000
     ORDER BY b.id
$$;
-- Up to p_most entries of an organization from one position on, in no order.
CREATE FUNCTION lims.audit_entries_from(p_organization bigint, p_from bigint, p_most bigint)
RETURNS TABLE (id bigint, "position" bigint)
LANGUAGE sql STABLE
SET enable_bitmapscan = on
AS $$
    SELECT a.id, a.position
      FROM lims.audit_entry a
     WHERE a.organization_id = p_organization
       AND a.position >= p_from
     LIMIT p_most
$$;

-- Closing ------------------------------------------------------------------

-- Locks the chain of an organization that was not closed since p_begun, and says up to
-- where it may be closed now, over at most p_positions. Skips what another machine has
-- locked; no row: nothing is left to do. Organizations take turns by chance, so that one whose
-- chain cannot be closed keeps no other from it.
CREATE FUNCTION lims.audit_take(p_begun timestamptz, p_positions bigint)
RETURNS TABLE (
    organization_id bigint,
    from_position bigint,
    to_position bigint,
    behind boolean,
    last_block bigint,
    last_position bigint,
    last_head bytea
)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
DECLARE
    v lims.audit_closing;
    v_horizon bigint := lims.event_horizon();
    v_to bigint;
BEGIN
    INSERT INTO lims.audit_closing (organization_id, closed_below, closed_at, behind)
    SELECT o.id, least(v_horizon, (SELECT min(a.position)
                                     FROM lims.audit_entry a
                                    WHERE a.organization_id = o.id)), '-infinity', true
      FROM lims.organization o
     WHERE NOT EXISTS (
           SELECT FROM lims.audit_closing c
            WHERE c.organization_id = o.id)
        ON CONFLICT DO NOTHING;
    SELECT *
      INTO v
      FROM lims.audit_closing c
     WHERE c.closed_at < p_begun
        OR c.behind
     ORDER BY random()
     LIMIT 1
       FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    v_horizon := lims.event_horizon();
    v_to := greatest(v.closed_below, least(v_horizon, v.closed_below + p_positions));
    RETURN QUERY
    SELECT v.organization_id, v.closed_below, v_to, v_to < v_horizon,
           coalesce(b.id, 0), coalesce(b.to_position, 0), b.head
      FROM (VALUES (true)) AS one
      LEFT JOIN LATERAL (
           SELECT x.id, x.to_position, x.head
             FROM lims.audit_block x
            WHERE x.organization_id = v.organization_id
            ORDER BY x.id DESC
            LIMIT 1) b
        ON true;
END
$$;

-- lims.audit_entries_between() for the job, which acts for no organization.
CREATE FUNCTION lims.audit_entries_to_close(
    p_organization bigint,
    p_from bigint,
    p_to bigint
) RETURNS TABLE (id bigint, digest bytea)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT e.id, e.digest
      FROM lims.audit_entries_between(p_organization, p_from, p_to) e
     ORDER BY e.position, e.id
$$;

-- Writes a block, if there are entries, and how far the chain is closed. The lock that
-- lims.audit_take() holds keeps others away.
CREATE FUNCTION lims.audit_close(
    p_block lims.audit_block,
    p_behind boolean
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    IF (p_block).entry_ids IS NOT NULL THEN
        INSERT INTO lims.audit_block SELECT p_block.*;
    END IF;
    UPDATE lims.audit_closing c
       SET closed_below = (p_block).to_position,
           closed_at = clock_timestamp(),
           behind = p_behind
     WHERE c.organization_id = (p_block).organization_id;
END
$$;

-- Seconds since the chain that is furthest behind was closed.
CREATE FUNCTION lims.audit_closing_age() RETURNS double precision
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT coalesce(extract(epoch FROM now() - min(c.closed_at)), 0)::double precision
      FROM lims.audit_closing c
     WHERE c.closed_at > '-infinity'
$$;
