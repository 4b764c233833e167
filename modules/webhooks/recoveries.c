/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recoveries.c - recoveries: sending again the deliveries given up since a
 * time.
 *
 * Six attempts end half an hour after the first failure, and a receiver may be
 * down for longer. A recovery is a row, which the background jobs of any
 * machine process in small batches (lims.webhook_recover_step).
 */
#include "kernel/error.h"
#include "kernel/field.h"
#include "service/service.h"
#include "webhooks/webhooks.h"

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the recovery, assigned by the service; also its cursor value." },
    { .name = "endpointId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the webhook endpoint." },
    { .name = "since",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "Time from which events are recovered, UTC." },
    { .name = "requeued",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .max = APR_INT64_MAX,
      .doc = "Number of deliveries requeued so far." },
    { .name = "requestedBy",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "Id of the user who requested the recovery." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the recovery was requested, UTC." },
    { .name = "finishedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When all deliveries were requeued, UTC; null until then. A recovery waits while its "
             "endpoint is disabled." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    LIMS_PAGING_FIELDS,
    { .name = "endpointId", .type = LIMS_T_ID, .doc = "Only recoveries for this endpoint." },
    { .name = "finished",
      .type = LIMS_T_BOOLEAN,
      .doc = "Only finished (true) or unfinished (false) recoveries." },
    LIMS_FIELD_END,
};

static const lims_field_t input[] = {
    { .name = "since",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_REQUIRED,
      .doc = "Time from which to recover: deliveries of later events that were given up are sent "
             "again, as long as they are kept.",
      .example = "2026-11-21T07:48:00Z" },
    LIMS_FIELD_END,
};

/* Until the recovery exists, the id is the endpoint's. */
static const lims_error_t *recover(lims_request_t *rq)
{
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_WEBHOOK_RECOVERY_CREATE);

    if (!error) {
        lims_values_set(rq->values, "id", lims_result_get(row, 0, "id"));
    }
    return error;
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/webhook-recoveries",
      .command = "webhook recoveries",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listWebhookRecoveries",
      .summary = "List recoveries of webhook deliveries",
      .permission = "webhook.manage",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_WEBHOOK_RECOVERY_LIST },
    { .method = "GET",
      .path = "/webhook-recoveries/:id",
      .command = "webhook recovery",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "getWebhookRecovery",
      .summary = "One recovery of webhook deliveries",
      .permission = "webhook.manage",
      .status = 200,
      .statement = LIMS_STMT_WEBHOOK_RECOVERY_GET },
    LIMS_ROUTE_END,
};

static const lims_route_t recovering_routes[] = {
    { .method = "POST",
      .path = "/webhook-endpoints/:id/recover",
      .command = "webhook recover",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "recoverWebhookDeliveries",
      .summary = "Recover a webhook endpoint: send again the deliveries given up since a time",
      .description = "Deliveries keep their ids, and get all of their attempts again. The recovery "
                     "runs in the background, survives restarts, and waits while the endpoint is "
                     "disabled; webhook recovery shows its progress.",
      .permission = "webhook.manage",
      .input = input,
      .status = 201,
      .handler = recover },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_webhook_recovery = {
    .name = "webhook recovery",
    .title = "Webhook recoveries",
    .schema = "WebhookRecovery",
    .doc = "Recovery: a job that sends given-up deliveries again.",
    .fields = fields,
    .routes = routes,
    .record = LIMS_STMT_WEBHOOK_RECOVERY_GET,
};

const lims_resource_t lims_webhook_recovering = {
    .name = "webhook endpoint",
    .title = "Webhook recoveries",
    .schema = "WebhookRecovery",
    .doc = "Recovery of a webhook endpoint's deliveries.",
    .fields = fields,
    .routes = recovering_routes,
    .record = LIMS_STMT_WEBHOOK_RECOVERY_GET,
    .lock = LIMS_STMT_WEBHOOK_ENDPOINT_LOCK,
    .addressed = &lims_webhook_endpoint,
};
