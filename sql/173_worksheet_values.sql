-- SPDX-License-Identifier: Apache-2.0
--
-- Values of worksheets by the kind of their field: what each kind takes, and the lots that
-- values name, which are kept with them so that a recall finds them (lims.lot_use, 149).

-- The records that a text names, as a scan finds them: lots by code or lot number,
-- instruments that are active by code.
CREATE FUNCTION lims.records_written(p_organization bigint, p_kind text, p_text text)
RETURNS TABLE (id bigint, code text, by_code boolean)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_words CONSTANT text[] := ARRAY[btrim(p_text), upper(btrim(p_text))];
BEGIN
    RETURN QUERY
    SELECT r.id, r.code, r.code = ANY (v_words)
      FROM lims.reagent_lot r
     WHERE p_kind = 'reagent_lot'
       AND r.organization_id = p_organization
       AND (r.code = ANY (v_words) OR r.lot_number = ANY (v_words))
     UNION ALL
    SELECT m.id, m.code, m.code = ANY (v_words)
      FROM lims.media_lot m
     WHERE p_kind = 'media_lot'
       AND m.organization_id = p_organization
       AND (m.code = ANY (v_words) OR m.lot_number = ANY (v_words))
     UNION ALL
    SELECT i.id, i.code, true
      FROM lims.instrument i
     WHERE p_kind = 'instrument'
       AND i.organization_id = p_organization
       AND i.active
       AND i.code = ANY (v_words);
END
$$;

-- Refuses a lot that results may not be entered with now (116), unless it was accepted for
-- the worksheet's sample. Locks the lot, as an entry of results does.
CREATE FUNCTION lims.check_worksheet_lot(p_field lims.worksheet_field, p lims.worksheet_value)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    PERFORM FROM lims.reagent_lot r
      WHERE r.organization_id = p.organization_id
        AND r.id = p.reagent_lot_id
        FOR SHARE;
    PERFORM FROM lims.media_lot m
      WHERE m.organization_id = p.organization_id
        AND m.id = p.media_lot_id
        FOR SHARE;
    SELECT b.slug, b.message
      INTO v
      FROM lims.worksheet w
      JOIN lims.sample_test t
        ON t.organization_id = w.organization_id
       AND t.id = w.sample_test_id
     CROSS JOIN LATERAL lims.refused_lots(w.organization_id, p.reagent_lot_id, p.media_lot_id) b
     WHERE w.organization_id = p.organization_id
       AND w.id = p.worksheet_id
       AND NOT (b.slug = 'lot_not_released'
                AND lims.lot_is_accepted(w.organization_id, t.sample_id, p.reagent_lot_id, p.media_lot_id))
     ORDER BY b.slug DESC
     LIMIT 1;
    IF FOUND AND v.slug = 'reagent_lot_expired' THEN
        PERFORM lims.refuse('reagent_lot_expired', format(
            '%s: %s: use a lot that is in date', lims.field_label(p_field), v.message));
    ELSIF FOUND THEN
        PERFORM lims.refuse('lot_not_released', format(
            '%s: %s: use another lot, or have this one released', lims.field_label(p_field),
            v.message));
    END IF;
END
$$;

-- Returns the lot or instrument that a text names, and refuses a text that names none, or
-- several.
CREATE FUNCTION lims.worksheet_record_named(
    p_field lims.worksheet_field,
    p_text text,
    OUT id bigint,
    OUT code text
)
LANGUAGE plpgsql
AS $$
DECLARE
    v_noun CONSTANT text := CASE p_field.kind WHEN 'instrument' THEN 'active instrument'
                                              ELSE replace(p_field.kind, '_', ' ') END;
    v_ids bigint[];
    v_codes text[];
BEGIN
    -- A code stands for its own record, also where another has it as lot number.
    SELECT array_agg(r.id), array_agg(r.code ORDER BY r.code)
      INTO v_ids, v_codes
      FROM (SELECT w.id, w.code, rank() OVER (ORDER BY w.by_code DESC) AS place
              FROM lims.records_written(p_field.organization_id, p_field.kind, p_text) w) r
     WHERE r.place = 1;
    IF v_ids IS NULL THEN
        PERFORM lims.refuse('invalid_reference', format(
            '%s: there is no %s "%s"', lims.field_label(p_field), v_noun,
            left(btrim(p_text), 64)));
    ELSIF cardinality(v_ids) > 1 THEN
        PERFORM lims.refuse('invalid_reference', format(
            '%s: "%s" names %s: give the code of one', lims.field_label(p_field),
            left(btrim(p_text), 64), array_to_string(v_codes, ', ')));
    END IF;
    id := v_ids[1];
    code := v_codes[1];
END
$$;

-- Returns a value as a worksheet keeps it, and refuses a value that its field does not take:
-- of lots and instruments the code, with the lot. A blank one is no value, whatever the kind.
CREATE FUNCTION lims.worksheet_value_kept(
    p_field lims.worksheet_field,
    p lims.worksheet_value
) RETURNS lims.worksheet_value
LANGUAGE plpgsql
AS $$
DECLARE
    v_named record;
BEGIN
    p.reagent_lot_id := NULL;
    p.media_lot_id := NULL;
    IF p_field.kind = 'computed' THEN
        PERFORM lims.refuse('invalid_body', format(
            '%s: the field is computed: its value cannot be entered',
            lims.field_label(p_field)));
    ELSIF p.value IS NULL OR p.value !~ '\S' THEN
        RETURN p;
    ELSIF p_field.kind = 'number' AND lims.number_of(p.value) IS NULL THEN
        PERFORM lims.refuse('invalid_body', format(
            '%s: "%s" is no number', lims.field_label(p_field), left(p.value, 50)));
    ELSIF p_field.kind IN ('reagent_lot', 'media_lot', 'instrument') THEN
        v_named := lims.worksheet_record_named(p_field, p.value);
        p.value := v_named.code;
        p.reagent_lot_id := CASE p_field.kind WHEN 'reagent_lot' THEN v_named.id END;
        p.media_lot_id := CASE p_field.kind WHEN 'media_lot' THEN v_named.id END;
        PERFORM lims.check_worksheet_lot(p_field, p);
    END IF;
    RETURN p;
END
$$;

-- Refuses to take a failed medium from the worksheet of a result that stands, or a lot that is
-- not released, where the policy requires that, unless the lot was accepted for the sample: the
-- result was found with it. Locks the lot, so that it does not fail meanwhile.
CREATE FUNCTION lims.worksheet_value_left() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    PERFORM FROM lims.media_lot m
      WHERE m.organization_id = OLD.organization_id
        AND m.id = OLD.media_lot_id
        FOR SHARE;
    PERFORM FROM lims.reagent_lot r
      WHERE r.organization_id = OLD.organization_id
        AND r.id = OLD.reagent_lot_id
        FOR SHARE;
    SELECT t.id, m.code
      INTO v
      FROM lims.worksheet w
      JOIN lims.sample_test t
        ON t.organization_id = w.organization_id
       AND t.id = w.sample_test_id
      JOIN lims.media_lot m
        ON m.organization_id = w.organization_id
       AND m.id = OLD.media_lot_id
     WHERE w.organization_id = OLD.organization_id
       AND w.id = OLD.worksheet_id
       AND t.result IS NOT NULL
       AND 'failed' IN (m.growth_promotion_status, m.sterility_status)
       AND NOT lims.lot_is_accepted(t.organization_id, t.sample_id, NULL, m.id);
    IF FOUND THEN
        PERFORM lims.refuse_for('media_qc_failed', format(
            'media lot %s failed, and sample test %s still has the result found with it: '
            'withdraw the result before another lot is named', v.code, v.id),
            json_build_object('testIds', ARRAY[v.id], 'mediaLotIds', ARRAY[OLD.media_lot_id]));
    END IF;
    SELECT t.id, b.message
      INTO v
      FROM lims.worksheet w
      JOIN lims.sample_test t
        ON t.organization_id = w.organization_id
       AND t.id = w.sample_test_id
     CROSS JOIN LATERAL lims.refused_lots(w.organization_id, OLD.reagent_lot_id,
                                          OLD.media_lot_id) b
     WHERE w.organization_id = OLD.organization_id
       AND w.id = OLD.worksheet_id
       AND t.result IS NOT NULL
       AND b.slug = 'lot_not_released'
       AND NOT lims.lot_is_accepted(t.organization_id, t.sample_id, OLD.reagent_lot_id,
                                    OLD.media_lot_id);
    IF FOUND THEN
        PERFORM lims.refuse_for('lot_not_released', format(
            '%s, and sample test %s still has the result found with it: withdraw the result '
            'before another lot is named, or have this one released, or accepted for the sample',
            v.message, v.id), json_build_object('testIds', ARRAY[v.id],
                'reagentLotIds', array_remove(ARRAY[OLD.reagent_lot_id], NULL),
                'mediaLotIds', array_remove(ARRAY[OLD.media_lot_id], NULL)));
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END
$$;

CREATE TRIGGER left_update BEFORE UPDATE ON lims.worksheet_value
FOR EACH ROW WHEN (num_nonnulls(OLD.reagent_lot_id, OLD.media_lot_id) > 0
    AND NEW.value IS DISTINCT FROM OLD.value)
EXECUTE FUNCTION lims.worksheet_value_left();

CREATE TRIGGER left_delete BEFORE DELETE ON lims.worksheet_value
FOR EACH ROW WHEN (num_nonnulls(OLD.reagent_lot_id, OLD.media_lot_id) > 0)
EXECUTE FUNCTION lims.worksheet_value_left();
