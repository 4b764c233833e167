-- SPDX-License-Identifier: Apache-2.0
--
-- Comments and attachments of samples, sample tests, QC batches, lots and investigations.
-- Neither is ever removed: a comment stays as it was written, an attachment is withdrawn
-- with a reason and can still be read.

-- Refuses comments and attachments on a record that the organization does not have.
-- p_table is one of the tables that the CHECK of both tables names.
CREATE FUNCTION lims.require_noted_record(
    p_organization bigint,
    p_table text,
    p_record bigint
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_found boolean;
BEGIN
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM lims.%I WHERE organization_id = $1 AND id = $2)',
        p_table) INTO v_found USING p_organization, p_record;
    IF NOT v_found THEN
        PERFORM lims.refuse('invalid_reference', format(
            'on: no %s %s in your organization', replace(p_table, '_', ' '), p_record));
    END IF;
END
$$;

-- Comments -----------------------------------------------------------------

-- Triggers of lims.comment, in the order in which they run:
--
-- BEFORE INSERT
--   1 guard                 sets its author; refuses a record that does not exist
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
--   1 audit_insert          writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 audit_update          writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete          writes the audit trail, as at INSERT

CREATE SEQUENCE lims.comment_id_seq;

CREATE TABLE lims.comment (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.comment_id_seq'),
    table_name text NOT NULL CHECK (table_name IN (
        'sample', 'sample_test', 'qc_batch', 'reagent_lot', 'media_lot',
        'investigation')),
    record_id bigint NOT NULL,
    text text NOT NULL CHECK (length(text) BETWEEN 1 AND 4000),
    created_by bigint NOT NULL DEFAULT lims.acting_user(),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, created_by)
        REFERENCES lims.user_account (organization_id, id)
);

CREATE INDEX comment_of_record
    ON lims.comment (organization_id, table_name, record_id, id);

CREATE FUNCTION lims.comment_guard() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT lims.is_owner_acting() THEN
        NEW.created_by := lims.acting_user();
    END IF;
    PERFORM lims.require_permission(NEW.organization_id, 'note.add');
    PERFORM lims.require_noted_record(NEW.organization_id, NEW.table_name,
                                      NEW.record_id);
    RETURN NEW;
END
$$;

CREATE TRIGGER guard BEFORE INSERT ON lims.comment
FOR EACH ROW WHEN (NEW.table_name IN ('sample', 'sample_test', 'qc_batch', 'reagent_lot',
    'media_lot', 'investigation'))
EXECUTE FUNCTION lims.comment_guard();

SELECT lims.attach_append_only('comment');
SELECT lims.attach_audit('comment');

-- Attachments --------------------------------------------------------------

-- Triggers of lims.attachment, in the order in which they run:
--
-- BEFORE INSERT
--   1 guard_insert  sets who adds it; refuses a record that does not exist, and too many
--                   attachments or bytes
--
-- BEFORE UPDATE
--   1 guard_update  refuses changes but its withdrawal
--   2 identity      refuses to change id, organization or created_at
--   3 touch         sets updated_at, last, when all other columns are final
--
-- BEFORE DELETE
--   1 keep          refuses every deletion
--
-- BEFORE TRUNCATE
--   1 keep_all      refuses to empty the table
--
-- AFTER INSERT
--   1 audit_insert  writes the audit trail; a later refusal rolls it back
--
-- AFTER UPDATE
--   1 audit_update  writes the audit trail, as at INSERT
--
-- AFTER DELETE
--   1 audit_delete  writes the audit trail, as at INSERT

CREATE SEQUENCE lims.attachment_id_seq;

CREATE TABLE lims.attachment (
    organization_id bigint NOT NULL REFERENCES lims.organization (id),
    id bigint NOT NULL DEFAULT nextval('lims.attachment_id_seq'),
    table_name text NOT NULL CHECK (table_name IN (
        'sample', 'sample_test', 'qc_batch', 'reagent_lot', 'media_lot',
        'investigation')),
    record_id bigint NOT NULL,
    file_name text NOT NULL CHECK (length(file_name) BETWEEN 1 AND 255),
    -- Media type as the sender stated it; never trusted.
    media_type text NOT NULL DEFAULT 'application/octet-stream'
        CHECK (length(media_type) BETWEEN 3 AND 127),
    content bytea NOT NULL,
    size bigint NOT NULL GENERATED ALWAYS AS (length(content)) STORED,
    sha256 bytea NOT NULL GENERATED ALWAYS AS (sha256(content)) STORED,
    added_by bigint NOT NULL DEFAULT lims.acting_user(),
    withdrawn_at timestamptz,
    withdrawal_reason text CHECK (length(withdrawal_reason) BETWEEN 1 AND 1000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, id),
    FOREIGN KEY (organization_id, added_by)
        REFERENCES lims.user_account (organization_id, id),
    CHECK ((withdrawn_at IS NULL) = (withdrawal_reason IS NULL))
);

CREATE INDEX attachment_of_record
    ON lims.attachment (organization_id, table_name, record_id, id);

-- Bytes of all attachments of an organization, updated with them, so that checking the
-- limit reads one row, and concurrent attachments are both counted.
CREATE TABLE lims.attachment_storage (
    organization_id bigint NOT NULL PRIMARY KEY REFERENCES lims.organization (id),
    bytes bigint NOT NULL CHECK (bytes >= 0)
);

-- Refuses attachments beyond the limits: 10 MB for a file, 50 files for a record, and the
-- organization's quota. Locks the row of the quota first, so that concurrent attachments
-- are both counted.
CREATE FUNCTION lims.count_attachment(
    p_organization bigint,
    p_table text,
    p_record bigint,
    p_size bigint
) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
    v_bytes bigint;
    v_most bigint;
BEGIN
    INSERT INTO lims.attachment_storage AS s (organization_id, bytes)
    VALUES (p_organization, p_size)
        ON CONFLICT (organization_id) DO UPDATE SET bytes = s.bytes + excluded.bytes
    RETURNING s.bytes INTO v_bytes;
    SELECT o.attachment_bytes
      INTO v_most
      FROM lims.organization o
     WHERE o.id = p_organization;
    IF v_bytes > v_most THEN
        PERFORM lims.refuse('FILE_STORAGE_EXCEEDED', format(
            'the attachments of your organization may take %s MB, and would take %s MB '
            'with this one', v_most / 1048576, ceil(v_bytes / 1048576.0)));
    END IF;
    IF 50 <= (SELECT count(*)
                FROM lims.attachment a
               WHERE a.organization_id = p_organization
                 AND a.table_name = p_table
                 AND a.record_id = p_record) THEN
        PERFORM lims.refuse('invalid_transition',
                            'a record can have at most 50 attachments, and this one has '
                            '50');
    END IF;
END
$$;

CREATE FUNCTION lims.attachment_guard_insert() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF NOT lims.is_owner_acting() THEN
        NEW.added_by := lims.acting_user();
    END IF;
    PERFORM lims.require_permission(NEW.organization_id, 'note.add');
    NEW.withdrawn_at := NULL;
    NEW.withdrawal_reason := NULL;
    PERFORM lims.require_noted_record(NEW.organization_id, NEW.table_name,
                                      NEW.record_id);
    IF length(NEW.content) = 0 THEN
        PERFORM lims.refuse('invalid_body', 'the file is empty');
    ELSIF length(NEW.content) > 10485760 THEN
        PERFORM lims.refuse('payload_too_large',
                            'an attachment may have at most 10 MB');
    END IF;
    PERFORM lims.count_attachment(NEW.organization_id, NEW.table_name, NEW.record_id,
                                  length(NEW.content));
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_insert BEFORE INSERT ON lims.attachment
FOR EACH ROW WHEN (NEW.table_name IN ('sample', 'sample_test', 'qc_batch', 'reagent_lot',
    'media_lot', 'investigation'))
EXECUTE FUNCTION lims.attachment_guard_insert();

-- Refuses every change but one withdrawal by the user who added the attachment.
CREATE FUNCTION lims.attachment_guard_update() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    IF (NEW.table_name, NEW.record_id, NEW.file_name, NEW.media_type, NEW.added_by)
           IS DISTINCT FROM
       (OLD.table_name, OLD.record_id, OLD.file_name, OLD.media_type, OLD.added_by)
       OR NEW.content IS DISTINCT FROM OLD.content THEN
        PERFORM lims.refuse('invalid_transition',
                            'an attachment cannot be changed');
    ELSIF OLD.withdrawn_at IS NOT NULL THEN
        PERFORM lims.refuse('invalid_transition', 'the attachment is withdrawn');
    ELSIF NOT lims.is_owner_acting() AND OLD.added_by <> lims.acting_user() THEN
        PERFORM lims.refuse('invalid_transition',
                            'an attachment can only be withdrawn by the person who '
                            'added it');
    END IF;
    NEW.withdrawn_at := now();
    RETURN NEW;
END
$$;

CREATE TRIGGER guard_update BEFORE UPDATE ON lims.attachment
FOR EACH ROW EXECUTE FUNCTION lims.attachment_guard_update();

CREATE TRIGGER keep BEFORE DELETE ON lims.attachment
FOR EACH ROW EXECUTE FUNCTION lims.append_only();

CREATE TRIGGER keep_all BEFORE TRUNCATE ON lims.attachment
FOR EACH STATEMENT EXECUTE FUNCTION lims.append_only();

-- The trail has the digest of the bytes, not the bytes.
SELECT lims.attach_record('attachment', '{content}');
