/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_types.h - the catalogue of event types with the schemas of their payloads.
 *
 * The database writes an event in the transaction that it reports. The table describes
 * what a receiver gets; a CHECK of the database has the same type names.
 */
#ifndef LIMS_OPENAPI_EVENT_TYPES_H
#define LIMS_OPENAPI_EVENT_TYPES_H

#include "lims.h"

/* User-Agent of deliveries, with the version of the envelope. */
#define LIMS_WEBHOOK_AGENT "mod_lims-webhooks/1.0"

typedef struct {
    const char *type;         /* "sample.created" */
    const char *doc;          /* "Fires when ..." */
    const lims_field_t *data; /* the payload; LIMS_F_OUT: always there */
} lims_event_t;

/* Ends with a NULL type. */
extern const lims_event_t lims_events[];

/* The types that endpoints can subscribe to: all of the table but webhook.test. Ends with
 * NULL. */
extern const char *const lims_event_types[];

/* The types that deliveries have: all of the table. Ends with NULL. */
extern const char *const lims_delivered_types[];

/* The members of an envelope before `data`, in order. */
extern const lims_field_t lims_envelope_fields[];

/* The header fields of a delivery. */
extern const lims_field_t lims_delivery_headers[];

#endif /* LIMS_OPENAPI_EVENT_TYPES_H */
