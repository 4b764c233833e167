-- SPDX-License-Identifier: Apache-2.0
--
-- Harborview Pharma & Food Microbiology: samples and what was done with them.
-- Verifying and approving are signed here.

-- Registered by the receiving clerk ----------------------------------------

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'tom.becker@harborview.example';

-- These days lie in the past. When a sample was registered and received is
-- stamped for everybody but the owner, who brings in what was done before.
SET LOCAL ROLE lims_owner;

INSERT INTO lims.sample (organization_id, external_id, project_id,
    material_type_id, storage_location_id, collected_at, priority, notes,
    created_at)
SELECT p.organization_id, s.external_id, p.id, m.id, l.id,
       now() - s.age * interval '1 hour', s.priority, s.notes,
       now() - (s.age - 3) * interval '1 hour'
  FROM (VALUES
       -- 7: a Salmonella screen that is presumptive positive
       ('COC-0711', 'BSF-SPICE', 'SPICE', 52, 'rush', 'Black pepper, lot BP-2291'),
       -- 8: counted on a medium that fails growth promotion
       ('COC-0811', 'ALD-TAB', 'FP-OS', 150, 'routine', 'Tablets 5 mg, lot 61-0418'),
       -- 9: an expired medium, where the policy is to warn
       ('COC-0911', 'ALD-TAB', 'FP-OS', 60, 'routine', 'Tablets 5 mg, lot 61-0421'),
       -- 12: approvals that wait for a signature
       ('COC-1211', 'ALD-WFI', 'WFI', 100, 'routine', 'Loop point 7'),
       -- 13: results that wait for a signature
       ('COC-1311', 'ALD-WFI', 'WFI', 30, 'routine', 'Loop point 3'),
       -- The rest of the week
       ('COC-9101', 'ALD-WFI', 'WFI', 340, 'routine', 'Loop point 1'),
       ('COC-9102', 'ALD-WFI', 'WFI', 172, 'routine', 'Loop point 1'),
       ('COC-9103', 'ALD-TAB', 'FP-OS', 220, 'routine', 'Tablets 10 mg, lot 62-0133'),
       ('COC-9104', 'BSF-RTE', 'RTE', 98, 'rush', 'Chicken salad, lot CS-0712'),
       ('COC-9105', 'BSF-RTE', 'RTE', 26, 'rush', 'Egg salad, lot ES-0713'),
       ('COC-9106', 'GLF-FEED', 'FEED', 20, 'routine', 'Layer feed, lot LF-88'),
       ('COC-9107', 'ALD-TAB', 'RM', 6, 'stat', 'Lactose monohydrate, lot LM-5521'),
       ('COC-9108', 'ALD-INJ', 'FP-INJ', 240, 'routine', 'Vials 2 mL, lot 70-0015, day 9 of 14')
       ) AS s (external_id, project, material, age, priority, notes)
  JOIN lims.project p
    ON p.organization_id = lims.context_id('organization_id')
   AND p.code = s.project
  JOIN lims.material_type m
    ON m.organization_id = p.organization_id
   AND m.code = s.material
  JOIN lims.storage_location l
    ON l.organization_id = p.organization_id
   AND l.code = 'RECV'
 ORDER BY s.age DESC;

INSERT INTO lims.sample_test (organization_id, sample_id, test_definition_id)
SELECT s.organization_id, s.id, d.id
  FROM (VALUES
       ('COC-0711', ARRAY['SALM']),
       ('COC-0811', ARRAY['TAMC', 'TYMC']),
       ('COC-0911', ARRAY['EC62']),
       ('COC-1211', ARRAY['ENDO', 'PWCOND']),
       ('COC-1311', ARRAY['ENDO', 'PWTOC']),
       ('COC-9101', ARRAY['ENDO', 'PWCOND', 'PWTOC']),
       ('COC-9102', ARRAY['ENDO', 'PWCOND', 'PWTOC']),
       ('COC-9103', ARRAY['TAMC', 'TYMC', 'EC62']),
       ('COC-9104', ARRAY['SALM', 'LMONO', 'APC']),
       ('COC-9105', ARRAY['SALM', 'LMONO', 'APC']),
       ('COC-9106', ARRAY['SALM']),
       ('COC-9107', ARRAY['TAMC', 'TYMC']),
       ('COC-9108', ARRAY['STER'])
       ) AS t (external_id, codes)
 CROSS JOIN LATERAL unnest(t.codes) WITH ORDINALITY AS c (code, place)
  JOIN lims.sample s
    ON s.organization_id = lims.context_id('organization_id')
   AND s.external_id = t.external_id
  JOIN lims.test_definition d
    ON d.organization_id = s.organization_id
   AND d.code = c.code
 ORDER BY s.id, c.place;

UPDATE lims.sample s
   SET status = 'received',
       received_at = s.collected_at + interval '4 hours'
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id <> 'COC-9107';

SET LOCAL ROLE lims_app;

-- Read by the microbiologist -----------------------------------------------

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'sofia.reyes@harborview.example';

UPDATE lims.sample_test t
   SET result = r.result,
       media_lot_id = l.id,
       analyzed_at = s.collected_at + r.hours * interval '1 hour'
  FROM (VALUES
       ('COC-0711', 'SALM', 'Detected', NULL, 30),
       ('COC-0811', 'TAMC', '140', 'TSA-B', 120),
       ('COC-0811', 'TYMC', '<10', 'SDA-A', 144),
       ('COC-1211', 'ENDO', '0.012', NULL, 20),
       ('COC-1211', 'PWCOND', '0.62', NULL, 8),
       ('COC-1311', 'ENDO', '<0.005', NULL, 20),
       ('COC-9101', 'ENDO', '<0.005', NULL, 20),
       ('COC-9101', 'PWCOND', '0.58', NULL, 8),
       ('COC-9101', 'PWTOC', '61', NULL, 9),
       ('COC-9102', 'ENDO', '0.008', NULL, 20),
       ('COC-9102', 'PWCOND', '0.64', NULL, 8),
       ('COC-9102', 'PWTOC', '74', NULL, 9),
       ('COC-9103', 'TAMC', '20', 'TSA-A', 120),
       ('COC-9103', 'TYMC', '<10', 'SDA-A', 144),
       ('COC-9103', 'EC62', 'Absent', 'MAC-A', 96),
       ('COC-9104', 'SALM', 'Not detected', NULL, 30),
       ('COC-9104', 'LMONO', 'Not detected', NULL, 54),
       ('COC-9104', 'APC', '4200', 'TSA-A', 56)
       ) AS r (external_id, code, result, lot, hours)
  JOIN lims.sample s
    ON s.organization_id = lims.context_id('organization_id')
   AND s.external_id = r.external_id
  JOIN lims.test_definition d
    ON d.organization_id = s.organization_id
   AND d.code = r.code
  LEFT JOIN lims.media_lot l
    ON l.organization_id = s.organization_id
   AND l.code = r.lot
 WHERE t.organization_id = s.organization_id
   AND t.sample_id = s.id
   AND t.test_definition_id = d.id;

UPDATE lims.sample s
   SET status = 'processing'
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.status = 'received'
   AND EXISTS (
       SELECT FROM lims.sample_test t
        WHERE t.organization_id = s.organization_id
          AND t.sample_id = s.id
          AND t.result IS NOT NULL);

-- The controls of each run, of the batches that the templates of their methods make ----

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'nora.lindqvist@harborview.example';

-- USP <85>: the spike is recovered within 50 to 200 %, water has less than the lowest
-- standard. FDA BAM 5: inoculated and sterile enrichment broth.
SELECT lims.create_qc_template(d.organization_id, d.method, t.name, true, 20, t.controls)
  FROM lims.test_definition d
  JOIN (VALUES
       ('ENDO', 'Endotoxins, chromogenic assay', '[
            {"type": "NEG", "criterion": "maximum", "upperLimit": 0.005, "unit": "EU/mL"},
            {"type": "LFM", "criterion": "recovery", "expectedValue": 0.5,
             "lowerLimit": 50, "upperLimit": 200, "unit": "EU/mL"}]'::jsonb),
       ('SALM', 'Salmonella, PCR screen', '[
            {"type": "POS", "criterion": "expected", "expectedText": "Detected"},
            {"type": "NEG", "criterion": "expected", "expectedText": "Not detected"}]')
       ) AS t (code, name, controls)
    ON t.code = d.code
 WHERE d.organization_id = lims.context_id('organization_id')
 ORDER BY d.id;

SELECT lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
  FROM lims.user_account u
 WHERE u.organization_id = lims.context_id('organization_id')
   AND u.email = 'sofia.reyes@harborview.example';

INSERT INTO lims.qc_batch (organization_id, batch_number, qc_template_id, method,
    analysis_date)
SELECT x.organization_id, b.batch_number, x.id, x.method, current_date - b.days
  FROM (VALUES
       ('HQC-0041', 'USP <85>', 13),
       ('HQC-0042', 'USP <85>', 6),
       ('HQC-0043', 'USP <85>', 1),
       ('HQC-0044', 'FDA BAM 5', 1)
       ) AS b (batch_number, method, days)
  JOIN lims.qc_template x
    ON x.organization_id = lims.context_id('organization_id')
   AND x.method = b.method
 ORDER BY b.batch_number;

INSERT INTO lims.qc_coverage (organization_id, qc_batch_id, sample_test_id)
SELECT s.organization_id, b.id, t.id
  FROM (VALUES
       ('HQC-0041', 'COC-9101', 'ENDO'),
       ('HQC-0042', 'COC-9102', 'ENDO'),
       ('HQC-0043', 'COC-1211', 'ENDO'),
       ('HQC-0043', 'COC-1311', 'ENDO'),
       ('HQC-0044', 'COC-0711', 'SALM'),
       ('HQC-0044', 'COC-9104', 'SALM')
       ) AS c (batch_number, external_id, code)
  JOIN lims.qc_batch b
    ON b.organization_id = lims.context_id('organization_id')
   AND b.batch_number = c.batch_number
  JOIN lims.sample s
    ON s.organization_id = b.organization_id
   AND s.external_id = c.external_id
  JOIN lims.test_definition d
    ON d.organization_id = b.organization_id
   AND d.code = c.code
  JOIN lims.sample_test t
    ON t.organization_id = s.organization_id
   AND t.sample_id = s.id
   AND t.test_definition_id = d.id
 ORDER BY t.id;

-- Each batch is evaluated by itself with its last value.
UPDATE lims.qc_control k
   SET measured_value = CASE k.control_type WHEN 'LFM' THEN 0.47 WHEN 'NEG' THEN 0.002 END,
       native_value = CASE k.control_type WHEN 'LFM' THEN 0 END
 WHERE k.organization_id = lims.context_id('organization_id')
   AND k.criterion <> 'expected';

UPDATE lims.qc_control k
   SET measured_text = k.expected_text
 WHERE k.organization_id = lims.context_id('organization_id')
   AND k.criterion = 'expected';

-- Verified by an analyst who did not enter them, one signature for each result ----------

DO $$
DECLARE
    v record;
BEGIN
    PERFORM lims.act_as(u.organization_id, u.id, 'demonstration', NULL, NULL)
       FROM lims.user_account u
      WHERE u.organization_id = lims.context_id('organization_id')
        AND u.email = 'amir.rahimi@harborview.example';
    FOR v IN
        SELECT t.organization_id, t.id
          FROM lims.sample s
          JOIN lims.sample_test t
            ON t.organization_id = s.organization_id
           AND t.sample_id = s.id
         WHERE s.organization_id = lims.context_id('organization_id')
           AND s.external_id IN ('COC-1211', 'COC-9101', 'COC-9102',
                                 'COC-9103')
         ORDER BY t.id
    LOOP
        PERFORM set_config('lims.signature_id', lims.sign(
            lims.context_id('user_id'), 'verified', 'sample_test',
            v.id)::text, true);
        UPDATE lims.sample_test t
           SET status = 'verified'
         WHERE t.organization_id = v.organization_id
           AND t.id = v.id;
    END LOOP;
    PERFORM set_config('lims.signature_id', '', true);
END
$$;

UPDATE lims.sample s
   SET status = 'verified'
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id IN ('COC-1211', 'COC-9101', 'COC-9102', 'COC-9103');

-- Approved in the order of the steps, by who answers for each, and reported --

DO $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT a.organization_id, a.id, u.id AS user_id
          FROM lims.approval a
          JOIN lims.sample s
            ON s.organization_id = a.organization_id
           AND s.id = a.sample_id
          JOIN lims.user_account u
            ON u.organization_id = a.organization_id
           AND u.email = CASE a.step
                   WHEN 1 THEN 'nora.lindqvist@harborview.example'
                   ELSE 'daniel.cho@harborview.example' END
         WHERE a.organization_id = lims.context_id('organization_id')
           AND s.external_id IN ('COC-9101', 'COC-9102')
         ORDER BY a.sample_id, a.step
    LOOP
        PERFORM lims.act_as(v.organization_id, v.user_id, 'demonstration', NULL,
                            NULL);
        PERFORM set_config('lims.signature_id', lims.sign(v.user_id,
            'approved', 'approval', v.id)::text, true);
        UPDATE lims.approval a
           SET status = 'approved'
         WHERE a.organization_id = v.organization_id
           AND a.id = v.id;
    END LOOP;
    PERFORM set_config('lims.signature_id', '', true);
END
$$;

UPDATE lims.sample s
   SET status = 'reported'
 WHERE s.organization_id = lims.context_id('organization_id')
   AND s.external_id IN ('COC-9101', 'COC-9102');
