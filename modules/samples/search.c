/* SPDX-License-Identifier: Apache-2.0 */
/* search.c - the list of samples, with its filters, its counts and its file. */
#include "samples/search.h"

#include <string.h>

#include "documents/pdf_report.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "service/csv.h"
#include "service/service.h"

static const char *const includes[] = { "progress", NULL };

const char *const lims_sample_flags[] = {
    "oos", "presumptive", "qc", "holding", "amended", "approval_rejected", NULL,
};

const lims_field_t lims_sample_test_counts[] = {
    { .name = "pending",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of tests without a result." },
    { .name = "entered",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of tests whose result is not verified." },
    { .name = "verified",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of tests whose result is verified." },
    LIMS_FIELD_END,
};

const lims_field_t lims_sample_filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "status",
      .type = LIMS_T_STRING_LIST,
      .min = 1,
      .max = 6,
      .values = lims_sample_statuses,
      .doc = "Only samples of this status, or of one of these." },
    { .name = "materialTypeId", .type = LIMS_T_ID, .doc = "Only samples of this material type." },
    { .name = "projectId", .type = LIMS_T_ID, .doc = "Only samples of this project." },
    { .name = "clientId", .type = LIMS_T_ID, .doc = "Only samples of this client." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .doc = "Only the sample with this tracking id." },
    { .name = "externalId",
      .type = LIMS_T_STRING,
      .doc = "Only the sample with this external id." },
    { .name = "q",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_WORDS,
      .min = 3,
      .max = 64,
      .doc = "Only samples whose tracking id (in any case and without dashes), sample identifier, "
             "external id or client begins with this text.",
      .example = "lab260004" },
    { .name = "releaseState",
      .type = LIMS_T_ENUM,
      .values = lims_release_states,
      .doc = "Only samples of this release state, as the lifecycle scan last found it." },
    { .name = "holdingStatus",
      .type = LIMS_T_ENUM,
      .values = lims_holding_statuses,
      .doc = "Only samples of this holding status, as the lifecycle scan last found it." },
    { .name = "priority",
      .type = LIMS_T_ENUM,
      .values = lims_sample_priorities,
      .doc = "Only samples of this priority." },
    { .name = "disposition",
      .type = LIMS_T_STRING_LIST,
      .min = 1,
      .max = 5,
      .values = lims_sample_dispositions,
      .doc = "Only samples of this disposition, or of one of these." },
    { .name = "orderId", .type = LIMS_T_ID, .doc = "Only samples of this order." },
    { .name = "dueBefore",
      .type = LIMS_T_DATE,
      .doc = "Only samples whose dueDate is before this day, whatever their status." },
    { .name = "since",
      .type = LIMS_T_MOMENT,
      .doc = "Only samples received at this time or later: a date (from the beginning of that UTC "
             "day) or a timestamp." },
    { .name = "until",
      .type = LIMS_T_MOMENT_END,
      .doc = "Only samples received at this time or earlier: a date (to the end of that UTC day) "
             "or a timestamp." },
    { .name = "updatedSince",
      .type = LIMS_T_MOMENT,
      .doc = "Only samples changed at this time or later. A change has the time at which its "
             "transaction began: a client that polls goes back a minute each time, or follows GET "
             "/events." },
    { .name = "registeredSince",
      .type = LIMS_T_MOMENT,
      .flags = LIMS_F_PEOPLE,
      .doc = "Only samples registered at this time or later." },
    { .name = "include",
      .type = LIMS_T_ENUM,
      .flags = LIMS_F_PEOPLE,
      .values = includes,
      .doc = "Members of each record besides: progress, holdingExpiresAt, testCounts, "
             "blockerCount, certificateId and flags." },
    LIMS_FIELD_END,
};

/* Looks up which samples q may mean: few by their ids, many by the beginnings of their
 * names, which the search then compares. */
static const lims_error_t *find_names(lims_request_t *rq)
{
    static const char *const columns[] = { "found", "first", "last", "names", "clients", NULL };
    const lims_call_t call = { .statement = LIMS_STMT_SAMPLES_FOUND };
    lims_result_t *row = NULL;
    const lims_error_t *error;

    if (!lims_values_get(rq->values, "q")) {
        return NULL;
    }
    error = lims_service_read(&row, rq, &call, 1);
    if (!error) {
        lims_result_bind(rq->values, row, columns);
    }
    return error;
}

static lims_stmt_e choose(const lims_request_t *rq)
{
    const char *statuses = lims_values_get(rq->values, "status");

    if (!lims_service_is_filtered(rq)) {
        return LIMS_STMT_SAMPLE_LIST;
    }
    return statuses && strchr(statuses, ',') ? LIMS_STMT_SAMPLE_SEARCH_STATUSES
                                             : LIMS_STMT_SAMPLE_SEARCH;
}

const lims_error_t *lims_samples_list(lims_request_t *rq)
{
    const lims_error_t *error = find_names(rq);

    return error ? error : lims_service_page(rq, choose(rq));
}

const lims_error_t *lims_samples_print(lims_request_t *rq)
{
    const lims_error_t *error = find_names(rq);

    return error ? error : lims_report_of(rq, choose(rq));
}

const lims_error_t *lims_samples_export(lims_request_t *rq)
{
    const lims_error_t *error = find_names(rq);

    return error ? error : lims_csv_list(rq, choose(rq), "samples.csv");
}

/* --- Counts --------------------------------------------------------------- */

/* A count is an integer, or the text for more than are counted. */
static const lims_field_t counts_by_status[] = {
    { .name = "pending",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of samples that are expected." },
    { .name = "received",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of samples that were received." },
    { .name = "processing",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of samples at work." },
    { .name = "completed",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of samples whose work is done." },
    { .name = "verified",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of samples that are verified." },
    { .name = "reported",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of samples that are reported." },
    LIMS_FIELD_END,
};

static const lims_field_t counts_by_release[] = {
    { .name = "blocked",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of samples that are blocked." },
    { .name = "in_progress",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of samples with results to come." },
    { .name = "ready_for_review",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of samples to verify or approve." },
    { .name = "ready_to_report",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Number of samples that may be reported." },
    LIMS_FIELD_END,
};

const lims_field_t lims_sample_counts_output[] = {
    { .name = "status",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .members = counts_by_status,
      .doc = "Number of samples of each status: an integer up to 10,000, beyond that the text "
             "`10,000+`." },
    { .name = "releaseState",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .members = counts_by_release,
      .doc =
          "Number of samples of each release state, in the same form, without the reported ones." },
    LIMS_FIELD_END,
};

/* Whether a filter is given that few samples pass; of names, whether few were found. */
static bool is_narrow(const lims_request_t *rq)
{
    static const char *const names[] = { "projectId",    "clientId",        "trackingId",
                                         "externalId",   "found",           "orderId",
                                         "dueBefore",    "since",           "until",
                                         "updatedSince", "registeredSince", "materialTypeId" };

    for (unsigned i = 0; i < LIMS_LENGTH(names); i++) {
        if (lims_values_get(rq->values, names[i])) {
            return true;
        }
    }
    return false;
}

const lims_error_t *lims_samples_count(lims_request_t *rq)
{
    const lims_error_t *error = find_names(rq);
    const lims_call_t calls[] = {
        { .statement = LIMS_STMT_SAMPLE_COUNTS_BY_STATUS },
        { .statement = is_narrow(rq) ? LIMS_STMT_SAMPLE_COUNTS_BY_RELEASE_FILTERED
                                     : LIMS_STMT_SAMPLE_COUNTS_BY_RELEASE },
    };
    lims_result_t *rows[LIMS_LENGTH(calls)] = { NULL };
    lims_writer_t *w = lims_writer_create(rq->pool);

    if (!error) {
        error = lims_service_read(rows, rq, calls, LIMS_LENGTH(calls));
    }
    if (error) {
        return error;
    }
    lims_writer_object_begin(w);
    lims_writer_key(w, "status");
    lims_render_counts(w, rows[0]);
    lims_writer_key(w, "releaseState");
    lims_render_counts(w, rows[1]);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    lims_render_etag(rq);
    return NULL;
}
