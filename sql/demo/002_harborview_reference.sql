-- SPDX-License-Identifier: Apache-2.0
--
-- Harborview Pharma & Food Microbiology: reference data and media lots.
--
-- From here on everything is done as the service does it: as lims_app, for one
-- organization, with row-level security in force.

SELECT lims.act_as(o.id, NULL, 'demonstration', NULL, NULL)
  FROM lims.organizations() o
 WHERE o.code = 'harborview';

SET LOCAL ROLE lims_app;

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'helen.brandt@harborview.example';

INSERT INTO lims.client (organization_id, code, name, contact_name, email)
SELECT lims.context_id('organization_id'), c.*
  FROM (VALUES
       ('ALDER', 'Alder Pharma', 'Judith Amsel', 'qc@alderpharma.example'),
       ('BLUESPOON', 'Blue Spoon Foods', 'Victor Hale', 'quality@bluespoon.example'),
       ('GREENLEAF', 'GreenLeaf Feeds', 'Ines Duarte', 'lab@greenleaf.example')
       ) AS c (code, name, contact_name, email);

INSERT INTO lims.project (organization_id, code, name, client_id)
SELECT c.organization_id, p.code, p.name, c.id
  FROM (VALUES
       ('ALD-TAB', 'Tablets, release testing', 'ALDER'),
       ('ALD-INJ', 'Injectables, sterility', 'ALDER'),
       ('ALD-WFI', 'Water for injection loop', 'ALDER'),
       ('BSF-RTE', 'Ready-to-eat salads', 'BLUESPOON'),
       ('BSF-SPICE', 'Spices, incoming goods', 'BLUESPOON'),
       ('GLF-FEED', 'Feed, monthly', 'GREENLEAF')
       ) AS p (code, name, client)
  JOIN lims.client c
    ON c.organization_id = lims.context_id('organization_id')
   AND c.code = p.client;

INSERT INTO lims.material_type (organization_id, code, name)
SELECT lims.context_id('organization_id'), m.*
  FROM (VALUES
       ('RM', 'Raw material, excipient'),
       ('FP-OS', 'Finished product, oral solid'),
       ('FP-OL', 'Finished product, oral liquid'),
       ('FP-INJ', 'Finished product, sterile injectable'),
       ('PW', 'Purified water'),
       ('WFI', 'Water for injection'),
       ('RTE', 'Ready-to-eat food'),
       ('SPICE', 'Spice'),
       ('FEED', 'Animal feed'),
       ('SWAB', 'Environmental swab')
       ) AS m (code, name);

INSERT INTO lims.storage_location (organization_id, code, name, kind,
    min_temperature, max_temperature)
SELECT lims.context_id('organization_id'), l.*
  FROM (VALUES
       ('RECV', 'Receiving refrigerator', 'refrigerator', 2, 8),
       ('INC-3035', 'Incubator 30 to 35', 'incubator', 30, 35),
       ('INC-2025', 'Incubator 20 to 25', 'incubator', 20, 25),
       ('RETAIN', 'Retain room', 'room', 15, 25)
       ) AS l (code, name, kind, min_temperature, max_temperature);

INSERT INTO lims.test_definition (organization_id, code, name, method, unit,
    result_type, decimals, specification_low, specification_high,
    specification_text, reporting_limit, requires_confirmation)
SELECT lims.context_id('organization_id'), d.*
  FROM (VALUES
       -- USP <1111>: 10^3 is accepted up to 2000, 10^2 up to 200.
       ('TAMC', 'Total aerobic microbial count', 'USP <61>', 'CFU/g',
        'numeric', 0, NULL::numeric, 2000, NULL, 10, false),
       ('TYMC', 'Total yeasts and moulds count', 'USP <61>', 'CFU/g',
        'numeric', 0, NULL, 200, NULL, 10, false),
       ('EC62', 'Escherichia coli, absence', 'USP <62>', '/1 g',
        'presence', NULL, NULL, NULL, 'Absent', NULL, true),
       ('STER', 'Sterility, 14 days', 'USP <71>', NULL,
        'presence', NULL, NULL, NULL, 'No growth', NULL, true),
       ('SALM', 'Salmonella, PCR screen', 'FDA BAM 5', '/25 g',
        'presence', NULL, NULL, NULL, 'Not detected', NULL, true),
       ('LMONO', 'Listeria monocytogenes', 'FDA BAM 10', '/25 g',
        'presence', NULL, NULL, NULL, 'Not detected', NULL, true),
       -- Limits that the client accepts are given by a specification.
       ('APC', 'Aerobic plate count', 'FDA BAM 3', 'CFU/g',
        'numeric', 0, NULL, NULL, NULL, 10, false),
       ('AW', 'Water activity', 'AOAC 978.18', 'aw',
        'numeric', 3, NULL, 0.85, NULL, NULL, false),
       ('ENDO', 'Bacterial endotoxins', 'USP <85>', 'EU/mL',
        'numeric', 3, NULL, 0.25, NULL, 0.005, false),
       ('PWTOC', 'Total organic carbon', 'USP <643>', 'ug/L',
        'numeric', 0, NULL, 500, NULL, 50, false),
       ('PWCOND', 'Conductivity at 25 C', 'USP <645>', 'uS/cm',
        'numeric', 2, NULL, 1.3, NULL, 0.05, false)
       ) AS d (code, name, method, unit, result_type, decimals,
               specification_low, specification_high, specification_text,
               reporting_limit, requires_confirmation);

-- Media --------------------------------------------------------------------

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'sofia.reyes@harborview.example';

-- Days are the organization's own; TSB-X expired yesterday.
INSERT INTO lims.media_lot (organization_id, code, lot_number, medium, name,
    supplier, prepared_on, expires_on, opened_on)
SELECT o.id, m.code, m.lot_number, m.medium, m.name, 'Hillgate Media',
       t.today - m.prepared, t.today + m.expires, t.today - m.prepared + 5
  FROM lims.organization o
 CROSS JOIN LATERAL (
       SELECT (now() AT TIME ZONE o.time_zone)::date AS today) t
 CROSS JOIN (VALUES
       ('TSA-A', 'H26-1180', 'TSA', 'Tryptic soy agar', 40, 50),
       ('TSA-B', 'H26-1204', 'TSA', 'Tryptic soy agar', 21, 69),
       ('SDA-A', 'H26-1131', 'SDA', 'Sabouraud dextrose agar', 33, 57),
       ('FTM-A', 'H26-1166', 'FTM', 'Fluid thioglycollate medium', 30, 60),
       ('SCDM-A', 'H26-1167', 'SCDM', 'Soybean-casein digest medium', 30, 60),
       ('XLD-A', 'H26-1219', 'XLD', 'Xylose lysine deoxycholate agar', 4, 86),
       ('MAC-A', 'H26-1142', 'MAC', 'MacConkey agar', 35, 55),
       ('TSB-X', 'H26-0977', 'TSB', 'Tryptic soy broth', 91, -1)
       ) AS m (code, lot_number, medium, name, prepared, expires)
 WHERE o.id = lims.context_id('organization_id');

-- Growth promotion: at most 100 CFU, recovered within a factor of 2. XLD-A has
-- not been tested yet, and so is pending.
INSERT INTO lims.media_qc_test (organization_id, media_lot_id, kind, organism,
    inoculum_cfu, recovery_percent, outcome, performed_on, notes)
SELECT l.organization_id, l.id, q.kind, q.organism, q.inoculum,
       q.recovery, q.outcome, l.prepared_on + 3, q.notes
  FROM (VALUES
       ('TSA-A', 'growth_promotion', 'Staphylococcus aureus ATCC 6538', 62, 97, 'passed', NULL),
       ('TSA-A', 'growth_promotion', 'Pseudomonas aeruginosa ATCC 9027', 55, 104, 'passed', NULL),
       ('TSA-A', 'sterility', NULL, NULL, NULL, 'passed', NULL),
       ('TSA-B', 'growth_promotion', 'Staphylococcus aureus ATCC 6538', 58, 38, 'failed',
        'Recovery 38 %, below 50 %'),
       ('TSA-B', 'growth_promotion', 'Pseudomonas aeruginosa ATCC 9027', 60, 91, 'passed', NULL),
       ('TSA-B', 'sterility', NULL, NULL, NULL, 'passed', NULL),
       ('SDA-A', 'growth_promotion', 'Candida albicans ATCC 10231', 48, 88, 'passed', NULL),
       ('SDA-A', 'sterility', NULL, NULL, NULL, 'passed', NULL),
       ('FTM-A', 'growth_promotion', 'Clostridium sporogenes ATCC 19404', 70, NULL, 'passed',
        'Clear growth on day 2'),
       ('FTM-A', 'sterility', NULL, NULL, NULL, 'failed', 'Turbid on day 6'),
       ('SCDM-A', 'growth_promotion', 'Bacillus subtilis ATCC 6633', 66, NULL, 'passed',
        'Clear growth on day 1'),
       ('SCDM-A', 'sterility', NULL, NULL, NULL, 'passed', NULL),
       ('MAC-A', 'growth_promotion', 'Escherichia coli ATCC 8739', 51, 93, 'passed', NULL),
       ('MAC-A', 'indication', 'Escherichia coli ATCC 8739', NULL, NULL, 'passed',
        'Red colonies, bile precipitate'),
       ('MAC-A', 'sterility', NULL, NULL, NULL, 'passed', NULL),
       ('TSB-X', 'growth_promotion', 'Escherichia coli ATCC 8739', 54, NULL, 'passed', NULL),
       ('TSB-X', 'sterility', NULL, NULL, NULL, 'passed', NULL)
       ) AS q (lot, kind, organism, inoculum, recovery, outcome, notes)
  JOIN lims.media_lot l
    ON l.organization_id = lims.context_id('organization_id')
   AND l.code = q.lot;
