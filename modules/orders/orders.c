/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orders.c - orders: up to 200 samples of one client, registered together or not at all.
 *
 * The rows of an order are checked like the body of POST /samples, but all of their
 * mistakes are collected: those of form by the kernel (LIMS_F_ROWS), those that only the
 * database knows by sql/125_order_samples.sql. The rules themselves stand where every
 * sample meets them (sql/122_sample_changes.sql).
 */
#include "orders/orders.h"

#include <apr_strings.h>

#include "database/database.h"
#include "documents/pdf_report.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/record.h"
#include "kernel/vocabulary.h"
#include "organizations/organizations.h"
#include "samples/samples.h"
#include "service/csv.h"
#include "service/service.h"

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the order, assigned by the service; also its cursor value.",
      .example = "311" },
    { .name = "orderNumber",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .hint = "it is set with the order, and stays",
      .doc = "Number of the order, unique within the organization." },
    { .name = "clientId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .hint = "it is set with the order, and stays",
      .doc = "Id of the client, whose samples they all are." },
    { .name = "contact",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .min = 1,
      .max = 255,
      .doc = "Person at the client, or whoever brought the samples.",
      .example = "Ada Moore, +1 303 555 0100" },
    { .name = "notes",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_UPDATE | LIMS_F_NULLABLE,
      .max = 4000,
      .doc = "Remarks on the order." },
    { .name = "sampleCount",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of its samples." },
    { .name = "testDefinitionIds",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Ids of the test definitions of its samples' tests, each once." },
    { .name = "panelIds",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Ids of the panels by which tests were ordered, each once." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the order was registered, UTC." },
    { .name = "updatedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the order was last changed, UTC." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "clientId", .type = LIMS_T_ID, .doc = "Only orders of this client." },
    { .name = "orderNumber", .type = LIMS_T_STRING, .doc = "Only the order with this number." },
    { .name = "panelId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_PEOPLE,
      .doc = "Only orders whose tests were ordered by this panel." },
    LIMS_FIELD_END,
};

static const lims_field_t create_input[] = {
    { .name = "clientId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_REQUIRED,
      .doc = "Id of an active client of the organization, whose samples they all are.",
      .example = "7" },
    { .name = "orderNumber",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE | LIMS_F_WORDS,
      .min = 1,
      .max = 64,
      .doc = "Number of the order, unique within the organization; without one the service makes "
             "it: ORD-26-0000001-X.",
      .example = "PO 4711" },
    { .name = "contact",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE | LIMS_F_WORDS,
      .min = 1,
      .max = 255,
      .doc = "Person at the client, or whoever brought the samples." },
    { .name = "notes",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_NULLABLE,
      .max = 4000,
      .doc = "Remarks on the order." },
    { .name = "samples",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_REQUIRED | LIMS_F_ROWS,
      .members = lims_sample_fields,
      .min = 1,
      .max = 200,
      .doc = "Samples to register, each as the body of POST /samples. clientName may be left out, "
             "and is that of the order's client." },
    { .name = "dryRun",
      .type = LIMS_T_BOOLEAN,
      .fallback = "false",
      .doc = "Whether to say only what would be registered, every mistake, and what the allowance "
             "leaves, and write nothing." },
    LIMS_FIELD_END,
};

/* A sample in the answer to an order: as registered, or as a dry run would. */
static const lims_field_t sample_fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the sample; null in a dry run." },
    { .name = "trackingId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Tracking identifier; null in a dry run." },
    { .name = "sampleIdentifier",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Identifier of the sample; null in a dry run." },
    { .name = "externalId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Reference in the caller's system." },
    { .name = "clientId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the order's client." },
    { .name = "clientName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the order's client." },
    { .name = "materialTypeId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the material type." },
    { .name = "projectId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the project." },
    { .name = "collectionDate",
      .type = LIMS_T_DATE,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Day of collection." },
    { .name = "collectedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Exact time of collection, UTC." },
    { .name = "priority",
      .type = LIMS_T_ENUM,
      .values = lims_sample_priorities,
      .flags = LIMS_F_OUT,
      .doc = "Priority of the sample." },
    { .name = "notes",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Remarks on the sample." },
    { .name = "plantLocation",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Sampling point." },
    { .name = "storageLocationId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the storage location." },
    { .name = "dueDate",
      .type = LIMS_T_DATE,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Day on which the results are due." },
    { .name = "testDefinitionIds",
      .type = LIMS_T_ID_LIST,
      .flags = LIMS_F_OUT,
      .doc = "Ids of the test definitions of its tests, in their order." },
    LIMS_FIELD_END,
};

static const lims_field_t create_output[] = {
    { .name = "order",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .members = fields,
      .doc = "Order as registered; null in a dry run." },
    { .name = "samples",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = sample_fields,
      .doc = "Samples, in the order of the rows; in a dry run as they would be registered, "
             "none while there are mistakes." },
    { .name = "valid",
      .type = LIMS_T_BOOLEAN,
      .flags = LIMS_F_OUT,
      .doc = "Whether the order can be registered as it is: always true of one that was." },
    { .name = "errors",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = lims_mistake_fields,
      .doc = "Every mistake of every row, the first 1,000." },
    { .name = "allowance",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .members = lims_allowance_fields,
      .doc = "The monthly sample allowance, as it is now." },
    LIMS_FIELD_END,
};

/* --- Actions -------------------------------------------------------------- */

/* The outcome of checking an order: its faults, and the allowance. */
typedef struct {
    lims_result_t *mistakes;
    lims_result_t *allowance;
    bool exceeded; /* the allowance */
} judgement_t;

static bool is_dry(const lims_request_t *rq)
{
    return *lims_values_get(rq->values, "dryRun") == 't';
}

/* A dry run keeps nothing, the record of an idempotency key included. */
static const lims_error_t *check_create(lims_request_t *rq)
{
    rq->roll_back = is_dry(rq);
    return NULL;
}

static const lims_error_t *judge(judgement_t *judgement, lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_ORDER_MISTAKES },
                                  { .statement = LIMS_STMT_ORDER_ALLOWANCE } };
    lims_result_t *results[2] = { NULL, NULL };
    const lims_error_t *error = lims_database_run(results, rq, calls, 2, 0);

    judgement->mistakes = results[0];
    judgement->allowance = results[1];
    judgement->exceeded = !error && lims_result_true(results[1], 0, "exceeded");
    return error;
}

static void write_mistake(lims_writer_t *w, const char *path, const char *slug, const char *message)
{
    lims_writer_object_begin(w);
    lims_writer_key(w, "path");
    lims_writer_string(w, path);
    lims_writer_key(w, "error");
    lims_writer_string(w, slug);
    lims_writer_key(w, "message");
    lims_writer_string(w, lims_sentence(message, lims_writer_pool(w)));
    lims_writer_object_end(w);
}

static void write_mistakes(lims_writer_t *w, const judgement_t *judgement, bool allowance)
{
    const lims_result_t *found = judgement->mistakes;

    lims_writer_array_begin(w);
    for (int i = 0; i < lims_result_count(found); i++) {
        write_mistake(w, lims_result_get(found, i, "path"), lims_result_get(found, i, "error"),
                      lims_result_get(found, i, "message"));
    }
    if (allowance && judgement->exceeded) {
        write_mistake(w, "samples", lims_error_kinds[LIMS_E_SAMPLE_LIMIT_EXCEEDED].slug,
                      "The plan's monthly sample allowance does not suffice for all of them");
    }
    lims_writer_array_end(w);
}

/* Refuses an order with mistakes, as its first would be refused. */
static const lims_error_t *refuse(lims_request_t *rq, const judgement_t *judgement)
{
    const char *slug = lims_result_get(judgement->mistakes, 0, "error");
    bool reference = lims_error_by_slug(slug) == LIMS_E_INVALID_REFERENCE;
    lims_writer_t *w = lims_writer_create(rq->pool);
    apr_size_t length;

    write_mistakes(w, judgement, false);
    return lims_client_error_with(
        rq->pool, reference ? LIMS_E_INVALID_REFERENCE : LIMS_E_INVALID_BODY,
        apr_pstrcat(rq->pool, "\"errors\":", lims_writer_finish(&length, w), NULL),
        "The order has mistakes, and nothing was registered; the first: %s",
        lims_result_get(judgement->mistakes, 0, "message"));
}

static const char *cell(void *row, const char *name)
{
    return lims_result_get(row, 0, name);
}

static const char *sample_cell(void *result, int row, int column)
{
    return lims_result_cell(result, row, column);
}

static void write_samples(lims_writer_t *w, const lims_result_t *rows)
{
    int columns[LIMS_LENGTH(sample_fields)];

    for (apr_size_t i = 0; sample_fields[i].name; i++) {
        columns[i] = rows ? lims_result_column(rows, sample_fields[i].name, (int)i) : -1;
    }
    lims_writer_array_begin(w);
    for (int i = 0; rows && i < lims_result_count(rows); i++) {
        lims_writer_object_begin(w);
        lims_record_write_columns(w, sample_fields, columns, sample_cell,
                                  (void *)(apr_uintptr_t)rows, i);
        lims_writer_object_end(w);
    }
    lims_writer_array_end(w);
}

/* Answers an order: registered (`order`), or judged (NULL). */
static void answer(lims_request_t *rq, const judgement_t *judgement, lims_result_t *order,
                   const lims_result_t *samples)
{
    bool valid = lims_result_count(judgement->mistakes) == 0 && !(!order && judgement->exceeded);
    lims_writer_t *w = lims_writer_create(rq->pool);

    lims_writer_object_begin(w);
    lims_writer_key(w, "order");
    if (order) {
        lims_writer_object_begin(w);
        lims_record_write(w, fields, cell, order);
        lims_writer_object_end(w);
    } else {
        lims_writer_null(w);
    }
    lims_writer_key(w, "samples");
    write_samples(w, valid ? samples : NULL);
    lims_writer_key(w, "valid");
    lims_writer_boolean(w, valid);
    lims_writer_key(w, "errors");
    write_mistakes(w, judgement, !order);
    lims_writer_key(w, "allowance");
    lims_writer_object_begin(w);
    lims_record_write(w, lims_allowance_fields, cell, judgement->allowance);
    lims_writer_object_end(w);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
    rq->reply->status = order ? 201 : 200;
}

static const lims_error_t *plan(lims_request_t *rq, const judgement_t *judgement)
{
    const lims_error_t *error = NULL;
    lims_result_t *samples = NULL;

    if (lims_result_count(judgement->mistakes) == 0) {
        error = lims_database_call(&samples, rq, LIMS_STMT_ORDER_PLANNED);
    }
    if (!error) {
        answer(rq, judgement, NULL, samples);
    }
    return error;
}

static const lims_error_t *create(lims_request_t *rq)
{
    const lims_call_t calls[] = {
        { .statement = LIMS_STMT_ORDER_REGISTER },  { .statement = LIMS_STMT_ORDER_SCHEDULE },
        { .statement = LIMS_STMT_ORDER_GET },       { .statement = LIMS_STMT_ORDER_REGISTERED },
        { .statement = LIMS_STMT_ORDER_ALLOWANCE },
    };
    lims_result_t *results[LIMS_LENGTH(calls)] = { NULL }, *made = NULL;
    judgement_t judgement;
    const lims_error_t *error = judge(&judgement, rq);

    if (!error && is_dry(rq)) {
        return plan(rq, &judgement);
    }
    if (!error && lims_result_count(judgement.mistakes) > 0) {
        error = refuse(rq, &judgement);
    }
    if (!error) {
        error = lims_database_call(&made, rq, LIMS_STMT_ORDER_CREATE);
    }
    if (!error) {
        lims_values_set(rq->values, "id", lims_result_get(made, 0, "id"));
        error = lims_database_run(results, rq, calls, LIMS_LENGTH(calls), 0);
    }
    if (!error) {
        judgement.allowance = results[4];
        answer(rq, &judgement, results[2], results[3]);
    }
    return error;
}

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e create_errors[] = { LIMS_E_INVALID_REFERENCE,
                                              LIMS_E_SAMPLE_LIMIT_EXCEEDED, LIMS_E_COUNT };
static const lims_error_e update_errors[] = { LIMS_E_FIELD_NOT_PATCHABLE,
                                              LIMS_E_NO_UPDATABLE_FIELDS, LIMS_E_COUNT };
static const int dry_run_status[] = { 200, 0 };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/orders",
      .command = "order list",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "listOrders",
      .summary = "List orders",
      .scope = "samples:read",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_ORDER_LIST,
      .search = LIMS_STMT_ORDER_SEARCH },
    { LIMS_CSV_EXPORT("/orders", "order export", "exportOrders", "orders"),
      .permission = "data.read", .flags = LIMS_CSV_FLAGS, .query = filters + LIMS_PAGING_COUNT },
    { LIMS_REPORT_LIST("/orders", "order pdf", "printOrders", "orders"), .permission = "data.read",
      .flags = LIMS_PDF_FLAGS, .query = filters + LIMS_PAGING_COUNT },
    { .method = "GET",
      .path = "/orders/:id",
      .command = "order show",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "getOrder",
      .summary = "One order with its samples",
      .scope = "samples:read",
      .permission = "data.read",
      .status = 200,
      .statement = LIMS_STMT_ORDER_GET },
    { .method = "POST",
      .path = "/orders",
      .command = "order create",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "createOrder",
      .summary = "Register an order with all its samples",
      .description =
          "Registers up to 200 samples of one client, all or none: an order with mistakes is "
          "refused with every mistake of every row under errors, and so does dryRun answer them, "
          "without writing. Each sample counts against the monthly allowance and emits "
          "sample.created.",
      .scope = "samples:write",
      .permission = "sample.register",
      .flags = LIMS_R_NO_RECORD,
      .input = create_input,
      .output = create_output,
      .status = 201,
      .also = dry_run_status,
      .check = check_create,
      .handler = create,
      .errors = create_errors },
    { .method = "PATCH",
      .path = "/orders/:id",
      .command = "order update",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "updateOrder",
      .summary = "Change contact or notes of an order",
      .scope = "samples:write",
      .permission = "sample.edit",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .statement = LIMS_STMT_ORDER_UPDATE,
      .errors = update_errors },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_order = {
    .name = "order",
    .title = "Orders",
    .schema = "Order",
    .doc = "Samples that a client has sent at once, registered together.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_ORDER_GET,
    .lock = LIMS_STMT_ORDER_LOCK,
    .nested = "samples",
    .nested_resource = &lims_sample,
    .nested_statement = LIMS_STMT_ORDER_SAMPLES,
};
