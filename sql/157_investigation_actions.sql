-- SPDX-License-Identifier: Apache-2.0
--
-- Actions that follow from an investigation, with owner and due date, and its closing,
-- which is signed.

CREATE SEQUENCE lims.investigation_action_id_seq;

CREATE TABLE lims.investigation_action (
    organization_id bigint NOT NULL,
    id bigint NOT NULL DEFAULT nextval('lims.investigation_action_id_seq'),
    investigation_id bigint NOT NULL,
    text text NOT NULL CHECK (length(text) BETWEEN 1 AND 4000),
    owner_id bigint,
    due_on date,
    done_at timestamptz CHECK (done_at <= updated_at),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, investigation_id)
        REFERENCES lims.investigation (organization_id, id),
    FOREIGN KEY (organization_id, owner_id)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX investigation_action_investigation
    ON lims.investigation_action (organization_id, investigation_id);

-- Refuses a new action of a closed investigation, a change of an agreed action, and a
-- completion in the future. An agreed action may be completed after the investigation is
-- closed.
CREATE FUNCTION lims.investigation_action_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
    v_found record;
BEGIN
    IF TG_OP = 'UPDATE' AND (NEW.investigation_id, NEW.text, NEW.owner_id, NEW.due_on)
       IS DISTINCT FROM (OLD.investigation_id, OLD.text, OLD.owner_id, OLD.due_on) THEN
        PERFORM lims.refuse('field_not_patchable',
            'an agreed action cannot be changed: add another');
    END IF;
    IF NEW.done_at > now() THEN
        PERFORM lims.refuse('invalid_body', 'doneAt lies in the future');
    END IF;
    IF TG_OP = 'UPDATE' THEN
        RETURN NEW;
    END IF;
    SELECT i.investigation_number, i.status
      INTO v_found
      FROM lims.investigation i
     WHERE i.organization_id = NEW.organization_id
       AND i.id = NEW.investigation_id
       FOR SHARE;
    IF v_found.status IN ('closed', 'cancelled') THEN
        PERFORM lims.refuse('invalid_transition', format(
            'investigation %s is %s: no action can be added', v_found.investigation_number, v_found.status));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON lims.investigation_action
FOR EACH ROW EXECUTE FUNCTION lims.investigation_action_guard();

SELECT lims.attach_record('investigation_action');

-- The actions of an investigation, as its record shows them.
CREATE FUNCTION lims.investigation_actions(p_organization bigint, p_investigation bigint)
RETURNS json
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
BEGIN
    RETURN (
        SELECT coalesce(json_agg(json_build_object(
                   'id', a.id,
                   'text', a.text,
                   'ownerId', a.owner_id,
                   'dueDate', a.due_on,
                   'doneAt', to_char(a.done_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
                   ORDER BY a.id), '[]')
          FROM lims.investigation_action a
         WHERE a.organization_id = p_organization
           AND a.investigation_id = p_investigation);
END
$$;

-- Closing --------------------------------------------------------------------

-- Refuses to close or cancel an investigation without a signature and the permission. The
-- owner of the database needs neither.
CREATE FUNCTION lims.investigation_signed() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF lims.is_owner_acting() THEN
        RETURN NEW;
    END IF;
    PERFORM lims.require_permission(NEW.organization_id, 'investigation.close');
    IF NOT lims.is_signed(NEW.organization_id, lims.context_id('signature_id'), 'closed',
                          'investigation', NEW.id) THEN
        PERFORM lims.refuse('esignature_required', format('closing investigation %s '
                                                          'needs a signature, made now '
                                                          'with password '
                                                          're-authentication',
            NEW.investigation_number));
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER signed BEFORE UPDATE ON lims.investigation
FOR EACH ROW WHEN (NEW.status IN ('closed', 'cancelled') AND OLD.status <> NEW.status)
EXECUTE FUNCTION lims.investigation_signed();
