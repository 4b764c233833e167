/* SPDX-License-Identifier: Apache-2.0 */
/* orders.h - the resource of orders. */
#ifndef LIMS_ORDERS_H
#define LIMS_ORDERS_H

#include "lims.h"

extern const lims_resource_t lims_order;

#endif /* LIMS_ORDERS_H */
