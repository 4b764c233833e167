/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - the line of those whose work takes a processor for long: reading and
 * importing files of instruments.
 *
 * As many at once as ask for it would take all processors, of this machine and of
 * the database, and whoever reads a sample would wait behind all of them, while
 * none of them was done sooner. So a few are at work in a child and the others
 * wait (turns.h), holding nothing but their thread.
 */
#include "kernel/error.h"
#include "kernel/turns.h"
#include "server/server.h"

/* Longer than an import takes that waits for nobody; one that waits for a lock
 * keeps the others no longer. */
#define TURN_LENGTH apr_time_from_sec(5)

apr_status_t lims_line_init(apr_pool_t *pchild, server_rec *s)
{
    apr_status_t rv = APR_SUCCESS;

    for (; s && rv == APR_SUCCESS; s = s->next) {
        lims_config_t *config = lims_config_of(s);
        if (config->enable == 1) {
            rv = lims_turns_create(&config->turns, (int)config->ingest_concurrency, TURN_LENGTH,
                                   pchild);
        }
    }
    return rv;
}

const lims_error_t *lims_line_take(lims_turn_t **turn, const server_rec *s, apr_pool_t *pool)
{
    const lims_config_t *config = lims_config_of(s);
    apr_time_t until = apr_time_now() + config->ingest_wait * 1000;
    bool waited = false;

    *turn = lims_turns_take(&waited, config->turns, until, pool);
    return *turn ? NULL
                 : lims_broken(pool, LIMS_E_SERVICE_UNAVAILABLE, 67,
                               "a file had no turn within LimsIngestWait",
                               "Too many files are being imported at the moment. What was sent is "
                               "kept, unless it was a dry run, and will be imported; send it again "
                               "to learn what became of it.");
}

void lims_line_give_back(lims_turn_t *turn, const server_rec *s)
{
    lims_turns_give_back(lims_config_of(s)->turns, turn);
}
