/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admission.c - the line of those whose work takes a processor for long: reading and
 * importing files of instruments.
 *
 * As many at once as ask for it would take all processors, of this machine and of
 * the database, and whoever reads a sample would wait behind all of them, while
 * none of them was done sooner. So a few are at work on the machine (semaphore.h) and
 * the others wait, holding nothing but their thread: in a child in the order in
 * which they came (fair_semaphore.h), the first of them for a place among all children.
 *
 * Threads are few as well, and one that waits here reads no sample: some of a
 * child's never do.
 */
#include <ap_mpm.h>
#include <apr_strings.h>
#include <stdatomic.h>
#include <unistd.h>

#include "kernel/error.h"
#include "kernel/fair_semaphore.h"
#include "server/server.h"

/* Longer than an import takes that waits for nobody; one that waits for a lock
 * keeps the others no longer. */
#define TURN_LENGTH apr_time_from_sec(5)

/* One thread of so many stays out of the line, and at least one. */
#define SPARED 8

/* In a child: threads in the line, and at most. */
static atomic_int inside;
static int inside_max;

/* --- Getting ready -------------------------------------------------------- */

/* Half of the processors, so that whoever reads finds one that is free. */
static int places_of(const lims_config_t *config)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int chosen = (int)config->ingest_concurrency;

    return chosen ? chosen : processors > 2 ? (int)processors / 2 : 1;
}

apr_status_t lims_admission_create(lims_config_t *config, server_rec *s)
{
    int count = places_of(config);
    const char *name = apr_psprintf(s->process->pconf, "mod_lims_line %d", count);

    config->semaphore = (lims_semaphore_t){ .count = count, .length = TURN_LENGTH };
    return lims_shared_memory(&config->semaphore.memory, name, lims_semaphore_size(count), s);
}

apr_status_t lims_admission_init(apr_pool_t *pchild, server_rec *s)
{
    apr_status_t rv = APR_SUCCESS;
    int threads = 0;

    ap_mpm_query(AP_MPMQ_MAX_THREADS, &threads);
    inside_max = threads > 1 ? threads - (threads > SPARED ? threads / SPARED : 1) : 1;
    for (; s && rv == APR_SUCCESS; s = s->next) {
        lims_config_t *config = lims_config_of(s);
        if (config->enable == 1) {
            rv = lims_fair_semaphore_create(&config->fair_semaphore, config->semaphore.count,
                                            TURN_LENGTH, pchild);
        }
    }
    return rv;
}

/* --- In the line ---------------------------------------------------------- */

static const lims_error_t *no_turn(int number, const char *cause, apr_pool_t *pool)
{
    return lims_server_error(
        pool, LIMS_E_SERVICE_UNAVAILABLE, number, cause,
        "Too many files are being imported at the moment. What was sent is kept, "
        "unless it was a dry run, and will be imported; send it again to learn "
        "what became of it.");
}

static bool wait_for_place(lims_admission_t *self, const lims_config_t *config, apr_pool_t *pool)
{
    apr_time_t until = apr_time_now() + config->ingest_wait * 1000;
    bool waited = false;

    self->fair_permit = lims_fair_semaphore_acquire(&waited, config->fair_semaphore, until, pool);
    return self->fair_permit &&
           lims_semaphore_acquire(&self->permit, &config->semaphore, until - apr_time_now());
}

static void leave_line(lims_admission_t *self, const lims_config_t *config)
{
    if (self->fair_permit) {
        lims_fair_semaphore_release(config->fair_semaphore, self->fair_permit);
    }
    self->fair_permit = NULL;
    atomic_fetch_sub(&inside, 1);
}

const lims_error_t *lims_admission_acquire(lims_admission_t *self, const server_rec *s,
                                           apr_pool_t *pool)
{
    const lims_config_t *config = lims_config_of(s);

    if (atomic_fetch_add(&inside, 1) >= inside_max) {
        leave_line(self, config);
        return no_turn(68, "as many files wait for their turn as threads may", pool);
    }
    if (!wait_for_place(self, config, pool)) {
        leave_line(self, config);
        return no_turn(67, "a file had no turn within LimsIngestWait", pool);
    }
    return NULL;
}

void lims_admission_release(lims_admission_t *self, const server_rec *s)
{
    const lims_config_t *config = lims_config_of(s);

    lims_semaphore_release(&config->semaphore, &self->permit);
    leave_line(self, config);
}
