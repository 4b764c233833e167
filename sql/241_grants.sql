-- SPDX-License-Identifier: Apache-2.0
--
-- The rights of the run-time role (lims_app): all are named here, and no others exist. A
-- new table or function is added here.

REVOKE ALL ON SCHEMA lims FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA lims FROM PUBLIC;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA lims FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA lims FROM PUBLIC;

GRANT USAGE ON SCHEMA lims TO lims_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA lims TO lims_app;

-- Tables -------------------------------------------------------------------

-- Row-level security decides which rows can be read. Tables that are not named below are
-- written only by triggers and functions of the owner: the audit trail, a result's
-- history, the outbox, the queues.
GRANT SELECT ON ALL TABLES IN SCHEMA lims TO lims_app;

REVOKE SELECT ON lims.user_session, lims.sign_in_guess FROM lims_app;

-- All but the token's hash.
GRANT SELECT (organization_id, id, user_id, address, browser, identity, last_used_at, ended_at,
        end_reason, created_at, updated_at)
    ON lims.user_session TO lims_app;

GRANT INSERT ON lims.user_role, lims.role_permission, lims.lot_override TO lims_app;

-- Plan, allowance and the like are the owner's: a laboratory does not raise its own.
GRANT UPDATE (name, time_zone, locale, address, logo, logo_sha256, accreditation,
        certificate_layout,
        reagent_expiry_policy,
        coa_before_approval, esignature_required, ai_data_access,
        oos_opens_investigation, holding_warning_hours, self_verification,
        approver_may_be_verifier, reason_on_change, open_investigation_blocks,
        keys_within_roles, qc_required, lot_qc_policy, session_minutes,
        investigation_days, attachment_bytes, updated_at)
    ON lims.organization TO lims_app;

GRANT INSERT, UPDATE ON lims.user_account,
    lims.api_key, lims.client, lims.project, lims.material_type, lims.storage_location,
    lims.test_definition, lims.specification, lims.panel, lims.label_size, lims.reagent_lot,
    lims.media_lot,
    lims.sample_order, lims.sample, lims.sample_name, lims.qc_batch, lims.qc_control,
    lims.qc_template,
    lims.worksheet_template, lims.worksheet_field, lims.worksheet_signoff_step,
    lims.worksheet, lims.worksheet_value, lims.worksheet_signoff, lims.approval_step,
    lims.investigation, lims.investigation_action, lims.certificate, lims.webhook_endpoint,
    lims.idempotency_record, lims.instrument, lims.instrument_profile,
    lims.instrument_file TO lims_app;

-- The other columns of a result are derived, by lims.enter_results() or a trigger.
GRANT INSERT (organization_id, id, sample_id, test_definition_id, result, qualifier,
        notes, reagent_lot_id, media_lot_id, analyzed_at),
    UPDATE (status, result, qualifier, notes, note_on_report, reagent_lot_id, media_lot_id, analyzed_at,
        confirmation_status, verified_by, verified_at, verification_signature_id,
        reopening_signature_id)
    ON lims.sample_test TO lims_app;

-- Written once, or, for a recovery, then changed by its job only.
GRANT INSERT ON lims.electronic_signature, lims.confirmation_step, lims.qc_template_control, lims.media_qc_test,
    lims.webhook_recovery, lims.instrument_file_row, lims.instrument_file_content,
    lims.extraction, lims.extraction_row TO lims_app;

-- Size and digest of an attachment are derived; it is changed by its withdrawal only.
GRANT INSERT (organization_id, id, table_name, record_id, text, created_by)
    ON lims.comment TO lims_app;
GRANT INSERT (organization_id, id, table_name, record_id, file_name, media_type, content,
        added_by),
    UPDATE (withdrawn_at, withdrawal_reason)
    ON lims.attachment TO lims_app;
GRANT INSERT, UPDATE, DELETE ON lims.saved_view TO lims_app;

-- Triggers write the content kept with an amendment, and its outcome.
GRANT INSERT (organization_id, id, sample_id, reason, signature_id),
    UPDATE (status, submissions, close_reason)
    ON lims.amendment TO lims_app;

-- Digest, time and person are derived.
GRANT INSERT (organization_id, content) ON lims.logo TO lims_app;

-- Asked for with its certificate, and made by a job; the service may ask for it again.
GRANT UPDATE (state) ON lims.document TO lims_app;

-- Approvals are requested by triggers; the service may only decide them.
GRANT UPDATE (status, comment, decided_by, decided_at, signature_id)
    ON lims.approval TO lims_app;

-- The other columns are set by a trigger.
GRANT INSERT (organization_id, sample_test_id, qc_batch_id), DELETE
    ON lims.qc_coverage TO lims_app;

-- Made with its event; the service can have it sent again.
GRANT UPDATE (state, retries, next_attempt_at, finished_at)
    ON lims.webhook_delivery TO lims_app;

-- Made by a trigger with the first point of a control's chart.
GRANT UPDATE (baseline_kind, baseline_n, baseline_mean, baseline_s, rules)
    ON lims.qc_series TO lims_app;

-- Rows that may be deleted, besides expired ones (195_retention.sql).
GRANT DELETE ON lims.user_role, lims.role_permission, lims.worksheet_field, lims.worksheet_signoff_step,
    lims.specification, lims.qc_template_control TO lims_app;

-- Functions ----------------------------------------------------------------

-- Functions that the service calls, and those that these call with its rights. Not those
-- that generate triggers and policies, nor those that only triggers and functions of the
-- owner call, as for requesting approvals or locking what a gate depends on.

-- 101_foundation.sql
GRANT EXECUTE ON FUNCTION lims.leaves, lims.context, lims.context_id, lims.acting_user,
    lims.is_owner_acting, lims.require_read_committed, lims.refuse, lims.refuse_for TO
    lims_app;

-- 103_organizations.sql
GRANT EXECUTE ON FUNCTION lims.set_context, lims.authenticate, lims.is_active_user,
    lims.act_as, lims.organizations, lims.counted_name TO lims_app;

-- 104_signatures.sql
GRANT EXECUTE ON FUNCTION lims.sign, lims.is_signed TO lims_app;

-- 105_permissions.sql
GRANT EXECUTE ON FUNCTION lims.permissions_of, lims.has_permission, lims.acting_person,
    lims.refuse_permission, lims.require_permission, lims.can_sign_in TO lims_app;

-- 106_accounts.sql
GRANT EXECUTE ON FUNCTION lims.locked_until, lims.note_signature, lims.unlock_account,
    lims.give_link, lims.link_owner, lims.spend_link, lims.accept_accountability,
    lims.signature_password_time, lims.set_signature_password, lims.recovery,
    lims.passwords_by_link TO lims_app;

-- 107_permission_matrix.sql
GRANT EXECUTE ON FUNCTION lims.set_permissions TO lims_app;

-- 108_sessions.sql
GRANT EXECUTE ON FUNCTION lims.authenticate_session, lims.act_as_nobody,
    lims.touch_session, lims.sign_in_accounts, lims.sign_in_checks, lims.begin_session,
    lims.identified_accounts, lims.begin_identified_session,
    lims.sign_out, lims.replace_session, lims.session_life, lims.end_session,
    lims.change_password, lims.link_to_tell TO lims_app;

-- 109_sign_in_guesses.sql
GRANT EXECUTE ON FUNCTION lims.note_failed_sign_in, lims.delete_old_guesses,
    lims.old_guesses_backlog TO lims_app;

-- 110_reference.sql
GRANT EXECUTE ON FUNCTION lims.check_limit_kind, lims.refuse_definitions TO lims_app;

-- 111_specifications.sql
GRANT EXECUTE ON FUNCTION lims.specification_words, lims.specification_of,
    lims.limits_of, lims.presence, lims.result_number, lims.result_bound,
    lims.is_contradictory, lims.out_of_limits, lims.out_of_expectation, lims.is_presumptive,
    lims.value_warnings TO lims_app;

-- 112_panels.sql
GRANT EXECUTE ON FUNCTION lims.ordered_definitions TO lims_app;

-- 115_lots.sql
GRANT EXECUTE ON FUNCTION lims.media_test_status, lims.failed_media_tests TO lims_app;

-- 116_lot_use.sql
GRANT EXECUTE ON FUNCTION lims.require_lot_reason, lims.release_media_lot,
    lims.lots_named, lims.lot_is_accepted, lims.refused_lots TO lims_app;

-- 120_samples.sql
GRANT EXECUTE ON FUNCTION lims.check_character, lims.tracking_id,
    lims.tracking_id_is_valid, lims.collection_moment, lims.collection_day,
    lims.holding_end, lims.work_priority TO lims_app;

-- 118_orders.sql
GRANT EXECUTE ON FUNCTION lims.order_number_is_ours TO lims_app;

-- 122_sample_changes.sql
GRANT EXECUTE ON FUNCTION lims.client_named, lims.name_of_client, lims.sample_is_open TO
    lims_app;

-- 124_sample_names.sql
GRANT EXECUTE ON FUNCTION lims.sample_is_final, lims.sample_end, lims.add_sample_name TO
    lims_app;

-- 125_order_samples.sql
GRANT EXECUTE ON FUNCTION lims.order_rows, lims.row_definitions,
    lims.order_reference_mistakes, lims.order_panel_mistakes, lims.order_row_mistakes,
    lims.order_mistakes, lims.allowance TO lims_app;

-- 126_receipt.sql
GRANT EXECUTE ON FUNCTION lims.tracking_id_is_mistyped, lims.tracking_ids_meant,
    lims.samples_named TO lims_app;

-- 127_sample_dispositions.sql
GRANT EXECUTE ON FUNCTION lims.sample_is_closed, lims.disposition_permission TO lims_app;

-- 232_sample_lists.sql
GRANT EXECUTE ON FUNCTION lims.name_beginnings, lims.sample_name_begins,
    lims.samples_found TO lims_app;

-- 233_sample_progress.sql
GRANT EXECUTE ON FUNCTION lims.sample_progress TO lims_app;

-- 131_sample_test_entry.sql
GRANT EXECUTE ON FUNCTION lims.judged, lims.is_same_result, lims.lots_left TO lims_app;

-- 134_result_entry.sql
GRANT EXECUTE ON FUNCTION lims.enter_results TO lims_app;

-- 135_test_dispositions.sql, 136_retests.sql
GRANT EXECUTE ON FUNCTION lims.lock_family, lims.add_tests, lims.cancel_test,
    lims.restore_test, lims.retest, lims.choose_test TO lims_app;

-- 137_result_judgement.sql
GRANT EXECUTE ON FUNCTION lims.lot_entry_warnings, lims.entry_warnings, lims.lots_judged,
    lims.entry_refusals, lims.results_asked, lims.judge_results TO lims_app;

-- 138_holding_times.sql
GRANT EXECUTE ON FUNCTION lims.is_holding_met TO lims_app;

-- 139_work.sql
GRANT EXECUTE ON FUNCTION lims.return_test, lims.enter_again, lims.assign_tests TO lims_app;

-- 162_work_records.sql
GRANT EXECUTE ON FUNCTION lims.sample_test_review TO lims_app;

-- 140_qc_batches.sql, 146_qc_status.sql
GRANT EXECUTE ON FUNCTION lims.qc_control_needs, lims.qc_control_judged,
    lims.qc_batch_outcome, lims.lock_qc_batch, lims.refuse_evaluation,
    lims.evaluate_qc_batch TO lims_app;

-- 147_qc_templates.sql
GRANT EXECUTE ON FUNCTION lims.qc_template_is_used, lims.set_qc_template_controls,
    lims.qc_template_controls, lims.create_qc_template, lims.change_qc_template,
    lims.qc_lacking TO lims_app;

-- 222_expected_controls.sql
GRANT EXECUTE ON FUNCTION lims.is_same_unit, lims.qc_control_suits, lims.qc_control_departs
    TO lims_app;

-- 224_labels.sql
GRANT EXECUTE ON FUNCTION lims.label_tests, lims.storage_path TO lims_app;

-- 227_qc_impact.sql
GRANT EXECUTE ON FUNCTION lims.is_under_review TO lims_app;

-- 226_qc_judgement.sql
GRANT EXECUTE ON FUNCTION lims.qc_prospect, lims.control_refusals, lims.judge_controls
    TO lims_app;

-- 148_qc_pending.sql
GRANT EXECUTE ON FUNCTION lims.qc_counts, lims.required_qc_template, lims.qc_pending
    TO lims_app;

-- 142_confirmation.sql
GRANT EXECUTE ON FUNCTION lims.readings_made, lims.next_reading TO lims_app;

-- 145_qc_series.sql
GRANT EXECUTE ON FUNCTION lims.westgard, lims.qc_baseline, lims.qc_z, lims.qc_opposed,
    lims.qc_near, lims.qc_points, lims.qc_points_shown, lims.qc_broken TO lims_app;

-- 141_qc_coverage.sql
GRANT EXECUTE ON FUNCTION lims.covering_batches, lims.cover_measured, lims.had_result,
    lims.failed_coverage_left, lims.is_measured_again, lims.is_qc_failing,
    lims.coverage_hold, lims.leave_coverage TO lims_app;

-- 119_formulas.sql
GRANT EXECUTE ON FUNCTION lims.number_of, lims.formula_tokens, lims.formula_names,
    lims.formula_rank, lims.formula_mistake, lims.formula_steps, lims.rounded_fraction,
    lims.joined_fractions, lims.formula_value TO lims_app;

-- 143_worksheet_templates.sql
GRANT EXECUTE ON FUNCTION lims.worksheet_formula_mistake, lims.worksheet_formula_value,
    lims.worksheet_computed, lims.worksheet_numbers, lims.worksheet_lacks,
    lims.field_label TO lims_app;

-- 144_worksheets.sql
GRANT EXECUTE ON FUNCTION lims.worksheet_state, lims.worksheet_hold TO lims_app;

-- 164_certificate_layout.sql, 169_certificate_verification.sql
GRANT EXECUTE ON FUNCTION lims.verification_code_meant, lims.verify_certificate,
    lims.certificate_layout_shown, lims.certificate_layout_mistake, lims.certificate_example,
    lims.certificate_example_results TO lims_app;

-- 150_release_content.sql
GRANT EXECUTE ON FUNCTION lims.content_version, lims.stated_decision_rule,
    lims.released_results, lims.release_content, lims.release_hash, lims.digest_of TO lims_app;

-- 151_approvals.sql
GRANT EXECUTE ON FUNCTION lims.is_outdated TO lims_app;

-- 152_investigations.sql
GRANT EXECUTE ON FUNCTION lims.investigation_next, lims.shown_result,
    lims.investigation_values TO lims_app;

-- 154_four_eyes.sql
GRANT EXECUTE ON FUNCTION lims.last_change, lims.result_authors, lims.is_own_result,
    lims.approval_role, lims.is_reason_required, lims.is_reason_missing, lims.approval_refusals,
    lims.is_mine_to_decide, lims.approval_flags TO lims_app;

-- 155_policies.sql
GRANT EXECUTE ON FUNCTION lims.set_approval_steps TO lims_app;

-- 156_policy_lacks.sql
GRANT EXECUTE ON FUNCTION lims.settle_policies, lims.policy_lacks, lims.policy_remedies,
    lims.unmatched_places, lims.sample_places, lims.fit_people, lims.policy_impact,
    lims.policy_results, lims.policy_records TO lims_app;

-- 159_certificate_content.sql: the functions that a preview calls with the caller's rights
GRANT EXECUTE ON FUNCTION lims.zoned_time, lims.qualifier_words, lims.decision_rule_of,
    lims.certificate_results, lims.certificate_approvals, lims.certificate_amendments,
    lims.is_printed_difference, lims.printed_differences,
    lims.certificate_people, lims.certificate_head, lims.certificate_laboratory,
    lims.certificate_statements, lims.certificate_parties,
    lims.certificate_summary, lims.certificate_content, lims.certificate_preview
    TO lims_app;

-- 158_amendments.sql
GRANT EXECUTE ON FUNCTION lims.printed_remark, lims.amendable_content,
    lims.content_differences, lims.amendment_differences, lims.amendment_shown
    TO lims_app;

-- 160_findings.sql
GRANT EXECUTE ON FUNCTION lims.specification_now, lims.worksheet_status,
    lims.lot_warnings, lims.return_shown, lims.policy_findings, lims.failed_documents,
    lims.investigation_hardness,
    lims.finding_hardness, lims.finding_cleared_by, lims.finding_sentence TO lims_app;

-- 161_gates.sql
GRANT EXECUTE ON FUNCTION lims.concat_ids, lims.release_blockers, lims.is_asked_for,
    lims.report_blockers, lims.certificate_blockers, lims.status_blockers,
    lims.verify_blockers TO lims_app;

-- 153_certificates.sql
GRANT EXECUTE ON FUNCTION lims.is_as_issued, lims.issued_content TO lims_app;

-- 163_logos.sql
GRANT EXECUTE ON FUNCTION lims.logo_files TO lims_app;

-- 166_documents.sql
GRANT EXECUTE ON FUNCTION lims.certificate_print_job, lims.claim_document,
    lims.unclaim_document, lims.keep_document, lims.fail_document, lims.announce_documents,
    lims.document_backlog, lims.document_bytes TO lims_app;

-- 236_packages.sql
GRANT EXECUTE ON FUNCTION lims.package_tests, lims.package_batches, lims.package_charts,
    lims.package_trail, lims.package_bytes_max, lims.package_files, lims.package_notes,
    lims.package_records, lims.package_of,
    lims.report_table, lims.member_words, lims.report_facts, lims.package_chart_blocks,
    lims.package_worksheet_blocks, lims.package_table_blocks, lims.package_report TO lims_app;

-- 170_events.sql
GRANT EXECUTE ON FUNCTION lims.event_base, lims.event_horizon, lims.event_uuid,
    lims.event_after, lims.refuse_displaced, lims.events_displaced TO lims_app;

-- 171_release_state.sql
GRANT EXECUTE ON FUNCTION lims.sample_release TO lims_app;

-- 172_retest_plans.sql
GRANT EXECUTE ON FUNCTION lims.plan_approval_shown TO lims_app;

-- 173_worksheet_values.sql
GRANT EXECUTE ON FUNCTION lims.records_written, lims.check_worksheet_lot,
    lims.worksheet_record_named, lims.worksheet_value_kept TO lims_app;

-- 180_webhooks.sql
GRANT EXECUTE ON FUNCTION lims.webhook_body TO lims_app;

-- 181_webhook_dispatch.sql
GRANT EXECUTE ON FUNCTION lims.webhook_claim, lims.webhook_finish, lims.webhook_release,
    lims.webhook_leave, lims.webhook_backlog TO lims_app;

-- 182_webhook_endpoints.sql
GRANT EXECUTE ON FUNCTION lims.webhook_test, lims.webhook_recover_step TO lims_app;

-- 185_idempotency.sql
GRANT EXECUTE ON FUNCTION lims.idempotency_caller, lims.idempotency_begin, lims.idempotency_finish,
    lims.idempotency_release TO lims_app;

-- 157_investigation_actions.sql
GRANT EXECUTE ON FUNCTION lims.investigation_actions TO lims_app;

-- 190_scan.sql
GRANT EXECUTE ON FUNCTION lims.scan_samples, lims.cached_sample_state, lims.scan_backlog TO
    lims_app;

-- 195_retention.sql
GRANT EXECUTE ON FUNCTION lims.delete_events, lims.delete_idempotency_records,
    lims.give_up_kept_deliveries, lims.forget_previous_secrets, lims.retention_step,
    lims.retention_backlog TO lims_app;

-- 201_instrument_bytes.sql
GRANT EXECUTE ON FUNCTION lims.keep_file, lims.file_content,
    lims.remove_rejected_content, lims.rejected_content_backlog, lims.keys_nearly_full
    TO lims_app;

-- 210_readings.sql
GRANT EXECUTE ON FUNCTION lims.clock_time, lims.first_moment_of,
    lims.moment_of(text, text), lims.moment_of(text, text, text), lims.end_of_day,
    lims.moment_since, lims.time_doubt, lims.spelt_unit, lims.sample_ways, lims.find_samples, lims.sample_hints,
    lims.target_tests, lims.resolve_readings TO lims_app;

-- 211_reading_reasons.sql
GRANT EXECUTE ON FUNCTION lims.reading_reasons, lims.reading_identity,
    lims.readings_digest, lims.brought_before, lims.file_reason, lims.is_told_enough,
    lims.with_its_limit TO lims_app;

-- 212_import.sql
GRANT EXECUTE ON FUNCTION lims.write_readings, lims.lock_readings,
    lims.refuse_files_of_reported, lims.import_file, lims.take_received_file, lims.act_for_sender, lims.file_backlog TO
    lims_app;

-- 213_file_decisions.sql
GRANT EXECUTE ON FUNCTION lims.name_tests, lims.bare_decisions, lims.signed_decision TO
    lims_app;

-- 214_measured_before.sql
GRANT EXECUTE ON FUNCTION lims.rows_brought_before, lims.measured_before TO lims_app;

-- 215_file_controls.sql
GRANT EXECUTE ON FUNCTION lims.batch_to_fill, lims.control_text, lims.read_control,
    lims.at_its_worst, lims.expected_like, lims.refuse_ambiguous_level, lims.fill_control,
    lims.write_control, lims.make_file_batch, lims.write_controls TO lims_app;

-- 220_extraction.sql
GRANT EXECUTE ON FUNCTION lims.extraction_refusal, lims.apply_extraction, lims.same_result TO lims_app;

-- 228_release_records.sql
GRANT EXECUTE ON FUNCTION lims.event_deliveries, lims.certificate_deliveries TO lims_app;

-- 198_trail_archive.sql
GRANT EXECUTE ON FUNCTION lims.audit_archived_until, lims.audit_archived, lims.record_archived,
    lims.record_archive TO lims_app;

-- 230_records.sql
GRANT EXECUTE ON FUNCTION lims.sample_state TO lims_app;

-- 234_signed_content.sql
GRANT EXECUTE ON FUNCTION lims.signed_version, lims.signed_result, lims.signed_worksheet,
    lims.signed_controls, lims.signed_qc_batch, lims.signed_investigation,
    lims.signed_certificate, lims.signed_approval, lims.signed_amendment, lims.signed_lot,
    lims.signed_content, lims.content_hash, lims.signed_hash, lims.signed_content_record, lims.signature_fits
    TO lims_app;

-- 235_operations.sql
GRANT EXECUTE ON FUNCTION lims.laboratory_figures TO lims_app;

-- 237_histories.sql
GRANT EXECUTE ON FUNCTION lims.record_parts_known, lims.record_parts, lims.name_column,
    lims.record_name, lims.record_full_name, lims.referred_table,
    lims.referred_name, lims.value_in_words, lims.member_in_words, lims.in_words,
    lims.is_told, lims.act_in_words, lims.fields_in_words, lims.change_in_words, lims.entry_name, lims.actor_in_words,
    lims.archived_entry TO lims_app;

-- 238_audit_chain.sql
GRANT EXECUTE ON FUNCTION lims.audit_digest, lims.audit_entries_between, lims.audit_blocks_after,
    lims.audit_entries_from, lims.audit_take, lims.audit_entries_to_close, lims.audit_close,
    lims.audit_closing_age TO lims_app;

-- 239_trail_records.sql
GRANT EXECUTE ON FUNCTION lims.sample_signatures TO lims_app;

-- 240_access.sql
GRANT EXECUTE ON FUNCTION lims.no_organization TO lims_app;

-- Behind the tables --------------------------------------------------------

-- The list of migrations is read only. A partition is accessed through its table, where
-- the triggers are, and not directly.
DO $$
DECLARE
    v record;
BEGIN
    IF to_regclass('lims.schema_migration') IS NOT NULL THEN
        REVOKE ALL ON lims.schema_migration FROM lims_app;
        GRANT SELECT ON lims.schema_migration TO lims_app;
    END IF;
    FOR v IN
        SELECT c.oid::regclass AS partition
          FROM pg_catalog.pg_class c
         WHERE c.relnamespace = 'lims'::regnamespace
           AND c.relispartition
           AND c.relkind IN ('r', 'p')
    LOOP
        EXECUTE format('REVOKE ALL ON %s FROM lims_app', v.partition);
    END LOOP;
    -- The run-time role is to have no tables of its own. Only the database's owner can
    -- revoke TEMPORARY from everybody: roles.sql does.
    IF EXISTS (
        SELECT FROM pg_catalog.pg_database d
         WHERE d.datname = current_database()
           AND pg_has_role(d.datdba, 'MEMBER')
    ) THEN
        EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC',
                       current_database());
    END IF;
END
$$;
