-- SPDX-License-Identifier: Apache-2.0
--
-- The history of a record in words, from the audit trail: what was done to it and to what
-- belongs to it, a sentence for each entry, oldest first.

-- Parts of records: for each table the column that refers to the record it belongs to.
CREATE FUNCTION lims.record_parts_known()
RETURNS TABLE (whole text, part text, named_by text)
LANGUAGE sql IMMUTABLE
AS $$
    VALUES ('sample', 'sample_test', 'sample_id'),
           ('sample', 'approval', 'sample_id'),
           ('sample', 'certificate', 'sample_id'),
           ('sample', 'amendment', 'sample_id'),
           ('sample', 'investigation', 'sample_id'),
           ('sample', 'lot_override', 'sample_id'),
           ('sample', 'sample_name', 'sample_id'),
           ('sample_test', 'worksheet', 'sample_test_id'),
           ('sample_test', 'qc_coverage', 'sample_test_id'),
           ('sample_test', 'confirmation_step', 'sample_test_id'),
           ('sample_test', 'investigation', 'sample_test_id'),
           ('worksheet', 'worksheet_value', 'worksheet_id'),
           ('worksheet', 'worksheet_signoff', 'worksheet_id'),
           ('worksheet_template', 'worksheet_field', 'template_id'),
           ('worksheet_template', 'worksheet_signoff_step', 'template_id'),
           ('qc_template', 'qc_template_control', 'template_id'),
           ('qc_batch', 'qc_control', 'qc_batch_id'),
           ('qc_batch', 'qc_coverage', 'qc_batch_id'),
           ('qc_batch', 'investigation', 'qc_batch_id'),
           ('investigation', 'investigation_action', 'investigation_id'),
           ('reagent_lot', 'investigation', 'reagent_lot_id'),
           ('media_lot', 'investigation', 'media_lot_id'),
           ('instrument_file', 'investigation', 'instrument_file_id'),
           ('media_lot', 'media_qc_test', 'media_lot_id'),
           ('user_account', 'user_role', 'user_id')
$$;

-- The records of a history: the given ones, and those that belong to them.
CREATE FUNCTION lims.record_parts(p_organization bigint, p_table text, p_ids bigint[])
RETURNS TABLE (table_name text, record_id bigint)
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v record;
    v_ids bigint[];
BEGIN
    RETURN QUERY SELECT p_table, x.id FROM unnest(p_ids) AS x (id);
    RETURN QUERY
    SELECT 'comment', c.id
      FROM lims.comment c
     WHERE c.organization_id = p_organization
       AND c.table_name = p_table
       AND c.record_id = ANY (p_ids)
     UNION ALL
    SELECT 'attachment', a.id
      FROM lims.attachment a
     WHERE a.organization_id = p_organization
       AND a.table_name = p_table
       AND a.record_id = ANY (p_ids);
    FOR v IN
        SELECT k.part, k.named_by
          FROM lims.record_parts_known() k
         WHERE k.whole = p_table
    LOOP
        -- Parts that the record has, and parts that it has lost.
        EXECUTE format(
            'SELECT array_agg(x.id) FROM (SELECT r.id FROM lims.%1$I r '
            'WHERE r.organization_id = $1 AND r.%2$I = ANY ($2) '
            'UNION SELECT a.record_id FROM lims.audit_entry a '
            'WHERE a.organization_id = $1 AND a.action = ''delete'' '
            'AND a.table_name = %1$L AND a.changes #>> %3$L = ANY ($2::text[])) x',
            v.part, v.named_by, ARRAY[v.named_by, 'old'])
           INTO v_ids
          USING p_organization, p_ids;
        IF v_ids IS NOT NULL THEN
            RETURN QUERY
            SELECT p.table_name, p.record_id
              FROM lims.record_parts(p_organization, v.part, v_ids) p;
        END IF;
    END LOOP;
END
$$;

-- Names --------------------------------------------------------------------

-- The column by which people know the records of a table; NULL: none has a name. Of
-- records without one the column that leads to a record that has.
CREATE FUNCTION lims.name_column(p_table text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE
        WHEN p_table IN ('client', 'project', 'material_type', 'storage_location',
                         'test_definition', 'panel', 'label_size', 'instrument', 'organization',
                         'instrument_profile',
                         'api_key', 'webhook_endpoint', 'qc_template', 'approval',
                         'approval_step', 'worksheet_template', 'sample_name',
                         'saved_view', 'worksheet_signoff_step')
        THEN 'name'
        WHEN p_table IN ('reagent_lot', 'media_lot') THEN 'code'
        WHEN p_table IN ('attachment', 'instrument_file') THEN 'file_name'
        WHEN p_table IN ('user_role', 'role_permission') THEN 'role'
        ELSE (SELECT n.named_by
                FROM (VALUES ('sample', 'tracking_id'),
                             ('sample_order', 'order_number'),
                             ('qc_batch', 'batch_number'),
                             ('qc_control', 'control_type'),
                             ('qc_template_control', 'control_type'),
                             ('investigation', 'investigation_number'),
                             ('investigation_action', 'text'),
                             ('certificate', 'certificate_number'),
                             ('user_account', 'display_name'),
                             ('media_qc_test', 'kind'),
                             ('worksheet_field', 'label')) AS n (of_table, named_by)
               WHERE n.of_table = p_table)
    END
$$;

-- The name of a record as it is now; NULL: it has none, or is gone.
CREATE FUNCTION lims.record_name(p_organization bigint, p_table text, p_id bigint)
RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_column text := lims.name_column(p_table);
    v_name text;
BEGIN
    IF p_table = 'sample_test' THEN
        SELECT coalesce(t.test_name, d.name)
          INTO v_name
          FROM lims.sample_test t
          JOIN lims.test_definition d
            ON d.organization_id = t.organization_id
           AND d.id = t.test_definition_id
         WHERE t.organization_id = p_organization
           AND t.id = p_id;
    ELSIF p_table IN ('worksheet', 'qc_coverage', 'confirmation_step') THEN
        EXECUTE format('SELECT lims.record_name($1, ''sample_test'', r.sample_test_id) '
                       'FROM lims.%I r WHERE r.organization_id = $1 AND r.id = $2', p_table)
           INTO v_name
          USING p_organization, p_id;
    ELSIF p_table = 'worksheet_value' THEN
        SELECT lims.field_label(f)
          INTO v_name
          FROM lims.worksheet_value v
          JOIN lims.worksheet_field f
            ON f.organization_id = v.organization_id
           AND f.id = v.field_id
         WHERE v.organization_id = p_organization
           AND v.id = p_id;
    ELSIF v_column IS NOT NULL THEN
        EXECUTE format('SELECT r.%I FROM lims.%I r WHERE r.%I = $1 AND r.id = $2', v_column,
                       p_table, CASE p_table WHEN 'organization' THEN 'id'
                                             ELSE 'organization_id' END)
           INTO v_name
          USING p_organization, p_id;
    END IF;
    RETURN v_name;
END
$$;

-- The name of a record, with that of its sample where its own does not tell which one it is:
-- "COD of CB-26-0000216-E".
CREATE FUNCTION lims.record_full_name(p_organization bigint, p_table text, p_id bigint)
RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_test bigint := CASE p_table WHEN 'sample_test' THEN p_id END;
    v_name text;
BEGIN
    IF p_table IN ('worksheet', 'qc_coverage', 'confirmation_step') THEN
        EXECUTE format('SELECT r.sample_test_id FROM lims.%I r '
                       'WHERE r.organization_id = $1 AND r.id = $2', p_table)
           INTO v_test
          USING p_organization, p_id;
    END IF;
    IF v_test IS NULL THEN
        RETURN lims.record_name(p_organization, p_table, p_id);
    END IF;
    SELECT coalesce(t.test_code, d.code) || ' of ' || s.tracking_id
      INTO v_name
      FROM lims.sample_test t
      JOIN lims.test_definition d
        ON d.organization_id = t.organization_id
       AND d.id = t.test_definition_id
      JOIN lims.sample s
        ON s.organization_id = t.organization_id
       AND s.id = t.sample_id
     WHERE t.organization_id = p_organization
       AND t.id = v_test;
    RETURN v_name;
END
$$;

-- The table to whose records a column refers, by the name that such columns have; NULL: to
-- none that has names.
CREATE FUNCTION lims.referred_table(p_column text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE
        WHEN p_column ~ '_by$'
          OR p_column IN ('assigned_to', 'user_id', 'owner_id', 'assignee_id', 'acts_for')
        THEN 'user_account'
        WHEN p_column = 'retest_of' THEN 'sample_test'
        WHEN p_column = 'profile_id' THEN 'instrument_profile'
        WHEN p_column ~ '_id$' THEN regexp_replace(left(p_column, -3), '^spec_', '')
    END
$$;

-- The name of the record to which a value of the audit trail refers; NULL: it refers to
-- none, or to one without a name.
CREATE FUNCTION lims.referred_name(p_organization bigint, p_column text, p_value json)
RETURNS text
LANGUAGE sql STABLE
AS $$
    SELECT CASE
        WHEN lims.referred_table(p_column) IS NOT NULL AND p_value::text ~ '^[0-9]{1,18}$'
        THEN lims.record_full_name(p_organization, lims.referred_table(p_column),
                                   (p_value::text)::bigint)
    END
$$;

-- Sentences ----------------------------------------------------------------

-- Formats a value of the audit trail for people.
CREATE FUNCTION lims.value_in_words(p_value json) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE
        WHEN p_value IS NULL OR p_value::text = 'null' THEN 'nothing'
        WHEN p_value #>> '{}' = 'true' THEN 'yes'
        WHEN p_value #>> '{}' = 'false' THEN 'no'
        WHEN length(p_value #>> '{}') > 100 THEN left(p_value #>> '{}', 97) || '...'
        ELSE p_value #>> '{}'
    END
$$;

-- Columns that descriptions leave out: derived ones, and those without meaning for
-- people.
CREATE FUNCTION lims.is_told(p_column text) RETURNS boolean
LANGUAGE sql IMMUTABLE
AS $$
    SELECT p_column !~ '_(at|by|signature_id|hash)$|^(spec_|signature_id|sha256|round$)'
       AND p_column NOT IN ('numeric_value', 'out_of_specification', 'value_warnings',
                            'left_batch_ids', 'reported', 'qc_series_id', 'content',
                            'transaction_id', 'passed', 'evaluated_value', 'act')
$$;

-- Describes the change of a result, a status or a decision; NULL: none of these changed.
CREATE FUNCTION lims.act_in_words(p_table text, p_changes json, p_name text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE
        WHEN p_table = 'sample_test' AND c.new_status = 'verified'
        THEN format('verified %s', p_name)
        WHEN p_table = 'sample_test' AND c.old_status = 'verified'
        THEN format('reopened %s', p_name)
        WHEN p_table = 'sample_test' AND c.new_result IS NOT NULL AND c.old_result IS NULL
        THEN format('entered %s for %s', c.new_result, p_name)
        WHEN p_table = 'sample_test' AND c.new_result IS NULL AND c.old_result IS NOT NULL
        THEN format('withdrew %s for %s', c.old_result, p_name)
        WHEN p_table = 'sample_test' AND c.new_result <> c.old_result
        THEN format('changed %s from %s to %s', p_name, c.old_result, c.new_result)
        WHEN p_table = 'sample_test' AND c.disposition IS NOT NULL
        THEN format('%s the test %s', CASE c.disposition WHEN 'active' THEN 'restored'
                                          ELSE replace(c.disposition, '_', ' ') END, p_name)
        WHEN p_table = 'approval' AND c.new_status IN ('approved', 'rejected')
        THEN format('%s at the step %s', c.new_status, p_name)
        WHEN p_table = 'sample' AND c.new_status IS NOT NULL
        THEN format('moved %s from %s to %s', p_name, c.old_status, c.new_status)
        WHEN p_table = 'investigation' AND c.new_status IS NOT NULL
        THEN format('moved the investigation %s from %s to %s', p_name,
                    replace(c.old_status, '_', ' '), replace(c.new_status, '_', ' '))
             || coalesce(': ' || (p_changes #>> '{conclusion,new}'), '')
        WHEN p_table = 'investigation'
         AND p_changes #>> '{retest_plan_approved_at,new}' IS NOT NULL
        THEN format('approved the retest plan of the investigation %s', p_name)
        WHEN p_table = 'investigation_action' AND p_changes #>> '{done_at,new}' IS NOT NULL
        THEN format('noted the action as done: %s', p_name)
    END
      FROM (SELECT p_changes #>> '{status,old}' AS old_status,
                   p_changes #>> '{status,new}' AS new_status,
                   p_changes #>> '{result,old}' AS old_result,
                   p_changes #>> '{result,new}' AS new_result,
                   p_changes #>> '{disposition,new}' AS disposition) c
$$;

-- A name of the database as people write it.
CREATE FUNCTION lims.in_words(p_name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT regexp_replace(regexp_replace(regexp_replace(replace(p_name, '_', ' '),
               '\mqc\M', 'QC', 'g'), '\mqa\M', 'QA', 'g'), '\mapi\M', 'API', 'g')
$$;

-- The value of a column: a record by its name, a code of the service, such as a role, in words.
CREATE FUNCTION lims.member_in_words(p_organization bigint, p_column text, p_value json)
RETURNS text
LANGUAGE sql STABLE
AS $$
    SELECT coalesce(
        lims.referred_name(p_organization, p_column, p_value),
        CASE
            WHEN p_column ~ ('(^|_)(status|state|roles?|kind|type|disposition|meaning|policy'
                             '|criterion|qualifier|table_name)$')
             AND p_value #>> '{}' ~ '^[a-z]+(_[a-z]+)+$'
            THEN lims.in_words(p_value #>> '{}')
        END,
        lims.value_in_words(p_value))
$$;

-- The changed columns of a record, each with what it was and is: records that it refers to by
-- their names. Objects, such as the counts of a file, are for the audit trail alone.
CREATE FUNCTION lims.fields_in_words(p_organization bigint, p_changes json) RETURNS text
LANGUAGE sql STABLE
AS $$
    SELECT string_agg(format('%s from %s to %s',
               lims.in_words(regexp_replace(c.key, '_id$', '')),
               lims.member_in_words(p_organization, c.key, c.value -> 'old'),
               lims.member_in_words(p_organization, c.key, c.value -> 'new')), ', ')
      FROM json_each(p_changes) c
     WHERE lims.is_told(c.key)
       AND coalesce(c.value ->> 'new', c.value ->> 'old', '') !~ '^\[?\{'
$$;

-- Describes the change of an audit entry, without the actor.
CREATE FUNCTION lims.change_in_words(
    p_organization bigint,
    p_table text,
    p_action text,
    p_changes json,
    p_name text
) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_record text := concat_ws(' ', lims.in_words(p_table), p_name);
BEGIN
    RETURN CASE p_action
        WHEN 'insert' THEN CASE p_table
            WHEN 'sample' THEN format('registered the sample %s', p_name)
            WHEN 'approval' THEN format('had approval asked for at the step %s', p_name)
            WHEN 'certificate' THEN format('issued the certificate %s, version %s', p_name,
                                           p_changes #>> '{version,new}')
            WHEN 'comment' THEN format('commented: %s', lims.value_in_words(
                                           p_changes #> '{text,new}'))
            WHEN 'worksheet_value' THEN format('entered %s for %s', lims.value_in_words(
                                           p_changes #> '{value,new}'), p_name)
            ELSE format('added the %s', v_record) END
        WHEN 'delete' THEN format('removed the %s', v_record)
        ELSE coalesce(lims.act_in_words(p_table, p_changes, p_name),
                      'changed the ' || v_record || ': '
                          || lims.fields_in_words(p_organization, p_changes)
                          || CASE WHEN p_changes #>> '{retest_plan_approved_at,old}'
                                       IS NOT NULL
                                  THEN ', which ended the approval of the plan'
                                  ELSE '' END,
                      'updated the ' || v_record)
    END;
END
$$;

-- Returns the name of the record of an audit entry, which may be gone; coverage is named by
-- its test and its QC batch.
CREATE FUNCTION lims.entry_name(a lims.audit_entry) RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v_side CONSTANT text := CASE a.action WHEN 'delete' THEN 'old' ELSE 'new' END;
    v_name CONSTANT text := lims.record_name(a.organization_id, a.table_name, a.record_id);
BEGIN
    IF a.table_name = 'qc_coverage' AND a.action <> 'update' THEN
        RETURN format('of %s by QC batch %s',
            lims.record_name(a.organization_id, 'sample_test',
                (a.changes -> 'sample_test_id' ->> v_side)::bigint),
            lims.record_name(a.organization_id, 'qc_batch',
                (a.changes -> 'qc_batch_id' ->> v_side)::bigint));
    END IF;
    -- The name may be a code of the service: that of a role or of a kind.
    RETURN coalesce(CASE WHEN lims.name_column(a.table_name) IN ('role', 'kind')
                         THEN lims.in_words(v_name) ELSE v_name END, '#' || a.record_id);
END
$$;

-- Returns the actor of an audit entry: a user, an API key, or the surface where there was
-- neither.
CREATE FUNCTION lims.actor_in_words(p_person text, p_key text, p_surface text)
RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE
        WHEN p_key IS NOT NULL THEN concat_ws(', for ', format('API key "%s"', p_key),
                                              p_person)
        ELSE coalesce(p_person, initcap(p_surface), 'Somebody at the database')
    END
$$;

-- An entry of a history, as audit_entry_record has it for auditors.
CREATE VIEW lims.history_record WITH (security_invoker = true) AS
SELECT a.organization_id, a.id, a.table_name, a.record_id,
       a.occurred_at AS "occurredAt", u.display_name AS person,
       lims.actor_in_words(u.display_name, k.name, a.surface) || ' '
           || lims.change_in_words(a.organization_id, a.table_name, a.action, a.changes,
                                   lims.entry_name(a))
           || coalesce('. Reason: ' || a.reason, '') AS sentence,
       ARRAY[a.id] AS entries
  FROM lims.audit_entry a
  LEFT JOIN lims.user_account u
    ON u.organization_id = a.organization_id
   AND u.id = a.user_id
  LEFT JOIN lims.api_key k
    ON k.organization_id = a.organization_id
   AND k.id = a.api_key_id;

-- An entry, with the names of who acted and with what changed field by field. Values are
-- JSON texts, so that null, a number and a text are told apart; secrets are not in the
-- trail.
CREATE VIEW lims.audit_entry_record WITH (security_invoker = true) AS
SELECT a.organization_id, a.id, a.occurred_at AS "occurredAt",
       a.table_name AS "table", a.record_id AS "recordId",
       lims.record_full_name(a.organization_id, a.table_name, a.record_id) AS record,
       a.action,
       (SELECT coalesce(json_agg(json_build_object('field', c.key,
                            'old', (c.value -> 'old')::text,
                            'new', (c.value -> 'new')::text,
                            'oldName', lims.referred_name(a.organization_id, c.key,
                                                          c.value -> 'old'),
                            'newName', lims.referred_name(a.organization_id, c.key,
                                                          c.value -> 'new'))), '[]')
          FROM json_each(a.changes) c) AS changes,
       a.user_id AS "userId", u.display_name AS person,
       a.api_key_id AS "apiKeyId", k.name AS "apiKey", a.surface,
       a.session_id AS "sessionId", s.address, s.browser,
       a.request_id AS "requestId", a.reason, a.signature_id AS "signatureId",
       (SELECT b.id
          FROM lims.audit_block b
         WHERE b.organization_id = a.organization_id
           AND b.to_position > a.position
         ORDER BY b.to_position
         LIMIT 1) AS block
  FROM lims.audit_entry a
  LEFT JOIN lims.user_account u
    ON u.organization_id = a.organization_id
   AND u.id = a.user_id
  LEFT JOIN lims.api_key k
    ON k.organization_id = a.organization_id
   AND k.id = a.api_key_id
  LEFT JOIN lims.user_session s
    ON s.organization_id = a.organization_id
   AND s.id = a.session_id;

-- The line in a list of a record's entries that stands for those that are archived, in the
-- place of the oldest one.
CREATE FUNCTION lims.archived_entry(p_organization bigint, p_table text, p_id bigint)
RETURNS SETOF lims.audit_entry_record
LANGUAGE sql STABLE
AS $$
    SELECT p_organization, a.first_id, a.until, p_table, p_id,
           lims.record_full_name(p_organization, p_table, p_id), 'archived', '[]'::json,
           NULL::bigint, NULL::text, NULL::bigint, NULL::text, NULL::text, NULL::bigint,
           NULL::text, NULL::text, NULL::text, a.sentence, NULL::bigint, 1::bigint
      FROM lims.record_archived(p_organization, p_table, p_id) a
$$;
