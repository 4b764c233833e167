/* SPDX-License-Identifier: Apache-2.0 */
/* resources.c - the resources, in the order in which they are documented. */
#include "amendments/amendments.h"
#include "application/application.h"
#include "approvals/approvals.h"
#include "documents/documents.h"
#include "documents/labels.h"
#include "events/events.h"
#include "identity/identity.h"
#include "instruments/instruments.h"
#include "instruments/uploads.h"
#include "lims.h"
#include "lookup/lookup.h"
#include "notes/notes.h"
#include "orders/orders.h"
#include "organizations/organizations.h"
#include "quality/quality.h"
#include "reference/reference.h"
#include "release/release.h"
#include "results/results.h"
#include "samples/samples.h"
#include "trail/trail.h"
#include "webhooks/webhooks.h"

const lims_resource_t *const lims_resources[] = {
    &lims_identity,
    &lims_own_session,
    &lims_session,
    &lims_sample,
    &lims_sample_disposition,
    &lims_sample_advance,
    &lims_turnaround,
    &lims_order,
    &lims_release,
    &lims_sample_test,
    &lims_test_disposition,
    &lims_test_work,
    &lims_worklist,
    &lims_instrument_upload,
    &lims_approval,
    &lims_approval_task,
    &lims_test_definition,
    &lims_material_type,
    &lims_project,
    &lims_client,
    &lims_storage_location,
    &lims_panel,
    &lims_label_size,
    &lims_ingest,
    &lims_event,
    &lims_sample_event,
    &lims_lookup,
    &lims_specification,
    &lims_reference_data,
    &lims_reference_use,
    &lims_reagent_lot,
    &lims_media_lot,
    &lims_lot_recall,
    &lims_lot_override,
    &lims_qc_template,
    &lims_qc_batch,
    &lims_qc_coverage,
    &lims_qc_control,
    &lims_qc_series,
    &lims_instrument,
    &lims_worksheet_template,
    &lims_worksheet,
    &lims_confirmation,
    &lims_reopening,
    &lims_investigation,
    &lims_certificate,
    &lims_certificate_preview,
    &lims_certificate_verification,
    &lims_certificate_pdf,
    &lims_package,
    &lims_document,
    &lims_label,
    &lims_amendment,
    &lims_amending,
    &lims_comment,
    &lims_attachment,
    &lims_organization,
    &lims_certificate_layout_preview,
    &lims_policy,
    &lims_user,
    &lims_permission_matrix,
    &lims_person,
    &lims_saved_view,
    &lims_key,
    &lims_instrument_profile,
    &lims_profile_trial,
    &lims_instrument_file,
    &lims_file_decisions,
    &lims_file_review,
    &lims_files_reevaluation,
    &lims_sample_name,
    &lims_extraction_calibration,
    &lims_webhook_endpoint,
    &lims_webhook_test,
    &lims_webhook_delivery,
    &lims_webhook_recovering,
    &lims_webhook_recovery,
    &lims_audit_entry,
    &lims_audit_block,
    &lims_audit_archive,
    &lims_history,
    &lims_electronic_signature,
    &lims_signed_content,
    NULL,
};
