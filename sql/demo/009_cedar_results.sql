-- SPDX-License-Identifier: Apache-2.0
--
-- Cedar Basin Environmental Laboratory: results, and what stands behind them.

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'yuki.tanaka@cedarbasin.example';

-- Analysed so many hours after collection.
WITH entered AS (
    UPDATE lims.sample_test t
       SET result = r.result,
           notes = r.notes,
           analyzed_at = s.collected_at + r.hours * interval '1 hour',
           reagent_lot_id = l.id
      FROM (VALUES
           ('COC-0101', 'BOD5', '12.4', 20, 'QCB-0104', 'BOD-NUT-26', NULL),
           ('COC-0101', 'TSS', '9.5', 48, NULL, NULL, NULL),
           ('COC-0101', 'NH3N', '0.84', 70, NULL, NULL, NULL),
           ('COC-0301', 'PH', '7.42', 23, NULL, NULL, 'H: holding time of 15 minutes exceeded'),
           ('COC-0401', 'PB', '3.1', 72, 'QCB-0102', 'STD-ICPMS-26', NULL),
           ('COC-0402', 'PB', '1.8', 72, 'QCB-0102', 'STD-ICPMS-26', NULL),
           ('COC-0403', 'PB', '<0.5', 72, 'QCB-0102', 'STD-ICPMS-26', NULL),
           ('COC-0404', 'PB', '6.7', 72, 'QCB-0102', 'STD-ICPMS-26', NULL),
           ('COC-0405', 'PB', '2.2', 72, 'QCB-0102', 'STD-ICPMS-26', NULL),
           ('COC-0406', 'PB', '0.9', 72, 'QCB-0102', 'STD-ICPMS-26', NULL),
           ('COC-0407', 'PB', '4.4', 72, 'QCB-0102', 'STD-ICPMS-26', NULL),
           ('COC-0401', 'CU', '212', 72, 'QCB-0101', 'STD-ICPMS-26', NULL),
           ('COC-0402', 'CU', '96.4', 72, 'QCB-0101', 'STD-ICPMS-26', NULL),
           ('COC-0403', 'CU', '18.0', 72, 'QCB-0101', 'STD-ICPMS-26', NULL),
           ('COC-0404', 'CU', '340', 72, 'QCB-0101', 'STD-ICPMS-26', NULL),
           ('COC-0405', 'CU', '155', 72, 'QCB-0101', 'STD-ICPMS-26', NULL),
           ('COC-0406', 'CU', '61.3', 72, 'QCB-0101', 'STD-ICPMS-26', NULL),
           ('COC-0407', 'CU', '127', 72, 'QCB-0101', 'STD-ICPMS-26', NULL),
           ('COC-0501', 'BOD5', '14.0', 20, NULL, 'BOD-NUT-26', NULL),
           ('COC-1001', 'PB', '16.2', 122, 'QCB-0101', 'STD-ICPMS-26', NULL),
           ('COC-1001', 'CU', '480', 122, 'QCB-0101', 'STD-ICPMS-26', NULL),
           ('COC-1101', 'HEM', '6.2', 60, NULL, NULL, NULL),
           ('COC-1102', 'HEM', '<5.0', 60, NULL, NULL, NULL),
           ('COC-1103', 'HEM', '7.8', 60, NULL, NULL, NULL),
           ('COC-1201', 'NO3N', '3.40', 30, NULL, 'STD-IC-26', NULL),
           ('COC-1201', 'TDS', '310', 80, NULL, NULL, NULL),
           ('COC-1301', 'TDS', '288', 70, NULL, NULL, NULL),
           ('COC-1301', 'F', '0.61', 70, NULL, 'STD-IC-26', NULL),
           ('COC-1901', 'NO3N', '1.25', 28, NULL, 'STD-IC-26', NULL),
           ('COC-1901', 'NO2N', '<0.05', 28, NULL, 'STD-IC-26', NULL),
           ('COC-9001', 'BOD5', '11.2', 20, NULL, NULL, NULL),
           ('COC-9001', 'TSS', '8.0', 40, NULL, NULL, NULL),
           ('COC-9001', 'NH3N', '0.62', 60, NULL, NULL, NULL),
           ('COC-9001', 'PH', '7.1', 0.1, NULL, NULL, 'Measured in the field'),
           ('COC-9002', 'BOD5', '13.6', 20, NULL, NULL, NULL),
           ('COC-9002', 'TSS', '10.5', 40, NULL, NULL, NULL),
           ('COC-9002', 'NH3N', '0.91', 60, NULL, NULL, NULL),
           ('COC-9002', 'PH', '7.2', 0.1, NULL, NULL, 'Measured in the field'),
           ('COC-9003', 'BOD5', '12.1', 20, NULL, NULL, NULL),
           ('COC-9003', 'TSS', '9.0', 40, NULL, NULL, NULL),
           ('COC-9003', 'NH3N', '0.55', 60, NULL, NULL, NULL),
           ('COC-9003', 'PH', '7.0', 0.2, NULL, NULL, 'Measured in the field'),
           ('COC-9004', 'BOD5', '15.8', 20, NULL, NULL, NULL),
           ('COC-9004', 'TSS', '12.5', 40, NULL, NULL, NULL),
           ('COC-9004', 'NH3N', '1.40', 60, NULL, NULL, NULL),
           ('COC-9004', 'PH', '6.9', 0.1, NULL, NULL, 'Measured in the field'),
           ('COC-9005', 'BOD5', '215', 20, NULL, NULL, NULL),
           ('COC-9005', 'TSS', '190', 40, NULL, NULL, NULL),
           ('COC-9005', 'COD', '470', 60, NULL, NULL, NULL),
           ('COC-9006', 'BOD5', '10.9', 20, NULL, NULL, NULL),
           ('COC-9006', 'TSS', '7.5', 40, NULL, NULL, NULL),
           ('COC-9006', 'NH3N', '0.47', 60, NULL, NULL, NULL),
           ('COC-9006', 'PH', '7.1', 0.1, NULL, NULL, 'Measured in the field'),
           ('COC-9007', 'TSS', '8200', 40, NULL, NULL, NULL),
           ('COC-9007', 'PH', '6.8', 0.2, NULL, NULL, 'Measured in the field'),
           ('COC-9008', 'NO3N', '<0.10', 26, 'QCB-0103', 'STD-IC-26', NULL),
           ('COC-9009', 'NO3N', '<0.10', 26, 'QCB-0103', 'STD-IC-26', NULL),
           ('COC-9010', 'BOD5', '9.8', 22, 'QCB-0105', 'BOD-NUT-26', NULL),
           ('COC-9010', 'TSS', '8.5', 40, NULL, NULL, NULL),
           ('COC-9011', 'CL2R', '0.80', 0.1, NULL, NULL, 'Measured in the field'),
           ('COC-9012', 'CL2R', '0.65', 0.1, NULL, NULL, 'Measured in the field'),
           ('COC-9014', 'AS', '2.6', 50, 'QCB-0101', 'STD-ICPMS-26', NULL)
           ) AS r (external_id, code, result, hours, batch, lot, notes)
      JOIN lims.sample s
        ON s.organization_id = lims.context_id('organization_id')
       AND s.external_id = r.external_id
      JOIN lims.test_definition d
        ON d.organization_id = s.organization_id
       AND d.code = r.code
      LEFT JOIN lims.qc_batch b
        ON b.organization_id = s.organization_id
       AND b.batch_number = r.batch
      LEFT JOIN lims.reagent_lot l
        ON l.organization_id = s.organization_id
       AND l.code = r.lot
     WHERE t.organization_id = s.organization_id
       AND t.sample_id = s.id
       AND t.test_definition_id = d.id
    RETURNING t.organization_id, t.id, b.id AS qc_batch_id
)
INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)
SELECT e.organization_id, e.id, e.qc_batch_id
  FROM entered e
 WHERE e.qc_batch_id IS NOT NULL
 ORDER BY e.id;

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'priya.nair@cedarbasin.example';

WITH entered AS (
    UPDATE lims.sample_test t
       SET result = r.result,
           analyzed_at = s.collected_at + r.hours * interval '1 hour',
           media_lot_id = m.id
      FROM (VALUES
           ('COC-0701', 'FC', '500', 6, 'LTB-A', 'QCB-0106'),
           ('COC-0801', 'HPC', '35', 7, 'PCA-B', NULL),
           ('COC-2201', 'HPC', '12', 6, 'PCA-C', NULL),
           ('COC-9011', 'TCEC', 'Absent', 10, 'COLILERT-A', NULL),
           ('COC-9012', 'TCEC', 'Absent', 9, 'COLILERT-A', NULL)
           ) AS r (external_id, code, result, hours, lot, batch)
      JOIN lims.sample s
        ON s.organization_id = lims.context_id('organization_id')
       AND s.external_id = r.external_id
      JOIN lims.test_definition d
        ON d.organization_id = s.organization_id
       AND d.code = r.code
      JOIN lims.media_lot m
        ON m.organization_id = s.organization_id
       AND m.code = r.lot
      LEFT JOIN lims.qc_batch b
        ON b.organization_id = s.organization_id
       AND b.batch_number = r.batch
     WHERE t.organization_id = s.organization_id
       AND t.sample_id = s.id
       AND t.test_definition_id = d.id
    RETURNING t.organization_id, t.id, b.id AS qc_batch_id
)
INSERT INTO lims.qc_coverage (organization_id, sample_test_id, qc_batch_id)
SELECT e.organization_id, e.id, e.qc_batch_id
  FROM entered e
 WHERE e.qc_batch_id IS NOT NULL
 ORDER BY e.id;

-- 7: gas in lauryl tryptose broth; the EC broth is still in the water bath.
INSERT INTO lims.confirmation_step (organization_id, sample_test_id, position,
    medium, media_lot_id, procedure, read_at, reading, outcome)
SELECT t.organization_id, t.id, 1, 'Lauryl tryptose broth', t.media_lot_id,
       'SM 9221 B, presumptive, 35 C, 48 h', t.analyzed_at + interval '48 hours',
       'Gas in 5, 4 and 2 of 5 tubes', 'presumptive positive'
  FROM lims.sample_test t
  JOIN lims.sample s
    ON s.organization_id = t.organization_id
   AND s.id = t.sample_id
 WHERE t.organization_id = lims.context_id('organization_id')
   AND s.external_id = 'COC-0701';

UPDATE lims.sample s
   SET status = 'processing'
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.status = 'received'
   AND EXISTS (
       SELECT FROM lims.sample_test t
        WHERE t.organization_id = s.organization_id
          AND t.sample_id = s.id
          AND t.result IS NOT NULL);

-- 10: the investigation that the result opened -----------------------------

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'grace.okafor@cedarbasin.example';

UPDATE lims.investigation i
   SET status = 'phase_1',
       due_on = current_date + 30
 WHERE i.organization_id = lims.context_id('organization_id')
   AND i.kind = 'oos';

-- No laboratory error: 16.2 was found again in the second portion.
UPDATE lims.investigation i
   SET status = 'phase_2'
 WHERE i.organization_id = lims.context_id('organization_id')
   AND i.kind = 'oos';

-- The officer writes how it would be tested again, and the lab manager approves that.
UPDATE lims.investigation i
   SET checks = '{sample_identity,method_known,raw_data,calculations}',
       hypotheses = 'Lead from the tap of the pump house, which was not flushed. For: first '
                    'draw after a night. Against: the second portion has it too.',
       retest_plan = 'Two portions of the bottle that is kept, by another analyst, in a run '
                     'with a new calibration. Each is reported on its own; none is averaged.'
 WHERE i.organization_id = lims.context_id('organization_id')
   AND i.kind = 'oos';

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'lena.fischer@cedarbasin.example';

SELECT set_config('lims.signature_id', lims.sign(lims.context_id('user_id'), 'approved',
           'investigation', i.id)::text, true)
  FROM lims.investigation i
 WHERE i.organization_id = lims.context_id('organization_id')
   AND i.kind = 'oos';

UPDATE lims.investigation i
   SET retest_plan_approved_at = now()
 WHERE i.organization_id = lims.context_id('organization_id')
   AND i.kind = 'oos';

SELECT set_config('lims.signature_id', '', true);

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'grace.okafor@cedarbasin.example';

INSERT INTO lims.investigation (organization_id, title, kind, sample_id, due_on,
    parent_id)
SELECT i.organization_id,
       'Notify the district within 24 hours of a lead result above 15 ug/L',
       'capa', i.sample_id, current_date + 14, i.id
  FROM lims.investigation i
 WHERE i.organization_id = lims.context_id('organization_id')
   AND i.kind = 'oos';

-- 11: worksheets -----------------------------------------------------------

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'mateo.ortiz@cedarbasin.example';

INSERT INTO lims.worksheet (organization_id, sample_test_id, template_id)
SELECT t.organization_id, t.id, x.id
  FROM lims.sample s
  JOIN lims.sample_test t
    ON t.organization_id = s.organization_id
   AND t.sample_id = s.id
  JOIN lims.worksheet_template x
    ON x.organization_id = t.organization_id
   AND x.test_definition_id = t.test_definition_id
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id IN ('COC-1101', 'COC-1102', 'COC-1103')
 ORDER BY s.external_id;

-- The weights of the first are not there yet.
INSERT INTO lims.worksheet_value (organization_id, worksheet_id, field_id, value)
SELECT w.organization_id, w.id, f.id,
       CASE f.name WHEN 'extraction_date'
                   THEN (t.analyzed_at AT TIME ZONE 'UTC')::date::text
                   ELSE v.value END
  FROM (VALUES
       ('COC-1101', 'preservation_checked', 'true'),
       ('COC-1101', 'sample_volume', '1000'),
       ('COC-1101', 'extraction_date', NULL),
       ('COC-1102', 'preservation_checked', 'true'),
       ('COC-1102', 'sample_volume', '985'),
       ('COC-1102', 'tare_weight', '48212.4'),
       ('COC-1102', 'final_weight', '48214.1'),
       ('COC-1102', 'extraction_date', NULL),
       ('COC-1103', 'preservation_checked', 'true'),
       ('COC-1103', 'sample_volume', '1000'),
       ('COC-1103', 'tare_weight', '47980.6'),
       ('COC-1103', 'final_weight', '47988.4'),
       ('COC-1103', 'extraction_date', NULL)
       ) AS v (external_id, field, value)
  JOIN lims.sample s
    ON s.organization_id = lims.context_id('organization_id')
   AND s.external_id = v.external_id
  JOIN lims.sample_test t
    ON t.organization_id = s.organization_id
   AND t.sample_id = s.id
  JOIN lims.worksheet w
    ON w.organization_id = t.organization_id
   AND w.sample_test_id = t.id
  JOIN lims.worksheet_field f
    ON f.organization_id = w.organization_id
   AND f.template_id = w.template_id
   AND f.name = v.field;

-- The last is signed by both.
DO $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT w.organization_id, w.id, x.id AS step_id, u.id AS user_id,
               CASE x.position WHEN 1 THEN 'performed' ELSE 'reviewed' END
                   AS meaning
          FROM lims.sample s
          JOIN lims.sample_test t
            ON t.organization_id = s.organization_id
           AND t.sample_id = s.id
          JOIN lims.worksheet w
            ON w.organization_id = t.organization_id
           AND w.sample_test_id = t.id
          JOIN lims.worksheet_signoff_step x
            ON x.organization_id = w.organization_id
           AND x.template_id = w.template_id
          JOIN lims.user_account u
            ON u.organization_id = w.organization_id
           AND u.email = CASE x.position
                   WHEN 1 THEN 'mateo.ortiz@cedarbasin.example'
                   ELSE 'lena.fischer@cedarbasin.example' END
         WHERE s.organization_id = lims.context_id('organization_id')
           AND s.external_id = 'COC-1103'
         ORDER BY x.position
    LOOP
        PERFORM lims.act_as(v.organization_id, v.user_id, 'demonstration', NULL,
                            NULL);
        INSERT INTO lims.worksheet_signoff (organization_id, worksheet_id,
            step_id, signature_id, signed_by)
        VALUES (v.organization_id, v.id, v.step_id,
                lims.sign(v.user_id, v.meaning, 'worksheet', v.id), v.user_id);
    END LOOP;
END
$$;

-- A verification standard that reads high cannot hide nitrate in samples that
-- have none: the quality officer overrides, and signs for it.
DO $$
DECLARE
    v_reason CONSTANT text := 'CCV recovered at 112 %, high bias; all samples of '
        'the bracket are below the reporting limit and not affected.';
    v_batch bigint;
BEGIN
    PERFORM lims.act_as(u.organization_id, u.id, 'demonstration', v_reason, NULL)
       FROM lims.user_account u
      WHERE u.organization_id = lims.context_id('organization_id')
        AND u.email = 'grace.okafor@cedarbasin.example';
    SELECT b.id
      INTO v_batch
      FROM lims.qc_batch b
     WHERE b.organization_id = lims.context_id('organization_id')
       AND b.batch_number = 'QCB-0103';
    PERFORM set_config('lims.signature_id', lims.sign(
        lims.context_id('user_id'), 'override', 'qc_batch', v_batch,
        v_reason)::text, true);
    UPDATE lims.qc_batch b
       SET qc_status = 'overridden',
           override_reason = v_reason
     WHERE b.organization_id = lims.context_id('organization_id')
       AND b.id = v_batch;
END
$$;
