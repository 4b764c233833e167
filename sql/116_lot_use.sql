-- SPDX-License-Identifier: Apache-2.0
--
-- Opening, quarantine and release of lots, and the refusals of policies about their use.

-- Opening ------------------------------------------------------------------

-- Computes the day on which a lot was opened, in the organization's time zone, and
-- refuses to open it twice. A day that was corrected by hand has no time.
CREATE FUNCTION lims.lot_opened() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.opened_at IS NULL OR NEW.opened_at = OLD.opened_at THEN
        IF NEW.opened_on IS DISTINCT FROM OLD.opened_on THEN
            NEW.opened_at := NULL;
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.opened_on IS NOT NULL THEN
        PERFORM lims.refuse('invalid_transition', format(
            'lot %s was opened on %s: correct openedOn if that is wrong', OLD.code,
            OLD.opened_on));
    END IF;
    NEW.opened_on := (
        SELECT (NEW.opened_at AT TIME ZONE o.time_zone)::date
          FROM lims.organization o
         WHERE o.id = NEW.organization_id);
    RETURN NEW;
END
$$;

CREATE TRIGGER opened BEFORE INSERT OR UPDATE ON lims.reagent_lot
FOR EACH ROW EXECUTE FUNCTION lims.lot_opened();

CREATE TRIGGER opened BEFORE INSERT OR UPDATE ON lims.media_lot
FOR EACH ROW EXECUTE FUNCTION lims.lot_opened();

-- Quarantine and release ---------------------------------------------------

-- Refuses a change of a lot without a reason, except by the owner of the database.
CREATE FUNCTION lims.require_lot_reason(p_message text) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF lims.context('reason') IS NULL AND NOT lims.is_owner_acting() THEN
        PERFORM lims.refuse('reason_required', p_message);
    END IF;
END
$$;

-- Records the reason of a quarantine with the lot, and counts how often the lot was
-- quarantined or failed.
CREATE FUNCTION lims.lot_quarantine() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    NEW.times_unreleased := greatest(OLD.times_unreleased, NEW.times_unreleased)
        + (NEW.qc_status IN ('quarantined', 'failed')
           AND NEW.qc_status IS DISTINCT FROM OLD.qc_status)::integer;
    IF NEW.qc_status <> 'quarantined' THEN
        NEW.quarantine_reason := NULL;
    ELSIF OLD.qc_status = 'quarantined' THEN
        NEW.quarantine_reason := coalesce(NEW.quarantine_reason, OLD.quarantine_reason);
    ELSE
        PERFORM lims.require_lot_reason(format(
            'lot %s is quarantined for a reason: say it in reason', NEW.code));
        NEW.quarantine_reason := coalesce(lims.context('reason'), NEW.quarantine_reason);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER quarantine BEFORE INSERT OR UPDATE ON lims.reagent_lot
FOR EACH ROW EXECUTE FUNCTION lims.lot_quarantine();

CREATE TRIGGER quarantine BEFORE INSERT OR UPDATE ON lims.media_lot
FOR EACH ROW EXECUTE FUNCTION lims.lot_quarantine();

-- Requires the permission lot.release and a reason to make an unusable lot usable.
CREATE FUNCTION lims.lot_leave() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.require_permission(NEW.organization_id, 'lot.release');
    PERFORM lims.require_lot_reason(format(
        'lot %s is %s: say in reason why it is released', OLD.code, OLD.qc_status));
    RETURN NEW;
END
$$;

CREATE TRIGGER leave BEFORE UPDATE ON lims.reagent_lot
FOR EACH ROW WHEN (OLD.qc_status IN ('quarantined', 'failed')
    AND NEW.qc_status IN ('pending', 'passed'))
EXECUTE FUNCTION lims.lot_leave();

CREATE TRIGGER leave BEFORE UPDATE ON lims.media_lot
FOR EACH ROW WHEN (OLD.qc_status = 'quarantined' AND NEW.qc_status <> 'quarantined')
EXECUTE FUNCTION lims.lot_leave();

-- Requires the same where a passed test of a media lot replaces a failed one.
CREATE FUNCTION lims.media_qc_test_leave() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF 'failed' = (
        SELECT t.outcome
          FROM lims.media_qc_test t
         WHERE t.organization_id = NEW.organization_id
           AND t.media_lot_id = NEW.media_lot_id
           AND t.kind = NEW.kind
           AND lower(btrim(t.organism)) IS NOT DISTINCT FROM lower(btrim(NEW.organism))
         ORDER BY t.performed_on DESC, t.id DESC
         LIMIT 1
    ) THEN
        PERFORM lims.require_permission(NEW.organization_id, 'lot.release');
        PERFORM lims.require_lot_reason(
            'the test before failed: say in reason why this one counts');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER leave BEFORE INSERT ON lims.media_qc_test
FOR EACH ROW WHEN (NEW.outcome = 'passed')
EXECUTE FUNCTION lims.media_qc_test_leave();

-- Takes a media lot out of quarantine; its status then follows from its tests.
CREATE FUNCTION lims.release_media_lot(p_organization bigint, p_media_lot bigint)
RETURNS bigint
LANGUAGE plpgsql
AS $$
DECLARE
    v_lot record;
BEGIN
    UPDATE lims.media_lot
       SET qc_status = 'pending'
     WHERE organization_id = p_organization
       AND id = p_media_lot
    RETURNING id, code, qc_status INTO v_lot;
    IF v_lot.qc_status = 'failed' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'media lot %s failed its tests: only a passing test of the same kind and '
            'organism releases it', v_lot.code));
    END IF;
    RETURN v_lot.id;
END
$$;

CREATE FUNCTION lims.mark_samples_of_reagent_lots() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = lims, pg_temp
AS $$
BEGIN
    INSERT INTO lims.sample_dirty (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM (SELECT n.organization_id, n.id, n.qc_status <> o.qc_status AS has_changed
              FROM new_rows n
              FULL JOIN old_rows o
                ON o.organization_id = n.organization_id
               AND o.id = n.id
            OFFSET 0) m
      JOIN lims.lot_use t
        ON t.organization_id = m.organization_id
       AND t.reagent_lot_id = m.id
     WHERE m.has_changed;
    RETURN NULL;
END
$$;

CREATE TRIGGER mark_update AFTER UPDATE ON lims.reagent_lot
REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples_of_reagent_lots();

-- Refusals by policy -------------------------------------------------------

-- The lots of these ids, reagent lot first; no row for one that is NULL or unknown. A media
-- lot that is quarantined may have failed its tests as well.
CREATE FUNCTION lims.lots_named(
    p_organization bigint,
    p_reagent_lot bigint,
    p_media_lot bigint
) RETURNS TABLE (
    kind text,
    reagent_lot_id bigint,
    media_lot_id bigint,
    code text,
    usable_until date,
    qc_status text,
    has_failed boolean,
    times_unreleased integer
)
LANGUAGE sql STABLE
AS $$
    SELECT 'reagent', r.id, NULL::bigint, r.code, r.usable_until, r.qc_status,
           r.qc_status = 'failed', r.times_unreleased
      FROM lims.reagent_lot r
     WHERE r.organization_id = p_organization
       AND r.id = p_reagent_lot
     UNION ALL
    SELECT 'media', NULL, m.id, m.code, m.usable_until, m.qc_status,
           'failed' IN (m.growth_promotion_status, m.sterility_status), m.times_unreleased
      FROM lims.media_lot m
     WHERE m.organization_id = p_organization
       AND m.id = p_media_lot
$$;

-- Whether a lot, of which one is given, was accepted for a sample by a signed override (149)
-- as it is now: one that was quarantined again or has failed since is not.
CREATE FUNCTION lims.lot_is_accepted(
    p_organization bigint,
    p_sample bigint,
    p_reagent_lot bigint,
    p_media_lot bigint
) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.lot_override v
         CROSS JOIN LATERAL lims.lots_named(v.organization_id, v.reagent_lot_id,
                                            v.media_lot_id) l
         WHERE v.organization_id = p_organization
           AND v.sample_id = p_sample
           AND (v.reagent_lot_id = p_reagent_lot OR v.media_lot_id = p_media_lot)
           AND v.times_unreleased = l.times_unreleased);
END
$$;

-- The lots with which results may not be entered now: an expired reagent lot, and a
-- failed or quarantined lot, each where a policy says so. The time of analysis does not
-- count, since the client could send any.
CREATE FUNCTION lims.refused_lots(
    p_organization bigint,
    p_reagent_lot bigint,
    p_media_lot bigint
) RETURNS TABLE (
    slug text,
    message text,
    reagent_lot_id bigint,
    media_lot_id bigint
)
LANGUAGE sql STABLE
AS $$
    SELECT 'reagent_lot_expired', format('reagent lot %s expired on %s', r.code,
                                         r.usable_until), r.id, NULL::bigint
      FROM lims.organization o
      JOIN lims.reagent_lot r
        ON r.organization_id = o.id
     WHERE o.id = p_organization
       AND o.reagent_expiry_policy = 'block'
       AND r.id = p_reagent_lot
       AND r.usable_until < (now() AT TIME ZONE o.time_zone)::date
     UNION ALL
    SELECT 'lot_not_released', format('%s lot %s %s', l.kind, l.code,
               CASE l.qc_status WHEN 'failed' THEN 'failed its quality control'
                                ELSE 'is quarantined' END),
           l.reagent_lot_id, l.media_lot_id
      FROM lims.organization o
     CROSS JOIN lims.lots_named(p_organization, p_reagent_lot, p_media_lot) l
     WHERE o.id = p_organization
       AND o.lot_qc_policy = 'block'
       AND l.qc_status IN ('quarantined', 'failed')
$$;
