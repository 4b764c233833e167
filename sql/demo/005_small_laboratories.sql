-- SPDX-License-Identifier: Apache-2.0
--
-- Tiny Lab, whose plan has no access to the API, and Starter Water Lab, which
-- has used up what its plan allows in a month.

DO $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT o.id, o.code, p.email
          FROM lims.organizations() o
          JOIN (VALUES
               ('tiny-lab', 'eva.novak@tinylab.example'),
               ('starter-water', 'jack.turner@starterwater.example')
               ) AS p (organization, email)
            ON p.organization = o.code
         ORDER BY o.id
    LOOP
        -- People are seen once their organization is set.
        PERFORM lims.act_as(v.id, NULL, 'demonstration', NULL, NULL);
        PERFORM lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
           FROM lims.user_account u
          WHERE u.organization_id = v.id
            AND u.email = v.email;

        INSERT INTO lims.client (organization_id, code, name)
        SELECT v.id, c.code, c.name
          FROM (VALUES
               ('tiny-lab', 'BROOK', 'Brookside Bottling'),
               ('starter-water', 'MILLPOND', 'Millpond Homeowners Association'),
               ('starter-water', 'WELLS', 'Private wells, walk-in')
               ) AS c (organization, code, name)
         WHERE c.organization = v.code;

        INSERT INTO lims.material_type (organization_id, code, name)
        SELECT v.id, m.code, m.name
          FROM (VALUES
               ('DW', 'Drinking water'),
               ('GW', 'Groundwater')
               ) AS m (code, name);

        INSERT INTO lims.test_definition (organization_id, code, name, method,
            unit, result_type, decimals, specification_low, specification_high,
            specification_text, reporting_limit, holding_time_hours)
        SELECT v.id, d.*
          FROM (VALUES
               ('PH', 'pH', 'SM 4500-H+ B', 's.u.', 'numeric', 2, 6.5, 8.5,
                NULL, 0.1, 0.25),
               ('NO3N', 'Nitrate-N', 'EPA 300.0', 'mg/L', 'numeric', 2, NULL,
                10, NULL, 0.10, 48),
               ('TCEC', 'Total coliform and E. coli', 'SM 9223 B',
                'P/A per 100 mL', 'presence', NULL, NULL, NULL, 'Absent', NULL,
                30)
               ) AS d (code, name, method, unit, result_type, decimals,
                       specification_low, specification_high,
                       specification_text, reporting_limit,
                       holding_time_hours);
    END LOOP;
END
$$;

-- Now as Starter Water Lab, the last of them: 25 wells in one campaign.
INSERT INTO lims.sample (organization_id, external_id, client_name,
    material_type_id, collected_at, plant_location)
SELECT m.organization_id, 'COC-18' || lpad(n.number::text, 2, '0'),
       'Private wells, walk-in', m.id,
       now() - (28 - n.number) * interval '20 minutes', 'Well ' || n.number
  FROM lims.material_type m
 CROSS JOIN generate_series(1, 25) AS n (number)
 WHERE m.organization_id = lims.context_id('organization_id')
   AND m.code = 'GW'
 ORDER BY n.number;

INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
SELECT s.organization_id, s.id, d.id
  FROM lims.sample s
  JOIN lims.test_definition d
    ON d.organization_id = s.organization_id
   AND d.code IN ('NO3N', 'TCEC')
 WHERE s.organization_id = lims.context_id('organization_id')
 ORDER BY s.id, d.id;

UPDATE lims.sample s
   SET status = 'received'
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id <= 'COC-1815';
