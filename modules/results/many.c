/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many.c - results of many tests at once: entered, all or none, or judged, which writes
 * nothing.
 */
#include "results/many.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "kernel/writer.h"
#include "service/service.h"

static const char *const warning_codes[] = { "decimal_comma",
                                             "not_a_number",
                                             "below_reporting_limit",
                                             "below_detection_limit",
                                             "too_many_decimals",
                                             "contradictory_qualifier",
                                             "lot_expired",
                                             "lot_quarantined",
                                             "lot_failed",
                                             NULL };

const lims_field_t lims_entry_warning_fields[] = {
    { .name = "code",
      .type = LIMS_T_ENUM,
      .values = warning_codes,
      .flags = LIMS_F_OUT,
      .doc = "Kind of the warning." },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Text of the warning, for people." },
    LIMS_FIELD_END,
};

/* The members of a result that is entered or judged among many. */
/* clang-format off */
#define RESULT_FIELDS                                                                \
    { .name = "sampleTestId",                                                        \
      .type = LIMS_T_ID,                                                             \
      .flags = LIMS_F_REQUIRED,                                                      \
      .doc = "Id of the sample test.",                                               \
      .example = "90211" },                                                          \
    { .name = "result",                                                              \
      .type = LIMS_T_STRING,                                                         \
      .flags = LIMS_F_REQUIRED | LIMS_F_NULLABLE,                                    \
      .max = 1000,                                                                   \
      .doc = "Result of the test, as in a single entry.",                            \
      .example = "7.10" },                                                           \
    { .name = "qualifier",                                                           \
      .type = LIMS_T_ENUM,                                                           \
      .values = lims_result_qualifiers,                                              \
      .flags = LIMS_F_NULLABLE,                                                      \
      .doc = "Qualifier of the result, as in a single entry." },                     \
    { .name = "reagentLotId",                                                        \
      .type = LIMS_T_ID,                                                             \
      .flags = LIMS_F_NULLABLE,                                                      \
      .doc = "Id of the reagent lot that was used; left as it is when absent." },    \
    { .name = "mediaLotId",                                                          \
      .type = LIMS_T_ID,                                                             \
      .flags = LIMS_F_NULLABLE,                                                      \
      .doc = "Id of the media lot that was used; left as it is when absent." },      \
    { .name = "analyzedAt",                                                          \
      .type = LIMS_T_TIMESTAMP,                                                      \
      .flags = LIMS_F_NULLABLE,                                                      \
      .doc = "When the analysis was done, UTC; left as it is when absent." }
/* clang-format on */

static const lims_field_t update_fields[] = {
    RESULT_FIELDS,
    { .name = "notes",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE,
      .max = 4000,
      .doc = "Remarks on the test; left as they are when absent." },
    LIMS_REASON(0, "Reason for replacing a result, kept in the audit trail."),
    { .name = "ifMatch",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 64,
      .doc = "The test's etag as it was read. If it differs now, nothing is entered: 412.",
      .example = "9f86d081884c7d659a2feaa0c55ad015" },
    LIMS_FIELD_END,
};

const lims_field_t lims_results_bulk_input[] = {
    { .name = "updates",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_REQUIRED | LIMS_F_UNIQUE,
      .min = 1,
      .max = 1000,
      .members = update_fields,
      .unique = "sampleTestId",
      .doc = "Results to enter, each test once." },
    LIMS_FIELD_END,
};

static const lims_field_t judged_fields[] = { RESULT_FIELDS, LIMS_FIELD_END };

const lims_field_t lims_results_judge_input[] = {
    { .name = "results",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_REQUIRED | LIMS_F_UNIQUE,
      .min = 1,
      .max = 500,
      .members = judged_fields,
      .unique = "sampleTestId",
      .doc = "Results to judge, each test once." },
    LIMS_FIELD_END,
};

static const lims_field_t refusal_fields[] = {
    { .name = "error",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Slug of the error with which the entry would be refused.",
      .example = "test_verified_locked" },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Text of the refusal, for people." },
    LIMS_FIELD_END,
};

static const lims_field_t judgement_fields[] = {
    { .name = "sampleTestId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the sample test." },
    { .name = "status",
      .type = LIMS_T_ENUM,
      .values = lims_test_statuses,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Status of the test with this result; null for a test that there is not." },
    { .name = "numericValue",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Numeric value of the result; null where it is not a number." },
    { .name = "outOfSpecification",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Whether the result is outside its specification; null when no limit applies or it "
             "cannot be compared." },
    { .name = "specification",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Limit by which the result is judged, as text." },
    { .name = "presumptive",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Whether the result is a presumptive positive, which has to be confirmed." },
    { .name = "refusals",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = refusal_fields,
      .doc = "Refusals that entering the result would meet; empty: it can be entered." },
    { .name = "entryWarnings",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = lims_entry_warning_fields,
      .doc = "Warnings that the entry would have." },
    LIMS_FIELD_END,
};

const lims_field_t lims_results_judge_output[] = {
    { .name = "results",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = judgement_fields,
      .doc = "Judgements, in the order sent." },
    LIMS_FIELD_END,
};

/* --- Actions -------------------------------------------------------------- */

/* Every test in the list has to exist and to be unlocked, or nothing is
 * changed: an error rolls back what was entered. */
static const lims_error_t *check_bulk(lims_request_t *rq, const lims_result_t *asked)
{
    const char *locked = NULL;

    for (int i = 0; i < lims_result_count(asked); i++) {
        const char *id = lims_result_get(asked, i, "sampleTestId");
        const char *status = lims_result_get(asked, i, "status");
        if (!status) {
            return lims_client_error(rq->pool, LIMS_E_INVALID_REFERENCE,
                                     "updates[%d].sampleTestId: there is no sample test %s in your "
                                     "organization.",
                                     i, id);
        }
        if (strcmp(status, "cancelled") == 0 || strcmp(status, "set_aside") == 0) {
            return lims_results_inactive(rq, id);
        }
        if (strcmp(status, "verified") == 0) {
            locked = locked ? apr_pstrcat(rq->pool, locked, ",", id, NULL) : id;
        }
    }
    return locked ? lims_results_locked(rq, locked) : NULL;
}

/* Returns the members of a 412 (precondition failed): the records whose ETag differs
 * from the one sent. NULL: none differs. */
static const char *conflicts(lims_request_t *rq, const lims_result_t *rows)
{
    const char *const *tags = lims_render_tags(rq->resource, rows, rq->pool);
    lims_writer_t *w = lims_writer_create(rq->pool);
    apr_size_t length;
    bool any = false;

    lims_writer_array_begin(w);
    for (int i = 0; i < lims_result_count(rows); i++) {
        if (!tags[i] || strcmp(tags[i], lims_result_get(rows, i, "ifMatch")) != 0) {
            any = true;
            lims_writer_object_begin(w);
            lims_writer_key(w, "sampleTestId");
            lims_writer_raw(w, lims_result_get(rows, i, "id"));
            lims_writer_key(w, "record");
            lims_render_row(w, rq->resource, rows, i, rq->pool);
            lims_writer_object_end(w);
        }
    }
    lims_writer_array_end(w);
    return any ? apr_pstrcat(rq->pool, "\"conflicts\":", lims_writer_finish(&length, w), NULL)
               : NULL;
}

/* Locks the tests that an ifMatch is sent for, and refuses all if one has changed. */
static const lims_error_t *check_conditions(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_RESULT_BULK_LOCK },
                                  { .statement = LIMS_STMT_RESULT_BULK_CONDITIONS } };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error;
    const char *members;

    if (!strstr(lims_values_get(rq->values, "updates"), "\"ifMatch\"")) {
        return NULL;
    }
    error = lims_database_run(results, rq, calls, 2, 0);
    members = error ? NULL : conflicts(rq, results[1]);
    return members ? lims_client_error_with(rq->pool, LIMS_E_PRECONDITION_FAILED, members,
                                            "Tests have changed since you read them; nothing was "
                                            "entered. Read them again and decide anew.")
                   : error;
}

const lims_error_t *lims_results_enter_many(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_RESULT_BULK_ENTER },
                                  { .statement = LIMS_STMT_RESULT_BULK_RECORDS } };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error = check_conditions(rq);
    lims_writer_t *w;

    if (!error) {
        error = lims_database_run(results, rq, calls, 2, 0);
    }
    if (!error) {
        error = check_bulk(rq, results[0]);
    }
    if (error) {
        return error;
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "updated");
    lims_render_rows(w, rq->resource, results[1], lims_result_count(results[1]), rq->pool);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}

const lims_error_t *lims_results_judge_many(lims_request_t *rq)
{
    lims_result_t *rows = NULL;
    const lims_error_t *error = lims_database_call(&rows, rq, LIMS_STMT_RESULT_JUDGE);
    lims_writer_t *w;

    if (error) {
        return error;
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "results");
    lims_render_objects(w, judgement_fields, rows, lims_result_count(rows), rq->pool);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}
