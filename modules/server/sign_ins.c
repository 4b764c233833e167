/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sign_ins.c - the bound on failed sign-ins by client address: 30 in 10 minutes, whatever
 * accounts they named. It is a sliding window in shared memory that outlives restarts.
 * Accounts that signed in from the address lately are not held by it: a laboratory is one
 * address.
 */
#include <apr_strings.h>

#include "server/server.h"

#define FAILURES_MAX 30
#define WINDOW_SECONDS 600

/* Addresses that are counted at once. If the table is full, further ones are not. */
#define ADDRESSES 10000

apr_status_t lims_sign_ins_create(lims_config_t *config, server_rec *s)
{
    apr_pool_t *pool = s->process->pconf;
    lims_sliding_windows_t *made;

    config->sign_in_rates = NULL;
    if (config->application != 1) {
        return APR_SUCCESS;
    }
    made = apr_pcalloc(pool, sizeof(*made));
    made->slots = ADDRESSES;
    made->limit = FAILURES_MAX;
    made->window = apr_time_from_sec(WINDOW_SECONDS);
    config->sign_in_rates = made;
    return lims_shared_memory(
        &made->memory, apr_pstrcat(pool, "mod_lims_sign_ins ", lims_config_database(s), NULL),
        lims_sliding_windows_size(made->slots, made->limit), s);
}

bool lims_sign_ins_exceeded(const request_rec *r)
{
    const lims_config_t *config = lims_config_of(r->server);
    apr_int64_t number = lims_address_number(r);
    lims_rate_verdict_t verdict = { .admitted = true };

    if (number) {
        lims_sliding_windows_peek(&verdict, config->sign_in_rates, number);
    }
    return !verdict.admitted;
}

void lims_sign_ins_count(const request_rec *r)
{
    const lims_config_t *config = lims_config_of(r->server);
    apr_int64_t number = lims_address_number(r);
    lims_rate_verdict_t ignored;

    if (number) {
        lims_sliding_windows_take(&ignored, config->sign_in_rates, number);
    }
}
