/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request_check.h - checks of a request that need no database, in the order of the
 * contract (service.h). The first refusal is kept in the exchange and answered once
 * the key was checked: a caller without a valid key learns nothing.
 */
#ifndef LIMS_SERVICE_REQUEST_CHECK_H
#define LIMS_SERVICE_REQUEST_CHECK_H

#include "service/exchange.h"

/* Finds the route, or sets x->refusal. */
void lims_request_find_route(lims_exchange_t *x);

/* Validates path and query of a read into rq->values, or sets x->late_refusal. */
void lims_request_check_read(lims_exchange_t *x);

/* Reads the body of a write and validates path, query and body into rq->values, or sets
 * x->late_refusal. `*body`, in rq->pool, is the body, or for a form a digest of its
 * parts. */
void lims_request_check_write(lims_exchange_t *x, const char **body, apr_size_t *length);

/* Returns LIMS_E_PAYLOAD_TOO_LARGE; its message has the largest size of a body and of a
 * file. */
const lims_error_t *lims_request_too_large(const lims_exchange_t *x);

#endif /* LIMS_SERVICE_REQUEST_CHECK_H */
