/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - the event feed: the same events as webhooks, for clients that
 * poll. */
#include "events/events.h"

#include "openapi/event_types.h"

#define EVENT_ID "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .pattern = EVENT_ID,
      .doc = "Id of the event, the same at every read. A webhook delivery of the event has an id "
             "of its own.",
      .example = "5b6f1c9e-0d0f-4a55-9a1e-6c1f3f6f2f10" },
    { .name = "type",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Type of the event. More types may be added.",
      .example = "sample.created" },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the event occurred, UTC." },
    { .name = "organizationId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Id of the organization in which the event occurred." },
    { .name = "data",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "Payload of the event: the same object as in the webhook of this type." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    { .name = "type",
      .type = LIMS_T_ENUM,
      .values = lims_event_types,
      .doc = "Only events of this type.",
      .example = "result.verified" },
    { .name = "since",
      .type = LIMS_T_MOMENT,
      .doc = "Only events that occurred at this time or later." },
    LIMS_PAGING_FIELDS,
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/events",
      .command = "event list",
      .surfaces = LIMS_SURFACES_ALL,
      .operation = "listEvents",
      .summary = "List the events of the last 30 days, in feed order",
      .description =
          "The same events as webhooks deliver. To follow the feed, call again with `cursor` set "
          "to `nextCursor`, also after an empty page: each event is then returned exactly once, "
          "whenever its transaction was committed. Events are in the order of their transactions, "
          "which is not always the order of their times; `nextCursor` is a position in that order, "
          "not a number that always grows. While a transaction is open, the events of later "
          "transactions wait for its end.",
      .scope = "events:read",
      .permission = "data.read",
      .flags = LIMS_R_LIST,
      .query = filters,
      .status = 200,
      .statement = LIMS_STMT_EVENT_LIST,
      .search = LIMS_STMT_EVENT_SEARCH },
    LIMS_ROUTE_END,
};

const lims_resource_t lims_event = {
    .name = "event",
    .title = "Events",
    .schema = "FeedEvent",
    .feed = true,
    .doc = "Event of the laboratory, with the same payload as its webhook.",
    .fields = fields,
    .routes = routes,
};
