-- SPDX-License-Identifier: Apache-2.0
--
-- Lots that are not released, of results that stand: a finding of their sample, until the
-- lot is released, the result replaced, or the lot accepted for the sample by a signed
-- override. With a lot that is accepted the sample's results may be entered again, too. An
-- override is for the quarantine or failure that stood when it was signed, and for no later one.

-- Use ----------------------------------------------------------------------

-- The lots that were used for a test besides those that it names: media on which its
-- confirmation was read, and lots of its worksheet. A reading counts for the result that
-- stands (is_standing) if that was entered before it.
CREATE VIEW lims.lot_ever_beside WITH (security_invoker = true) AS
SELECT t.organization_id, t.sample_id, t.id AS sample_test_id, t.disposition,
       ' of the confirmation' AS place, NULL::bigint AS reagent_lot_id, s.media_lot_id,
       s.created_at >= t.entered_at AS is_standing
  FROM lims.confirmation_step s
  JOIN lims.sample_test t
    ON t.organization_id = s.organization_id
   AND t.id = s.sample_test_id
   AND t.media_lot_id IS DISTINCT FROM s.media_lot_id
 WHERE s.media_lot_id IS NOT NULL
UNION ALL
SELECT t.organization_id, t.sample_id, t.id, t.disposition, ' of the worksheet',
       v.reagent_lot_id, v.media_lot_id, true
  FROM lims.worksheet_value v
  JOIN lims.worksheet w
    ON w.organization_id = v.organization_id
   AND w.id = v.worksheet_id
  JOIN lims.sample_test t
    ON t.organization_id = w.organization_id
   AND t.id = w.sample_test_id
 WHERE v.reagent_lot_id <> coalesce(t.reagent_lot_id, 0)
    OR v.media_lot_id <> coalesce(t.media_lot_id, 0);

-- The lots beside that were used for the result that stands.
CREATE VIEW lims.lot_beside WITH (security_invoker = true) AS
SELECT b.organization_id, b.sample_id, b.sample_test_id, b.disposition, b.place,
       b.reagent_lot_id, b.media_lot_id
  FROM lims.lot_ever_beside b
 WHERE b.is_standing;

-- The lots that tests used, now or for an earlier result: those that they name, and those
-- beside them, in rows of their own.
CREATE VIEW lims.lot_use WITH (security_invoker = true) AS
SELECT t.organization_id, t.id, t.sample_id, t.reagent_lot_id, t.media_lot_id
  FROM lims.sample_test t
UNION ALL
SELECT DISTINCT b.organization_id, b.sample_test_id, b.sample_id, b.reagent_lot_id,
       b.media_lot_id
  FROM lims.lot_ever_beside b;

-- Overrides ----------------------------------------------------------------

-- Triggers of lims.lot_override, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard                 refuses a lot that needs no override; sets the lot's status and
--                           which time it is, user and time
--   2 permit                refuses users who may not override
--
-- BEFORE UPDATE
--   1 append_only_change    refuses every change
--   2 identity              refuses to change id, organization or created_at
--
-- BEFORE DELETE
--   1 append_only_change    refuses every deletion
--
-- BEFORE TRUNCATE
--   1 append_only_truncate  refuses to empty the table
--
-- AFTER INSERT
--   1 audit_insert          writes the audit trail; a later refusal rolls
--                           it back
--   2 mark_insert           marks the sample dirty (121)
--
-- AFTER UPDATE
--   1 audit_update          writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete          writes the audit trail, as at INSERT

CREATE SEQUENCE lims.lot_override_id_seq;

CREATE TABLE lims.lot_override (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.lot_override_id_seq'),
    sample_id bigint NOT NULL,
    reagent_lot_id bigint,
    media_lot_id bigint,
    -- The lot's status when it was accepted.
    lot_status text NOT NULL CHECK (length(lot_status) <= 20),
    -- Number of the time for which it was accepted: that of the lot when it was signed.
    times_unreleased integer NOT NULL,
    reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 1000),
    signature_id bigint NOT NULL,
    overridden_by bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CHECK (num_nonnulls(reagent_lot_id, media_lot_id) = 1),
    FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id),
    FOREIGN KEY (organization_id, reagent_lot_id)
        REFERENCES lims.reagent_lot (organization_id, id),
    FOREIGN KEY (organization_id, media_lot_id)
        REFERENCES lims.media_lot (organization_id, id),
    FOREIGN KEY (organization_id, signature_id)
        REFERENCES lims.electronic_signature (organization_id, id),
    FOREIGN KEY (organization_id, overridden_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX lot_override_sample ON lims.lot_override (organization_id, sample_id);

-- Refuses an override for a reported sample, unless it is being amended, and one of a lot
-- that needs none or is accepted for it. Locks the sample, as its report does, and the lot,
-- so that it is not quarantined anew meanwhile.
CREATE FUNCTION lims.lot_override_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_sample record;
    v_lot record;
BEGIN
    PERFORM lims.require_read_committed();
    SELECT s.status, s.amendment_id
      INTO v_sample
      FROM lims.sample s
     WHERE s.organization_id = NEW.organization_id
       AND s.id = NEW.sample_id
       FOR NO KEY UPDATE;
    IF NOT lims.sample_is_open(v_sample.status, v_sample.amendment_id) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'sample %s is reported and final', NEW.sample_id));
    END IF;
    PERFORM lims.require_open_sample(NEW.organization_id, NEW.sample_id);
    IF NOT EXISTS (
        SELECT FROM lims.sample_test t
         WHERE t.organization_id = NEW.organization_id
           AND t.sample_id = NEW.sample_id
           AND (t.reagent_lot_id = NEW.reagent_lot_id
                OR t.media_lot_id = NEW.media_lot_id)
    ) AND NOT EXISTS (
        SELECT FROM lims.lot_beside b
         WHERE b.organization_id = NEW.organization_id
           AND b.sample_id = NEW.sample_id
           AND (b.reagent_lot_id = NEW.reagent_lot_id
                OR b.media_lot_id = NEW.media_lot_id)
    ) THEN
        PERFORM lims.refuse('invalid_reference', format(
            '%s: no test of sample %s used lot %s',
            CASE WHEN NEW.reagent_lot_id IS NULL THEN 'mediaLotId' ELSE 'reagentLotId' END,
            NEW.sample_id, coalesce(NEW.reagent_lot_id, NEW.media_lot_id)));
    END IF;
    PERFORM FROM lims.reagent_lot r
      WHERE r.organization_id = NEW.organization_id
        AND r.id = NEW.reagent_lot_id
        FOR SHARE;
    PERFORM FROM lims.media_lot m
      WHERE m.organization_id = NEW.organization_id
        AND m.id = NEW.media_lot_id
        FOR SHARE;
    SELECT l.code, l.qc_status, l.has_failed, l.times_unreleased
      INTO v_lot
      FROM lims.lots_named(NEW.organization_id, NEW.reagent_lot_id, NEW.media_lot_id) l;
    IF NOT (v_lot.has_failed OR v_lot.qc_status = 'quarantined') THEN
        PERFORM lims.refuse('invalid_transition', format(
            'lot %s is neither quarantined nor failed: it needs no override', v_lot.code));
    END IF;
    IF lims.lot_is_accepted(NEW.organization_id, NEW.sample_id, NEW.reagent_lot_id,
                            NEW.media_lot_id) THEN
        PERFORM lims.refuse('invalid_transition', format(
            'lot %s is accepted for sample %s already',
            coalesce(NEW.reagent_lot_id, NEW.media_lot_id), NEW.sample_id));
    END IF;
    NEW.lot_status := CASE WHEN v_lot.has_failed THEN 'failed' ELSE v_lot.qc_status END;
    NEW.times_unreleased := v_lot.times_unreleased;
    NEW.signature_id := coalesce(NEW.signature_id, lims.context_id('signature_id'));
    IF NOT lims.is_signed(NEW.organization_id, NEW.signature_id, 'override', 'sample',
                          NEW.sample_id) THEN
        PERFORM lims.refuse('esignature_required',
            'overriding a lot needs a signature with password re-authentication');
    END IF;
    NEW.overridden_by := lims.acting_user();
    NEW.created_at := now();
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT ON lims.lot_override
FOR EACH ROW EXECUTE FUNCTION lims.lot_override_guard();

CREATE TRIGGER permit BEFORE INSERT ON lims.lot_override
FOR EACH ROW EXECUTE FUNCTION lims.permit('qc.override');

CREATE TRIGGER mark_insert AFTER INSERT ON lims.lot_override
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples();

SELECT lims.attach_append_only('lot_override');

SELECT lims.attach_audit('lot_override');

-- Results with a lot that is not released, where the policy requires that, and that no
-- override accepts. A failed media lot that a test used is a finding of its own, whatever the
-- policy.
CREATE VIEW lims.unreleased_lot_use WITH (security_invoker = true) AS
SELECT t.organization_id, t.sample_id, t.id AS sample_test_id, l.reagent_lot_id,
       l.media_lot_id,
       l.kind || ' lot ' || l.code || l.place AS subject,
       CASE l.qc_status WHEN 'failed' THEN 'failed its quality control'
                        ELSE 'is quarantined' END AS circumstance,
       CASE o.lot_qc_policy WHEN 'block' THEN 'hard' ELSE 'advisory' END AS hardness
  FROM lims.sample_test t
  JOIN lims.organization o
    ON o.id = t.organization_id
   AND o.lot_qc_policy <> 'off'
 CROSS JOIN LATERAL (
       SELECT n.*, '' AS place
         FROM lims.lots_named(t.organization_id, t.reagent_lot_id, t.media_lot_id) n
        UNION ALL
       SELECT n.*, b.place
         FROM lims.lot_beside b
        CROSS JOIN LATERAL
              lims.lots_named(b.organization_id, b.reagent_lot_id, b.media_lot_id) n
        WHERE b.organization_id = t.organization_id
          AND b.sample_test_id = t.id) l
 WHERE t.result IS NOT NULL
   AND t.disposition = 'active'
   AND CASE l.kind WHEN 'reagent' THEN l.qc_status IN ('quarantined', 'failed')
                 AND o.lot_qc_policy = 'block'
            ELSE l.qc_status = 'quarantined' END
   AND NOT lims.lot_is_accepted(t.organization_id, t.sample_id, l.reagent_lot_id,
                                l.media_lot_id);
