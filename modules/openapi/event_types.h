/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_types.h - the catalogue of events and the shape of their payloads.
 *
 * The database writes the events, in the transaction of what they report. The
 * table says what a receiver gets; the enumeration of types in the schema has
 * the same names.
 */
#ifndef LIMS_OPENAPI_EVENT_TYPES_H
#define LIMS_OPENAPI_EVENT_TYPES_H

#include "lims.h"

/* The envelope's name and version in User-Agent. */
#define LIMS_WEBHOOK_AGENT "mod_lims-webhooks/1.0"

typedef struct {
    const char *type;         /* "sample.created" */
    const char *doc;          /* "Fires when ..." */
    const lims_field_t *data; /* the payload; LIMS_F_OUT: always there */
} lims_event_t;

/* Ends with a NULL type. */
extern const lims_event_t lims_events[];

/* The types that happen by themselves: all of the table but webhook.test. Ends
 * with NULL. */
extern const char *const lims_event_types[];

/* The members of an envelope before `data`, in order. */
extern const lims_field_t lims_envelope_fields[];

/* The header fields of a delivery. */
extern const lims_field_t lims_delivery_headers[];

#endif /* LIMS_OPENAPI_EVENT_TYPES_H */
