-- SPDX-License-Identifier: Apache-2.0
--
-- Finding samples for lists: by the beginnings of their names.

-- Ways to write what a tracking id, a sample identifier or an external id begins with:
-- as given, in capitals, in small letters, and with the dashes of a tracking id, whose
-- places are not certain, since its prefix is up to eight letters and digits.
CREATE FUNCTION lims.name_beginnings(p_text text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$
    SELECT array_agg(DISTINCT w.name)
      FROM (SELECT upper(replace(p_text, '-', '')) AS text) c
     CROSS JOIN LATERAL (
           SELECT unnest(ARRAY[p_text, upper(p_text), lower(p_text), c.text]) AS name
            UNION ALL
           SELECT concat_ws('-', left(c.text, p), substr(c.text, p + 1, 2),
                            nullif(substr(c.text, p + 3), ''))
             FROM generate_series(1, 8) AS p
            WHERE substr(c.text, p + 1) ~ '^[0-9]{1,18}$'
            UNION ALL
           SELECT concat_ws('-', left(c.text, p), substr(c.text, p + 1, 2),
                            substr(left(c.text, -1), p + 3), right(c.text, 1))
             FROM generate_series(1, 8) AS p
            WHERE substr(c.text, p + 1) ~ '^[0-9]{9,18}[0-9A-Z]$') w
$$;

-- Whether a name of a sample begins in one of these ways.
CREATE FUNCTION lims.sample_name_begins(
    p_tracking_id text,
    p_sample_identifier text,
    p_external_id text,
    p_names text[]
) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT p_tracking_id ^@ ANY (p_names)
        OR p_sample_identifier ^@ ANY (p_names)
        OR p_external_id ^@ ANY (p_names)
$$;

-- The samples whose tracking id, sample identifier, external id or client begins with a
-- text: their ids in order if they are at most p_many, else the beginnings and the
-- clients by which each sample of a list can be asked. Names are ranges of their unique
-- indexes, which stand in the order of bytes: no beginning of a text sorts after U+10FFFF.
CREATE FUNCTION lims.samples_found(
    p_organization bigint,
    p_text text,
    p_many integer DEFAULT 10000,
    OUT ids bigint[],
    OUT names text[],
    OUT clients bigint[]
)
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    names := lims.name_beginnings(p_text);
    SELECT coalesce(array_agg(c.id), '{}')
      INTO clients
      FROM lims.client c
     WHERE c.organization_id = p_organization
       AND starts_with(lower(c.name), lower(p_text));
    SELECT coalesce(array_agg(DISTINCT f.id), '{}')
      INTO ids
      FROM (SELECT s.id
              FROM unnest(names) AS n (name)
             CROSS JOIN LATERAL (
                   (SELECT x.id
                      FROM lims.sample x
                     WHERE x.organization_id = p_organization
                       AND x.tracking_id >= n.name
                       AND x.tracking_id < n.name || chr(1114111)
                     LIMIT p_many + 1)
                     UNION ALL
                   (SELECT x.id
                      FROM lims.sample x
                     WHERE x.organization_id = p_organization
                       AND x.sample_identifier >= n.name
                       AND x.sample_identifier < n.name || chr(1114111)
                     LIMIT p_many + 1)
                     UNION ALL
                   (SELECT x.id
                      FROM lims.sample x
                     WHERE x.organization_id = p_organization
                       AND x.external_id >= n.name
                       AND x.external_id < n.name || chr(1114111)
                     LIMIT p_many + 1)) s
             UNION ALL
            SELECT s.id
              FROM unnest(clients) AS c (id)
             CROSS JOIN LATERAL (
                   SELECT x.id
                     FROM lims.sample x
                    WHERE x.organization_id = p_organization
                      AND x.client_id = c.id
                    LIMIT p_many + 1) s
             LIMIT 4 * (p_many + 1)) f;
    IF cardinality(ids) > p_many THEN
        ids := NULL;
    ELSE
        names := NULL;
    END IF;
END
$$;
