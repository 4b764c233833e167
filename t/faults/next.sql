-- SPDX-License-Identifier: Apache-2.0
--
-- A migration of tomorrow, for the test that applies it while requests run. The
-- service of today can live with it:
-- compatible since: 1

-- Columns that plans of today read get another type; for that their record view is
-- dropped and made again.
DO $$
DECLARE
    definition text := pg_get_viewdef('lims.client_record'::regclass);
BEGIN
    DROP VIEW lims.client_record;
    ALTER TABLE lims.client
        ADD COLUMN next text,
        ALTER COLUMN address TYPE varchar(4000),
        ALTER COLUMN contact_name TYPE varchar(400);
    EXECUTE 'CREATE VIEW lims.client_record WITH (security_invoker = true) AS '
        || definition;
    GRANT SELECT ON lims.client_record TO lims_app;
END
$$;

-- Then these functions call another function under the same name.
DO $$
DECLARE
    definition text := pg_get_functiondef('lims.authenticate'::regproc);
BEGIN
    DROP FUNCTION lims.authenticate;
    EXECUTE definition;
    GRANT EXECUTE ON FUNCTION lims.authenticate TO lims_app;
END
$$;
