/* SPDX-License-Identifier: Apache-2.0 */
/*
 * retry.h - retries of transactions that failed for transient reasons: a deadlock, a
 * serialization failure, a plan outdated by a migration, a connection that was lost
 * before the COMMIT.
 */
#ifndef LIMS_SERVICE_RETRY_H
#define LIMS_SERVICE_RETRY_H

#include "lims.h"

/* One attempt, from its BEGIN to its COMMIT; leaves no transaction open. */
typedef const lims_error_t *(lims_attempt_fn)(void *data);

/* Makes up to three attempts and returns the outcome of the last. An attempt that only
 * `reads` is also repeated after a connection was lost at any time. */
const lims_error_t *lims_retry(lims_attempt_fn *attempt, void *data, bool reads);

#endif /* LIMS_SERVICE_RETRY_H */
