-- SPDX-License-Identifier: Apache-2.0
--
-- Verification of certificates by anybody who holds one: its code leads to its number,
-- version, laboratory and validity, and to nothing else.

-- A new verification code: 20 characters of Crockford's base 32, 100 random bits.
CREATE FUNCTION lims.new_verification_code() RETURNS text
LANGUAGE sql VOLATILE
AS $$
    SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ',
                             (get_byte(r.bits, i.place) & 31) + 1, 1), '' ORDER BY i.place)
      FROM (SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
                   AS bits) r
     CROSS JOIN generate_series(0, 19) AS i (place)
$$;

-- A code as it is stored, whatever way somebody typed it: in lower case, with dashes or
-- blanks, with O and I, L for 0 and 1 (Crockford's base 32).
CREATE FUNCTION lims.verification_code_meant(p_code text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT translate(upper(p_code), 'OIL- ', '011') $$;

CREATE FUNCTION lims.certificate_code() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    NEW.verification_code := lims.new_verification_code();
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_code BEFORE INSERT ON lims.certificate
FOR EACH ROW EXECUTE FUNCTION lims.certificate_code();

-- Returns what anybody may know of a certificate whose code they hold; no row: there is no
-- such code.
-- The context has no organization: the code names it.
CREATE FUNCTION lims.verify_certificate(p_code text, p_sha256 bytea)
RETURNS TABLE (
    "number" text,
    version integer,
    laboratory text,
    "issuedAt" timestamptz,
    status text,
    "supersededBy" json,
    "fileMatches" boolean
)
LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
    SELECT c.certificate_number, c.version,
           c.content -> 'laboratory' ->> 'name', c.issued_at,
           CASE c.status WHEN 'issued' THEN 'valid' ELSE c.status END,
           (SELECT json_build_object('number', n.certificate_number, 'version', n.version,
                       'issuedAt', to_char(n.issued_at AT TIME ZONE 'UTC',
                                           'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
              FROM lims.certificate n
             WHERE n.organization_id = c.organization_id
               AND n.sample_id = c.sample_id
             ORDER BY n.version DESC
             LIMIT CASE c.status WHEN 'superseded' THEN 1 ELSE 0 END),
           (SELECT d.sha256 = p_sha256
              FROM lims.document d
             WHERE d.organization_id = c.organization_id
               AND d.certificate_id = c.id)
      FROM lims.certificate c
     WHERE c.verification_code = lims.verification_code_meant(p_code)
$$;
