-- SPDX-License-Identifier: Apache-2.0
--
-- The layout of an organization's certificates: a declaration of order, columns and texts,
-- never a program. It is kept with the content of each certificate that is issued.

-- Says what is wrong with a layout; NULL: nothing. It may leave out the order, the approvals,
-- and the columns of what stands among the methods, too: all else is in every certificate
-- that has it (ISO/IEC 17025, 7.8).
CREATE FUNCTION lims.certificate_layout_mistake(p jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE
AS $$
DECLARE
    v_lists CONSTANT jsonb := jsonb_build_object(
        'columns', ARRAY['test', 'method', 'result', 'qualifier', 'unit', 'limits', 'flag',
                         'uncertainty', 'accredited', 'analyzed'],
        'sections', ARRAY['client', 'order', 'sample', 'receipt', 'results', 'qualifiers',
                          'methods', 'approvals', 'people', 'amendments', 'statements']);
    v_required CONSTANT jsonb := jsonb_build_object(
        'columns', (v_lists -> 'columns') - ARRAY['method', 'analyzed'],
        'sections', (v_lists -> 'sections') - ARRAY['order', 'approvals']);
    v record;
BEGIN
    FOR v IN
        SELECT m.key, m.value, v_lists -> m.key AS known
          FROM jsonb_each(p) m
    LOOP
        IF v.key IN ('columns', 'sections') THEN
            IF jsonb_typeof(v.value) <> 'array' OR NOT v.value <@ v.known
               OR jsonb_array_length(v.value) > (
                      SELECT count(DISTINCT x.value)
                        FROM jsonb_array_elements(v.value) x) THEN
                RETURN format('%s must be a list of some of %s, each once', v.key, v.known);
            ELSIF NOT v.value @> (v_required -> v.key) THEN
                RETURN format('%s must have all of %s', v.key, v_required -> v.key);
            END IF;
        ELSIF v.key = 'statements' THEN
            IF jsonb_typeof(v.value) <> 'array' OR jsonb_array_length(v.value) > 10
               OR jsonb_path_exists(v.value, 'strict $[*] ? (@.type() != "string"
                   || !(@ like_regex "^.{1,255}$" flag "s"))') THEN
                RETURN 'statements must be a list of at most 10 texts of 255 characters';
            END IF;
        ELSIF v.key = 'language' AND v.value #>> '{}' NOT IN ('ja', 'ko', 'zh-Hans', 'zh-Hant')
           OR v.key = 'paper' AND v.value #>> '{}' NOT IN ('a4', 'letter')
           OR v.key = 'logo' AND v.value #>> '{}' NOT IN ('left', 'right', 'none')
           OR v.key NOT IN ('paper', 'language', 'logo', 'title', 'header', 'footer')
           OR jsonb_typeof(v.value) <> 'string'
           OR length(v.value #>> '{}') > (CASE v.key WHEN 'title' THEN 100 ELSE 1000 END) THEN
            RETURN format('%s cannot be %s', v.key, left(v.value::text, 100));
        END IF;
    END LOOP;
    IF length(p::text) > 20000 THEN
        RETURN 'it is longer than 20,000 characters';
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION lims.certificate_layout_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_mistake CONSTANT text := lims.certificate_layout_mistake(NEW.certificate_layout);
BEGIN
    IF v_mistake IS NOT NULL THEN
        PERFORM lims.refuse('invalid_body', format('certificateLayout: %s', v_mistake));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_layout BEFORE INSERT OR UPDATE OF certificate_layout ON lims.organization
FOR EACH ROW EXECUTE FUNCTION lims.certificate_layout_guard();

-- A layout with all of its members, null where the usual one is meant.
CREATE FUNCTION lims.certificate_layout_shown(p jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT '{"paper": null, "language": null, "title": null, "logo": null, "header": null,
             "footer": null, "columns": null, "sections": null, "statements": null}'::jsonb || p
$$;

-- Results of the example, one within its limits, one outside, one below its limit.
CREATE FUNCTION lims.certificate_example_results(p_at text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT jsonb_agg(jsonb_build_object('sampleTestId', r.id, 'testCode', r.code,
               'testName', r.name, 'method', r.method, 'result', r.result,
               'qualifier', r.qualifier, 'unit', r.unit, 'specification', r.limits,
               'outOfSpecification', r.conformity = 'outside', 'conformity', r.conformity,
               'decisionRule', 'Simple acceptance.', 'uncertainty', r.uncertainty,
               'accredited', r.id <> 2, 'analyzedAt', p_at) ORDER BY r.id)
      FROM (VALUES
               (1, 'PH', 'pH', 'ISO 10523', '7.2', NULL, 's.u.', '6.5 to 8.5 s.u.',
                'within', '0.1 s.u. (k = 2)'),
               (2, 'TURB', 'Turbidity', 'ISO 7027-1', '5.4', NULL, 'NTU', 'at most 5.0 NTU',
                'outside', NULL),
               (3, 'PB', 'Lead', 'ISO 17294-2', '0.5', '<', 'µg/L', 'at most 10 µg/L',
                'within', '20 % (k = 2)')
           ) AS r (id, code, name, method, result, qualifier, unit, limits, conformity,
                   uncertainty)
$$;

-- An example of a certificate with every section, for the preview of a layout: the letterhead
-- is the laboratory's, all else is made up.
CREATE FUNCTION lims.certificate_example(p_organization bigint, p_layout jsonb)
RETURNS jsonb
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_mistake CONSTANT text := lims.certificate_layout_mistake(p_layout);
    v_zone CONSTANT text := lims.certificate_laboratory(p_organization) ->> 'timeZone';
    v_at CONSTANT text := lims.zoned_time('2026-01-15 12:00+00', v_zone);
BEGIN
    IF v_mistake IS NOT NULL THEN
        PERFORM lims.refuse('invalid_body', format('certificateLayout: %s', v_mistake));
    END IF;
    RETURN jsonb_build_object(
        'certificate', jsonb_build_object('number', 'COA-00-0000000', 'version', 2,
            'issuedAt', v_at, 'reason', 'Name of the client corrected',
            'replaces', jsonb_build_object('version', 1, 'issuedAt', v_at)),
        'laboratory', lims.certificate_laboratory(p_organization),
        'client', '{"name": "Example client", "code": "EX", "contactName": "Ada Example",
                    "address": "1 Example Street"}'::jsonb,
        'order', '{"orderNumber": "ORD-EXAMPLE", "contact": "Ada Example"}'::jsonb,
        'sample', jsonb_build_object('trackingId', 'EX-00-0000000',
            'sampleIdentifier', 'Example sample', 'materialType', 'Drinking water',
            'plantLocation', 'Example place', 'collectedAt', v_at, 'receivedAt', v_at,
            'remark', 'A remark of the sample'),
        'receipt', jsonb_build_object('receivedAt', v_at, 'receivedBy', 'Maria Example',
            'temperature', 4.2, 'condition', 'Intact', 'containers', 2,
            'deviations', 'A deviation on receipt'),
        'results', lims.certificate_example_results(v_at),
        'approvals', jsonb_build_array(jsonb_build_object('name', 'Technical review',
            'status', 'approved', 'decidedAt', v_at, 'decidedBy', 'Ruth Example')),
        'people', jsonb_build_array(jsonb_build_object('printedName', 'Ruth Example',
            'meaning', 'approved', 'at', v_at, 'signed', true, 'about', 'Technical review')),
        'amendments', jsonb_build_array(jsonb_build_object('version', 2, 'openedAt', v_at,
            'reason', 'Name of the client corrected', 'openedBy', 'Ruth Example',
            'changes', jsonb_build_array(jsonb_build_object('member', 'clientName',
                'testName', NULL, 'testCode', NULL, 'old', 'Exemple client',
                'new', 'Example client')))),
        'statements', lims.certificate_statements(p_layout),
        'layout', lims.certificate_layout_shown(p_layout))
        || lims.certificate_summary(lims.certificate_example_results(v_at));
END
$$;
