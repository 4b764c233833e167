/* SPDX-License-Identifier: Apache-2.0 */
/* retry.c - beginning anew what the database rolled back for reasons of its own. */
#include "service/retry.h"

#define ATTEMPTS 3

static bool may_try_again(const lims_error_t *error, bool reads)
{
    return error->retry == LIMS_RETRY_ROLLED_BACK || (reads && error->retry == LIMS_RETRY_LOST);
}

const lims_error_t *lims_retry(lims_attempt_fn *attempt, void *data, bool reads)
{
    const lims_error_t *error = NULL;

    for (int i = 0; i < ATTEMPTS; i++) {
        error = attempt(data);
        if (!error || !may_try_again(error, reads)) {
            break;
        }
    }
    return error;
}
