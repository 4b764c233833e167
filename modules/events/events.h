/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - the feed of an organization's events. */
#ifndef LIMS_EVENTS_H
#define LIMS_EVENTS_H

#include "lims.h"

extern const lims_resource_t lims_event;
extern const lims_resource_t lims_sample_event; /* of one sample, with deliveries */

#endif /* LIMS_EVENTS_H */
