/* SPDX-License-Identifier: Apache-2.0 */
/*
 * receipt.c - receipt of many samples: by id or by the names that a scanner reads, with
 * what was found. Each sample that is not received is answered with the reason.
 */
#include "samples/receipt.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/json.h"
#include "kernel/writer.h"
#include "samples/samples.h"
#include "service/service.h"

/* The members of a receipt: those that hold for all samples of it, and those of each sample. */
/* clang-format off */
#define FOUND_FIELDS                                                                \
    { .name = "temperature",                                                        \
      .type = LIMS_T_DECIMAL,                                                       \
      .flags = LIMS_F_NULLABLE,                                                     \
      .doc = "Temperature at receipt, degrees Celsius.",                            \
      .example = "4.2" },                                                           \
    { .name = "condition",                                                          \
      .type = LIMS_T_STRING,                                                        \
      .flags = LIMS_F_NULLABLE | LIMS_F_WORDS,                                      \
      .min = 1,                                                                     \
      .max = 255,                                                                   \
      .doc = "Condition at receipt.",                                               \
      .example = "intact, on ice" }

#define FOUND_OF_EACH_FIELDS                                                        \
    { .name = "containers",                                                         \
      .type = LIMS_T_INTEGER,                                                       \
      .flags = LIMS_F_NULLABLE,                                                     \
      .max = 10000,                                                                 \
      .doc = "Number of containers." },                                             \
    { .name = "deviations",                                                         \
      .type = LIMS_T_STRING,                                                        \
      .flags = LIMS_F_NULLABLE | LIMS_F_WORDS,                                      \
      .min = 1,                                                                     \
      .max = 2000,                                                                  \
      .doc = "Deviations from what was agreed (ISO/IEC 17025, 7.4.3).",             \
      .example = "no preservative, pH 6.8" }
/* clang-format on */

static const lims_field_t item_fields[] = {
    { .name = "sampleId", .type = LIMS_T_ID, .doc = "Id of the sample.", .example = "4217" },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 64,
      .doc = "Tracking id of the sample, in any case, with or without dashes.",
      .example = "LAB-26-0004217-K" },
    { .name = "identifier",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 400,
      .doc = "Tracking id, sample identifier or external id of the sample, whichever was read.",
      .example = "NPDES001-EFF-001-20261121-1" },
    FOUND_OF_EACH_FIELDS,
    LIMS_FIELD_END,
};

static const lims_field_t found_fields[] = {
    FOUND_FIELDS,
    LIMS_FIELD_END,
};

const lims_field_t lims_receipt_fields[] = {
    { .name = "temperature",
      .type = LIMS_T_DECIMAL,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Temperature at receipt, degrees Celsius." },
    { .name = "condition",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Condition at receipt." },
    { .name = "containers",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Number of containers." },
    { .name = "deviations",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Deviations from what was agreed (ISO/IEC 17025, 7.4.3)." },
    { .name = "receivedBy",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the user who received it." },
    LIMS_FIELD_END,
};

const lims_field_t lims_receipt_input[] = {
    FOUND_FIELDS,
    FOUND_OF_EACH_FIELDS,
    LIMS_REASON(0, "Reason for the change, kept in the audit trail; needed where the "
                   "organization's policy reasonOnChange asks for it."),
    LIMS_FIELD_END,
};

const lims_field_t lims_receive_input[] = {
    { .name = "sampleIds",
      .type = LIMS_T_ID_LIST,
      .min = 1,
      .max = 1000,
      .doc = "Ids of the samples that have arrived, each once; or items.",
      .example = "[4217, 4218]" },
    { .name = "items",
      .type = LIMS_T_OBJECT_LIST,
      .members = item_fields,
      .min = 1,
      .max = 1000,
      .doc = "Samples that have arrived, each by one of sampleId, trackingId and identifier, and "
             "what was found of each; instead of sampleIds." },
    { .name = "receipt",
      .type = LIMS_T_OBJECT,
      .members = found_fields,
      .doc = "Findings that hold for all of them." },
    { .name = "storageLocationId",
      .type = LIMS_T_ID,
      .doc = "Id of an active storage location of the organization, into which they go." },
    LIMS_FIELD_END,
};

static const char *const skipped_statuses[] = { "400", "404", "409", NULL };
static const char *const skipped_errors[] = { "not_found", "not_receivable", "check_character",
                                             "ambiguous", NULL };

static const lims_field_t skipped_fields[] = {
    { .name = "sampleId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the sample, as sent; null where it was asked for by another name." },
    { .name = "asked",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Name by which it was asked for; null where it was by id." },
    { .name = "status",
      .type = LIMS_T_INTEGER,
      .values = skipped_statuses,
      .flags = LIMS_F_OUT,
      .doc = "HTTP status that the sample alone would have had: 400, 404 or 409." },
    { .name = "error",
      .type = LIMS_T_ENUM,
      .values = skipped_errors,
      .flags = LIMS_F_OUT | LIMS_F_CLOSED,
      .doc = "Slug of the refusal: not_found (404), not_receivable (409), check_character (400: it "
             "is mistyped) or ambiguous (409: it names several samples)." },
    { .name = "message",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Explanation for people. Its wording may change." },
    LIMS_FIELD_END,
};

const lims_field_t lims_receive_output[] = {
    { .name = "received",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = lims_sample_fields,
      .doc = "Samples that were received by this call." },
    { .name = "skipped",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = skipped_fields,
      .doc = "Samples that were not received, each with the reason; they stay as they are." },
    LIMS_FIELD_END,
};

/* --- Actions -------------------------------------------------------------- */

/* Why a sample is not received: slug of the answer, HTTP status, message. */
typedef struct {
    const char *slug;
    int status;
    const char *message; /* %s: the detail */
} skipped_t;

static const skipped_t skips[] = {
    { "not_found", 404, "There is no such sample in your organization.%s" },
    { "not_receivable", 409, "The sample is not awaiting receiving; its status is %s." },
    { "check_character", 400,
      "Its check character is not that of a tracking id: it may be mistyped.%s" },
    { "ambiguous", 409, "It names several samples: %s." },
};

/* Returns why the row's sample is not received; NULL: it is. */
static const skipped_t *skip_of(const lims_result_t *asked, int row, bool items)
{
    const char *status = lims_result_get(asked, row, "status");
    const char *slug = items                              ? lims_result_get(asked, row, "error")
                       : !status                          ? "not_found"
                       : strcmp(status, "pending") == 0 ? NULL
                                                          : "not_receivable";
    for (apr_size_t i = 0; slug && i < LIMS_LENGTH(skips); i++) {
        if (strcmp(skips[i].slug, slug) == 0) {
            return &skips[i];
        }
    }
    return NULL;
}

/* Returns what the message of a skipped row is about. */
static const char *detail_of(const lims_result_t *asked, int row)
{
    const char *names = lims_result_get(asked, row, "names");
    const char *status = lims_result_get(asked, row, "status");

    if (status) {
        return strcmp(status, "pending") == 0 ? "received by another row" : status;
    }
    return names ? names : "";
}

static void write_skipped(lims_writer_t *w, const lims_result_t *asked, bool items,
                          apr_pool_t *pool)
{
    lims_writer_array_begin(w);
    for (int i = 0; i < lims_result_count(asked); i++) {
        const skipped_t *skip = skip_of(asked, i, items);

        if (!skip) {
            continue;
        }
        lims_writer_object_begin(w);
        lims_writer_key(w, "sampleId");
        lims_writer_raw(w, lims_result_get(asked, i, "sampleId"));
        lims_writer_key(w, "asked");
        lims_writer_string(w, lims_result_get(asked, i, "asked"));
        lims_writer_key(w, "status");
        lims_writer_integer(w, skip->status);
        lims_writer_key(w, "error");
        lims_writer_string(w, skip->slug);
        lims_writer_key(w, "message");
        lims_writer_string(w, apr_psprintf(pool, skip->message, detail_of(asked, i)));
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
}

const lims_error_t *lims_receive_check(lims_request_t *rq)
{
    const char *items = lims_values_get(rq->values, "items");
    lims_json_t *root = NULL;
    const lims_error_t *error = NULL;
    int index = 0;

    if (!items == !lims_values_get(rq->values, "sampleIds")) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                 items ? "sampleIds and items cannot stand together"
                                       : "sampleIds or items is missing");
    }
    error = items ? lims_json_parse(&root, items, strlen(items), rq->pool) : NULL;
    for (const lims_json_t *item = root ? root->first : NULL; item && !error; item = item->next) {
        int names = !!lims_json_member(item, "sampleId") + !!lims_json_member(item, "trackingId") +
                    !!lims_json_member(item, "identifier");

        if (names != 1) {
            error = lims_client_error(rq->pool, LIMS_E_INVALID_BODY,
                                      "items[%d] must have one of sampleId, trackingId and "
                                      "identifier",
                                      index);
        }
        index++;
    }
    return error;
}

const lims_error_t *lims_receive(lims_request_t *rq)
{
    bool items = lims_values_get(rq->values, "items");
    const lims_call_t calls[] = { { .statement = items ? LIMS_STMT_SAMPLE_RECEIVE_ITEMS
                                                       : LIMS_STMT_SAMPLE_RECEIVE },
                                  { .statement = LIMS_STMT_SAMPLE_RECEIVED } };
    lims_result_t *asked = NULL, *results[2] = { NULL, NULL };
    const lims_error_t *error =
        lims_database_call(&asked, rq,
                           items ? LIMS_STMT_SAMPLE_RECEIVE_LOCK_ITEMS
                                 : LIMS_STMT_SAMPLE_RECEIVE_LOCK);
    lims_writer_t *w;

    if (!error) {
        lims_values_set(rq->values, "receivable", lims_result_get(asked, 0, "receivable"));
        lims_values_set(rq->values, "arrivals", lims_result_get(asked, 0, "arrivals"));
        error = lims_database_run(results, rq, calls, 2, 0);
    }
    if (error) {
        return error;
    }
    w = lims_writer_create(rq->pool);
    lims_writer_object_begin(w);
    lims_writer_key(w, "received");
    lims_render_rows(w, rq->resource, results[1], lims_result_count(results[1]), rq->pool);
    lims_writer_key(w, "skipped");
    write_skipped(w, asked, items, rq->pool);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    return NULL;
}
