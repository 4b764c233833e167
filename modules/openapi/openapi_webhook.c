/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openapi_webhook.c - the webhooks: requests that the service sends to receivers.
 */
#include <apr_strings.h>

#include "openapi/openapi_parts.h"

static const struct {
    const char *status;
    const char *description;
} outcomes[] = {
    { "2XX", "Acknowledged." },
    { "410", "The receiver is gone for good: the delivery is given up at once." },
    { "default", "A failed attempt, as is no answer within 10 seconds: it is repeated after about "
                 "1 minute, then after twice as long each time and 6 hours at most, 6 attempts in "
                 "all. Redirects are not followed." },
};

static void write_responses(lims_openapi_t *doc)
{
    lims_writer_key(doc->w, "responses");
    lims_writer_object_begin(doc->w);
    for (apr_size_t i = 0; i < LIMS_LENGTH(outcomes); i++) {
        lims_writer_key(doc->w, outcomes[i].status);
        lims_writer_object_begin(doc->w);
        lims_openapi_member(doc, "description", outcomes[i].description);
        lims_writer_object_end(doc->w);
    }
    lims_writer_object_end(doc->w);
}

static void write_webhook(lims_openapi_t *doc, const lims_event_t *event)
{
    const char *name = lims_openapi_name(event->type, doc->pool);

    lims_writer_key(doc->w, event->type);
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "post");
    lims_writer_object_begin(doc->w);
    lims_openapi_member(doc, "operationId", apr_pstrcat(doc->pool, "on", name, NULL));
    lims_openapi_member(doc, "summary", event->type);
    lims_openapi_member(doc, "description", event->doc);
    lims_writer_key(doc->w, "tags");
    lims_writer_array_begin(doc->w);
    lims_writer_string(doc->w, "Webhooks");
    lims_writer_array_end(doc->w);
    /* Deliveries are signed, which no security scheme of OpenAPI describes. */
    lims_writer_key(doc->w, "security");
    lims_writer_array_begin(doc->w);
    lims_writer_array_end(doc->w);
    lims_openapi_delivery_parameters(doc);
    lims_writer_key(doc->w, "requestBody");
    lims_writer_object_begin(doc->w);
    lims_writer_key(doc->w, "required");
    lims_writer_boolean(doc->w, true);
    lims_openapi_content_begin(doc);
    lims_openapi_refer_event(doc, event);
    lims_openapi_content_end(doc);
    lims_writer_object_end(doc->w);
    write_responses(doc);
    lims_writer_object_end(doc->w);
    lims_writer_object_end(doc->w);
}

void lims_openapi_webhooks(lims_openapi_t *doc)
{
    lims_writer_object_begin(doc->w);
    for (const lims_event_t *event = lims_events; event->type; event++) {
        write_webhook(doc, event);
    }
    lims_writer_object_end(doc->w);
}
