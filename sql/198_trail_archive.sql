-- SPDX-License-Identifier: Apache-2.0
--
-- Archives of the audit trail: old blocks of an organization's chain, whose entries stand in a
-- signed file and no longer in the table. The blocks stay, with their heads and the MACs of
-- their entries, so that the chain goes on and the file is verified against it.
--
-- The file is written, synchronized and read again by limsctl, which then writes the record;
-- only entries that a record covers can be removed, and only by the owner.

CREATE TABLE lims.audit_archive (
    organization_id bigint NOT NULL,
    -- The number of the archive, from 1 on.
    id bigint NOT NULL,
    from_block bigint NOT NULL,
    to_block bigint NOT NULL,
    -- The end of the last block: the first position behind it.
    to_position bigint NOT NULL,
    entries bigint NOT NULL,
    -- The time of the youngest entry.
    last_entry_at timestamptz NOT NULL,
    file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 255),
    -- The digest of all lines of the file but the last, in hexadecimal, and the signature of
    -- that line.
    sha256 text COLLATE "C" NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    key_id text COLLATE "C" NOT NULL CHECK (length(key_id) BETWEEN 1 AND 32),
    signature text COLLATE "C" NOT NULL CHECK (length(signature) = 88),
    written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- When the last entry was removed; NULL: entries are still there.
    removed_at timestamptz,
    PRIMARY KEY (organization_id, id),
    CONSTRAINT audit_archive_start UNIQUE (organization_id, from_block),
    CHECK (from_block <= to_block)
);

-- Facts of archived entries that rules ask for: who entered what stands in a result
-- (lims.result_authors), and with which media lots a test was done before.
CREATE TABLE lims.archived_result (
    organization_id bigint NOT NULL,
    sample_test_id bigint NOT NULL,
    -- {"column": [id of the entry, id of the user]}, of the last change of each.
    authors jsonb NOT NULL,
    media_lot_ids bigint[] NOT NULL,
    PRIMARY KEY (organization_id, sample_test_id)
);

-- Coverage by a QC batch that a test with a result has left, of archived entries
-- (lims.failed_coverage_left).
CREATE TABLE lims.archived_coverage (
    organization_id bigint NOT NULL,
    sample_test_id bigint NOT NULL,
    coverage_id bigint NOT NULL,
    qc_batch_id bigint NOT NULL,
    PRIMARY KEY (organization_id, sample_test_id, coverage_id)
);

-- Keeps the entries of the trail: none is changed, and none removed but those of an archive.
CREATE FUNCTION lims.audit_entry_kept() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'DELETE' AND EXISTS (
        SELECT FROM lims.audit_archive c
          JOIN lims.audit_block b
            ON b.organization_id = c.organization_id
           AND b.id = c.from_block
         WHERE c.organization_id = OLD.organization_id
           AND c.removed_at IS NULL
           AND b.from_position <= OLD.position
           AND c.to_position > OLD.position
    ) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION USING
        ERRCODE = 'LM001',
        MESSAGE = 'audit_entry is append-only: its rows are never changed, and removed '
                  'only once they are archived',
        DETAIL = 'invalid_transition';
END
$$;

CREATE OR REPLACE TRIGGER append_only_change BEFORE UPDATE OR DELETE ON lims.audit_entry
FOR EACH ROW EXECUTE FUNCTION lims.audit_entry_kept();

-- Age below which no entry is archived: what the trail shows unasked, and what a client that
-- polls for changes asks for, is there.
CREATE FUNCTION lims.audit_archive_age() RETURNS interval
LANGUAGE sql IMMUTABLE
AS $$ SELECT interval '31 days' $$;

-- The blocks of an organization that are not archived and were closed before a time.
CREATE FUNCTION lims.audit_archivable(
    p_organization bigint,
    p_before timestamptz,
    OUT from_block bigint,
    OUT to_block bigint,
    OUT from_position bigint,
    OUT to_position bigint,
    OUT last_head text
)
LANGUAGE sql STABLE
AS $$
    SELECT min(b.id), max(b.id),
           coalesce((SELECT x.to_position
                       FROM lims.audit_block x
                      WHERE x.organization_id = p_organization
                        AND x.id = min(b.id) - 1), 0),
           max(b.to_position),
           coalesce((SELECT encode(x.head, 'hex')
                       FROM lims.audit_block x
                      WHERE x.organization_id = p_organization
                        AND x.id = min(b.id) - 1), '-')
      FROM lims.audit_block b
     WHERE b.organization_id = p_organization
       AND b.closed_at < least(p_before, now() - lims.audit_archive_age())
       AND b.id > coalesce((SELECT max(c.to_block)
                              FROM lims.audit_archive c
                             WHERE c.organization_id = p_organization), 0)
$$;

-- Entries of an organization in the order of the chain, each as a line of an archive: the
-- columns that lims.audit_digest() takes, in its order, numbers as numbers and texts as texts.
CREATE FUNCTION lims.audit_lines_between(
    p_organization bigint,
    p_from bigint,
    p_to bigint
) RETURNS TABLE (id bigint, "position" bigint, line text)
LANGUAGE sql STABLE
SET enable_bitmapscan = on
AS $$
    SELECT a.id, a.position,
           json_build_object(
               'organizationId', a.organization_id, 'id', a.id, 'position', a.position,
               'occurredAt', (extract(epoch FROM a.occurred_at) * 1000000)::bigint,
               'table', a.table_name, 'recordId', a.record_id, 'action', a.action,
               'changes', a.changes::text, 'userId', a.user_id, 'apiKeyId', a.api_key_id,
               'requestId', a.request_id, 'reason', a.reason,
               'signatureId', a.signature_id, 'surface', a.surface,
               'sessionId', a.session_id)::text
      FROM lims.audit_entry a
     WHERE a.organization_id = p_organization
       AND a.position >= p_from
       AND a.position < p_to
     ORDER BY a.position, a.id
$$;

-- Positions of the next blocks of an archive whose entries are there: as many as have up to p_most
-- entries, and at least one. No row: no entry is left.
CREATE FUNCTION lims.audit_removable(
    p_archive lims.audit_archive,
    p_most integer,
    OUT from_position bigint,
    OUT to_position bigint
) RETURNS SETOF record
LANGUAGE sql STABLE ROWS 1
SET enable_bitmapscan = on
AS $$
    WITH next AS MATERIALIZED (
        SELECT min(a.position) AS position
          FROM lims.audit_block b
          JOIN lims.audit_entry a
            ON a.organization_id = b.organization_id
           AND a.position >= b.from_position
           AND a.position < p_archive.to_position
         WHERE b.organization_id = p_archive.organization_id
           AND b.id = p_archive.from_block
    )
    SELECT min(f.from_position), max(f.to_position)
      FROM (SELECT b.id, b.from_position, b.to_position,
                   sum(cardinality(b.entry_ids)) OVER (ORDER BY b.id) AS entries,
                   min(b.id) OVER () AS first_id
              FROM (SELECT x.id, x.from_position, x.to_position, x.entry_ids
                      FROM next n
                      JOIN lims.audit_block x
                        ON x.organization_id = p_archive.organization_id
                       AND x.to_position > n.position
                       AND x.id <= p_archive.to_block
                     ORDER BY x.id
                     LIMIT 500) b) f
     WHERE f.entries <= p_most
        OR f.id = f.first_id
    HAVING count(*) > 0
$$;

-- Merges authors of a result that entries of two archives name: of each column that of the later
-- entry. Blocks are in order of position, in which a later entry may come first.
CREATE FUNCTION lims.latest_authors(p_one jsonb, p_other jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE
AS $$
    SELECT p_one || coalesce(jsonb_object_agg(e.key, e.value), '{}')
      FROM jsonb_each(p_other) e
     WHERE coalesce((p_one -> e.key ->> 0)::bigint, 0) < (e.value ->> 0)::bigint
$$;

-- Removes the entries of the next blocks of an archive, up to p_most or those of one block, keeps
-- what rules ask of them, and returns their number; 0: there is none left, which is written down.
-- A block is removed whole: of what is left of one its MACs could not be computed, so that a forged
-- entry in it would not be found.
CREATE FUNCTION lims.audit_remove(p_organization bigint, p_archive bigint, p_most integer)
RETURNS bigint
LANGUAGE plpgsql
SET enable_bitmapscan = on
AS $$
DECLARE
    v lims.audit_archive;
    v_from bigint;
    v_to bigint;
    v_count bigint;
BEGIN
    SELECT *
      INTO v
      FROM lims.audit_archive c
     WHERE c.organization_id = p_organization
       AND c.id = p_archive
       AND c.removed_at IS NULL
       FOR UPDATE;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    SELECT r.from_position, r.to_position
      INTO v_from, v_to
      FROM lims.audit_removable(v, p_most) r;
    WITH gone AS (
        DELETE FROM lims.audit_entry a
         WHERE a.organization_id = p_organization
           AND a.position >= v_from
           AND a.position < v_to
        RETURNING a.*
    ), facts AS (
        SELECT g.record_id, m.name, g.user_id, g.id,
               (g.changes -> 'media_lot_id' ->> 'old')::bigint AS media_lot_id
          FROM gone g
         CROSS JOIN unnest(ARRAY['result', 'qualifier', 'reagent_lot_id', 'media_lot_id',
                                 'analyzed_at', 'returned_at']) AS m (name)
         WHERE g.table_name = 'sample_test'
           AND g.changes -> m.name IS NOT NULL
    ), kept AS (
        INSERT INTO lims.archived_result AS r (organization_id, sample_test_id, authors,
            media_lot_ids)
        SELECT p_organization, f.record_id,
               jsonb_object_agg(f.name, jsonb_build_array(f.id, f.user_id) ORDER BY f.id),
               coalesce(array_agg(DISTINCT f.media_lot_id)
                            FILTER (WHERE f.name = 'media_lot_id'
                                      AND f.media_lot_id IS NOT NULL), '{}')
          FROM facts f
         GROUP BY f.record_id
            ON CONFLICT (organization_id, sample_test_id) DO UPDATE
           SET authors = lims.latest_authors(r.authors, excluded.authors),
               media_lot_ids = r.media_lot_ids || excluded.media_lot_ids
    ), left_coverage AS (
        INSERT INTO lims.archived_coverage (organization_id, sample_test_id, coverage_id,
            qc_batch_id)
        SELECT p_organization, l.sample_test_id, l.id, l.qc_batch_id
          FROM (SELECT g.record_id AS id, g.id AS entry_id,
                       (g.changes #>> '{sample_test_id,old}')::bigint AS sample_test_id,
                       (g.changes #>> '{qc_batch_id,old}')::bigint AS qc_batch_id
                  FROM gone g
                 WHERE g.table_name = 'qc_coverage'
                   AND g.action = 'delete') l
         WHERE lims.had_result(p_organization, l.sample_test_id, l.entry_id)
            ON CONFLICT DO NOTHING
    )
    SELECT count(*)
      INTO v_count
      FROM gone;
    IF v_count = 0 THEN
        UPDATE lims.audit_archive c
           SET removed_at = clock_timestamp()
         WHERE c.organization_id = p_organization
           AND c.id = p_archive;
    END IF;
    RETURN v_count;
END
$$;

-- Time up to which entries of an organization are archived; NULL: none is.
CREATE FUNCTION lims.audit_archived_until(p_organization bigint) RETURNS timestamptz
LANGUAGE sql STABLE
AS $$
    SELECT max(c.last_entry_at)
      FROM lims.audit_archive c
     WHERE c.organization_id = p_organization
$$;

-- The archives of an organization in words, for readers of the trail: the id of the first entry
-- that is in one, the time up to which entries are, and a sentence. No row: nothing is archived.
CREATE FUNCTION lims.audit_archived(p_organization bigint)
RETURNS TABLE (first_id bigint, until timestamptz, sentence text)
LANGUAGE sql STABLE
AS $$
    SELECT (SELECT b.entry_ids[1]
              FROM lims.audit_block b
             WHERE b.organization_id = p_organization
               AND b.id = 1),
           c.until,
           'What was done up to ' || to_char(c.until AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')
               || ' UTC is archived in ' || CASE c.files
                   WHEN 1 THEN 'the file ' || c.first_file
                   ELSE 'the files ' || c.first_file || ' to ' || c.last_file
                    END || ' and no longer shown here'
      FROM (SELECT count(*) AS files, max(x.last_entry_at) AS until,
                   (array_agg(x.file_name ORDER BY x.id))[1] AS first_file,
                   (array_agg(x.file_name ORDER BY x.id DESC))[1] AS last_file
              FROM lims.audit_archive x
             WHERE x.organization_id = p_organization) c
     WHERE c.files > 0
$$;

-- The same of the trail of a record, of whatever table. No row: all its entries are there, from
-- that of its creation on.
CREATE FUNCTION lims.record_archived(p_organization bigint, p_table text, p_id bigint)
RETURNS TABLE (first_id bigint, until timestamptz, sentence text)
LANGUAGE sql STABLE
AS $$
    SELECT a.first_id, a.until, a.sentence
      FROM lims.audit_archived(p_organization) a
     WHERE NOT EXISTS (
           SELECT FROM lims.audit_entry e
            WHERE e.organization_id = p_organization
              AND e.record_id = p_id
              AND e.table_name = p_table
              AND e.action = 'insert')
$$;

-- The same of a record that is there, which a history has.
CREATE FUNCTION lims.record_archive(p_organization bigint, p_table text, p_id bigint)
RETURNS TABLE (first_id bigint, until timestamptz, sentence text)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_exists boolean;
BEGIN
    IF lims.audit_archived_until(p_organization) IS NULL THEN
        RETURN;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM lims.%I r WHERE r.organization_id = $1 '
                   'AND r.id = $2)', p_table)
       INTO v_exists
      USING p_organization, p_id;
    RETURN QUERY
    SELECT a.first_id, a.until, a.sentence
      FROM lims.record_archived(p_organization, p_table, p_id) a
     WHERE v_exists;
END
$$;

-- An archive, for auditors.
CREATE VIEW lims.audit_archive_record WITH (security_invoker = true) AS
SELECT c.organization_id, c.id, c.from_block AS "fromBlock", c.to_block AS "toBlock", c.entries,
       c.last_entry_at AS "lastEntryAt", c.file_name AS "fileName", c.sha256,
       c.key_id AS "keyId", c.written_at AS "writtenAt", c.removed_at AS "removedAt"
  FROM lims.audit_archive c;
