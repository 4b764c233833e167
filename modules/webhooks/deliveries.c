/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deliveries.c - webhook deliveries and their attempts.
 *
 * A delivery sends one event to one endpoint. When it is sent again it keeps
 * its id and the exact bytes of its body, so that a receiver recognizes a
 * delivery that it already has.
 */
#include <string.h>

#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/vocabulary.h"
#include "openapi/event_types.h"
#include "service/csv.h"
#include "service/service.h"
#include "webhooks/webhooks.h"

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the delivery's record, assigned by the service; also its cursor value." },
    { .name = "deliveryId",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc =
          "Id of the delivery, as the receiver sees it: id of the envelope and X-Service-Delivery.",
      .example = "5b6f1c9e-0d0f-4a55-9a1e-6c1f3f6f2f10" },
    { .name = "endpointId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the endpoint that the delivery goes to." },
    { .name = "type",
      .type = LIMS_T_ENUM,
      .values = lims_delivered_types,
      .flags = LIMS_F_OUT,
      .doc = "Type of the delivery's event.",
      .example = "sample.created" },
    { .name = "state",
      .type = LIMS_T_ENUM,
      .values = lims_delivery_states,
      .flags = LIMS_F_OUT,
      .doc = "State of the delivery. given_up: its attempts are spent, the receiver answered 410, "
             "or the endpoint was deleted or disabled for 7 days." },
    { .name = "attemptCount",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of attempts so far, those before a redelivery included." },
    { .name = "nextAttemptAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When the next attempt is due, UTC; null while the endpoint is disabled and after the "
             "delivery has finished." },
    { .name = "lastStatus",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "HTTP status of the last attempt's answer; null if there was none." },
    { .name = "lastError",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .max = 1000,
      .doc = "Error of the last attempt; null if it succeeded." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the delivery's event occurred, UTC." },
    { .name = "finishedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When the delivery arrived or was given up, UTC; null until then." },
    LIMS_FIELD_END,
};

static const lims_field_t attempt_fields[] = {
    { .name = "number",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of the attempt, counted from 1." },
    { .name = "startedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the attempt was started, UTC." },
    { .name = "durationMs",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Duration of the attempt in milliseconds." },
    { .name = "responseStatus",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "HTTP status of the answer." },
    { .name = "responseExcerpt",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .max = 4000,
      .doc = "First part of the answer's body, as text." },
    { .name = "error",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .max = 1000,
      .doc = "Error of the attempt; null if it succeeded." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "endpointId", .type = LIMS_T_ID, .doc = "Only deliveries to this endpoint." },
    { .name = "state",
      .type = LIMS_T_ENUM,
      .values = lims_delivery_states,
      .doc = "Only deliveries in this state." },
    { .name = "type",
      .type = LIMS_T_ENUM,
      .values = lims_delivered_types,
      .doc = "Only deliveries of this event type." },
    { .name = "since",
      .type = LIMS_T_MOMENT,
      .doc = "Only deliveries of events that occurred at this time or later." },
    LIMS_FIELD_END,
};

static const lims_field_t test_input[] = {
    { .name = "message",
      .type = LIMS_T_STRING,
      .min = 1,
      .max = 1000,
      .fallback = "This is a test.",
      .doc = "Text of the test event." },
    LIMS_FIELD_END,
};

/* --- Actions -------------------------------------------------------------- */

/* Refuses a redelivery to an endpoint that is disabled or deleted. */
static const lims_error_t *check_enabled(lims_request_t *rq, const char *endpoint)
{
    const char *reason = lims_result_get(rq->locked, 0, "disabledReason");

    if (lims_result_true(rq->locked, 0, "enabled")) {
        return NULL;
    }
    return lims_client_error(rq->pool, LIMS_E_INVALID_TRANSITION,
                             "Webhook endpoint %s is disabled%s%s; enable it first.", endpoint,
                             reason ? ": " : "", reason ? reason : "");
}

static const lims_error_t *check_redelivery(lims_request_t *rq)
{
    return check_enabled(rq, lims_result_get(rq->locked, 0, "endpointId"));
}

static const lims_error_t *check_test(lims_request_t *rq)
{
    return check_enabled(rq, lims_values_get(rq->values, "id"));
}

/* Until the delivery exists, the id is the endpoint's. */
static const lims_error_t *send_test(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_WEBHOOK_TEST_SEND);

    if (!error) {
        lims_values_set(rq->values, "id", lims_result_get(row, 0, "id"));
    }
    return error;
}

/* --- Routes --------------------------------------------------------------- */

static const lims_error_e sending_errors[] = { LIMS_E_INVALID_TRANSITION, LIMS_E_COUNT };

static const lims_field_t body_output[] = {
    { .name = "id",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Id of the delivery, a UUID: the same each time it is sent." },
    { .name = "type",
      .type = LIMS_T_ENUM,
      .values = lims_delivered_types,
      .flags = LIMS_F_OUT,
      .doc = "Type of the event." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the event happened, UTC." },
    { .name = "organizationId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the organization." },
    { .name = "data",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Payload of the event, by its type." },
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/webhook-deliveries",
      .command = "webhook deliveries",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listWebhookDeliveries",
      .summary = "List webhook deliveries",
      .permission = "webhook.manage",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_WEBHOOK_DELIVERY_LIST },
    { LIMS_CSV_EXPORT("/webhook-deliveries", "webhook deliveries-export", "exportWebhookDeliveries",
                      "webhook deliveries"),
      .permission = "webhook.manage", .flags = LIMS_CSV_FLAGS,
      .query = filters + LIMS_PAGING_COUNT },
    { .method = "GET",
      .path = "/webhook-deliveries/:id",
      .command = "webhook delivery",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getWebhookDelivery",
      .summary = "One webhook delivery with its attempts",
      .permission = "webhook.manage",
      .status = 200,
      .statement = LIMS_STMT_WEBHOOK_DELIVERY_GET },
    { .method = "GET",
      .path = "/webhook-deliveries/:id/body",
      .command = "webhook body",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getWebhookDeliveryBody",
      .summary = "Body of a webhook delivery",
      .permission = "webhook.manage",
      .flags = LIMS_R_NO_RECORD | LIMS_R_DOCUMENT,
      .output = body_output,
      .status = 200,
      .statement = LIMS_STMT_WEBHOOK_DELIVERY_BODY },
    { .method = "POST",
      .path = "/webhook-deliveries/:id/redeliver",
      .command = "webhook redeliver",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "redeliverWebhook",
      .summary = "Send a webhook delivery again",
      .description = "The delivery keeps its id and body, and gets all of its attempts again. A "
                     "delivery that is still pending is tried at once and keeps its count.",
      .permission = "webhook.manage",
      .flags = LIMS_R_NO_BODY,
      .status = 200,
      .guard = check_redelivery,
      .statement = LIMS_STMT_WEBHOOK_DELIVERY_REDELIVER,
      .errors = sending_errors },
    LIMS_ROUTE_END,
};

static const lims_route_t test_routes[] = {
    { .method = "POST",
      .path = "/webhook-endpoints/:id/test",
      .command = "webhook test",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "testWebhookEndpoint",
      .summary = "Send a test event to a webhook endpoint",
      .description =
          "Sends the event webhook.test to this endpoint alone, even if it is not subscribed to "
          "it. The answer is the delivery: show it again to see whether it arrived.",
      .permission = "webhook.manage",
      .input = test_input,
      .status = 201,
      .guard = check_test,
      .handler = send_test,
      .errors = sending_errors },
    LIMS_ROUTE_END,
};

static const lims_route_t no_routes[] = { LIMS_ROUTE_END };

const lims_resource_t lims_webhook_attempt = {
    .name = "webhook attempt",
    .title = "Webhook deliveries",
    .schema = "WebhookAttempt",
    .doc = "Attempt of a delivery: one request to the endpoint.",
    .fields = attempt_fields,
    .routes = no_routes,
};

const lims_resource_t lims_webhook_delivery = {
    .name = "webhook delivery",
    .title = "Webhook deliveries",
    .schema = "WebhookDelivery",
    .doc = "Delivery of one event to one webhook endpoint.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_WEBHOOK_DELIVERY_GET,
    .lock = LIMS_STMT_WEBHOOK_DELIVERY_LOCK,
    .nested = "attempts",
    .nested_resource = &lims_webhook_attempt,
    .nested_statement = LIMS_STMT_WEBHOOK_DELIVERY_ATTEMPTS,
};

const lims_resource_t lims_webhook_test = {
    .name = "webhook endpoint",
    .title = "Webhook deliveries",
    .schema = "WebhookDelivery",
    .doc = "Test of a webhook endpoint.",
    .fields = fields,
    .routes = test_routes,
    .record = LIMS_STMT_WEBHOOK_DELIVERY_GET,
    .lock = LIMS_STMT_WEBHOOK_ENDPOINT_LOCK,
    .addressed = &lims_webhook_endpoint,
    .nested = "attempts",
    .nested_resource = &lims_webhook_attempt,
    .nested_statement = LIMS_STMT_WEBHOOK_DELIVERY_ATTEMPTS,
};
