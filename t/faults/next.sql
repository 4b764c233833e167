-- SPDX-License-Identifier: Apache-2.0
--
-- A migration of tomorrow, for the test that applies it while requests run. The
-- service of today can live with it:
-- compatible since: 1

-- What the plans of today read is of another type then.
ALTER TABLE lims.client
    ADD COLUMN next text,
    ALTER COLUMN address TYPE varchar(4000),
    ALTER COLUMN contact_name TYPE varchar(400);

-- They call what is another function then, under the same name.
DO $$
DECLARE
    definition text := pg_get_functiondef('lims.authenticate'::regproc);
BEGIN
    DROP FUNCTION lims.authenticate;
    EXECUTE definition;
    GRANT EXECUTE ON FUNCTION lims.authenticate TO lims_app;
END
$$;
