-- SPDX-License-Identifier: Apache-2.0
--
-- Lots that the values of worksheets name: kept with the value, so that a recall finds them
-- (lims.lot_use, 149).

-- Refuses to take a failed medium from the worksheet of a result that stands, unless the lot
-- was accepted for the sample: the result was found with it. Locks the lot, so that it does
-- not fail meanwhile.
CREATE FUNCTION lims.keep_failed_medium(p lims.worksheet_value) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v record;
BEGIN
    PERFORM FROM lims.media_lot m
      WHERE m.organization_id = p.organization_id
        AND m.id = p.media_lot_id
        FOR SHARE;
    SELECT t.id, m.code
      INTO v
      FROM lims.worksheet w
      JOIN lims.sample_test t
        ON t.organization_id = w.organization_id
       AND t.id = w.sample_test_id
      JOIN lims.media_lot m
        ON m.organization_id = w.organization_id
       AND m.id = p.media_lot_id
     WHERE w.organization_id = p.organization_id
       AND w.id = p.worksheet_id
       AND t.result IS NOT NULL
       AND 'failed' IN (m.growth_promotion_status, m.sterility_status)
       AND NOT lims.lot_is_accepted(t.organization_id, t.sample_id, NULL, m.id);
    IF FOUND THEN
        PERFORM lims.refuse_for('media_qc_failed', format(
            'media lot %s failed, and sample test %s still has the result found with it: '
            'withdraw the result before another lot is named', v.code, v.id),
            json_build_object('testIds', ARRAY[v.id], 'mediaLotIds', ARRAY[p.media_lot_id]));
    END IF;
END
$$;

-- Sets the lot that a new value names, by its code, which the guard has put there.
CREATE FUNCTION lims.worksheet_value_lots() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_kind text;
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.media_lot_id IS NOT NULL
       AND (TG_OP = 'DELETE' OR NEW.value IS DISTINCT FROM OLD.value) THEN
        PERFORM lims.keep_failed_medium(OLD);
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    ELSIF TG_OP = 'UPDATE' AND NEW.value IS NOT DISTINCT FROM OLD.value THEN
        NEW.reagent_lot_id := OLD.reagent_lot_id;
        NEW.media_lot_id := OLD.media_lot_id;
        RETURN NEW;
    END IF;
    SELECT f.kind
      INTO v_kind
      FROM lims.worksheet_field f
     WHERE f.organization_id = NEW.organization_id
       AND f.id = NEW.field_id;
    NEW.reagent_lot_id := CASE WHEN v_kind = 'reagent_lot' THEN (
        SELECT r.id
          FROM lims.reagent_lot r
         WHERE r.organization_id = NEW.organization_id
           AND r.code = NEW.value) END;
    NEW.media_lot_id := CASE WHEN v_kind = 'media_lot' THEN (
        SELECT m.id
          FROM lims.media_lot m
         WHERE m.organization_id = NEW.organization_id
           AND m.code = NEW.value) END;
    RETURN NEW;
END
$$;

CREATE TRIGGER lots BEFORE INSERT OR UPDATE OR DELETE ON lims.worksheet_value
FOR EACH ROW EXECUTE FUNCTION lims.worksheet_value_lots();
