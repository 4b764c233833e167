-- SPDX-License-Identifier: Apache-2.0
--
-- The release content: the one list of members that is signed, approved, reported and
-- printed. If one of them changes after a decision, approvals are requested again, so that
-- what is reported is what was approved.

-- Returns the version of the list of columns in the release content, which is hashed with
-- it. Increase it with each change of the list, so that old hashes are not compared with
-- new ones.
CREATE FUNCTION lims.content_version() RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT 5 $$;

-- Returns the decision rule that a certificate states beside the conformity of a result: the
-- one of its verification, until then the present one (159).
CREATE FUNCTION lims.stated_decision_rule(p_organization bigint, p_sample_test bigint)
RETURNS text
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT CASE WHEN t.test_code IS NOT NULL THEN t.spec_decision_rule
                    ELSE lims.decision_rule_of(t) END
          FROM lims.sample_test t
         WHERE t.organization_id = p_organization
           AND t.id = p_sample_test);
END
$$;

-- The results in the release content of a sample: of its active tests, or of one test.
CREATE FUNCTION lims.released_results(
    p_organization bigint,
    p_sample bigint,
    p_sample_test bigint
) RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'sampleTestId', t.id,
                   'testDefinitionId', t.test_definition_id,
                   'testCode', t.test_code,
                   'testName', t.test_name,
                   'method', t.method,
                   'result', t.result,
                   'qualifier', t.qualifier,
                   'unit', t.unit,
                   'specification',
                       CASE WHEN t.result IS NOT NULL
                            THEN t.specification END,
                   'outOfSpecification', t.out_of_specification,
                   'decisionRule',
                       CASE WHEN t.out_of_specification IS NOT NULL
                            THEN lims.stated_decision_rule(t.organization_id,
                                                           t.id) END,
                   'reportingLimit', t.reporting_limit,
                   'methodDetectionLimit', t.method_detection_limit,
                   'uncertainty', t.uncertainty, 'accredited', t.accredited,
                   'confirmation', t.confirmation_status,
                   'holdingTimeMet',
                       CASE WHEN t.result IS NOT NULL
                            THEN t.holding_status <> 'expired' END,
                   'qcBatch', t.batch_number,
                   'qcStatus', t.qc_status,
                   'qcBatches', lims.covering_batches(t.organization_id,
                                                      t.id),
                   'reagentLotId', t.reagent_lot_id,
                   'mediaLotId', t.media_lot_id,
                   'notes', t.notes,
                   'noteOnReport', t.note_on_report,
                   'analyzedAt', coalesce(t.analyzed_at,
                                          t.first_entered_at)
               ) ORDER BY t.id), '[]')
          FROM lims.sample_test_state t
         WHERE t.organization_id = p_organization
           AND t.sample_id = p_sample
           AND CASE WHEN p_sample_test IS NULL
                    THEN t.disposition = 'active'
                    ELSE t.id = p_sample_test END);
END
$$;

-- The release content of a sample: its facts, its tests with results, and the evidence of
-- these; of one test only, if given. Without status, time, person or approval of a step,
-- so that verifying an approved result requests no approval again; and without letterhead and
-- addressee (address and contact of the client, contact of the order), which a certificate
-- takes from their records when it is issued.
CREATE FUNCTION lims.release_content(
    p_organization bigint,
    p_sample bigint,
    p_sample_test bigint DEFAULT NULL
) RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
                   'version', lims.content_version(),
                   'sample', jsonb_build_object(
                       'id', s.id,
                       'trackingId', s.tracking_id,
                       'sampleIdentifier', s.sample_identifier,
                       'externalId', s.external_id,
                       'clientId', s.client_id,
                       'clientName', s.client_name,
                       'projectId', s.project_id,
                       'project', coalesce(s.project_name, p.name),
                       'materialTypeId', s.material_type_id,
                       'materialType', coalesce(s.material_type_name, m.name),
                       'plantLocation', s.plant_location,
                       'collectionDate', s.collection_date,
                       'collectedAt', s.collected_at,
                       'receivedAt', s.received_at,
                       'receiptTemperature', s.receipt_temperature,
                       'receiptCondition', s.receipt_condition,
                       'receiptContainers', s.receipt_containers,
                       'receiptDeviations', s.receipt_deviations,
                       'notes', s.notes,
                       'noteOnReport', s.note_on_report),
                   'results', lims.released_results(s.organization_id, s.id,
                                                    p_sample_test))
          FROM lims.sample s
          JOIN lims.material_type m
            ON m.organization_id = s.organization_id
           AND m.id = s.material_type_id
          LEFT JOIN lims.project p
            ON p.organization_id = s.organization_id
           AND p.id = s.project_id
         WHERE s.organization_id = p_organization
           AND s.id = p_sample);
END
$$;

CREATE FUNCTION lims.digest_of(p_content jsonb) RETURNS bytea
LANGUAGE sql STABLE
AS $$
    SELECT sha256(convert_to(p_content::text, 'UTF8'))
$$;

CREATE FUNCTION lims.release_hash(p_organization bigint, p_sample bigint)
RETURNS bytea
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN lims.digest_of(lims.release_content(p_organization, p_sample));
END
$$;
