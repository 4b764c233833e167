-- SPDX-License-Identifier: Apache-2.0
--
-- Cedar Basin Environmental Laboratory: samples, as they were registered and
-- received, with the tests that were scheduled.

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'ben.walsh@cedarbasin.example';

-- These days lie in the past. When a sample was registered and received is
-- stamped for everybody but the owner, who brings in what was done before.
SET LOCAL ROLE lims_owner;

-- Ages in hours since collection.
INSERT INTO lims.sample (organization_id, external_id, project_id,
    material_type_id, storage_location_id, collected_at, plant_location,
    priority, notes, created_at)
SELECT p.organization_id, s.external_id, p.id, m.id, l.id,
       now() - s.age * interval '1 hour', s.place, s.priority, s.notes,
       now() - s.age * interval '1 hour' + least(s.age / 2, 2) * interval '1 hour'
  FROM (VALUES
       -- 1: the happy path
       ('COC-0101', 'NPDES001', 'WWE', 216, 'EFF-001', 'routine', NULL),
       -- 2: nitrate at hour 47 of 48
       ('COC-0201', 'STP-WELL', 'DW', 47, 'Well 2', 'rush', 'Courier delayed by snow'),
       -- 3: pH received the next day
       ('COC-0301', 'STP-WELL', 'DW', 26, 'Well 1', 'routine', NULL),
       -- 4: seven taps on a QC batch that failed
       ('COC-0401', 'MVWD-LCR', 'DW', 120, 'Tap 01', 'routine', NULL),
       ('COC-0402', 'MVWD-LCR', 'DW', 120, 'Tap 02', 'routine', NULL),
       ('COC-0403', 'MVWD-LCR', 'DW', 119, 'Tap 03', 'routine', NULL),
       ('COC-0404', 'MVWD-LCR', 'DW', 119, 'Tap 04', 'routine', NULL),
       ('COC-0405', 'MVWD-LCR', 'DW', 118, 'Tap 05', 'routine', NULL),
       ('COC-0406', 'MVWD-LCR', 'DW', 118, 'Tap 06', 'routine', NULL),
       ('COC-0407', 'MVWD-LCR', 'DW', 117, 'Tap 07', 'routine', NULL),
       -- 5: one test without a result; 6: nothing to verify
       ('COC-0501', 'NPDES001', 'WWE', 143, 'EFF-001', 'routine', NULL),
       ('COC-0601', 'MVWD-TCR', 'DW', 10, 'Reservoir outlet', 'routine', NULL),
       -- 7: presumptive fecal coliform; 8: a count on a failed medium
       ('COC-0701', 'NPDES001', 'SW', 78, 'Upstream', 'routine', NULL),
       ('COC-0801', 'MVWD-TCR', 'DW', 60, 'Dead end main 4', 'routine', NULL),
       -- 9: lead, to be entered with a standard that has expired
       ('COC-0901', 'MVWD-LCR', 'DW', 52, 'Tap 08', 'routine', NULL),
       -- 10: lead above the action level, and one that could be
       ('COC-1001', 'MVWD-LCR', 'DW', 170, 'Tap 09', 'routine', 'Built 1951'),
       ('COC-1002', 'MVWD-LCR', 'DW', 50, 'Tap 10', 'routine', 'Built 1954'),
       -- 11: worksheets in all three states
       ('COC-1101', 'NPDES001', 'WWE', 96, 'EFF-001', 'routine', NULL),
       ('COC-1102', 'NPDES001', 'WWE', 95, 'EFF-002', 'routine', NULL),
       ('COC-1103', 'NPDES001', 'WWE', 264, 'EFF-001', 'routine', NULL),
       -- 12: approvals are open; 13: verified and locked beside an entered one
       ('COC-1201', 'STP-WELL', 'DW', 190, 'Well 1', 'routine', NULL),
       ('COC-1301', 'STP-WELL', 'DW', 150, 'Well 3', 'routine', NULL),
       -- 14: two that are awaited, one that has arrived
       ('COC-1401', 'MVWD-DBP', 'DW', 4, 'Site A', 'routine', NULL),
       ('COC-1402', 'MVWD-DBP', 'DW', 4, 'Site B', 'routine', NULL),
       ('COC-1403', 'MVWD-DBP', 'DW', 30, 'Site C', 'routine', NULL),
       -- 19: its certificate was amended; 22: ready, until a lot is recalled
       ('COC-1901', 'STP-WELL', 'DW', 620, 'Well 4', 'routine', NULL),
       ('COC-2201', 'MVWD-TCR', 'DW', 130, 'Booster 2', 'routine', NULL),
       -- The rest of six weeks
       ('COC-9001', 'NPDES001', 'WWE', 1056, 'EFF-001', 'routine', NULL),
       ('COC-9002', 'NPDES001', 'WWE', 888, 'EFF-001', 'routine', NULL),
       ('COC-9003', 'NPDES001', 'WWE', 720, 'EFF-001', 'routine', NULL),
       ('COC-9004', 'NPDES001', 'WWE', 552, 'EFF-001', 'routine', NULL),
       ('COC-9005', 'NPDES001', 'WWI', 552, 'INF-001', 'routine', NULL),
       ('COC-9006', 'NPDES001', 'WWE', 384, 'EFF-001', 'routine', NULL),
       ('COC-9007', 'NPDES001', 'SLUDGE', 384, 'RAS', 'routine', NULL),
       ('COC-9008', 'STP-WELL', 'GW', 210, 'Well 1', 'routine', NULL),
       ('COC-9009', 'STP-WELL', 'GW', 210, 'Well 2', 'routine', NULL),
       ('COC-9010', 'NPDES001', 'WWE', 150, 'EFF-002', 'routine', NULL),
       ('COC-9011', 'MVWD-TCR', 'DW', 44, 'School kitchen', 'routine', NULL),
       ('COC-9012', 'MVWD-TCR', 'DW', 43, 'Fire station', 'routine', NULL),
       ('COC-9013', 'MVWD-TCR', 'DW', 7, 'Reservoir inlet', 'stat', 'Repeat after main break'),
       ('COC-9014', 'MVWD-LCR', 'DW', 98, 'Tap 11', 'routine', NULL),
       ('COC-9015', 'MVWD-LCR', 'RAW', 48, 'Intake', 'routine', 'PFAS, initial monitoring'),
       ('COC-9016', 'NPDES001', 'WWE', 1, 'EFF-001', 'routine', NULL)
       ) AS s (external_id, project, material, age, place, priority, notes)
  JOIN lims.project p
    ON p.organization_id = lims.context_id('organization_id')
   AND p.code = s.project
  JOIN lims.material_type m
    ON m.organization_id = p.organization_id
   AND m.code = s.material
  JOIN lims.storage_location l
    ON l.organization_id = p.organization_id
   AND l.code = CASE s.project
           WHEN 'MVWD-LCR' THEN 'METALS'
           WHEN 'MVWD-DBP' THEN 'VOA'
           ELSE 'COLD-A' END
 ORDER BY s.age DESC, s.external_id;

INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
SELECT s.organization_id, s.id, d.id
  FROM (VALUES
       ('COC-0101', ARRAY['BOD5', 'TSS', 'NH3N']),
       ('COC-0201', ARRAY['NO3N']),
       ('COC-0301', ARRAY['PH']),
       ('COC-0401', ARRAY['PB', 'CU']),
       ('COC-0402', ARRAY['PB', 'CU']),
       ('COC-0403', ARRAY['PB', 'CU']),
       ('COC-0404', ARRAY['PB', 'CU']),
       ('COC-0405', ARRAY['PB', 'CU']),
       ('COC-0406', ARRAY['PB', 'CU']),
       ('COC-0407', ARRAY['PB', 'CU']),
       ('COC-0501', ARRAY['BOD5', 'TSS']),
       ('COC-0601', ARRAY['TURB']),
       ('COC-0701', ARRAY['FC']),
       ('COC-0801', ARRAY['HPC']),
       ('COC-0901', ARRAY['PB']),
       ('COC-1001', ARRAY['PB', 'CU']),
       ('COC-1002', ARRAY['PB']),
       ('COC-1101', ARRAY['HEM']),
       ('COC-1102', ARRAY['HEM']),
       ('COC-1103', ARRAY['HEM']),
       ('COC-1201', ARRAY['NO3N', 'TDS']),
       ('COC-1301', ARRAY['TDS', 'F']),
       ('COC-1401', ARRAY['TTHM']),
       ('COC-1402', ARRAY['TTHM']),
       ('COC-1403', ARRAY['TTHM']),
       ('COC-1901', ARRAY['NO3N', 'NO2N']),
       ('COC-2201', ARRAY['HPC']),
       ('COC-9001', ARRAY['BOD5', 'TSS', 'NH3N', 'PH']),
       ('COC-9002', ARRAY['BOD5', 'TSS', 'NH3N', 'PH']),
       ('COC-9003', ARRAY['BOD5', 'TSS', 'NH3N', 'PH']),
       ('COC-9004', ARRAY['BOD5', 'TSS', 'NH3N', 'PH']),
       ('COC-9005', ARRAY['BOD5', 'TSS', 'COD']),
       ('COC-9006', ARRAY['BOD5', 'TSS', 'NH3N', 'PH']),
       ('COC-9007', ARRAY['TSS', 'PH']),
       ('COC-9008', ARRAY['NO3N']),
       ('COC-9009', ARRAY['NO3N']),
       ('COC-9010', ARRAY['BOD5', 'TSS']),
       ('COC-9011', ARRAY['TCEC', 'CL2R']),
       ('COC-9012', ARRAY['TCEC', 'CL2R']),
       ('COC-9013', ARRAY['TCEC', 'TURB']),
       ('COC-9014', ARRAY['AS', 'HG']),
       ('COC-9015', ARRAY['PFOA', 'PFOS']),
       ('COC-9016', ARRAY['BOD5', 'TSS', 'NH3N'])
       ) AS t (external_id, codes)
 CROSS JOIN LATERAL unnest(t.codes) WITH ORDINALITY AS c (code, place)
  JOIN lims.sample s
    ON s.organization_id = lims.context_id('organization_id')
   AND s.external_id = t.external_id
  JOIN lims.test_definition d
    ON d.organization_id = s.organization_id
   AND d.code = c.code
 ORDER BY s.id, c.place;

-- Most come the same day; 2 and 3 were late.
UPDATE lims.sample s
   SET status = 'received',
       received_at = CASE s.external_id
           WHEN 'COC-0201' THEN now() - interval '6 hours'
           WHEN 'COC-0301' THEN now() - interval '4 hours'
           ELSE s.collected_at + interval '3 hours' END
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id NOT IN ('COC-1401', 'COC-1402', 'COC-9016');

SET LOCAL ROLE lims_app;
