-- SPDX-License-Identifier: Apache-2.0
--
-- What a certificate of analysis says.

-- The content of a certificate: the release content with the frozen names, the issuer, the
-- time of the report, and who verified and approved what.
CREATE FUNCTION lims.certificate_content(p lims.certificate)
RETURNS jsonb
LANGUAGE plpgsql STABLE
SET timezone = 'UTC'
AS $$
DECLARE
    v_content jsonb := lims.release_content(p.organization_id, p.sample_id);
    v_results jsonb;
    v_approvals jsonb;
BEGIN
    SELECT jsonb_agg(r.value || jsonb_build_object(
               'verifiedAt', t.verified_at,
               'verifiedBy', u.display_name) ORDER BY r.place)
      INTO v_results
      FROM jsonb_array_elements(v_content -> 'results')
           WITH ORDINALITY AS r (value, place)
      JOIN lims.sample_test t
        ON t.organization_id = p.organization_id
       AND t.id = (r.value ->> 'sampleTestId')::bigint
      LEFT JOIN lims.user_account u
        ON u.organization_id = t.organization_id
       AND u.id = t.verified_by;
    SELECT jsonb_agg(jsonb_build_object(
               'name', a.name,
               'status', a.status,
               'decidedAt', a.decided_at,
               'decidedBy', coalesce(e.printed_name, u.display_name),
               'contentSha256', encode(a.content_hash, 'hex'),
               'signatureFits', lims.signature_fits(e.organization_id, e.id)
           ) ORDER BY a.step)
      INTO v_approvals
      FROM lims.approval a
      LEFT JOIN lims.electronic_signature e
        ON e.organization_id = a.organization_id
       AND e.id = a.signature_id
      LEFT JOIN lims.user_account u
        ON u.organization_id = a.organization_id
       AND u.id = a.decided_by
     WHERE a.organization_id = p.organization_id
       AND a.sample_id = p.sample_id
       AND a.replaced_at IS NULL
       AND a.round = (
           SELECT max(x.round)
             FROM lims.approval x
            WHERE x.organization_id = p.organization_id
              AND x.sample_id = p.sample_id
              AND x.replaced_at IS NULL);
    RETURN (
        SELECT jsonb_build_object(
                   'certificateNumber', p.certificate_number,
                   'version', p.version,
                   'reason', p.reason,
                   'laboratory', o.name,
                   'contentVersion', v_content -> 'version',
                   'contentSha256', encode(s.content_hash, 'hex'),
                   'sample', (v_content -> 'sample')
                       || jsonb_build_object('reportedAt', s.reported_at),
                   'results', coalesce(v_results, '[]'),
                   'approvals', coalesce(v_approvals, '[]'))
          FROM lims.sample s
          JOIN lims.organization o
            ON o.id = s.organization_id
         WHERE s.organization_id = p.organization_id
           AND s.id = p.sample_id);
END
$$;
