// SPDX-License-Identifier: Apache-2.0
//
// The kinds of records whose changes the audit trail has.
export const tables = [
    'account_link', 'account_state', 'amendment', 'api_key', 'approval', 'approval_step',
    'attachment', 'certificate', 'client', 'comment', 'confirmation_step', 'document',
    'electronic_signature', 'extraction', 'instrument', 'instrument_file', 'instrument_profile',
    'investigation', 'investigation_action', 'label_size', 'lot_override', 'material_type',
    'media_lot', 'media_qc_test', 'organization', 'panel', 'project', 'qc_batch', 'qc_control',
    'qc_coverage', 'qc_series', 'qc_template', 'qc_template_control', 'reagent_lot',
    'role_permission', 'sample', 'sample_name', 'sample_order', 'sample_test', 'saved_view',
    'sign_in_guess', 'specification', 'storage_location', 'test_definition', 'user_account',
    'user_role', 'user_session', 'webhook_endpoint', 'webhook_recovery', 'worksheet',
    'worksheet_field', 'worksheet_signoff', 'worksheet_signoff_step', 'worksheet_template',
    'worksheet_value',
];
