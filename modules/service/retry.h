/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retry.h - beginning anew what the database rolled back for reasons of its own: a
 * deadlock, a serialization failure, a plan outdated by a migration, a connection
 * that was lost before the COMMIT.
 */
#ifndef LIMS_SERVICE_RETRY_H
#define LIMS_SERVICE_RETRY_H

#include "lims.h"

/* One attempt, from its BEGIN to its COMMIT; leaves no transaction open. */
typedef const lims_error_t *(lims_attempt_fn)(void *data);

/* Attempts at most three times, and returns the outcome of the last. What only
 * `reads` is also begun anew after a connection was lost, whenever that was. */
const lims_error_t *lims_retry(lims_attempt_fn *attempt, void *data, bool reads);

#endif /* LIMS_SERVICE_RETRY_H */
