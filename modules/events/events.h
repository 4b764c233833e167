/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - the feed of an organization's events. */
#ifndef LIMS_EVENTS_H
#define LIMS_EVENTS_H

#include "lims.h"

extern const lims_resource_t lims_event;
extern const lims_resource_t lims_sample_event; /* of one sample, with deliveries */

/* Members of a delivery of an event to a webhook endpoint, of which lims.event_deliveries()
 * answers a list. */
extern const lims_field_t lims_event_delivery_fields[];

#endif /* LIMS_EVENTS_H */
