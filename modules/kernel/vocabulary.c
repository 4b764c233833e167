/* SPDX-License-Identifier: Apache-2.0 */
/* vocabulary.c - words of the laboratory that records, events and refusals share. */
#include "kernel/vocabulary.h"

#include <stddef.h>

const char *const lims_sample_statuses[] = { "pending",  "received", "processing", "completed",
                                             "verified", "reported", NULL };

const char *const lims_holding_statuses[] = { "ok", "expiring_soon", "expired", NULL };

const char *const lims_finding_categories[] = { "incomplete_result",
                                                "unverified_result",
                                                "approval_required",
                                                "qc_failed",
                                                "confirmation_required",
                                                "media_qc_failed",
                                                "worksheet_incomplete",
                                                "approval_rejected",
                                                "holding_time_expired",
                                                "out_of_specification",
                                                "investigation_open",
                                                "non_numeric_result",
                                                NULL };

const char *const lims_finding_severities[] = { "blocking", "warning", NULL };

const char *const lims_investigation_kinds[] = {
    "oos",        "oot",           "oof",          "deviation",  "capa", "complaint",
    "qc_failure", "media_failure", "holding_time", "pt_failure", NULL
};

const char *const lims_qc_statuses[] = { "open", "passed", "failed", "overridden", NULL };
