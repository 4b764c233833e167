/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoints.c - webhook endpoints: the URLs to which an organization's events
 * are sent.
 *
 * The secret that signs deliveries is shown once, when it is created, and
 * stored encrypted under a key that is not in the database (secret.h). The
 * database carries out all consequences of disabling or deleting an endpoint.
 */
#include <apr_strings.h>

#include "documents/pdf_report.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/record.h"
#include "kernel/url.h"
#include "openapi/event_types.h"
#include "service/csv.h"
#include "service/service.h"
#include "webhooks/secret.h"
#include "webhooks/webhooks.h"

enum { SHOWN = LIMS_F_OUT, KEPT = LIMS_F_OUT | LIMS_F_CREATE | LIMS_F_UPDATE };

/* clang-format off */
#define RECORD_FIELDS                                                                              \
    { .name = "id",                                                                                \
      .type = LIMS_T_ID,                                                                           \
      .flags = SHOWN,                                                                              \
      .doc = "Id of the endpoint, assigned by the service; also its cursor value." },              \
    { .name = "name",                                                                              \
      .type = LIMS_T_STRING,                                                                       \
      .flags = KEPT | LIMS_F_REQUIRED,                                                             \
      .min = 1,                                                                                    \
      .doc = "Name of the receiver, for people.",                                                  \
      .example = "ERP" },                                                                          \
    { .name = "url",                                                                               \
      .type = LIMS_T_STRING,                                                                       \
      .flags = KEPT | LIMS_F_REQUIRED,                                                             \
      .min = 1,                                                                                    \
      .max = LIMS_URL_MAX,                                                                         \
      .doc = "URL that deliveries are sent to: https, without user, password and fragment. "       \
             "Addresses that are not public are refused when the connection is opened, unless "    \
             "the server's configuration allows them.",                                            \
      .example = "https://erp.example.org/hooks/lims" },                                           \
    { .name = "events",                                                                            \
      .type = LIMS_T_STRING_LIST,                                                                  \
      .flags = KEPT,                                                                               \
      .min = 1,                                                                                    \
      .values = lims_event_types,                                                                  \
      .doc = "Event types that the endpoint receives. An endpoint created without a list "         \
             "receives all of them." },                                                            \
    { .name = "standardHeaders",                                                                   \
      .type = LIMS_T_BOOLEAN,                                                                      \
      .flags = KEPT,                                                                               \
      .fallback = "false",                                                                         \
      .doc = "Whether deliveries also have the header fields of Standard Webhooks (webhook-id, "   \
             "webhook-timestamp, webhook-signature)." },                                           \
    { .name = "enabled", .type = LIMS_T_BOOLEAN, .flags = SHOWN,                                   \
      .doc = "Whether deliveries are sent to the endpoint." },                                     \
    { .name = "disabledAt", .type = LIMS_T_TIMESTAMP, .flags = SHOWN | LIMS_F_NULLABLE,            \
      .doc = "When the endpoint was disabled, UTC; null while it is enabled." },                   \
    { .name = "disabledReason", .type = LIMS_T_STRING, .flags = SHOWN | LIMS_F_NULLABLE,           \
      .max = 1000,                                                                                 \
      .doc = "Reason why the endpoint is disabled: an administrator's words, or the error of the " \
             "last delivery." },                                                                   \
    { .name = "consecutiveFailures", .type = LIMS_T_INTEGER, .flags = SHOWN,                       \
      .doc = "Number of deliveries given up since the last one that arrived." },                   \
    { .name = "previousSecretUntil", .type = LIMS_T_TIMESTAMP, .flags = SHOWN | LIMS_F_NULLABLE,   \
      .doc = "When the previous secret ends, UTC; until then deliveries are signed with both "     \
             "secrets." },                                                                         \
    { .name = "createdBy", .type = LIMS_T_ID, .flags = SHOWN | LIMS_F_NULLABLE,                    \
      .doc = "Id of the user who registered the endpoint." },                                      \
    { .name = "createdAt", .type = LIMS_T_TIMESTAMP, .flags = SHOWN,                               \
      .doc = "When the endpoint was registered, UTC." },                                           \
    { .name = "updatedAt", .type = LIMS_T_TIMESTAMP, .flags = SHOWN,                               \
      .doc = "When the record was last changed, UTC." },                                           \
    { .name = "deletedAt", .type = LIMS_T_TIMESTAMP, .flags = SHOWN | LIMS_F_NULLABLE,             \
      .doc = "When the endpoint was deleted, UTC; its deliveries can still be looked up." }
/* clang-format on */

static const lims_field_t fields[] = { RECORD_FIELDS, LIMS_FIELD_END };

static const lims_field_t secret_fields[] = {
    RECORD_FIELDS,
    { .name = "secret",
      .type = LIMS_T_STRING,
      .flags = SHOWN | LIMS_F_SECRET | LIMS_F_NULLABLE,
      .doc = "Secret with which deliveries are signed, shown only this once." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "enabled",
      .type = LIMS_T_BOOLEAN,
      .doc = "Only enabled (true) or disabled (false) endpoints." },
    { .name = "deleted",
      .type = LIMS_T_BOOLEAN,
      .fallback = "false",
      .doc = "Whether to list deleted endpoints instead of existing ones." },
    LIMS_FIELD_END,
};

static const lims_field_t rotate_input[] = {
    { .name = "overlapHours",
      .type = LIMS_T_INTEGER,
      .max = 168,
      .fallback = "24",
      .doc = "Hours for which deliveries are also signed with the previous secret, in a header "
             "field of its own, until the receiver has the new one. 0: not at all, for a secret "
             "that has become known.",
      .example = "24" },
    LIMS_FIELD_END,
};

/* --- Where -------------------------------------------------------- */

/* Replaces the given URL by its normalized form. */
static const lims_error_t *check_url(lims_request_t *rq)
{
    const char *given = lims_values_get(rq->values, "url");
    const char *kept = NULL;
    const char *problem = given ? lims_url_check(&kept, given, rq->pool) : NULL;

    if (problem) {
        return lims_client_error(rq->pool, LIMS_E_INVALID_BODY, "url must %s.", problem);
    }
    if (given) {
        lims_values_set(rq->values, "url", kept);
    }
    return NULL;
}

/* --- Secrets -------------------------------------------------------------- */

/* Generates a secret for an endpoint, and puts its encrypted form into the
 * value `sealed`. */
static const lims_error_t *make_secret(const char **secret, lims_request_t *rq, const char *id)
{
    const char *sealed = NULL;

    *secret = lims_webhook_secret_create(rq->pool);
    if (*secret) {
        sealed =
            lims_webhook_secret_seal(rq->keyring, *secret, rq->actor.organization, id, rq->pool);
    }
    if (!sealed) {
        return lims_server_error(rq->pool, LIMS_E_INTERNAL, 0,
                                 "OpenSSL failed: no random numbers, or no AES",
                                 "No secret could be made.");
    }
    lims_values_set(rq->values, "sealed", sealed);
    return NULL;
}

static const char *cell(void *row, const char *name)
{
    return lims_result_get(row, 0, name);
}

/* The record with the secret itself, which only this answer shows. */
static void render_secret(lims_request_t *rq, lims_result_t *row, const char *secret)
{
    lims_writer_t *w = lims_writer_create(rq->pool);

    lims_writer_object_begin(w);
    lims_record_write(w, fields, cell, row);
    lims_writer_key(w, "secret");
    lims_writer_string(w, secret);
    lims_writer_object_end(w);
    lims_render_finish(rq, w);
}

/* Without a list of event types an endpoint receives all of them. */
static void complete_events(lims_request_t *rq)
{
    const char *list = "{";

    if (lims_values_has(rq->values, "events")) {
        return;
    }
    for (const char *const *type = lims_event_types; *type; type++) {
        list = apr_pstrcat(rq->pool, list, type == lims_event_types ? "" : ",", *type, NULL);
    }
    lims_values_set(rq->values, "events", apr_pstrcat(rq->pool, list, "}", NULL));
}

/* The id is assigned first, since it is part of what the encryption
 * authenticates. */
static const lims_error_t *create(lims_request_t *rq)
{
    const char *secret = NULL;
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_WEBHOOK_ENDPOINT_NUMBER);

    complete_events(rq);
    if (!error) {
        lims_values_set(rq->values, "id", lims_result_get(row, 0, "id"));
        error = make_secret(&secret, rq, lims_values_get(rq->values, "id"));
    }
    if (!error) {
        error = lims_database_call(&row, rq, LIMS_STMT_WEBHOOK_ENDPOINT_CREATE);
    }
    if (!error) {
        error = lims_database_call(&row, rq, LIMS_STMT_WEBHOOK_ENDPOINT_GET);
    }
    if (!error) {
        render_secret(rq, row, secret);
    }
    return error;
}

static const lims_error_t *rotate(lims_request_t *rq)
{
    const char *secret = NULL;
    lims_result_t *row = NULL;
    const lims_error_t *error = make_secret(&secret, rq, lims_values_get(rq->values, "id"));

    if (!error) {
        error = lims_database_call(&row, rq, LIMS_STMT_WEBHOOK_ENDPOINT_ROTATE);
    }
    if (!error) {
        error = lims_database_call(&row, rq, LIMS_STMT_WEBHOOK_ENDPOINT_GET);
    }
    if (!error) {
        render_secret(rq, row, secret);
    }
    return error;
}

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e create_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/webhook-endpoints",
      .command = "webhook list",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listWebhookEndpoints",
      .summary = "List webhook endpoints",
      .permission = "webhook.manage",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_WEBHOOK_ENDPOINT_LIST },
    { LIMS_CSV_EXPORT("/webhook-endpoints", "webhook export", "exportWebhookEndpoints",
                      "webhook endpoints"),
      .permission = "webhook.manage",
      .flags = LIMS_CSV_FLAGS,
      .query = filters + LIMS_PAGING_COUNT },
    { LIMS_REPORT_LIST("/webhook-endpoints", "webhook pdf", "printWebhookEndpoints",
                       "webhook endpoints"),
      .permission = "webhook.manage",
      .flags = LIMS_PDF_FLAGS,
      .query = filters + LIMS_PAGING_COUNT },
    { .method = "GET",
      .path = "/webhook-endpoints/:id",
      .command = "webhook show",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getWebhookEndpoint",
      .summary = "One webhook endpoint",
      .permission = "webhook.manage",
      .status = 200,
      .statement = LIMS_STMT_WEBHOOK_ENDPOINT_GET },
    { .method = "POST",
      .path = "/webhook-endpoints",
      .command = "webhook create",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "createWebhookEndpoint",
      .summary = "Register a webhook endpoint; its secret is shown only this once",
      .description = "An organization has at most 100 endpoints that are not deleted.",
      .permission = "webhook.manage",
      .flags = LIMS_R_KEYRING | LIMS_R_NO_RECORD,
      .body = LIMS_F_CREATE,
      .output = secret_fields,
      .status = 201,
      .guard = check_url,
      .handler = create,
      .errors = create_errors },
    { .method = "PATCH",
      .path = "/webhook-endpoints/:id",
      .command = "webhook update",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "updateWebhookEndpoint",
      .summary = "Change name, URL, events or header fields of a webhook endpoint",
      .description = "Changed event types apply from now on; pending deliveries go to the new URL.",
      .permission = "webhook.manage",
      .body = LIMS_F_UPDATE,
      .status = 200,
      .guard = check_url,
      .statement = LIMS_STMT_WEBHOOK_ENDPOINT_UPDATE },
    { .method = "POST",
      .path = "/webhook-endpoints/:id/enable",
      .command = "webhook enable",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "enableWebhookEndpoint",
      .summary = "Enable a webhook endpoint",
      .description =
          "The count of failures begins again at 0. Deliveries kept while the endpoint was "
          "disabled are sent at once, with all of their attempts; those kept for more than 7 days "
          "are given up. Deliveries given up before are sent again by webhook recover.",
      .permission = "webhook.manage",
      .flags = LIMS_R_NO_BODY,
      .status = 200,
      .statement = LIMS_STMT_WEBHOOK_ENDPOINT_ENABLE },
    { .method = "POST",
      .path = "/webhook-endpoints/:id/disable",
      .command = "webhook disable",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "disableWebhookEndpoint",
      .summary = "Disable a webhook endpoint, with a reason",
      .description = "Its deliveries are kept for up to 7 days, and sent when it is enabled again.",
      .permission = "webhook.manage",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .statement = LIMS_STMT_WEBHOOK_ENDPOINT_DISABLE },
    { .method = "POST",
      .path = "/webhook-endpoints/:id/rotate",
      .command = "webhook rotate",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "rotateWebhookSecret",
      .summary = "Rotate the secret of a webhook endpoint; the new one is shown only this once",
      .permission = "webhook.manage",
      .flags = LIMS_R_KEYRING | LIMS_R_NO_RECORD,
      .input = rotate_input,
      .output = secret_fields,
      .status = 200,
      .handler = rotate },
    { .method = "DELETE",
      .path = "/webhook-endpoints/:id",
      .command = "webhook delete",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "deleteWebhookEndpoint",
      .summary = "Delete a webhook endpoint",
      .description = "Its secret is deleted and its pending deliveries are given up. Deliveries "
                     "can be looked up as long as they are kept.",
      .permission = "webhook.manage",
      .flags = LIMS_R_REASON,
      .input = lims_reason_input,
      .status = 200,
      .statement = LIMS_STMT_WEBHOOK_ENDPOINT_DELETE },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_webhook_endpoint = {
    .name = "webhook endpoint",
    .title = "Webhook endpoints",
    .schema = "WebhookEndpoint",
    .doc = "Webhook endpoint: the URL to which an organization's events are sent.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_WEBHOOK_ENDPOINT_GET,
    .lock = LIMS_STMT_WEBHOOK_ENDPOINT_LOCK,
};
