-- SPDX-License-Identifier: Apache-2.0
--
-- Content of a certificate of analysis (ISO/IEC 17025, 7.8): worked out once, when it is
-- issued, and kept. Its hash covers all of it: number, version and reason, too.
--
-- No internal note is in it: notes are printed where their noteOnReport says so. Times are
-- those of the laboratory's zone.

-- A time as ISO 8601 in a zone: 2026-11-20T07:05:00-07:00.
CREATE FUNCTION lims.zoned_time(p_time timestamptz, p_zone text) RETURNS text
LANGUAGE sql STABLE
AS $$
    SELECT to_char(z.local, 'YYYY-MM-DD"T"HH24:MI:SS')
        || CASE WHEN z.local < z.utc THEN '-' ELSE '+' END
        || to_char(greatest(z.local - z.utc, z.utc - z.local), 'HH24:MI')
      FROM (SELECT p_time AT TIME ZONE p_zone AS local,
                   p_time AT TIME ZONE 'UTC' AS utc) z
$$;

-- Returns the meaning of a qualifier, for readers of a certificate.
CREATE FUNCTION lims.qualifier_words(p_qualifier text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE p_qualifier
        WHEN '<' THEN 'less than the value given'
        WHEN '>' THEN 'more than the value given'
        WHEN 'ND' THEN 'not detected'
        WHEN 'J' THEN 'estimated: detected, but below the reporting limit'
        WHEN 'U' THEN 'analysed for, and not detected above the value given'
    END
$$;

-- Returns the rule by which a statement of conformity is made: of the specification that
-- applies by the material type and project by which the result was judged, or of the
-- definition, whichever has the limits by which it was judged; NULL: neither has them any
-- more. With its verification a result keeps its rule.
CREATE FUNCTION lims.decision_rule_of(p lims.sample_test) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT CASE
                   WHEN (x.low, x.high, x.expected_text)
                        IS NOT DISTINCT FROM (p.spec_low, p.spec_high, p.spec_text)
                    AND x.id IS NOT NULL
                   THEN s.decision_rule
                   WHEN (d.specification_low, d.specification_high, d.specification_text)
                        IS NOT DISTINCT FROM (p.spec_low, p.spec_high, p.spec_text)
                   THEN d.decision_rule
               END
          FROM lims.test_definition d
          LEFT JOIN LATERAL lims.specification_of(p.organization_id,
                    p.test_definition_id, p.spec_material_type_id,
                    p.spec_project_id) x
            ON true
          LEFT JOIN lims.specification s
            ON s.organization_id = d.organization_id
           AND s.id = x.id
         WHERE d.organization_id = p.organization_id
           AND d.id = p.test_definition_id);
END
$$;

-- The results with limits and flags as they were verified, and who entered and verified
-- them: a time of analysis only where one was stated, a conformity where one was judged.
CREATE FUNCTION lims.certificate_results(
    p_organization bigint,
    p_results jsonb,
    p_zone text
) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(r.value - ARRAY['notes', 'noteOnReport']
                   || lims.printed_remark(r.value) || jsonb_build_object(
                   'analyzedAt', lims.zoned_time(t.analyzed_at, p_zone),
                   'conformity', CASE t.out_of_specification
                       WHEN true THEN 'outside' WHEN false THEN 'within' END,
                   'enteredBy', n.display_name,
                   'verifiedAt', lims.zoned_time(t.verified_at, p_zone),
                   'verifiedBy', coalesce(e.printed_name, u.display_name)
               ) ORDER BY r.place), '[]')
          FROM jsonb_array_elements(p_results) WITH ORDINALITY AS r (value, place)
          JOIN lims.sample_test t
            ON t.organization_id = p_organization
           AND t.id = (r.value ->> 'sampleTestId')::bigint
          LEFT JOIN lims.electronic_signature e
            ON e.organization_id = t.organization_id
           AND e.id = t.verification_signature_id
          LEFT JOIN lims.user_account u
            ON u.organization_id = t.organization_id
           AND u.id = t.verified_by
          LEFT JOIN lims.user_account n
            ON n.organization_id = t.organization_id
           AND n.id = t.entered_by);
END
$$;

-- The latest round of approvals.
CREATE FUNCTION lims.certificate_approvals(
    p_organization bigint,
    p_sample bigint,
    p_zone text
) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'name', a.name,
                   'status', a.status,
                   'decidedAt', lims.zoned_time(a.decided_at, p_zone),
                   'decidedBy', coalesce(e.printed_name, u.display_name),
                   'contentSha256', encode(a.content_hash, 'hex'),
                   'signatureFits', lims.signature_fits(e.organization_id, e.id)
               ) ORDER BY a.step), '[]')
          FROM lims.approval a
          LEFT JOIN lims.electronic_signature e
            ON e.organization_id = a.organization_id
           AND e.id = a.signature_id
          LEFT JOIN lims.user_account u
            ON u.organization_id = a.organization_id
           AND u.id = a.decided_by
         WHERE a.organization_id = p_organization
           AND a.sample_id = p_sample
           AND a.replaced_at IS NULL
           AND a.round = (
               SELECT max(x.round)
                 FROM lims.approval x
                WHERE x.organization_id = p_organization
                  AND x.sample_id = p_sample
                  AND x.replaced_at IS NULL));
END
$$;

-- Whether a certificate says what a difference is of: neither notes inside the laboratory
-- nor the numbers of its records are on it.
CREATE FUNCTION lims.is_printed_difference(p_member text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT p_member ~ '^tests\[[0-9]+\]$'
        OR p_member IN ('sampleIdentifier', 'externalId', 'clientName', 'project',
               'materialType', 'plantLocation', 'collectionDate', 'collectedAt',
               'receivedAt', 'receiptTemperature', 'receiptCondition',
               'receiptContainers', 'receiptDeviations', 'remark')
        OR regexp_replace(p_member, '^tests\[[0-9]+\]', '') IN ('.testCode', '.testName',
               '.method', '.result', '.qualifier', '.unit', '.specification',
               '.outOfSpecification', '.decisionRule', '.reportingLimit',
               '.methodDetectionLimit', '.uncertainty', '.accredited', '.confirmation', '.remark',
               '.analyzedAt', '.holdingTimeMet')
$$;

-- The differences that an amendment made in what a certificate says: { member, testName,
-- testCode, old, new }; times in a zone.
CREATE FUNCTION lims.printed_differences(
    p_organization bigint,
    p_amendment bigint,
    p_zone text
) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(d.value || jsonb_build_object(
                   'testName', t.test_name, 'testCode', t.test_code)
                   || CASE WHEN d.member LIKE '%At' THEN jsonb_build_object(
                      'old', lims.zoned_time((d.value ->> 'old')::timestamptz, p_zone),
                      'new', lims.zoned_time((d.value ->> 'new')::timestamptz, p_zone))
                      ELSE '{}' END ORDER BY d.place), '[]')
          FROM (SELECT e.value, e.place, e.value ->> 'member' AS member
                  FROM jsonb_array_elements(
                       lims.amendment_differences(p_organization, p_amendment))
                       WITH ORDINALITY AS e (value, place)) d
          LEFT JOIN lims.sample_test t
            ON t.organization_id = p_organization
           AND t.id = substring(d.member FROM '^tests\[([0-9]+)\]')::bigint
         WHERE lims.is_printed_difference(d.member));
END
$$;

-- The amendments that led to this version and to those before it, with what each changed.
CREATE FUNCTION lims.certificate_amendments(p lims.certificate, p_zone text)
RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'version', coalesce(c.version, p.version),
                   'reason', a.reason,
                   'openedBy', e.printed_name,
                   'openedAt', lims.zoned_time(a.created_at, p_zone),
                   'changes', lims.printed_differences(a.organization_id, a.id, p_zone)
               ) ORDER BY a.id), '[]')
          FROM lims.amendment a
          JOIN lims.electronic_signature e
            ON e.organization_id = a.organization_id
           AND e.id = a.signature_id
          LEFT JOIN lims.certificate c
            ON c.organization_id = a.organization_id
           AND c.id = a.certificate_id
         WHERE a.organization_id = p.organization_id
           AND a.sample_id = p.sample_id
           AND (a.status = 'issued' OR a.id = p.amendment_id));
END
$$;

-- The people who verified, approved, amended and issued, with their names as printed, the
-- meaning and the time; signed: whether it was an electronic signature.
CREATE FUNCTION lims.certificate_people(p lims.certificate, p_zone text) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        WITH act AS (
            SELECT t.verified_by AS person, 'verified' AS meaning, t.verified_at AS at,
                   t.verification_signature_id AS signature,
                   coalesce(t.test_code, 'test ' || t.id) AS about
              FROM lims.sample_test t
             WHERE t.organization_id = p.organization_id
               AND t.sample_id = p.sample_id
               AND t.disposition = 'active'
               AND t.status = 'verified'
             UNION ALL
            SELECT a.decided_by, a.status, a.decided_at, a.signature_id, a.name
              FROM lims.approval a
             WHERE a.organization_id = p.organization_id
               AND a.sample_id = p.sample_id
               AND a.status <> 'pending'
               AND a.replaced_at IS NULL
               AND a.round = (
                   SELECT max(x.round)
                     FROM lims.approval x
                    WHERE x.organization_id = a.organization_id
                      AND x.sample_id = a.sample_id
                      AND x.replaced_at IS NULL)
             UNION ALL
            SELECT a.opened_by, 'amended', a.created_at, a.signature_id, a.reason
              FROM lims.amendment a
             WHERE a.organization_id = p.organization_id
               AND a.id = p.amendment_id
             UNION ALL
            SELECT p.issued_by, 'issued', p.issued_at, p.signature_id, NULL
             WHERE p.issued_at IS NOT NULL
        )
        SELECT jsonb_agg(jsonb_build_object(
                   'printedName', coalesce(e.printed_name, u.display_name),
                   'meaning', coalesce(e.meaning, a.meaning),
                   'at', lims.zoned_time(a.at, p_zone),
                   'signed', e.id IS NOT NULL,
                   'about', a.about) ORDER BY a.at, a.about)
          FROM act a
          LEFT JOIN lims.electronic_signature e
            ON e.organization_id = p.organization_id
           AND e.id = a.signature
          LEFT JOIN lims.user_account u
            ON u.organization_id = p.organization_id
           AND u.id = a.person);
END
$$;

-- Number, version, and the version that it replaces.
CREATE FUNCTION lims.certificate_head(p lims.certificate, p_zone text) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN jsonb_build_object(
        'number', p.certificate_number,
        'version', p.version,
        'reason', p.reason,
        'issuedAt', lims.zoned_time(p.issued_at, p_zone),
        'replaces', (
            SELECT jsonb_build_object('version', c.version,
                       'issuedAt', lims.zoned_time(c.issued_at, p_zone),
                       'sha256', encode(c.sha256, 'hex'))
              FROM lims.certificate c
             WHERE c.organization_id = p.organization_id
               AND c.id = p.supersedes_id));
END
$$;

-- The letterhead of a laboratory, as it is now.
CREATE FUNCTION lims.certificate_laboratory(p_organization bigint) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
    SELECT jsonb_build_object('name', o.name, 'address', o.address, 'logo', o.logo,
               'logoSha256', encode(o.logo_sha256, 'hex'),
               'accreditation', o.accreditation, 'timeZone', o.time_zone)
      FROM lims.organization o
     WHERE o.id = p_organization
$$;

-- The statements that a certificate of this layout makes.
CREATE FUNCTION lims.certificate_statements(p_layout jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT '["The results concern the items tested only."]'::jsonb
        || coalesce(p_layout -> 'statements', '[]')
$$;

-- Laboratory, client, order, sample and receipt.
CREATE FUNCTION lims.certificate_parties(
    p_organization bigint,
    p_sample bigint,
    p_facts jsonb
) RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT jsonb_build_object(
                   'laboratory', lims.certificate_laboratory(o.id),
                   'client', jsonb_build_object('name', s.client_name, 'code', c.code,
                       'contactName', c.contact_name, 'address', c.address),
                   'order', CASE WHEN r.id IS NOT NULL THEN jsonb_build_object(
                       'orderNumber', r.order_number, 'contact', r.contact) END,
                   'sample', p_facts - ARRAY['notes', 'noteOnReport',
                       'receiptTemperature', 'receiptCondition', 'receiptContainers',
                       'receiptDeviations']
                       || lims.printed_remark(p_facts) || jsonb_build_object(
                       'collectedAt', lims.zoned_time(s.collected_at, o.time_zone),
                       'receivedAt', lims.zoned_time(s.received_at, o.time_zone),
                       'reportedAt', lims.zoned_time(s.reported_at, o.time_zone)),
                   'receipt', CASE WHEN s.received_at IS NOT NULL THEN
                       jsonb_build_object(
                       'receivedAt', lims.zoned_time(s.received_at, o.time_zone),
                       'receivedBy', u.display_name,
                       'temperature', s.receipt_temperature,
                       'condition', s.receipt_condition,
                       'containers', s.receipt_containers,
                       'deviations', s.receipt_deviations) END)
          FROM lims.sample s
          JOIN lims.organization o
            ON o.id = s.organization_id
          LEFT JOIN lims.client c
            ON c.organization_id = s.organization_id
           AND c.id = s.client_id
          LEFT JOIN lims.sample_order r
            ON r.organization_id = s.organization_id
           AND r.id = s.order_id
          LEFT JOIN lims.user_account u
            ON u.organization_id = s.organization_id
           AND u.id = s.received_by
         WHERE s.organization_id = p_organization
           AND s.id = p_sample);
END
$$;

-- Returns members that follow from the results: methods, qualifiers explained, when tests
-- were done, and the tests of which no time of analysis was stated.
CREATE FUNCTION lims.certificate_summary(p_results jsonb) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
    SELECT jsonb_build_object(
               'methods', coalesce(jsonb_agg(DISTINCT r.value -> 'method')
                   FILTER (WHERE r.value ->> 'method' IS NOT NULL), '[]'),
               'qualifiers', coalesce(jsonb_agg(DISTINCT jsonb_build_object(
                       'qualifier', r.value -> 'qualifier',
                       'meaning', lims.qualifier_words(r.value ->> 'qualifier')))
                   FILTER (WHERE r.value ->> 'qualifier' IS NOT NULL), '[]'),
               'testsDone', jsonb_build_object(
                   'from', min(left(r.value ->> 'analyzedAt', 10)),
                   'to', max(left(r.value ->> 'analyzedAt', 10))),
               'withoutAnalysisDay', coalesce(jsonb_agg(r.value -> 'testCode'
                       ORDER BY (r.value ->> 'sampleTestId')::bigint)
                   FILTER (WHERE r.value ->> 'analyzedAt' IS NULL), '[]'))
      FROM jsonb_array_elements(p_results) r
$$;

-- The content of a certificate, or of one that would be issued now. The first one prints what
-- was reported, whatever became of it since.
CREATE FUNCTION lims.certificate_content(p lims.certificate) RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
DECLARE
    v_content jsonb;
    v_zone text;
    v_layout jsonb;
    v_results jsonb;
BEGIN
    SELECT o.time_zone, o.certificate_layout,
           CASE WHEN p.amendment_id IS NULL THEN s.reported_content END
      INTO v_zone, v_layout, v_content
      FROM lims.sample s
      JOIN lims.organization o
        ON o.id = s.organization_id
     WHERE s.organization_id = p.organization_id
       AND s.id = p.sample_id;
    v_content := coalesce(v_content, lims.release_content(p.organization_id, p.sample_id));
    v_results := lims.certificate_results(p.organization_id, v_content -> 'results',
                                          v_zone);
    RETURN lims.certificate_parties(p.organization_id, p.sample_id,
                                    v_content -> 'sample')
        || lims.certificate_summary(v_results)
        || jsonb_build_object(
               'certificate', lims.certificate_head(p, v_zone),
               'contentVersion', v_content -> 'version',
               'contentSha256', encode(lims.digest_of(v_content), 'hex'),
               'results', v_results,
               'approvals', lims.certificate_approvals(p.organization_id, p.sample_id,
                                                       v_zone),
               'people', coalesce(lims.certificate_people(p, v_zone), '[]'),
               'amendments', lims.certificate_amendments(p, v_zone),
               'layout', lims.certificate_layout_shown(v_layout),
               'verification', jsonb_build_object(
                   'code', p.verification_code,
                   'url', lims.context('verification_url') || p.verification_code),
               'statements', lims.certificate_statements(v_layout));
END
$$;

-- Returns the content that the next certificate of a sample would have if it were issued
-- now.
CREATE FUNCTION lims.certificate_preview(p_organization bigint, p_sample bigint)
RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_next lims.certificate;
    v_last lims.certificate;
BEGIN
    SELECT *
      INTO v_last
      FROM lims.certificate c
     WHERE c.organization_id = p_organization
       AND c.sample_id = p_sample
     ORDER BY c.version DESC
     LIMIT 1;
    SELECT s.amendment_id, a.reason
      INTO v_next.amendment_id, v_next.reason
      FROM lims.sample s
      LEFT JOIN lims.amendment a
        ON a.organization_id = s.organization_id
       AND a.id = s.amendment_id
     WHERE s.organization_id = p_organization
       AND s.id = p_sample;
    v_next.organization_id := p_organization;
    v_next.sample_id := p_sample;
    v_next.certificate_number := v_last.certificate_number;
    v_next.version := coalesce(v_last.version, 0) + 1;
    v_next.supersedes_id := v_last.id;
    RETURN lims.certificate_content(v_next);
END
$$;
