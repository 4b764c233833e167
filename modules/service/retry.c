/* SPDX-License-Identifier: Apache-2.0 */
/* retry.c - retries of transactions that failed for transient reasons. */
#include "service/retry.h"

#define ATTEMPTS 3

static bool is_retryable(const lims_error_t *error, bool reads)
{
    return error->retry == LIMS_RETRY_ROLLED_BACK || (reads && error->retry == LIMS_RETRY_LOST);
}

const lims_error_t *lims_retry(lims_attempt_fn *attempt, void *data, bool reads)
{
    const lims_error_t *error = NULL;

    for (int i = 0; i < ATTEMPTS; i++) {
        error = attempt(data);
        if (!error || !is_retryable(error, reads)) {
            break;
        }
    }
    return error;
}
