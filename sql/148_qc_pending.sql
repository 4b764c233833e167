-- SPDX-License-Identifier: Apache-2.0
--
-- Results whose quality control is not done: the finding qc_pending, where the policy
-- qcRequired of the organization asks for it.

-- Whether a batch counts as the quality control of a method: it is evaluated and has all
-- controls of its template, else of the active one; or a batch of the method has a signed
-- override instead.
CREATE FUNCTION lims.qc_counts(p_organization bigint, p_batch bigint, p_method text)
RETURNS boolean
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    v record;
    v_template bigint;
BEGIN
    SELECT b.qc_status, coalesce(x.method, b.method) AS method, x.id AS template
      INTO v
      FROM lims.qc_batch b
      LEFT JOIN lims.qc_template x
        ON x.organization_id = b.organization_id
       AND x.id = b.qc_template_id
     WHERE b.organization_id = p_organization
       AND b.id = p_batch;
    IF v.qc_status = 'open' OR v.template IS NOT NULL AND v.method <> p_method THEN
        RETURN false;
    END IF;
    IF v.qc_status = 'overridden' AND v.method = p_method THEN
        RETURN true;
    END IF;
    v_template := coalesce(v.template, lims.required_qc_template(p_organization, p_method));
    RETURN v_template IS NOT NULL AND NOT EXISTS (
        SELECT FROM lims.qc_lacking(p_organization, p_batch, v_template) l
         WHERE l.measured < l.needed);
END
$$;

-- The template that results of a method require; NULL: none.
CREATE FUNCTION lims.required_qc_template(p_organization bigint, p_method text)
RETURNS bigint
LANGUAGE plpgsql STABLE
AS $$
BEGIN
    RETURN (
        SELECT x.id
          FROM lims.qc_template x
         WHERE x.organization_id = p_organization
           AND x.method = p_method
           AND x.active
           AND x.required);
END
$$;

-- The pending quality control of a test: each open batch that covers it; else, where its
-- method requires one, a batch that counts. `subject` is what a message names.
CREATE FUNCTION lims.qc_pending(p_organization bigint, p_sample_test bigint)
RETURNS TABLE (qc_batch_id bigint, subject text, circumstance text)
LANGUAGE plpgsql STABLE
AS $$
#variable_conflict use_column
DECLARE
    v_test record;
BEGIN
    RETURN QUERY
    SELECT b.id, b.batch_number,
           CASE WHEN lims.is_qc_failing(b.organization_id, b.id) THEN 'and is failing' END
      FROM lims.qc_coverage c
      JOIN lims.qc_batch b
        ON b.organization_id = c.organization_id
       AND b.id = c.qc_batch_id
       AND b.qc_status = 'open'
     WHERE c.organization_id = p_organization
       AND c.sample_test_id = p_sample_test;
    IF FOUND THEN
        RETURN;
    END IF;
    SELECT CASE WHEN t.test_code IS NULL THEN d.method ELSE t.method END AS method,
           coalesce(t.test_code, d.code) AS code
      INTO v_test
      FROM lims.sample_test t
      JOIN lims.test_definition d
        ON d.organization_id = t.organization_id
       AND d.id = t.test_definition_id
     WHERE t.organization_id = p_organization
       AND t.id = p_sample_test;
    IF lims.required_qc_template(p_organization, v_test.method) IS NOT NULL
       AND NOT EXISTS (
           SELECT FROM lims.qc_coverage c
            WHERE c.organization_id = p_organization
              AND c.sample_test_id = p_sample_test
              AND lims.qc_counts(p_organization, c.qc_batch_id, v_test.method)) THEN
        RETURN QUERY VALUES (NULL::bigint, v_test.code, v_test.method);
    END IF;
END
$$;

-- Marks the samples of a definition's open tests dirty, when the method changes.
CREATE FUNCTION lims.mark_samples_of_definition() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO lims.sample_dirty (organization_id, sample_id)
    SELECT DISTINCT t.organization_id, t.sample_id
      FROM lims.sample_test t
     WHERE t.organization_id = NEW.organization_id
       AND t.test_definition_id = NEW.id
       AND t.status <> 'verified';
    RETURN NULL;
END
$$;

CREATE TRIGGER mark_update AFTER UPDATE ON lims.test_definition
FOR EACH ROW WHEN (NEW.method IS DISTINCT FROM OLD.method)
EXECUTE FUNCTION lims.mark_samples_of_definition();
