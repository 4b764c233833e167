/* SPDX-License-Identifier: Apache-2.0 */
/* vocabulary.c - words of the laboratory that records, events and refusals share. */
#include "kernel/vocabulary.h"

#include <stddef.h>

const char *const lims_sample_statuses[] = { "pending",  "received", "processing", "completed",
                                             "verified", "reported", NULL };

const char *const lims_sample_priorities[] = { "routine", "rush", "stat", NULL };

const char *const lims_sample_dispositions[] = { "active",   "on_hold",  "cancelled",
                                                 "rejected", "disposed", NULL };

const char *const lims_release_states[] = { "blocked",         "in_progress", "ready_for_review",
                                            "ready_to_report", "reported",    NULL };

const char *const lims_holding_statuses[] = { "ok", "expiring_soon", "expired", NULL };

const char *const lims_finding_categories[] = { "incomplete_result",     "unverified_result",
                                                "approval_required",     "qc_failed",
                                                "confirmation_required", "media_qc_failed",
                                                "worksheet_incomplete",  "approval_rejected",
                                                "holding_time_expired",  "out_of_specification",
                                                "investigation_open",    "non_numeric_result",
                                                "retest_undecided",      "sample_on_hold",
                                                "lot_not_released",      "qc_pending",
                                                "document_failed",       NULL };

const char *const lims_finding_severities[] = { "blocking", "warning", NULL };

const char *const lims_investigation_kinds[] = {
    "oos",        "oot",           "oof",          "deviation",  "capa", "complaint",
    "qc_failure", "media_failure", "holding_time", "pt_failure", NULL
};

const char *const lims_test_dispositions[] = { "active", "cancelled", "set_aside", NULL };

const char *const lims_test_statuses[] = { "pending", "entered", "verified", NULL };

const char *const lims_result_qualifiers[] = { "<", ">", "ND", "J", "U", NULL };

const char *const lims_confirmation_statuses[] = { "pending", "confirmed", "refuted", NULL };

const char *const lims_worksheet_statuses[] = { "missing", "incomplete", "unsigned", "complete",
                                                NULL };

const char *const lims_lot_statuses[] = { "pending", "passed", "failed", "quarantined", NULL };

const char *const lims_control_types[] = {
    "MB",  "LRB", "FB",  "LCS", "LFB", "LCSD", "MS",  "LFM", "MSD", "DUP", "ICV", "QCS",
    "CCV", "IPC", "ICB", "CCB", "SUR", "IS",   "CRM", "PT",  "POS", "NEG", "STR", NULL,
};

const char *const lims_criteria[] = {
    [LIMS_CRITERION_NONE] = "none",   [LIMS_CRITERION_RECOVERY] = "recovery",
    [LIMS_CRITERION_RPD] = "rpd",     [LIMS_CRITERION_MAXIMUM] = "maximum",
    [LIMS_CRITERION_RANGE] = "range", [LIMS_CRITERION_EXPECTED] = "expected",
    [LIMS_CRITERION_COUNT] = NULL,
};

_Static_assert(sizeof(lims_criteria) / sizeof(*lims_criteria) == LIMS_CRITERION_COUNT + 1,
               "a name for each criterion");

const char *const lims_user_roles[] = {
    "system_administrator",
    "administrator",
    "lab_manager",
    "qa_officer",
    "analyst",
    "microbiologist",
    "receiving_clerk",
    "client_services",
    "auditor",
    "client_viewer",
    NULL,
};

const char *const lims_qc_statuses[] = { "open", "passed", "failed", "overridden", NULL };

const char *const lims_delivery_states[] = { "pending", "delivered", "given_up", NULL };

const char *const lims_self_verifications[] = { "allowed", "refused", NULL };

const char *const lims_policy_consequences[] = { "off", "warn", "block", NULL };

const char *const lims_expiry_consequences[] = { "block", "warn", NULL };

const char *const lims_worksheet_kinds[] = {
    "text",     "number",      "date",      "timestamp",  "boolean",
    "computed", "reagent_lot", "media_lot", "instrument", NULL
};
