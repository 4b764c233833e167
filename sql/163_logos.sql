-- SPDX-License-Identifier: Apache-2.0
--
-- Logos of laboratories, printed in the letterhead of certificates. A row is never changed
-- or removed: the content of a certificate names its logo by SHA-256, so an older one prints
-- with the logo of its issue for ever.

-- Triggers of lims.logo, in the order in which they run:
--
-- BEFORE INSERT
--   1 permit                refuses users without policy.manage
--
-- BEFORE UPDATE
--   1 append_only_change    refuses every change
--
-- BEFORE DELETE
--   1 append_only_change    refuses every deletion
--
-- BEFORE TRUNCATE
--   1 append_only_truncate  refuses to empty the table

CREATE TABLE lims.logo (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    sha256 bytea NOT NULL GENERATED ALWAYS AS (sha256(content)) STORED,
    -- A PNG that the printer has written anew of the pixels that somebody uploaded.
    content bytea NOT NULL CHECK (length(content) <= 1048576
        AND substr(content, 1, 8) = '\x89504e470d0a1a0a'),
    added_by bigint DEFAULT lims.context_id('user_id'),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, sha256),
    FOREIGN KEY (organization_id, added_by)
        REFERENCES lims.user_account (organization_id, id)
);

-- Bytes that are compressed already.
ALTER TABLE lims.logo ALTER content SET STORAGE EXTERNAL;

ALTER TABLE lims.organization ADD CONSTRAINT organization_logo_sha256
    FOREIGN KEY (id, logo_sha256) REFERENCES lims.logo (organization_id, sha256);

CREATE TRIGGER permit BEFORE INSERT ON lims.logo
FOR EACH ROW EXECUTE FUNCTION lims.permit('policy.manage');

SELECT lims.attach_append_only('logo');

-- Returns the logos with these digests (hexadecimal), in base64 under their digest, as the
-- printer is given them.
CREATE FUNCTION lims.logo_files(p_organization bigint, p_digests text[]) RETURNS json
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(json_object_agg(encode(l.sha256, 'hex'),
                   translate(encode(l.content, 'base64'), E'\n', '')), '{}')
          FROM lims.logo l
         WHERE l.organization_id = p_organization
           AND l.sha256 = ANY (ARRAY(
               SELECT decode(d.digest, 'hex')
                 FROM unnest(p_digests) d (digest))));
END
$$;
