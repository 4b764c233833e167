-- SPDX-License-Identifier: Apache-2.0
--
-- Approvals: the steps by which a completed sample is released.

-- Steps --------------------------------------------------------------------

-- Triggers of lims.approval_step, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard_insert  refuses a role without approval.decide (155)
--   2 permit        refuses users without policy.manage (105)
--   3 policy_act    asks for a reason, and for a signature by policy (155)
--
-- BEFORE UPDATE
--   1 guard_update  as at INSERT, where the role changes (155)
--   2 identity      refuses to change id, organization or created_at
--   3 permit        as at INSERT
--   4 policy_act    as at INSERT (155)
--   5 touch         sets updated_at, last, when all other columns are final
--
-- BEFORE DELETE
--   1 policy_act    as at INSERT (155)
--
-- AFTER INSERT
--   1 reapprove     requests approvals again where a step is active
--   2 audit_insert  writes the audit trail; a later refusal rolls it back
--   3 mark_insert   marks all samples of the organization dirty (121)
--   4 satisfiable_insert  refuses, at commit, a step that no active user can decide (156)
--
-- AFTER UPDATE
--   1 reapprove     requests approvals again where a step is active
--   2 audit_update  writes the audit trail, as at INSERT
--   3 mark_update   marks all samples of the organization dirty (121)
--   4 satisfiable_update  as at INSERT (156)
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT
--   2 mark_delete   marks all samples of the organization dirty (121)

CREATE SEQUENCE lims.approval_step_id_seq;

-- The approval steps of an organization in order; the last is the final approval. Without
-- steps no approval is needed.
CREATE TABLE lims.approval_step (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.approval_step_id_seq'),
    position integer NOT NULL CHECK (position > 0),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    -- The role of whoever decides the step; NULL: any, and API keys too.
    role text CHECK (length(role) BETWEEN 1 AND 63),
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id)
);

CREATE UNIQUE INDEX approval_step_position
    ON lims.approval_step (organization_id, position)
 WHERE active;

CREATE TRIGGER mark_insert AFTER INSERT ON lims.approval_step
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_organizations();

CREATE TRIGGER mark_update AFTER UPDATE ON lims.approval_step
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_organizations();

CREATE TRIGGER mark_delete AFTER DELETE ON lims.approval_step
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_organizations();

SELECT lims.attach_record('approval_step');

-- Approvals ----------------------------------------------------------------

-- Triggers of lims.approval, in the order in which they run. A number over 100 is the file
-- of the function, a smaller one another trigger of the list.
--
-- BEFORE INSERT
--   1 guard           refuses a decided one, and one of a reported sample without an open
--                     amendment
--
-- BEFORE UPDATE
--   1 guard_content   records the hash of the content with a decision, before the guard
--                     (3), which checks the signature
--   2 guard_replaced  refuses changes of a replaced one, and with the replacement
--   3 guard_update    lets it be decided once, in the order of steps, and signed where the
--                     policy requires it; locks the sample
--   4 identity        refuses to change id, organization or created_at
--   5 permit_decide   refuses users who may not decide (105)
--   6 touch           sets updated_at, last, when all other columns are final
--
-- AFTER INSERT
--   1 audit_insert    writes the audit trail; a later refusal rolls it back
--   2 mark_insert     marks the sample dirty (121)
--
-- AFTER UPDATE
--   1 audit_update    writes the audit trail, as at INSERT
--   2 mark_update     marks the sample dirty (121)
--
-- AFTER DELETE
--   1 audit_delete    writes the audit trail, as at INSERT
--   2 mark_delete     marks the sample dirty (121)

CREATE SEQUENCE lims.approval_id_seq;

-- The approvals requested for a sample, in rounds: a rejection, or a change of approved
-- content, leads to another one. Only the latest round counts.
CREATE TABLE lims.approval (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.approval_id_seq'),
    sample_id bigint NOT NULL,
    round integer NOT NULL CHECK (round > 0),
    step integer NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    -- The step's role when the approval was requested: it counts once the policy has the
    -- step no more (lims.approval_role).
    role text,
    status text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'approved', 'rejected')),
    requested_at timestamptz NOT NULL DEFAULT now(),
    decided_at timestamptz,
    decided_by bigint,
    comment text CHECK (length(comment) <= 4000),
    signature_id bigint,
    -- Hash of the release content that was decided about.
    content_hash bytea CHECK (length(content_hash) = 32),
    -- Since when it no longer counts, without another round (no steps were active).
    replaced_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    UNIQUE (organization_id, sample_id, round, step),
    FOREIGN KEY (organization_id, sample_id)
        REFERENCES lims.sample (organization_id, id),
    FOREIGN KEY (organization_id, decided_by)
        REFERENCES lims.user_account (organization_id, id),
    FOREIGN KEY (organization_id, signature_id)
        REFERENCES lims.electronic_signature (organization_id, id),
    CHECK ((status = 'pending') = (decided_at IS NULL))
);

-- Index for the inbox: approvals that wait for a decision.
CREATE INDEX approval_status ON lims.approval (organization_id, status, id);

CREATE FUNCTION lims.approval_request_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.status <> 'pending' THEN
        PERFORM lims.refuse('invalid_transition',
                            'an approval must be requested before it is decided');
    END IF;
    IF EXISTS (
        SELECT FROM lims.sample s
         WHERE s.organization_id = NEW.organization_id
           AND s.id = NEW.sample_id
           AND s.status = 'reported'
           AND s.amendment_id IS NULL
    ) THEN
        PERFORM lims.refuse('invalid_transition',
                            'a reported sample is final: no approval can be requested');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT ON lims.approval
FOR EACH ROW EXECUTE FUNCTION lims.approval_request_guard();

-- Refuses a decision while an earlier step is not approved, and names the first such step.
CREATE FUNCTION lims.approval_in_order(p lims.approval) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_words text;
    v_id bigint;
BEGIN
    SELECT a.name || ' is ' || a.status, a.id
      INTO v_words, v_id
      FROM lims.approval a
     WHERE a.organization_id = p.organization_id
       AND a.sample_id = p.sample_id
       AND a.round = p.round
       AND a.step < p.step
       AND a.status <> 'approved'
     ORDER BY a.step
     LIMIT 1;
    IF FOUND THEN
        PERFORM lims.refuse_for('approval_required', format(
            'approvals are decided in order: %s', v_words),
            json_build_object('approvalIds', ARRAY[v_id]));
    END IF;
END
$$;

-- Refuses a decision about a sample that is being amended, unless a person makes it.
-- Approvals that were requested before a report can still be decided after it.
CREATE FUNCTION lims.approval_is_open(p lims.approval) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    IF EXISTS (
        SELECT FROM lims.sample s
         WHERE s.organization_id = p.organization_id
           AND s.id = p.sample_id
           AND s.amendment_id IS NOT NULL
    ) THEN
        PERFORM lims.hold_open_sample(p.organization_id, p.sample_id);
    END IF;
END
$$;

-- Validates the decision of an approval: in the order of steps, once, by the acting user,
-- with a valid signature if one is required or given.
CREATE FUNCTION lims.approval_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_required boolean;
BEGIN
    IF NEW IS NOT DISTINCT FROM OLD THEN
        RETURN NEW;
    END IF;
    -- Whoever changes a test has its sample locked FOR SHARE: a decision waits, and then
    -- sees the round that the change requested.
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.sample s
      WHERE s.organization_id = OLD.organization_id
        AND s.id = OLD.sample_id
        FOR NO KEY UPDATE;
    PERFORM lims.require_open_sample(OLD.organization_id, OLD.sample_id);
    IF OLD.status <> 'pending' THEN
        PERFORM lims.refuse('already_decided', format(
            'approval %s was %s already', OLD.id, OLD.status));
    END IF;
    IF (NEW.sample_id, NEW.round, NEW.step, NEW.name, NEW.requested_at)
       <> (OLD.sample_id, OLD.round, OLD.step, OLD.name, OLD.requested_at)
       OR NEW.status = 'pending' THEN
        PERFORM lims.refuse('invalid_transition',
                            'an approval can only be approved or rejected');
    END IF;
    IF NEW.status = 'rejected' AND btrim(coalesce(NEW.comment, '')) = '' THEN
        PERFORM lims.refuse('invalid_body', 'a rejection needs a comment');
    END IF;
    IF EXISTS (
        SELECT FROM lims.approval a
         WHERE a.organization_id = NEW.organization_id
           AND a.sample_id = NEW.sample_id
           AND a.round > NEW.round
           AND a.replaced_at IS NULL
    ) THEN
        PERFORM lims.refuse('already_decided', format(
            'approval %s was replaced: the sample waits for a new approval',
            OLD.id));
    END IF;

    PERFORM lims.approval_is_open(NEW);
    PERFORM lims.approval_in_order(NEW);
    SELECT o.esignature_required
      INTO v_required
      FROM lims.organization o
     WHERE o.id = NEW.organization_id;
    NEW.signature_id := coalesce(NEW.signature_id,
                                 lims.context_id('signature_id'));
    -- A signature that is not required but given has to be valid too.
    IF (v_required OR NEW.signature_id IS NOT NULL)
       AND NOT lims.is_signed(NEW.organization_id, NEW.signature_id, NEW.status,
                              'approval', NEW.id) THEN
        PERFORM lims.refuse('esignature_required', 'deciding an approval needs '
            'a signature on it, made now with password re-authentication');
    END IF;
    PERFORM lims.approval_four_eyes(NEW);
    NEW.decided_at := now();
    NEW.decided_by := lims.acting_user();
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.approval
FOR EACH ROW WHEN (NEW.replaced_at IS NOT DISTINCT FROM OLD.replaced_at)
EXECUTE FUNCTION lims.approval_guard();

-- Stores the hash of the content with a decision.
CREATE FUNCTION lims.approval_content() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF OLD.replaced_at IS NOT NULL THEN
        PERFORM lims.refuse('already_decided', format(
            'approval %s was replaced: the sample waits for a new approval',
            OLD.id));
    END IF;
    NEW.content_hash := lims.release_hash(NEW.organization_id, NEW.sample_id);
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_content BEFORE UPDATE ON lims.approval
FOR EACH ROW WHEN (NEW.status <> OLD.status)
EXECUTE FUNCTION lims.approval_content();

-- An approval, decided or not, can be marked as replaced, once and without other changes.
CREATE FUNCTION lims.approval_replaced() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF OLD.replaced_at IS NOT NULL
       OR to_jsonb(NEW) - 'replaced_at' <> to_jsonb(OLD) - 'replaced_at' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'approval %s can be replaced only once, without another change', OLD.id));
    END IF;
    NEW.replaced_at := now();
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_replaced BEFORE UPDATE ON lims.approval
FOR EACH ROW WHEN (NEW.replaced_at IS DISTINCT FROM OLD.replaced_at)
EXECUTE FUNCTION lims.approval_replaced();

CREATE TRIGGER mark_insert AFTER INSERT ON lims.approval
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples();

CREATE TRIGGER mark_update AFTER UPDATE ON lims.approval
REFERENCING NEW TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples();

CREATE TRIGGER mark_delete AFTER DELETE ON lims.approval
REFERENCING OLD TABLE AS changed_rows
FOR EACH STATEMENT EXECUTE FUNCTION lims.mark_samples();

SELECT lims.attach_record('approval');

-- Asking -------------------------------------------------------------------

-- Requests a new round of approvals for each of these samples; of two concurrent
-- requests, one creates the round. While no steps are active, the former round is marked
-- as replaced instead, so that it does not count when there are steps again.
CREATE FUNCTION lims.request_approvals(
    p_organization bigint,
    p_samples bigint[]
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.approval (organization_id, sample_id, round, step, name, role)
    SELECT s.organization_id, s.id, r.round, p.position, p.name, p.role
      FROM lims.sample s
     CROSS JOIN LATERAL (
           SELECT coalesce(max(a.round), 0) + 1 AS round
             FROM lims.approval a
            WHERE a.organization_id = s.organization_id
              AND a.sample_id = s.id) r
      JOIN lims.approval_step p
        ON p.organization_id = s.organization_id
       AND p.active
     WHERE s.organization_id = p_organization
       AND s.id = ANY (p_samples)
     ORDER BY s.id, p.position
        ON CONFLICT (organization_id, sample_id, round, step)
        DO NOTHING;
    IF NOT EXISTS (
        SELECT FROM lims.approval_step p
         WHERE p.organization_id = p_organization
           AND p.active
    ) THEN
        UPDATE lims.approval a
           SET replaced_at = now()
         WHERE a.organization_id = p_organization
           AND a.sample_id = ANY (p_samples)
           AND a.replaced_at IS NULL;
    END IF;
END
$$;

-- Asking again -------------------------------------------------------------

-- Whether a decision of this round was made on content that has changed since.
CREATE FUNCTION lims.is_outdated(
    p_organization bigint,
    p_sample bigint,
    p_round integer
) RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_hash bytea := lims.release_hash(p_organization, p_sample);
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.approval a
         WHERE a.organization_id = p_organization
           AND a.sample_id = p_sample
           AND a.round = p_round
           AND a.status <> 'pending'
           AND a.content_hash IS DISTINCT FROM v_hash);
END
$$;

-- Requests approvals again for those of these samples whose decisions are about former
-- content, or that are named in p_anyway, or whose round was replaced while no steps were
-- active. Not for a rejected sample until it is completed again; one that is amended is
-- complete when it is changed.
CREATE FUNCTION lims.request_approvals_again(
    p_organization bigint,
    p_samples bigint[],
    p_anyway bigint[]
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_samples bigint[];
BEGIN
    SELECT array_agg(s.id)
      INTO v_samples
      FROM (SELECT DISTINCT ON (a.sample_id) a.sample_id,
                   array_agg(a.content_hash)
                       FILTER (WHERE a.status <> 'pending') AS decided,
                   bool_or(a.status = 'rejected') AS rejected,
                   bool_and(a.replaced_at IS NOT NULL) AS replaced
              FROM lims.approval a
             WHERE a.organization_id = p_organization
               AND a.sample_id = ANY (p_samples)
             GROUP BY a.sample_id, a.round
             ORDER BY a.sample_id, a.round DESC) latest
      JOIN lims.sample s
        ON s.id = latest.sample_id
     WHERE s.organization_id = p_organization
       AND (s.status <> 'reported' OR s.amendment_id IS NOT NULL)
       AND CASE
           WHEN latest.replaced
           THEN s.status IN ('completed', 'verified', 'reported')
           WHEN latest.decided IS NULL THEN false
           WHEN latest.rejected
            AND s.status NOT IN ('completed', 'verified', 'reported')
           THEN false
           WHEN s.id = ANY (p_anyway) THEN true
           ELSE EXISTS (
               SELECT FROM unnest(latest.decided) d (hash)
                WHERE d.hash IS DISTINCT FROM
                      (SELECT lims.release_hash(p_organization, s.id)))
           END;
    IF v_samples IS NOT NULL THEN
        PERFORM lims.request_approvals(p_organization, v_samples);
    END IF;
END
$$;

-- Whether approvals were ever requested for a sample: a quick check, since for most writes
-- they were not.
CREATE FUNCTION lims.has_approvals(p_organization bigint, p_sample bigint)
RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM lims.approval a
         WHERE a.organization_id = p_organization
           AND a.sample_id = p_sample);
END
$$;

-- Requests approvals again for all open samples of an organization that have approvals, or
-- those of a material type: for changes of records on which many samples depend, which are
-- rare.
CREATE FUNCTION lims.request_approvals_of_all(
    p_organization bigint,
    p_material_type bigint DEFAULT NULL
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_samples bigint[];
BEGIN
    SELECT array_agg(s.id)
      INTO v_samples
      FROM lims.sample s
     WHERE s.organization_id = p_organization
       AND (s.status IN ('pending', 'received', 'processing', 'completed',
                         'verified')
            OR s.amendment_id IS NOT NULL)
       AND (p_material_type IS NULL OR s.material_type_id = p_material_type)
       AND lims.has_approvals(s.organization_id, s.id);
    PERFORM lims.request_approvals_again(p_organization, v_samples, '{}');
END
$$;

-- Requests approvals again after a change of printed names, limits or decision rules (until
-- they are frozen), of the time zone (a day of collection begins in it), or of the approval steps.
CREATE FUNCTION lims.reapprove_all() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    PERFORM lims.request_approvals_of_all(CASE TG_TABLE_NAME
        WHEN 'organization' THEN (to_jsonb(NEW) ->> 'id')::bigint
        ELSE (to_jsonb(NEW) ->> 'organization_id')::bigint END);
    RETURN NULL;
END
$$;

CREATE TRIGGER reapprove AFTER UPDATE ON lims.project
FOR EACH ROW WHEN (NEW.name <> OLD.name)
EXECUTE FUNCTION lims.reapprove_all();

CREATE TRIGGER reapprove AFTER UPDATE ON lims.material_type
FOR EACH ROW WHEN (NEW.name <> OLD.name)
EXECUTE FUNCTION lims.reapprove_all();

CREATE TRIGGER reapprove AFTER UPDATE ON lims.test_definition
FOR EACH ROW WHEN ((NEW.code, NEW.name, NEW.method, NEW.unit,
    NEW.reporting_limit::text, NEW.method_detection_limit::text, NEW.uncertainty,
    NEW.accredited, NEW.specification_low, NEW.specification_high,
    NEW.specification_text, NEW.decision_rule)
    IS DISTINCT FROM
    (OLD.code, OLD.name, OLD.method, OLD.unit, OLD.reporting_limit::text,
    OLD.method_detection_limit::text, OLD.uncertainty, OLD.accredited,
    OLD.specification_low, OLD.specification_high, OLD.specification_text,
    OLD.decision_rule))
EXECUTE FUNCTION lims.reapprove_all();

-- Requests approvals again where another decision rule now applies to results.
CREATE FUNCTION lims.specification_reapprove() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM lims.request_approvals_of_all(OLD.organization_id, OLD.material_type_id);
    END IF;
    IF TG_OP = 'INSERT' OR NEW.material_type_id <> OLD.material_type_id THEN
        PERFORM lims.request_approvals_of_all(NEW.organization_id, NEW.material_type_id);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER reapprove AFTER INSERT OR DELETE OR UPDATE
    OF test_definition_id, material_type_id, project_id, low, high, expected_text,
       decision_rule
ON lims.specification
FOR EACH ROW EXECUTE FUNCTION lims.specification_reapprove();

CREATE TRIGGER reapprove AFTER UPDATE ON lims.organization
FOR EACH ROW WHEN (NEW.time_zone <> OLD.time_zone)
EXECUTE FUNCTION lims.reapprove_all();

CREATE TRIGGER reapprove AFTER INSERT OR UPDATE ON lims.approval_step
FOR EACH ROW WHEN (NEW.active)
EXECUTE FUNCTION lims.reapprove_all();
