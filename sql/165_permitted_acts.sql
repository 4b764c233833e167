-- SPDX-License-Identifier: Apache-2.0
--
-- The acts that matter most, for each of which the database itself asks for the permission
-- (lims.permit, 105): verifying, reopening, overriding, deciding, reporting, issuing, and
-- the steps of approval. They come after the gates, so that an API key hears the same
-- refusals as without a matrix.

CREATE TRIGGER permit_reopen BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (OLD.status = 'verified' AND NEW.status <> 'verified')
EXECUTE FUNCTION lims.permit('result.reopen');

CREATE TRIGGER permit_verify BEFORE UPDATE ON lims.sample_test
FOR EACH ROW WHEN (NEW.status = 'verified' AND OLD.status <> 'verified')
EXECUTE FUNCTION lims.permit('result.verify');

CREATE TRIGGER permit_override BEFORE UPDATE ON lims.qc_batch
FOR EACH ROW WHEN (NEW.qc_status = 'overridden' AND NEW.override_signature_id
    IS DISTINCT FROM OLD.override_signature_id)
EXECUTE FUNCTION lims.permit('qc.override');

CREATE TRIGGER permit_decide BEFORE UPDATE ON lims.approval
FOR EACH ROW WHEN (NEW.status <> OLD.status AND NEW.status IN ('approved', 'rejected'))
EXECUTE FUNCTION lims.permit('approval.decide');

CREATE TRIGGER permit_report BEFORE UPDATE ON lims.sample
FOR EACH ROW WHEN (NEW.status = 'reported' AND OLD.status <> 'reported')
EXECUTE FUNCTION lims.permit('sample.report');

CREATE TRIGGER permit_issue BEFORE INSERT ON lims.certificate
FOR EACH ROW WHEN (NEW.amendment_id IS NULL)
EXECUTE FUNCTION lims.permit('certificate.issue');

CREATE TRIGGER permit_amend BEFORE INSERT ON lims.certificate
FOR EACH ROW WHEN (NEW.amendment_id IS NOT NULL)
EXECUTE FUNCTION lims.permit('certificate.amend');

CREATE TRIGGER permit BEFORE INSERT OR UPDATE ON lims.approval_step
FOR EACH ROW EXECUTE FUNCTION lims.permit('policy.manage');
