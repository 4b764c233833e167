-- SPDX-License-Identifier: Apache-2.0
--
-- Approvals: the steps by which a completed sample is released.

-- Steps --------------------------------------------------------------------

-- Triggers of lims.approval_step, in the order in which they run:
--
-- BEFORE UPDATE
--   1 identity      refuses another id, organization or created_at
--   2 touch         sets updated_at, last, when the row is what it will be
--
-- AFTER INSERT
--   1 reapprove     has approvals asked again where a step is active
--   2 audit_insert  writes the audit trail; a refusal that comes later undoes it
--   3 mark_insert   has all samples of the organization marked as dirty
--
-- AFTER UPDATE
--   1 reapprove     has approvals asked again where a step is active
--   2 audit_update  writes the audit trail, as at INSERT
--   3 mark_update   has all samples of the organization marked as dirty
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT
--   2 mark_delete   has all samples of the organization marked as dirty

CREATE SEQUENCE lims.approval_step_id_seq;

-- The steps an organization asks for, in their order; the last is the final
-- approval. None: no approval is needed.
CREATE TABLE lims.approval_step (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.approval_step_id_seq'),
    position integer NOT NULL CHECK (position > 0),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
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

-- Triggers of lims.approval, in the order in which they run:
--
-- BEFORE INSERT
--   1 guard           refuses a decision that nobody asked for, or of a reported sample
--
-- BEFORE UPDATE
--   1 guard_content   keeps what was decided about with the decision: before the guard
--                     (3), which signs it
--   2 guard_replaced  lets it be replaced, once, and nothing else
--   3 guard_update    decides in order, once, signed where that is asked for; holds the
--                     sample
--   4 identity        refuses another id, organization or created_at
--   5 touch           sets updated_at, last, when the row is what it will be
--
-- AFTER INSERT
--   1 audit_insert    writes the audit trail; a refusal that comes later undoes it
--   2 mark_insert     puts the sample into the queue of dirty samples
--
-- AFTER UPDATE
--   1 audit_update    writes the audit trail, as at INSERT
--   2 mark_update     puts the sample into the queue of dirty samples
--
-- AFTER DELETE
--   1 audit_delete    writes the audit trail, as at INSERT
--   2 mark_delete     puts the sample into the queue of dirty samples

CREATE SEQUENCE lims.approval_id_seq;

-- The steps asked of one sample. After a rejection, or when what was decided
-- about has changed since, they are asked again: only the latest round counts.
CREATE TABLE lims.approval (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.approval_id_seq'),
    sample_id bigint NOT NULL,
    round integer NOT NULL CHECK (round > 0),
    step integer NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    status text NOT NULL DEFAULT 'pending'
        CHECK (status IN ('pending', 'approved', 'rejected')),
    requested_at timestamptz NOT NULL DEFAULT now(),
    decided_at timestamptz,
    decided_by bigint,
    comment text CHECK (length(comment) <= 4000),
    signature_id bigint,
    -- Of the content that was decided about.
    content_hash bytea CHECK (length(content_hash) = 32),
    -- Since when it counts no more though no other round was asked for.
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

CREATE FUNCTION lims.approval_request_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NEW.status <> 'pending' THEN
        PERFORM lims.refuse('invalid_transition',
                            'an approval is requested before it is decided');
    END IF;
    IF EXISTS (
        SELECT FROM lims.sample s
         WHERE s.organization_id = NEW.organization_id
           AND s.id = NEW.sample_id
           AND s.status = 'reported'
    ) THEN
        PERFORM lims.refuse('invalid_transition',
                            'a reported sample is final: no approval is asked');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT ON lims.approval
FOR EACH ROW EXECUTE FUNCTION lims.approval_request_guard();

-- Refuses a step while one before it is not approved, and names the first such.
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

-- Approvals are decided in their order, each once, by who acts and signs. Who comes too
-- early hears which step is first.
CREATE FUNCTION lims.approval_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_required boolean;
BEGIN
    IF NEW IS NOT DISTINCT FROM OLD THEN
        RETURN NEW;
    END IF;
    -- Who changes a test holds its sample FOR SHARE: a decision waits for them,
    -- and then sees the round that the change asked for.
    PERFORM lims.require_read_committed();
    PERFORM FROM lims.sample s
      WHERE s.organization_id = OLD.organization_id
        AND s.id = OLD.sample_id
        FOR NO KEY UPDATE;
    IF OLD.status <> 'pending' THEN
        PERFORM lims.refuse('already_decided', format(
            'approval %s was %s already', OLD.id, OLD.status));
    END IF;
    IF (NEW.sample_id, NEW.round, NEW.step, NEW.name, NEW.requested_at)
       <> (OLD.sample_id, OLD.round, OLD.step, OLD.name, OLD.requested_at)
       OR NEW.status = 'pending' THEN
        PERFORM lims.refuse('invalid_transition',
                            'an approval is approved or rejected, nothing else');
    END IF;
    IF NEW.status = 'rejected' AND btrim(coalesce(NEW.comment, '')) = '' THEN
        PERFORM lims.refuse('invalid_body', 'a rejection needs a comment');
    END IF;
    IF EXISTS (
        SELECT FROM lims.approval a
         WHERE a.organization_id = NEW.organization_id
           AND a.sample_id = NEW.sample_id
           AND a.round > NEW.round
    ) THEN
        PERFORM lims.refuse('already_decided', format(
            'approval %s was replaced: approval of the sample is asked anew',
            OLD.id));
    END IF;

    PERFORM lims.approval_in_order(NEW);
    SELECT o.esignature_required
      INTO v_required
      FROM lims.organization o
     WHERE o.id = NEW.organization_id;
    NEW.signature_id := coalesce(NEW.signature_id,
                                 lims.context_id('signature_id'));
    -- A signature that nobody asked for counts all the same.
    IF (v_required OR NEW.signature_id IS NOT NULL)
       AND NOT lims.is_signed(NEW.organization_id, NEW.signature_id, NEW.status,
                              'approval', NEW.id) THEN
        PERFORM lims.refuse('esignature_required', 'deciding an approval needs '
            'a signature on it, made now with password re-authentication');
    END IF;
    NEW.decided_at := now();
    NEW.decided_by := lims.acting_user();
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.approval
FOR EACH ROW WHEN (NEW.replaced_at IS NOT DISTINCT FROM OLD.replaced_at)
EXECUTE FUNCTION lims.approval_guard();

-- Deciding locks the sample (lims.approval_guard), so that nothing of it changes
-- meanwhile.
CREATE FUNCTION lims.approval_content() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF OLD.replaced_at IS NOT NULL THEN
        PERFORM lims.refuse('already_decided', format(
            'approval %s was replaced: approval of the sample is asked anew',
            OLD.id));
    END IF;
    NEW.content_hash := lims.release_hash(NEW.organization_id, NEW.sample_id);
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_content BEFORE UPDATE ON lims.approval
FOR EACH ROW WHEN (NEW.status <> OLD.status)
EXECUTE FUNCTION lims.approval_content();

-- Decided or not, it may be replaced, once, and then nothing else happens to it.
CREATE FUNCTION lims.approval_replaced() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF OLD.replaced_at IS NOT NULL
       OR to_jsonb(NEW) - 'replaced_at' <> to_jsonb(OLD) - 'replaced_at' THEN
        PERFORM lims.refuse('invalid_transition', format(
            'approval %s is replaced once, and as it stands', OLD.id));
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

-- Asks for a round of approvals of each of these samples, whatever went before.
-- Where two ask at once, one round is enough. While no steps are active there is
-- nothing to ask for, but what stood stands no longer: it was about something else,
-- and is not to count when there are steps again.
CREATE FUNCTION lims.request_approvals(
    p_organization bigint,
    p_samples bigint[]
) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.approval (organization_id, sample_id, round, step, name)
    SELECT s.organization_id, s.id, r.round, p.position, p.name
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

-- Whether something was decided in a round about another content than stands.
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

-- Of these samples, those are asked for again about which something was decided
-- that is no longer what stands: by its content, whatever changed it, or because
-- of what no content shows (p_anyway). One that was rejected and sent back waits
-- until it is completed: the rejection stands until then. And those whose round
-- was replaced while no steps were active.
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
       AND s.status <> 'reported'
       AND CASE
           WHEN latest.replaced THEN s.status IN ('completed', 'verified')
           WHEN latest.decided IS NULL THEN false
           WHEN latest.rejected AND s.status NOT IN ('completed', 'verified')
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

-- Whether approval was ever asked of a sample: of most it was not, when something
-- is written, and there is no more to do.
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

-- Of all samples that approval was ever asked of and that are still open: for what
-- many rest on and that seldom changes.
CREATE FUNCTION lims.request_approvals_of_all(p_organization bigint)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_samples bigint[];
BEGIN
    SELECT array_agg(s.id)
      INTO v_samples
      FROM lims.sample s
     WHERE s.organization_id = p_organization
       AND s.status IN ('pending', 'received', 'processing', 'completed',
                        'verified')
       AND lims.has_approvals(s.organization_id, s.id);
    PERFORM lims.request_approvals_again(p_organization, v_samples, '{}');
END
$$;

-- Decisions rest on names and limits that are printed, until they are frozen; on the
-- time zone that a day of collection begins in; and on that there are steps at all.
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
    NEW.reporting_limit::text, NEW.method_detection_limit::text)
    IS DISTINCT FROM
    (OLD.code, OLD.name, OLD.method, OLD.unit, OLD.reporting_limit::text,
    OLD.method_detection_limit::text))
EXECUTE FUNCTION lims.reapprove_all();

CREATE TRIGGER reapprove AFTER UPDATE ON lims.organization
FOR EACH ROW WHEN (NEW.time_zone <> OLD.time_zone)
EXECUTE FUNCTION lims.reapprove_all();

CREATE TRIGGER reapprove AFTER INSERT OR UPDATE ON lims.approval_step
FOR EACH ROW WHEN (NEW.active)
EXECUTE FUNCTION lims.reapprove_all();
