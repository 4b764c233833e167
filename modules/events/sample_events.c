/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample_events.c - the events of one sample, each with its deliveries to webhook
 * endpoints and their outcome.
 */
#include "database/database.h"
#include "events/events.h"
#include "kernel/error.h"
#include "kernel/field.h"
#include "kernel/record.h"
#include "kernel/vocabulary.h"
#include "openapi/event_types.h"
#include "service/service.h"

const lims_field_t lims_event_delivery_fields[] = {
    { .name = "id", .type = LIMS_T_ID, .flags = LIMS_F_OUT, .doc = "Id of the delivery." },
    { .name = "endpointId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the webhook endpoint." },
    { .name = "endpointName",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Name of the webhook endpoint." },
    { .name = "state",
      .type = LIMS_T_ENUM,
      .values = lims_delivery_states,
      .flags = LIMS_F_OUT,
      .doc = "State of the delivery." },
    { .name = "attempts",
      .type = LIMS_T_INTEGER,
      .flags = LIMS_F_OUT,
      .doc = "Number of attempts." },
    { .name = "finishedAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT | LIMS_F_NULLABLE,
      .doc = "When it was delivered or given up, UTC; null while it is pending." },
    LIMS_FIELD_END,
};

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Number of the event; also its cursor value." },
    { .name = "type",
      .type = LIMS_T_ENUM,
      .values = lims_event_types,
      .flags = LIMS_F_OUT,
      .doc = "Type of the event." },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the event occurred, UTC." },
    { .name = "deliveries",
      .type = LIMS_T_OBJECT_LIST,
      .flags = LIMS_F_OUT,
      .members = lims_event_delivery_fields,
      .doc = "Deliveries of the event to webhook endpoints, in order of id." },
    LIMS_FIELD_END,
};

static const lims_field_t paging[] = { LIMS_CURSOR_FIELDS, LIMS_FIELD_END };

static const lims_error_t *list_of_sample(lims_request_t *rq)
{
    const lims_call_t calls[] = { { .statement = LIMS_STMT_EVENT_SAMPLE },
                                  { .statement = LIMS_STMT_EVENTS_OF_SAMPLE } };
    lims_result_t *results[LIMS_LENGTH(calls)] = { NULL };
    const lims_error_t *error = lims_service_read(results, rq, calls, LIMS_LENGTH(calls));

    if (error) {
        return error;
    }
    if (lims_result_count(results[0]) == 0) {
        return lims_client_error(rq->pool, LIMS_E_NOT_FOUND,
                                 "There is no sample %s in your organization.",
                                 lims_values_get(rq->values, "id"));
    }
    lims_render_page(rq, results[1]);
    return NULL;
}

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/samples/:id/events",
      .command = "sample events",
      .surfaces = LIMS_SURFACES_PEOPLE,
      .operation = "listSampleEvents",
      .summary = "List the events of a sample, and who was told",
      .description = "The events about the sample that are still kept, from the oldest on, each "
                     "with its deliveries to webhook endpoints. Entries of single results are not "
                     "among them.",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = paging,
      .status = 200,
      .handler = list_of_sample },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_sample_event = {
    .name = "sample event",
    .title = "Samples",
    .schema = "SampleEvent",
    .doc = "Event of a sample with its deliveries.",
    .fields = fields,
    .routes = routes,
};
