-- SPDX-License-Identifier: Apache-2.0
--
-- Saved views: filters and columns of a page of the application, a person's own or shared
-- with everybody of the organization.

-- Triggers of lims.saved_view, in the order in which they run:
--
-- BEFORE INSERT
--   1 guard_insert  sets the owner; refuses more than 100 views of a user, and sharing
--                   without the permission
--
-- BEFORE UPDATE
--   1 guard_change  refuses users who are not the owner, or may not change shared views
--   2 identity      refuses to change id, organization or created_at
--   3 touch         sets updated_at, last, when all other columns are final
--
-- BEFORE DELETE
--   1 guard_change  as at UPDATE
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.saved_view_id_seq;

CREATE TABLE lims.saved_view (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.saved_view_id_seq'),
    owner_id bigint NOT NULL DEFAULT lims.acting_user(),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    -- The page of the application, such as samples.
    page text NOT NULL CHECK (length(page) BETWEEN 1 AND 64),
    -- Query of the page; only the page understands it.
    query text NOT NULL CHECK (length(query) <= 8192)
        CHECK (octet_length(query) <= 8192),
    shared boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    CONSTRAINT saved_view_name UNIQUE (organization_id, owner_id, page, name),
    FOREIGN KEY (organization_id, owner_id)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX saved_view_shared
    ON lims.saved_view (organization_id, id)
 WHERE shared;

-- A person has at most 100 views; creating and changing shared ones needs
-- reference.manage. Locks the owner's account, so that concurrent views are both counted.
CREATE FUNCTION lims.saved_view_guard_insert() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT lims.is_owner_acting() THEN
        NEW.owner_id := lims.acting_user();
    END IF;
    PERFORM FROM lims.user_account u
      WHERE u.organization_id = NEW.organization_id
        AND u.id = NEW.owner_id
        FOR NO KEY UPDATE;
    IF 100 <= (SELECT count(*)
                 FROM lims.saved_view v
                WHERE v.organization_id = NEW.organization_id
                  AND v.owner_id = NEW.owner_id) THEN
        PERFORM lims.refuse('invalid_transition',
                            'a person has at most 100 saved views: delete one');
    END IF;
    IF NEW.shared AND NOT lims.is_owner_acting() THEN
        PERFORM lims.require_permission(NEW.organization_id, 'reference.manage');
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_insert BEFORE INSERT ON lims.saved_view
FOR EACH ROW EXECUTE FUNCTION lims.saved_view_guard_insert();

CREATE FUNCTION lims.saved_view_guard_change() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND NEW.owner_id <> OLD.owner_id THEN
        PERFORM lims.refuse('field_not_patchable', 'the owner of a saved view cannot be '
                                                   'changed');
    END IF;
    IF lims.is_owner_acting() THEN
        NULL;
    ELSIF OLD.shared OR (TG_OP = 'UPDATE' AND NEW.shared) THEN
        PERFORM lims.require_permission(OLD.organization_id, 'reference.manage');
    ELSIF OLD.owner_id <> lims.acting_user() THEN
        PERFORM lims.refuse('not_found', format('no saved view %s belongs to you', OLD.id));
    END IF;
    RETURN CASE TG_OP WHEN 'UPDATE' THEN NEW ELSE OLD END;
END
$$;

CREATE TRIGGER guard_change BEFORE UPDATE OR DELETE ON lims.saved_view
FOR EACH ROW EXECUTE FUNCTION lims.saved_view_guard_change();

SELECT lims.attach_record('saved_view');
