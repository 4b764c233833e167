-- SPDX-License-Identifier: Apache-2.0
--
-- Records of work: the worklist, and what a reviewer looks at beside a result.

-- The worklist -------------------------------------------------------------

-- An open test with what its analyst needs to know. Which tests are open, and their
-- order: sample_test_worklist (138).
CREATE VIEW lims.worklist_record WITH (security_invoker = true) AS
SELECT t.organization_id, t.id, t.sample_id AS "sampleId",
       s.tracking_id AS "trackingId", s.sample_identifier AS "sampleIdentifier",
       s.client_name AS "clientName", m.name AS "materialType", s.priority,
       s.disposition AS "sampleDisposition", s.received_at AS "receivedAt",
       s.due_date AS "dueDate", l.name AS "storageLocation",
       t.test_definition_id AS "testDefinitionId", t.test_code AS "testCode",
       t.test_name AS "testName", t.method, t.unit, t.specification, t.status,
       t.returned, t.holding_status AS "holdingStatus",
       t.holding_expires_at AS "holdingExpiresAt", t.qc_batch_id AS "qcBatchId",
       b.batch_number AS "qcBatchNumber", b.instrument_id AS "instrumentId",
       x.assigned_to AS "assignedTo", t.created_at AS "createdAt",
       t.updated_at AS "updatedAt"
  FROM lims.sample_test_state t
  JOIN lims.sample_test x
    ON x.organization_id = t.organization_id
   AND x.id = t.id
  JOIN lims.sample s
    ON s.organization_id = t.organization_id
   AND s.id = t.sample_id
  JOIN lims.material_type m
    ON m.organization_id = s.organization_id
   AND m.id = s.material_type_id
  LEFT JOIN lims.storage_location l
    ON l.organization_id = s.organization_id
   AND l.id = s.storage_location_id
  LEFT JOIN lims.qc_batch b
    ON b.organization_id = t.organization_id
   AND b.id = t.qc_batch_id;

-- Review -------------------------------------------------------------------

-- The samples of a client's location.
CREATE INDEX sample_plant_location
    ON lims.sample (organization_id, client_name, plant_location, id)
 WHERE plant_location IS NOT NULL;

-- The last three results of the same test at the same location, the latest first, of the
-- fifty samples before this one.
CREATE FUNCTION lims.previous_results(p_organization bigint, p_sample_test bigint)
RETURNS json
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(json_agg(json_build_object(
                   'sampleTestId', p.id, 'trackingId', p.tracking_id,
                   'result', p.result, 'qualifier', p.qualifier,
                   'outOfSpecification', p.out_of_specification,
                   'collectionDate', p.collection_date) ORDER BY p.sample_id DESC, p.id DESC),
                   '[]')
          FROM (SELECT x.id, l.id AS sample_id, l.tracking_id, l.collection_date,
                       x.result, x.qualifier, x.out_of_specification
                  FROM lims.sample_test t
                  JOIN lims.sample s
                    ON s.organization_id = t.organization_id
                   AND s.id = t.sample_id
                 CROSS JOIN LATERAL (
                       SELECT o.id, o.tracking_id, o.collection_date
                         FROM lims.sample o
                        WHERE o.organization_id = s.organization_id
                          AND o.client_name = s.client_name
                          AND o.plant_location = s.plant_location
                          AND o.id < s.id
                        ORDER BY o.id DESC
                        LIMIT 50) l
                  JOIN lims.sample_test x
                    ON x.organization_id = s.organization_id
                   AND x.sample_id = l.id
                   AND x.test_definition_id = t.test_definition_id
                   AND x.result IS NOT NULL
                   AND x.disposition = 'active'
                   AND x.reported
                 WHERE t.organization_id = p_organization
                   AND t.id = p_sample_test
                 ORDER BY l.id DESC, x.id DESC
                 LIMIT 3) p);
END
$$;

-- The last row of an instrument file that had the present result; NULL: it is from no
-- file.
CREATE FUNCTION lims.result_source(p_organization bigint, p_sample_test bigint)
RETURNS json
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT json_build_object('fileId', f.id, 'fileName', f.file_name,
                                 'sheet', r.sheet, 'row', r.row_number)
          FROM lims.sample_test t
          JOIN lims.instrument_file_row r
            ON r.organization_id = t.organization_id
           AND r.sample_test_id = t.id
           AND r.result = t.result
          JOIN lims.instrument_file f
            ON f.organization_id = r.organization_id
           AND f.id = r.file_id
         WHERE t.organization_id = p_organization
           AND t.id = p_sample_test
         ORDER BY r.id DESC
         LIMIT 1);
END
$$;

-- The part of a test's holding time that is used; NULL: it has none.
CREATE FUNCTION lims.holding_used(p lims.sample_test) RETURNS json
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN p.holding_expires_at IS NOT NULL THEN json_build_object(
               'beganAt', to_char((p.holding_expires_at
                   - p.holding_time_hours::double precision * interval '1 hour')
                   AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
               'endedAt', to_char(coalesce(p.analyzed_at, p.first_entered_at)
                   AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) END
$$;

-- The data of a review before a result is verified: its evidence, earlier results, why
-- verifying it would be refused (except for the missing signature), and the digest of
-- what is signed. Planned once, not for each row of a list that is planned for its values.
--
-- SECURITY DEFINER: refusals are computed with the owner's rights, as by
-- lims.verify_blockers().
CREATE FUNCTION lims.sample_test_review(p_organization bigint, p_sample_test bigint)
RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = lims, pg_temp
SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
    PERFORM lims.require_own(p_organization);
    RETURN (
        SELECT json_build_object(
                   'contentHash', encode(lims.signed_hash(t.organization_id, 'sample_test',
                                                          t.id), 'hex'),
                   'plantLocation', s.plant_location,
                   'qcBatches', (
                       SELECT coalesce(json_agg(json_build_object('id', q.qc_batch_id,
                                  'batchNumber', q.batch_number,
                                  'qcStatus', q.standing) ORDER BY q.id), '[]')
                         FROM lims.qc_covered q
                        WHERE q.organization_id = t.organization_id
                          AND q.sample_test_id = t.id),
                   'reagentLotCode', r.code,
                   'mediaLotCode', m.code,
                   'worksheetId', w.id,
                   'worksheetStatus', CASE WHEN t.requires_worksheet THEN
                       lims.worksheet_status(t.organization_id, t.id) END,
                   'source', lims.result_source(t.organization_id, t.id),
                   'previous', lims.previous_results(t.organization_id, t.id),
                   'holding', lims.holding_used(t),
                   'refusals', (
                       SELECT coalesce(json_agg(json_build_object('error', b.slug,
                                                                  'message', b.message)),
                                       '[]')
                         FROM lims.verify_refusals(t.organization_id, t.id) b
                        WHERE b.slug <> 'esignature_required'))
          FROM lims.sample_test t
          JOIN lims.sample s
            ON s.organization_id = t.organization_id
           AND s.id = t.sample_id
          LEFT JOIN lims.reagent_lot r
            ON r.organization_id = t.organization_id
           AND r.id = t.reagent_lot_id
          LEFT JOIN lims.media_lot m
            ON m.organization_id = t.organization_id
           AND m.id = t.media_lot_id
          LEFT JOIN lims.worksheet w
            ON w.organization_id = t.organization_id
           AND w.sample_test_id = t.id
         WHERE t.organization_id = p_organization
           AND t.id = p_sample_test);
END
$$;
