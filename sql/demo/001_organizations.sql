-- SPDX-License-Identifier: Apache-2.0
--
-- The demonstration laboratories, their people and their keys.
--
-- The files of this folder are run by `limsctl demo`, in order and in one transaction, so
-- that the data is there as a whole or not at all. Nothing in them gets around a rule:
-- triggers judge, lock, write audit trail and events as they do for anybody. Times are
-- relative to the moment of loading.
--
-- A name in the settings lims.demo_* is given by limsctl, which makes secrets.
-- Samples of a scripted scenario have its number in their external id, as
-- COC-0401 (chain of custody) is the first sample of scenario 4; t/demo says
-- what each comes to.

SET LOCAL ROLE lims_owner;

SELECT lims.act_as(NULL, NULL, 'demonstration', NULL, NULL);

INSERT INTO lims.organization (code, name, time_zone, tracking_prefix, plan,
    api_access, monthly_sample_allowance, reagent_expiry_policy,
    coa_before_approval, esignature_required, ai_data_access)
VALUES
    ('cedar-basin', 'Cedar Basin Environmental Laboratory', 'America/Denver',
     'CB', 'professional', true, NULL, 'block', false, false, true),
    ('harborview', 'Harborview Pharma & Food Microbiology', 'America/New_York',
     'HV', 'enterprise', true, NULL, 'warn', false, true, false),
    ('tiny-lab', 'Tiny Lab', 'UTC',
     'TL', 'none', false, NULL, 'block', true, false, false),
    ('starter-water', 'Starter Water Lab', 'America/Chicago',
     'SW', 'starter', true, 25, 'block', true, false, false);

-- One person for each role; in a small laboratory one has several. All sign
-- with the one password of the demonstration.
DO $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT o.id, o.code
          FROM lims.organization o
         WHERE o.code IN ('cedar-basin', 'harborview', 'tiny-lab',
                          'starter-water')
         ORDER BY o.id
    LOOP
        PERFORM lims.act_as(v.id, NULL, 'demonstration', NULL, NULL);

        INSERT INTO lims.user_account (organization_id, email, display_name,
            password_hash)
        SELECT v.id, p.email, p.name,
               current_setting('lims.demo_password_hash')
          FROM (VALUES
               ('cedar-basin', 'ruth.calder@cedarbasin.example', 'Ruth Calder'),
               ('cedar-basin', 'omar.haddad@cedarbasin.example', 'Omar Haddad'),
               ('cedar-basin', 'lena.fischer@cedarbasin.example', 'Lena Fischer'),
               ('cedar-basin', 'grace.okafor@cedarbasin.example', 'Grace Okafor'),
               ('cedar-basin', 'mateo.ortiz@cedarbasin.example', 'Mateo Ortiz'),
               ('cedar-basin', 'yuki.tanaka@cedarbasin.example', 'Yuki Tanaka'),
               ('cedar-basin', 'priya.nair@cedarbasin.example', 'Priya Nair'),
               ('cedar-basin', 'ben.walsh@cedarbasin.example', 'Ben Walsh'),
               ('harborview', 'helen.brandt@harborview.example', 'Helen Brandt'),
               ('harborview', 'isaac.mensah@harborview.example', 'Isaac Mensah'),
               ('harborview', 'nora.lindqvist@harborview.example', 'Nora Lindqvist'),
               ('harborview', 'daniel.cho@harborview.example', 'Daniel Cho'),
               ('harborview', 'sofia.reyes@harborview.example', 'Sofia Reyes'),
               ('harborview', 'amir.rahimi@harborview.example', 'Amir Rahimi'),
               ('harborview', 'clara.dubois@harborview.example', 'Clara Dubois'),
               ('harborview', 'tom.becker@harborview.example', 'Tom Becker'),
               ('tiny-lab', 'eva.novak@tinylab.example', 'Eva Novak'),
               ('starter-water', 'jack.turner@starterwater.example', 'Jack Turner'),
               ('starter-water', 'mia.rossi@starterwater.example', 'Mia Rossi')
               ) AS p (organization, email, name)
         WHERE p.organization = v.code;
    END LOOP;
END
$$;

DO $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT o.id, o.code
          FROM lims.organization o
         WHERE o.code IN ('cedar-basin', 'harborview', 'tiny-lab',
                          'starter-water')
         ORDER BY o.id
    LOOP
        PERFORM lims.act_as(v.id, NULL, 'demonstration', NULL, NULL);

        INSERT INTO lims.user_role (organization_id, user_id, role)
        SELECT u.organization_id, u.id, r.role
          FROM (VALUES
               ('Ruth Calder', 'system_administrator'),
               ('Ruth Calder', 'administrator'),
               ('Omar Haddad', 'administrator'),
               ('Lena Fischer', 'lab_manager'),
               ('Grace Okafor', 'qa_officer'),
               ('Mateo Ortiz', 'analyst'),
               ('Yuki Tanaka', 'analyst'),
               ('Priya Nair', 'microbiologist'),
               ('Ben Walsh', 'receiving_clerk'),
               ('Helen Brandt', 'system_administrator'),
               ('Helen Brandt', 'administrator'),
               ('Isaac Mensah', 'administrator'),
               ('Nora Lindqvist', 'lab_manager'),
               ('Daniel Cho', 'qa_officer'),
               ('Sofia Reyes', 'microbiologist'),
               ('Amir Rahimi', 'analyst'),
               ('Clara Dubois', 'analyst'),
               ('Tom Becker', 'receiving_clerk'),
               ('Eva Novak', 'administrator'),
               ('Eva Novak', 'lab_manager'),
               ('Eva Novak', 'analyst'),
               ('Jack Turner', 'administrator'),
               ('Jack Turner', 'lab_manager'),
               ('Mia Rossi', 'analyst')
               ) AS r (name, role)
          JOIN lims.user_account u
            ON u.organization_id = v.id
           AND u.display_name = r.name;
    END LOOP;
END
$$;

DO $$
DECLARE
    v record;
    v_person bigint;
BEGIN
    FOR v IN
        SELECT o.id, o.code
          FROM lims.organization o
         WHERE o.code IN ('cedar-basin', 'harborview', 'tiny-lab',
                          'starter-water')
         ORDER BY o.id
    LOOP
        PERFORM lims.act_as(v.id, NULL, 'demonstration', NULL, NULL);

        -- Staff who have worked here for years: each accepted what a signature means.
        FOR v_person IN
            SELECT u.id FROM lims.user_account u WHERE u.organization_id = v.id ORDER BY u.id
        LOOP
            PERFORM lims.act_as(v.id, v_person, 'demonstration', NULL, NULL);
            INSERT INTO lims.account_state (organization_id, user_id, accountable_since)
            VALUES (v.id, v_person, now());
        END LOOP;
        PERFORM lims.act_as(v.id, NULL, 'demonstration', NULL, NULL);

        INSERT INTO lims.approval_step (organization_id, position, name)
        SELECT v.id, s.position, s.name
          FROM (VALUES
               ('cedar-basin', 1, 'Technical review'),
               ('cedar-basin', 2, 'Quality assurance approval'),
               ('harborview', 1, 'Microbiology review'),
               ('harborview', 2, 'Quality assurance release')
               ) AS s (organization, position, name)
         WHERE s.organization = v.code;
    END LOOP;
END
$$;

DO $$
DECLARE
    v record;
BEGIN
    FOR v IN
        SELECT o.id, o.code
          FROM lims.organization o
         WHERE o.code IN ('cedar-basin', 'harborview', 'tiny-lab',
                          'starter-water')
         ORDER BY o.id
    LOOP
        PERFORM lims.act_as(v.id, NULL, 'demonstration', NULL, NULL);

        -- A key acts for the administrator who made it.
        INSERT INTO lims.api_key (organization_id, name, key_hash, key_prefix,
            scopes, upload_only, created_by)
        SELECT v.id, k.name,
               decode(current_setting('lims.demo_' || k.setting || '_hash'),
                      'hex'),
               current_setting('lims.demo_' || k.setting || '_prefix'),
               ARRAY['samples:read', 'samples:write', 'results:read',
                     'results:write', 'results:verify', 'reports:write',
                     'approvals:read', 'approvals:write', 'reference:read',
                     'reference:write', 'instruments:write', 'events:read'],
               k.upload_only, u.id
          FROM (VALUES
               ('cedar-basin', 'key_a', 'Demonstration', false, 'Ruth Calder'),
               ('cedar-basin', 'key_upload', 'Instrument PC', true, 'Ruth Calder'),
               ('harborview', 'key_b', 'Demonstration', false, 'Helen Brandt'),
               ('tiny-lab', 'key_c', 'Demonstration', false, 'Eva Novak'),
               ('starter-water', 'key_d', 'Demonstration', false, 'Jack Turner')
               ) AS k (organization, setting, name, upload_only, creator)
          JOIN lims.user_account u
            ON u.organization_id = v.id
           AND u.display_name = k.creator
         WHERE k.organization = v.code;
    END LOOP;
END
$$;
