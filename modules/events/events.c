/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - the feed: what webhooks tell, for whoever would rather ask. */
#include "events/events.h"

#include "kernel/events.h"

#define EVENT_ID "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"

static const lims_field_t fields[] = {
    { .name = "id",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .pattern = EVENT_ID,
      .doc = "The event's own id, the same whenever it is read. Deliveries by webhook have ids "
             "of their own.",
      .example = "5b6f1c9e-0d0f-4a55-9a1e-6c1f3f6f2f10" },
    { .name = "type",
      .type = LIMS_T_STRING,
      .flags = LIMS_F_OUT,
      .doc = "Event type; more may be added.",
      .example = "sample.created" },
    { .name = "createdAt",
      .type = LIMS_T_TIMESTAMP,
      .flags = LIMS_F_OUT,
      .doc = "When the event came about." },
    { .name = "organizationId",
      .type = LIMS_T_ID,
      .flags = LIMS_F_OUT,
      .doc = "Whose event it is." },
    { .name = "data",
      .type = LIMS_T_JSON,
      .flags = LIMS_F_OUT,
      .doc = "The payload: the same object as in the webhook of this type." },
    LIMS_FIELD_END,
};

static const lims_field_t filters[] = {
    { .name = "type",
      .type = LIMS_T_ENUM,
      .values = lims_event_types,
      .doc = "Events of this type only.",
      .example = "result.verified" },
    { .name = "since",
      .type = LIMS_T_MOMENT,
      .doc = "Events that came about at this time or later." },
    LIMS_PAGING_FIELDS,
    LIMS_FIELD_END,
};

static const lims_route_t routes[] = {
    { .method = "GET",
      .path = "/events",
      .command = "event list",
      .operation = "listEvents",
      .summary = "The events of the last 30 days, in their order",
      .description =
          "The same events as webhooks deliver. To follow them, ask again with `cursor` set to "
          "`nextCursor`, also after an empty page: each event then comes exactly once, whenever "
          "its transaction was committed. Events appear in the order of their transactions, which "
          "is not always that of their times, and `nextCursor` is a place in that order rather "
          "than a number that always grows. While a transaction is open, those that began after "
          "it wait for its end.",
      .scope = "events:read",
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
    .doc = "What happened in the laboratory, as webhooks tell it.",
    .fields = fields,
    .routes = routes,
};
