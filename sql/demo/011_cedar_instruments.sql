-- SPDX-License-Identifier: Apache-2.0
--
-- Cedar Basin Environmental Laboratory: how it reads the files of its
-- photometer, and two of them. limsctl demo reads them as if they had just come:
-- one is imported, the other waits for a person, with reasons.

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'ruth.calder@cedarbasin.example';

INSERT INTO lims.instrument (organization_id, code, name, manufacturer, model)
VALUES (lims.context_id('organization_id'), 'UV-1', 'Photometer',
    'Thermo Scientific', 'GENESYS 150');

-- The profile that comes with the service, with the laboratory's own test.
INSERT INTO lims.instrument_profile (organization_id, code, name, instrument_id,
    status, definition)
SELECT i.organization_id, p.definition ->> 'code', p.definition ->> 'name', i.id,
       'active', p.definition
  FROM lims.instrument i
 CROSS JOIN (VALUES ($json${
    "code": "visionlite-cod",
    "name": "COD by photometer, VISIONlite Quant",
    "layout": "wide",
    "match": {
        "container": "text",
        "headers": ["Sample Name", "Dilution factor", "Ordinate [A]", "Concentration [mg/L]", "Error"],
        "headersWithin": 5
    },
    "columns": {
        "trackingId": "Sample Name",
        "dilution": "Dilution factor",
        "flag": "Error"
    },
    "tests": [{ "name": "Concentration [mg/L]", "testCode": "COD", "unit": "mg/L" }],
    "rows": {
        "controls": [
            { "when": [{ "column": "trackingId", "matches": "^(?i:blank)$" }], "controlType": "MB" }
        ]
    }
}$json$::jsonb)) AS p (definition)
 WHERE i.organization_id = lims.context_id('organization_id')
   AND i.code = 'UV-1';

-- Registered this morning ---------------------------------------------------

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'ben.walsh@cedarbasin.example';

INSERT INTO lims.sample (organization_id, external_id, project_id,
    material_type_id, storage_location_id, collected_at, plant_location,
    priority)
SELECT p.organization_id, s.external_id, p.id, m.id, l.id,
       now() - interval '20 hours', s.place, 'routine'
  FROM (VALUES
       ('COC-9101', 'WWI', 'INF-001'),
       ('COC-9102', 'WWE', 'EFF-001'),
       ('COC-9103', 'WWE', 'EFF-002')
       ) AS s (external_id, material, place)
  JOIN lims.project p
    ON p.organization_id = lims.context_id('organization_id')
   AND p.code = 'NPDES001'
  JOIN lims.material_type m
    ON m.organization_id = p.organization_id
   AND m.code = s.material
  JOIN lims.storage_location l
    ON l.organization_id = p.organization_id
   AND l.code = 'COLD-A'
 ORDER BY s.external_id;

INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
SELECT s.organization_id, s.id, d.id
  FROM lims.sample s
  JOIN lims.test_definition d
    ON d.organization_id = s.organization_id
   AND d.code = 'COD'
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id IN ('COC-9101', 'COC-9102', 'COC-9103')
 ORDER BY s.id;

UPDATE lims.sample s
   SET status = 'received'
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id IN ('COC-9101', 'COC-9102', 'COC-9103');

-- Sent by the instrument's computer, which has a key for nothing else ---------

SELECT lims.set_context(k.organization_id, k.created_by, k.id, 'demonstration',
                        NULL, NULL)
  FROM lims.api_key k
 WHERE k.organization_id = lims.context_id('organization_id')
   AND k.upload_only;

-- In the second one value is out of range, and one name is none of a sample.
SELECT lims.keep_file(lims.context_id('organization_id'), r.file,
       convert_to(E'Sample Name,Dilution factor,Ordinate [A],'
                  'Concentration [mg/L],Error\r\n'
                  || string_agg(coalesce(s.tracking_id, r.sample) || r.cells
                                || E'\r\n', '' ORDER BY r.place), 'UTF8'))
  FROM (VALUES
       ('cod-morning.csv', 1, 'Blank', ',1,0.00105,0.4,'),
       ('cod-morning.csv', 2, 'COC-9101', ',5,0.48210,402,'),
       ('cod-morning.csv', 3, 'COC-9102', ',1,0.09420,38,'),
       ('cod-noon.csv', 1, 'COC-9103', ',1,2.91300,1204,Out of range'),
       ('cod-noon.csv', 2, 'EFF 002 rep', ',1,0.09080,37,')
       ) AS r (file, place, sample, cells)
  LEFT JOIN lims.sample s
    ON s.organization_id = lims.context_id('organization_id')
   AND s.external_id = r.sample
 GROUP BY r.file
 ORDER BY r.file;

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'grace.okafor@cedarbasin.example';
