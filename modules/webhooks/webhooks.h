/* SPDX-License-Identifier: Apache-2.0 */
/*
 * webhooks.h - webhook endpoints, their deliveries, and the recovery of
 * given-up deliveries. Managed by an organization's administrators.
 */
#ifndef LIMS_WEBHOOKS_H
#define LIMS_WEBHOOKS_H

#include "lims.h"

extern const lims_resource_t lims_webhook_endpoint;
extern const lims_resource_t lims_webhook_delivery;
extern const lims_resource_t lims_webhook_attempt;
extern const lims_resource_t lims_webhook_test;
extern const lims_resource_t lims_webhook_recovery;
extern const lims_resource_t lims_webhook_recovering;

#endif /* LIMS_WEBHOOKS_H */
