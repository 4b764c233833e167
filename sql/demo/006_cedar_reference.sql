-- SPDX-License-Identifier: Apache-2.0
--
-- Cedar Basin Environmental Laboratory: reference data.
--
-- A definition carries the limit of drinking water (40 CFR 141 and 143); other
-- materials have specifications of their own, and a specification without
-- limits says that none applies. Holding times: 40 CFR 136 table II, 141.852.

SELECT lims.act_as(o.id, NULL, 'demonstration', NULL, NULL)
  FROM lims.organizations() o
 WHERE o.code = 'cedar-basin';

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'omar.haddad@cedarbasin.example';

INSERT INTO lims.client (organization_id, code, name, contact_name, email,
    phone, address)
SELECT lims.context_id('organization_id'), c.*
  FROM (VALUES
       ('RIVERBEND', 'City of Riverbend', 'Dana Whitlock',
        'wwtp@riverbend.example', '+1 555 0142', '1 Plant Road, Riverbend'),
       ('MVWD', 'Mesa Verde Water District', 'Samuel Ortega',
        'compliance@mvwd.example', '+1 555 0117', '80 Reservoir Lane'),
       ('SUNRISE', 'Sunrise Trailer Park', 'Peggy Lund',
        'office@sunrisepark.example', '+1 555 0190', '4400 Old Mill Highway')
       ) AS c (code, name, contact_name, email, phone, address);

INSERT INTO lims.project (organization_id, code, name, client_id,
    composite_sample_identifier)
SELECT c.organization_id, p.code, p.name, c.id, p.composite
  FROM (VALUES
       ('NPDES001', 'NPDES Outfall 001, weekly', 'RIVERBEND', true),
       ('MVWD-TCR', 'Total coliform rule, monthly', 'MVWD', false),
       ('MVWD-DBP', 'Disinfection by-products, quarterly', 'MVWD', false),
       ('MVWD-LCR', 'Lead and copper rule', 'MVWD', false),
       ('STP-WELL', 'Private wells', 'SUNRISE', false)
       ) AS p (code, name, client, composite)
  JOIN lims.client c
    ON c.organization_id = lims.context_id('organization_id')
   AND c.code = p.client;

INSERT INTO lims.material_type (organization_id, code, name)
SELECT lims.context_id('organization_id'), m.*
  FROM (VALUES
       ('DW', 'Drinking water'),
       ('RAW', 'Source water'),
       ('GW', 'Groundwater'),
       ('SW', 'Surface water'),
       ('STW', 'Stormwater'),
       ('WWI', 'Wastewater influent'),
       ('WWE', 'Wastewater effluent'),
       ('SLUDGE', 'Sludge')
       ) AS m (code, name);

INSERT INTO lims.storage_location (organization_id, code, name, kind,
    min_temperature, max_temperature)
SELECT lims.context_id('organization_id'), l.*
  FROM (VALUES
       ('RECV', 'Receiving refrigerator', 'refrigerator', 2, 8),
       ('COLD', 'Walk-in cold room', 'cold room', 2, 6),
       ('METALS', 'Metals cabinet, ambient', 'cabinet', 15, 30),
       ('VOA', 'VOA refrigerator, segregated', 'refrigerator', 2, 6),
       ('FREEZER', 'Freezer', 'freezer', -25, -15),
       ('INC-35', 'Incubator 35.0', 'incubator', 34.5, 35.5),
       ('BATH-445', 'Water bath 44.5', 'water bath', 44.3, 44.7)
       ) AS l (code, name, kind, min_temperature, max_temperature);

INSERT INTO lims.storage_location (organization_id, code, name, kind, parent_id)
SELECT l.organization_id, 'COLD-' || s.shelf, 'Cold room, shelf ' || s.shelf,
       'shelf', l.id
  FROM lims.storage_location l
 CROSS JOIN (VALUES ('A'), ('B'), ('C'), ('D')) AS s (shelf)
 WHERE l.organization_id = lims.context_id('organization_id')
   AND l.code = 'COLD';

INSERT INTO lims.instrument (organization_id, code, name, manufacturer, model)
SELECT lims.context_id('organization_id'), i.*
  FROM (VALUES
       ('ICPMS-1', 'ICP-MS', 'Agilent', '7900'),
       ('IC-1', 'Ion chromatograph', 'Thermo Scientific', 'Dionex ICS-6000'),
       ('TURB-1', 'Turbidimeter', 'Hach', '2100N'),
       ('DO-1', 'Dissolved oxygen meter', NULL, NULL),
       ('PH-1', 'pH meter', NULL, NULL),
       ('CVAA-1', 'Mercury analyser', NULL, NULL),
       ('QT-1', 'Quanti-Tray sealer', 'IDEXX', NULL)
       ) AS i (code, name, manufacturer, model);

INSERT INTO lims.test_definition (organization_id, code, name, method, unit,
    result_type, decimals, specification_low, specification_high,
    specification_text, reporting_limit, method_detection_limit,
    holding_time_hours, requires_worksheet, requires_confirmation)
SELECT lims.context_id('organization_id'), d.code, d.name, d.method, d.unit,
       'numeric', d.decimals, d.low, d.high, NULL, d.rl, d.mdl, d.hours,
       d.code = 'HEM', d.code = 'FC'
  FROM (VALUES
       ('PH', 'pH', 'SM 4500-H+ B', 's.u.', 2, 6.5, 8.5, 0.1, NULL, 0.25),
       ('CL2R', 'Residual chlorine', 'SM 4500-Cl G', 'mg/L', 2, NULL, 4.0, 0.05, NULL, 0.25),
       ('TURB', 'Turbidity', 'EPA 180.1', 'NTU', 2, NULL, 1, 0.10, NULL, 48),
       ('TDS', 'Total dissolved solids', 'SM 2540 C', 'mg/L', 0, NULL, 500, 10, NULL, 168),
       ('TSS', 'Total suspended solids', 'SM 2540 D', 'mg/L', 1, NULL, NULL, 2.5, NULL, 168),
       ('BOD5', 'Biochemical oxygen demand, 5 days', 'SM 5210 B', 'mg/L', 1, NULL, NULL, 2.0,
        NULL, 48),
       ('COD', 'Chemical oxygen demand', 'EPA 410.4', 'mg/L', 0, NULL, NULL, 10, NULL, 672),
       ('NH3N', 'Ammonia-N', 'EPA 350.1', 'mg/L', 2, NULL, NULL, 0.10, 0.02, 672),
       ('NO3N', 'Nitrate-N', 'EPA 300.0', 'mg/L', 2, NULL, 10, 0.10, 0.02, 48),
       ('NO2N', 'Nitrite-N', 'EPA 300.0', 'mg/L', 2, NULL, 1, 0.05, 0.01, 48),
       ('F', 'Fluoride', 'EPA 300.0', 'mg/L', 2, NULL, 4.0, 0.10, NULL, 672),
       ('SO4', 'Sulfate', 'EPA 300.0', 'mg/L', 1, NULL, 250, 1.0, NULL, 672),
       ('AS', 'Arsenic', 'EPA 200.8', 'ug/L', 1, NULL, 10, 1.0, 0.2, 4320),
       ('PB', 'Lead', 'EPA 200.8', 'ug/L', 1, NULL, 15, 0.5, 0.1, 4320),
       ('CU', 'Copper', 'EPA 200.8', 'ug/L', 1, NULL, 1300, 1.0, NULL, 4320),
       ('HG', 'Mercury', 'EPA 245.1', 'ug/L', 2, NULL, 2, 0.20, 0.05, 672),
       ('HEM', 'Oil and grease', 'EPA 1664B', 'mg/L', 1, NULL, NULL, 5.0, 1.4, 672),
       ('TTHM', 'Total trihalomethanes', 'EPA 524.2', 'ug/L', 1, NULL, 80, 0.5, NULL, 336),
       ('FC', 'Fecal coliform, multiple tube', 'SM 9221 B, E', 'MPN/100 mL', 0, NULL, NULL, 2,
        NULL, 8),
       ('HPC', 'Heterotrophic plate count', 'SM 9215 B', 'CFU/mL', 0, NULL, 500, 1, NULL, 8),
       ('PFOA', 'Perfluorooctanoic acid', 'EPA 533', 'ng/L', 1, NULL, 4.0, 2.0, 0.6, 672),
       ('PFOS', 'Perfluorooctanesulfonic acid', 'EPA 533', 'ng/L', 1, NULL, 4.0, 2.0, 0.6, 672)
       ) AS d (code, name, method, unit, decimals, low, high, rl, mdl, hours);

INSERT INTO lims.test_definition (organization_id, code, name, method, unit,
    result_type, specification_text, holding_time_hours)
VALUES (lims.context_id('organization_id'), 'TCEC',
    'Total coliform and E. coli', 'SM 9223 B', 'P/A per 100 mL', 'presence',
    'Absent', 30);

-- Solids of a sludge, tested instead of its suspended solids.
INSERT INTO lims.test_definition (organization_id, code, name, method, unit,
    result_type, decimals, holding_time_hours)
VALUES (lims.context_id('organization_id'), 'TSG', 'Total solids of a sludge',
    'SM 2540 G', '%', 'numeric', 2, 168);

-- Secondary treatment, 40 CFR 133.102: the 7-day averages; and for the rest of
-- the definitions no limit outside drinking water.
INSERT INTO lims.specification (organization_id, test_definition_id,
    material_type_id, low, high)
SELECT m.organization_id, d.id, m.id, s.low, s.high
  FROM lims.material_type m
  JOIN lims.test_definition d
    ON d.organization_id = m.organization_id
  LEFT JOIN (VALUES
       ('WWE', 'PH', 6.0, 9.0),
       ('WWE', 'BOD5', NULL, 45),
       ('WWE', 'TSS', NULL, 45)
       ) AS s (material, code, low, high)
    ON s.material = m.code
   AND s.code = d.code
 WHERE m.organization_id = lims.context_id('organization_id')
   AND m.code IN ('RAW', 'SW', 'STW', 'WWI', 'WWE', 'SLUDGE')
   AND (s.code IS NOT NULL
        OR d.specification_low IS NOT NULL
        OR d.specification_high IS NOT NULL
        OR d.specification_text IS NOT NULL)
 ORDER BY m.id, d.id;

-- Limits of the permit of Outfall 001, as daily maxima.
INSERT INTO lims.specification (organization_id, test_definition_id,
    material_type_id, project_id, high)
SELECT p.organization_id, d.id, m.id, p.id, s.high
  FROM (VALUES
       ('NH3N', 2.0),
       ('HEM', 15),
       ('FC', 400)
       ) AS s (code, high)
  JOIN lims.project p
    ON p.organization_id = lims.context_id('organization_id')
   AND p.code = 'NPDES001'
  JOIN lims.material_type m
    ON m.organization_id = p.organization_id
   AND m.code = 'WWE'
  JOIN lims.test_definition d
    ON d.organization_id = p.organization_id
   AND d.code = s.code;

-- The worksheet of EPA 1664B -----------------------------------------------

INSERT INTO lims.worksheet_template (organization_id, test_definition_id, name)
SELECT d.organization_id, d.id, 'Oil and grease by extraction and gravimetry'
  FROM lims.test_definition d
 WHERE d.organization_id = lims.context_id('organization_id')
   AND d.code = 'HEM';

-- The last fields are not required: the one follows from those before it, the other names
-- a lot that the laboratory does not register yet.
INSERT INTO lims.worksheet_field (organization_id, template_id, position, name,
    label, unit, kind, required, formula, decimals)
SELECT t.organization_id, t.id, f.position, f.name, f.label, f.unit, f.kind,
       f.position < 6, f.formula, f.decimals
  FROM lims.worksheet_template t
 CROSS JOIN (VALUES
       (1, 'preservation_checked', 'pH below 2 checked', NULL, 'boolean', NULL, NULL),
       (2, 'sample_volume', 'Sample volume', 'mL', 'number', NULL, NULL),
       (3, 'tare_weight', 'Tare weight of flask', 'mg', 'number', NULL, NULL),
       (4, 'final_weight', 'Final weight of flask', 'mg', 'number', NULL, NULL),
       (5, 'extraction_date', 'Date of extraction', NULL, 'date', NULL, NULL),
       (6, 'oil_and_grease', 'Oil and grease', 'mg/L', 'computed',
        '(final_weight - tare_weight) / sample_volume * 1000', 1),
       (7, 'solvent_lot', 'Lot of the solvent', NULL, 'reagent_lot', NULL, NULL)
       ) AS f (position, name, label, unit, kind, formula, decimals)
 WHERE t.organization_id = lims.context_id('organization_id')
 ORDER BY f.position;

INSERT INTO lims.worksheet_signoff_step (organization_id, template_id, position,
    name, role)
SELECT t.organization_id, t.id, s.position, s.name, s.role
  FROM lims.worksheet_template t
 CROSS JOIN (VALUES
       (1, 'Analyst', 'analyst'),
       (2, 'Peer review', 'lab_manager')
       ) AS s (position, name, role)
 WHERE t.organization_id = lims.context_id('organization_id')
 ORDER BY s.position;
