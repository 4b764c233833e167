-- SPDX-License-Identifier: Apache-2.0
--
-- The layout of an organization's certificates: a declaration of order, columns and texts,
-- never a program. It is kept with the content of each certificate that is issued.

-- Says what is wrong with a layout; NULL: nothing. Results, people and amendments are in
-- every certificate.
CREATE FUNCTION lims.certificate_layout_mistake(p jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE
AS $$
DECLARE
    v_lists CONSTANT jsonb := jsonb_build_object(
        'columns', ARRAY['test', 'method', 'result', 'qualifier', 'unit', 'limits', 'flag',
                         'uncertainty', 'accredited', 'analyzed'],
        'sections', ARRAY['client', 'order', 'sample', 'receipt', 'results', 'qualifiers',
                          'methods', 'approvals', 'people', 'amendments', 'statements']);
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
            END IF;
        ELSIF v.key = 'statements' THEN
            IF jsonb_typeof(v.value) <> 'array' OR jsonb_array_length(v.value) > 10
               OR jsonb_path_exists(v.value, 'strict $[*] ? (@.type() != "string"
                   || !(@ like_regex "^.{1,255}$" flag "s"))') THEN
                RETURN 'statements must be a list of at most 10 texts of 255 characters';
            END IF;
        ELSIF v.key = 'paper' AND v.value #>> '{}' NOT IN ('a4', 'letter')
           OR v.key = 'logo' AND v.value #>> '{}' NOT IN ('left', 'right', 'none')
           OR v.key NOT IN ('paper', 'logo', 'title', 'header', 'footer')
           OR jsonb_typeof(v.value) <> 'string'
           OR length(v.value #>> '{}') > (CASE v.key WHEN 'title' THEN 100 ELSE 1000 END) THEN
            RETURN format('%s cannot be %s', v.key, left(v.value::text, 100));
        END IF;
    END LOOP;
    IF NOT coalesce(p -> 'sections' @> '["results", "people", "amendments"]', true) THEN
        RETURN 'sections must have results, people and amendments';
    ELSIF NOT coalesce(p -> 'columns' @> '["test", "result"]', true) THEN
        RETURN 'columns must have test and result';
    ELSIF length(p::text) > 20000 THEN
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
    SELECT '{"paper": null, "title": null, "logo": null, "header": null, "footer": null,
             "columns": null, "sections": null, "statements": null}'::jsonb || p
$$;
