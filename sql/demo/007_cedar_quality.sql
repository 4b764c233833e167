-- SPDX-License-Identifier: Apache-2.0
--
-- Cedar Basin Environmental Laboratory: reagent and media lots, QC batches and
-- their controls. What a batch or a lot comes to is worked out by the database.

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'mateo.ortiz@cedarbasin.example';

-- Days are the organization's own. STD-ICPMS-25 expired yesterday.
INSERT INTO lims.reagent_lot (organization_id, code, lot_number, name, supplier,
    expires_on, opened_on, qc_status)
SELECT o.id, r.code, r.lot_number, r.name, r.supplier, t.today + r.expires,
       t.today - r.opened, 'passed'
  FROM lims.organization o
 CROSS JOIN LATERAL (
       SELECT (now() AT TIME ZONE o.time_zone)::date AS today) t
 CROSS JOIN (VALUES
       ('HNO3-26', 'NA-88213', 'Nitric acid, trace metal grade', 'Corvus Chemicals', 400, 60),
       ('STD-ICPMS-25', 'MS-25117', 'As, Pb, Cu standard, 1000 mg/L', 'Ridgeway Standards', -1,
        365),
       ('STD-ICPMS-26', 'MS-26044', 'As, Pb, Cu standard, 1000 mg/L', 'Ridgeway Standards', 330,
        20),
       ('STD-IC-26', 'AN-26012', 'Anion standard, seven anions', 'Ridgeway Standards', 210, 30),
       ('BOD-NUT-26', 'BN-26005', 'BOD nutrient pillows', 'Corvus Chemicals', 500, 45)
       ) AS r (code, lot_number, name, supplier, expires, opened)
 WHERE o.id = lims.context_id('organization_id');

INSERT INTO lims.media_lot (organization_id, code, lot_number, medium, name,
    supplier, prepared_on, expires_on, opened_on)
SELECT o.id, m.code, m.lot_number, m.medium, m.name, 'Hillgate Media',
       t.today - m.prepared, t.today + m.expires, t.today - m.prepared + 5
  FROM lims.organization o
 CROSS JOIN LATERAL (
       SELECT (now() AT TIME ZONE o.time_zone)::date AS today) t
 CROSS JOIN (VALUES
       ('COLILERT-A', 'CL18-2207', 'COLILERT-18', 'Colilert-18, enzyme substrate', 60, 300),
       ('PCA-A', 'H26-1188', 'PCA', 'Plate count agar', 30, 60),
       ('PCA-B', 'H26-1207', 'PCA', 'Plate count agar', 18, 72),
       ('PCA-C', 'H26-1196', 'PCA', 'Plate count agar', 25, 65),
       ('LTB-A', 'H26-1150', 'LTB', 'Lauryl tryptose broth', 45, 45),
       ('ECB-A', 'H26-1151', 'EC', 'EC broth', 45, 45)
       ) AS m (code, lot_number, medium, name, prepared, expires)
 WHERE o.id = lims.context_id('organization_id');

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'priya.nair@cedarbasin.example';

INSERT INTO lims.media_qc_test (organization_id, media_lot_id, kind, organism,
    inoculum_cfu, recovery_percent, outcome, performed_on, notes)
SELECT l.organization_id, l.id, q.kind, q.organism, q.inoculum, q.recovery,
       q.outcome, l.prepared_on + 3, q.notes
  FROM (VALUES
       ('COLILERT-A', 'growth_promotion', 'Escherichia coli ATCC 25922', 40, NULL, 'passed',
        'Yellow and fluorescent'),
       ('COLILERT-A', 'indication', 'Klebsiella variicola ATCC 31488', 42, NULL, 'passed',
        'Yellow, not fluorescent'),
       ('COLILERT-A', 'inhibition', 'Pseudomonas aeruginosa ATCC 10145', 45, NULL, 'passed',
        'Neither'),
       ('COLILERT-A', 'sterility', NULL, NULL, NULL, 'passed', NULL),
       ('PCA-A', 'growth_promotion', 'Escherichia coli ATCC 25922', 60, 96, 'passed', NULL),
       ('PCA-A', 'sterility', NULL, NULL, NULL, 'passed', NULL),
       ('PCA-B', 'growth_promotion', 'Escherichia coli ATCC 25922', 64, 41, 'failed',
        'Recovery 41 %, below 50 %'),
       ('PCA-B', 'sterility', NULL, NULL, NULL, 'passed', NULL),
       ('PCA-C', 'growth_promotion', 'Escherichia coli ATCC 25922', 58, 87, 'passed', NULL),
       ('PCA-C', 'sterility', NULL, NULL, NULL, 'passed', NULL),
       ('LTB-A', 'growth_promotion', 'Escherichia coli ATCC 25922', 35, NULL, 'passed', 'Gas'),
       ('LTB-A', 'sterility', NULL, NULL, NULL, 'passed', NULL),
       ('ECB-A', 'growth_promotion', 'Escherichia coli ATCC 25922', 35, NULL, 'passed', 'Gas'),
       ('ECB-A', 'sterility', NULL, NULL, NULL, 'passed', NULL)
       ) AS q (lot, kind, organism, inoculum, recovery, outcome, notes)
  JOIN lims.media_lot l
    ON l.organization_id = lims.context_id('organization_id')
   AND l.code = q.lot;

-- The control chart of arsenic ---------------------------------------------

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'mateo.ortiz@cedarbasin.example';

-- Forty runs of a fortified blank of 50 ug/L. By the mean and deviation of the
-- first twenty, run 25 breaks 1-3s and runs 32 to 35 break 4-1s, no other rule
-- being broken; none leaves the 85 to 115 % of the method.
WITH run AS (
    SELECT lims.context_id('organization_id') AS organization_id,
           'QCB-' || lpad((60 + f.number)::text, 4, '0') AS batch_number,
           current_date - (44 - f.number::integer) * 2 AS analysis_date,
           f.found
      FROM unnest(ARRAY[
           49.1, 50.3, 48.4, 49.8, 50.6, 49.0, 48.2, 50.9, 49.6, 48.7,
           50.2, 49.4, 51.0, 48.9, 49.7, 47.9, 50.4, 49.3, 48.8, 50.5,
           49.2, 50.1, 48.9, 49.8, 52.9, 49.4, 50.0, 48.8, 49.6, 50.2,
           49.1, 50.7, 51.1, 50.8, 51.2, 49.5, 48.9, 50.1, 49.3, 49.9
           ]) WITH ORDINALITY AS f (found, number)
), batch AS (
    INSERT INTO lims.qc_batch (organization_id, batch_number, method,
        analysis_date)
    SELECT r.organization_id, r.batch_number, 'EPA 200.8', r.analysis_date
      FROM run r
     ORDER BY r.batch_number
    RETURNING organization_id, id, batch_number
)
INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type,
    test_definition_id, criterion, expected_value, measured_value, lower_limit,
    upper_limit, unit)
SELECT b.organization_id, b.id, 'LFB', d.id, 'recovery', 50, r.found, 85, 115,
       'ug/L'
  FROM run r
  JOIN batch b
    ON b.organization_id = r.organization_id
   AND b.batch_number = r.batch_number
  JOIN lims.test_definition d
    ON d.organization_id = r.organization_id
   AND d.code = 'AS'
 ORDER BY r.batch_number;

-- The batches of the scenarios ---------------------------------------------

INSERT INTO lims.qc_batch (organization_id, batch_number, method, analysis_date)
SELECT lims.context_id('organization_id'), b.batch_number, b.method,
       current_date - b.days
  FROM (VALUES
       ('QCB-0101', 'EPA 200.8', 2),
       ('QCB-0102', 'EPA 200.8', 2),
       ('QCB-0103', 'EPA 300.0', 8),
       ('QCB-0104', 'SM 5210 B', 8),
       ('QCB-0105', 'SM 5210 B', 5),
       ('QCB-0106', 'SM 9221 B, E', 3)
       ) AS b (batch_number, method, days);

-- Blanks of EPA 200.8 may reach 2.2 times the detection limit. Glucose and
-- glutamic acid of SM 5210 B: 198 +- 30.5 mg/L; its blank 0.20 mg/L.
INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type,
    test_definition_id, criterion, expected_value, measured_value, native_value,
    lower_limit, upper_limit, unit)
SELECT b.organization_id, b.id, c.control_type, d.id, c.criterion, c.expected,
       c.measured, c.native, c.low, c.high, d.unit
  FROM (VALUES
       ('QCB-0101', 'LRB', 'PB', 'maximum', NULL, 0.05, NULL, NULL, 0.22),
       ('QCB-0101', 'LFB', 'AS', 'recovery', 50, 49.2, NULL, 85, 115),
       ('QCB-0101', 'LFM', 'PB', 'recovery', 20, 19.39, 1.15, 70, 130),
       ('QCB-0101', 'DUP', 'AS', 'rpd', NULL, 12.61, 13.01, NULL, 20),
       ('QCB-0102', 'LRB', 'PB', 'maximum', NULL, 0.04, NULL, NULL, 0.22),
       ('QCB-0102', 'LFB', 'CU', 'recovery', 50, 51.1, NULL, 85, 115),
       ('QCB-0102', 'LFB', 'PB', 'recovery', 50, 65.5, NULL, 85, 115),
       ('QCB-0103', 'LRB', 'NO3N', 'maximum', NULL, 0.01, NULL, NULL, 0.10),
       ('QCB-0103', 'LFB', 'NO3N', 'recovery', 5, 4.93, NULL, 90, 110),
       ('QCB-0103', 'CCV', 'NO3N', 'recovery', 5, 5.60, NULL, 90, 110),
       ('QCB-0104', 'MB', 'BOD5', 'maximum', NULL, 0.12, NULL, NULL, 0.20),
       ('QCB-0104', 'QCS', 'BOD5', 'range', NULL, 189, NULL, 167.5, 228.5),
       ('QCB-0104', 'DUP', 'BOD5', 'rpd', NULL, 14.2, 15.1, NULL, 30),
       ('QCB-0105', 'MB', 'BOD5', 'maximum', NULL, 0.31, NULL, NULL, 0.20),
       ('QCB-0105', 'QCS', 'BOD5', 'range', NULL, 201, NULL, 167.5, 228.5)
       ) AS c (batch, control_type, code, criterion, expected, measured, native,
               low, high)
  JOIN lims.qc_batch b
    ON b.organization_id = lims.context_id('organization_id')
   AND b.batch_number = c.batch
  JOIN lims.test_definition d
    ON d.organization_id = b.organization_id
   AND d.code = c.code;

INSERT INTO lims.qc_control (organization_id, qc_batch_id, control_type,
    test_definition_id, criterion, expected_text, measured_text)
SELECT b.organization_id, b.id, c.control_type, d.id, 'expected', c.expected,
       c.measured
  FROM (VALUES
       ('POS', 'Growth', 'growth'),
       ('NEG', 'No growth', 'no growth'),
       ('STR', 'No growth', 'no growth')
       ) AS c (control_type, expected, measured)
  JOIN lims.qc_batch b
    ON b.organization_id = lims.context_id('organization_id')
   AND b.batch_number = 'QCB-0106'
  JOIN lims.test_definition d
    ON d.organization_id = b.organization_id
   AND d.code = 'FC';

SELECT lims.evaluate_qc_batch(b.organization_id, b.id)
  FROM lims.qc_batch b
 WHERE b.organization_id = lims.context_id('organization_id')
 ORDER BY b.id;
