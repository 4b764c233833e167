/* SPDX-License-Identifier: Apache-2.0 */
/* test_search.c - the list of sample tests, with its filters. */
#include "results/test_search.h"

#include <string.h>

#include "documents/pdf_report.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/time.h"
#include "kernel/vocabulary.h"
#include "results/results.h"
#include "service/csv.h"
#include "service/service.h"

static const char *const includes[] = { "sample", NULL };
static const char *const includes_of_people[] = { "sample", "review", NULL };

const lims_field_t lims_sample_test_filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "sampleId", .type = LIMS_T_ID, .doc = "Only tests of this sample." },
    { .name = "status",
      .type = LIMS_T_STRING_LIST,
      .min = 1,
      .max = 3,
      .values = lims_test_statuses,
      .doc = "Only tests of this status, or of one of these: active ones, unless disposition or "
             "updatedSince is given." },
    { .name = "disposition",
      .type = LIMS_T_ENUM,
      .values = lims_test_dispositions,
      .doc = "Only tests of this disposition." },
    { .name = "testDefinitionId", .type = LIMS_T_ID, .doc = "Only tests of this test definition." },
    { .name = "sampleStatus",
      .type = LIMS_T_ENUM,
      .values = lims_sample_statuses,
      .doc = "Only tests of samples of this status." },
    { .name = "holdingStatus",
      .type = LIMS_T_ENUM,
      .values = lims_holding_statuses,
      .doc = "Only tests of this holding status." },
    { .name = "priority",
      .type = LIMS_T_ENUM,
      .values = lims_sample_priorities,
      .doc = "Only tests of samples of this priority." },
    { .name = "qcBatchId", .type = LIMS_T_ID, .doc = "Only tests that this QC batch covers." },
    { .name = "reagentLotId", .type = LIMS_T_ID, .doc = "Only tests with this reagent lot." },
    { .name = "mediaLotId", .type = LIMS_T_ID, .doc = "Only tests with this media lot." },
    { .name = "assignedTo", .type = LIMS_T_ID, .doc = "Only tests assigned to this user." },
    { .name = "clientId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_PEOPLE,
      .doc = "Only tests of samples of this client." },
    { .name = "enteredSince",
      .type = LIMS_T_MOMENT,
      .flags = LIMS_F_PEOPLE,
      .doc = "Only tests whose result was entered at this time or later." },
    { .name = "include",
      .type = LIMS_T_ENUM,
      .values = includes,
      .people_values = includes_of_people,
      .doc = "Members of each record besides: sample, some facts of its sample, and assignedTo." },
    { .name = "updatedSince",
      .type = LIMS_T_MOMENT,
      .doc = "Only tests changed at this time or later: a date or a timestamp. A change has the "
             "time at which its transaction began: a client that polls goes back a minute each "
             "time, or follows GET /events." },
    LIMS_FIELD_END,
};

const lims_field_t lims_sample_test_includes[] = {
    { .name = "include",
      .type = LIMS_T_ENUM,
      .flags = LIMS_F_PEOPLE,
      .values = includes_of_people,
      .doc = "Members of the record besides: sample, some facts of its sample, and assignedTo; or "
             "review, what is looked at before it is verified, with the contentHash that is "
             "signed. The answer's ETag is of all of it: If-Match takes that of the record "
             "alone." },
    LIMS_FIELD_END,
};

/* Sets the range of ends of holding times that holdingStatus means now. */
static const lims_error_t *find_holding_range(lims_request_t *rq)
{
    static const char *const columns[] = { "holdingFrom", "holdingTo", "holdingMet", NULL };
    const lims_call_t call = { .statement = LIMS_STMT_SAMPLE_TEST_HOLDING_RANGE };
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_service_read(&row, rq, &call, 1);

    if (!error) {
        lims_result_bind(rq->values, row, columns);
    }
    return error;
}

/* Whether a filter is given that passes few tests of a laboratory that has worked for long. */
static bool is_open(const lims_request_t *rq)
{
    const char *statuses = lims_values_get(rq->values, "status");
    const char *sample_status = lims_values_get(rq->values, "sampleStatus");

    return (statuses && !strstr(statuses, "verified")) ||
           (sample_status && strcmp(sample_status, "reported") != 0);
}

/* Whether a filter is given that passes few tests, found by an index. */
static bool is_narrow(const lims_request_t *rq)
{
    static const char *const names[] = { "sampleId", "reagentLotId", "mediaLotId" };

    for (unsigned i = 0; i < LIMS_LENGTH(names); i++) {
        if (lims_values_get(rq->values, names[i])) {
            return true;
        }
    }
    return false;
}

static lims_stmt_e choose(const lims_request_t *rq)
{
    const char *statuses = lims_values_get(rq->values, "status");
    const char *sample_status = lims_values_get(rq->values, "sampleStatus");
    bool has_several_open = statuses && strchr(statuses, ',') && !strstr(statuses, "verified");

    if (sample_status && strcmp(sample_status, "reported") != 0) {
        return LIMS_STMT_SAMPLE_TEST_SEARCH_OPEN;
    }
    if (!is_narrow(rq) && !has_several_open && (lims_values_get(rq->values, "updatedSince") ||
                                                lims_values_get(rq->values, "enteredSince"))) {
        return sample_status ? LIMS_STMT_SAMPLE_TEST_CHANGES_REPORTED
                             : LIMS_STMT_SAMPLE_TEST_CHANGES;
    }
    if (statuses && strchr(statuses, ',')) {
        return LIMS_STMT_SAMPLE_TEST_SEARCH_STATUSES;
    }
    return lims_service_is_filtered(rq) ? LIMS_STMT_SAMPLE_TEST_SEARCH : LIMS_STMT_SAMPLE_TEST_LIST;
}

/* Whether the trail of changes since a time may be archived, which it is not for 31 days. The
 * days are compared as texts; a day more or less does not matter. */
static bool is_long_ago(const char *since, apr_pool_t *pool)
{
    return since && strncmp(since,
                            lims_time_format(apr_time_now() - apr_time_from_sec(29 * 86400), pool),
                            strlen("YYYY-MM-DD")) < 0;
}

/* Where the trail of the changes is archived, the tests are found by their own times. */
static const lims_error_t *look_for_archive(lims_stmt_e *list, lims_request_t *rq)
{
    const char *updated = lims_values_get(rq->values, "updatedSince");
    const char *since = updated ? updated : lims_values_get(rq->values, "enteredSince");
    const char *statuses = lims_values_get(rq->values, "status");
    const lims_call_t call = { .statement = LIMS_STMT_SAMPLE_TEST_ARCHIVED };
    lims_result_t *row = NULL;
    const lims_error_t *error;

    if ((*list != LIMS_STMT_SAMPLE_TEST_CHANGES &&
         *list != LIMS_STMT_SAMPLE_TEST_CHANGES_REPORTED) ||
        !is_long_ago(since, rq->pool)) {
        return NULL;
    }
    error = lims_service_read(&row, rq, &call, 1);
    if (!error && lims_result_true(row, 0, "archived")) {
        *list = statuses && strchr(statuses, ',') ? LIMS_STMT_SAMPLE_TEST_SEARCH_STATUSES
                                                  : LIMS_STMT_SAMPLE_TEST_SEARCH;
    }
    return error;
}

/* Finds the statement of the list, and what it has to know besides. */
static const lims_error_t *prepare(lims_stmt_e *list, lims_request_t *rq)
{
    *list = choose(rq);
    if (!lims_values_get(rq->values, "holdingStatus")) {
        return look_for_archive(list, rq);
    }
    *list = is_open(rq) ? LIMS_STMT_SAMPLE_TEST_SEARCH_HOLDING_OPEN
                        : LIMS_STMT_SAMPLE_TEST_SEARCH_HOLDING;
    return find_holding_range(rq);
}

const lims_error_t *lims_sample_tests_list(lims_request_t *rq)
{
    lims_stmt_e list = LIMS_STMT_NONE;
    const lims_error_t *error = prepare(&list, rq);

    return error ? error : lims_service_page(rq, list);
}

const lims_error_t *lims_sample_tests_print(lims_request_t *rq)
{
    lims_stmt_e list = LIMS_STMT_NONE;
    const lims_error_t *error = prepare(&list, rq);

    return error ? error : lims_report_of(rq, list);
}

const lims_error_t *lims_sample_tests_export(lims_request_t *rq)
{
    lims_stmt_e list = LIMS_STMT_NONE;
    const lims_error_t *error = prepare(&list, rq);

    return error ? error : lims_csv_list(rq, list, "sample-tests.csv");
}

const lims_error_t *lims_sample_test_show(lims_request_t *rq)
{
    const lims_call_t call = { .statement = lims_values_get(rq->values, "include")
                                                ? LIMS_STMT_SAMPLE_TEST_GET_INCLUDING
                                                : LIMS_STMT_SAMPLE_TEST_GET };
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_service_read(&row, rq, &call, 1);

    if (error) {
        return error;
    }
    if (lims_result_count(row) == 0) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                 "There is no sample test %s in your organization.",
                                 lims_values_get(rq->values, "id"));
    }
    lims_render_record(rq, row, NULL);
    return NULL;
}
