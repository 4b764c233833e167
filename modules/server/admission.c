/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admission.c - the admission queue of CPU-bound requests: reading and importing the
 * files of instruments.
 *
 * Without it such requests would take every processor of this machine and of the
 * database; requests that read a sample would wait behind them, and the imports
 * would not end sooner. So a few are admitted on the machine (semaphore.h). The others
 * wait and hold nothing but their thread: in a child in the order in which they came
 * (fair_semaphore.h), and the first of each child for a permit of the machine.
 *
 * A waiting thread serves no other request, so the queue of a child is shorter than
 * its number of threads.
 */
#include <ap_mpm.h>
#include <apr_strings.h>
#include <stdatomic.h>
#include <unistd.h>

#include "kernel/error.h"
#include "kernel/fair_semaphore.h"
#include "server/server.h"

/* Lifetime of a permit: longer than an import that meets no lock. One that waits for a
 * lock blocks the queue no longer than this. */
#define PERMIT_LIFETIME apr_time_from_sec(5)

/* Of every so many threads of a child one is kept out of the queue, at least one. */
#define THREADS_PER_FREE_ONE 8

/* Of this child: requests admitted or waiting, and how many there may be. */
static atomic_int queued;
static int queued_max;

/* --- Getting ready -------------------------------------------------------- */

/* Returns how many requests the machine admits at once: by default half of its
 * processors, so that reads find a free one. */
static int permits_of(const lims_config_t *config)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int chosen = (int)config->ingest_concurrency;

    return chosen ? chosen : processors > 2 ? (int)processors / 2 : 1;
}

apr_status_t lims_admission_create(lims_config_t *config, server_rec *s)
{
    int permits = permits_of(config);
    const char *name = apr_psprintf(s->process->pconf, "mod_lims_line %d", permits);

    config->semaphore = (lims_semaphore_t){ .permits = permits, .lifetime = PERMIT_LIFETIME };
    return lims_shared_memory(&config->semaphore.memory, name, lims_semaphore_size(permits), s);
}

apr_status_t lims_admission_init(apr_pool_t *pchild, server_rec *s)
{
    apr_status_t rv = APR_SUCCESS;
    int threads = 0;

    ap_mpm_query(AP_MPMQ_MAX_THREADS, &threads);
    queued_max =
        threads > 1
            ? threads - (threads > THREADS_PER_FREE_ONE ? threads / THREADS_PER_FREE_ONE : 1)
            : 1;
    for (; s && rv == APR_SUCCESS; s = s->next) {
        lims_config_t *config = lims_config_of(s);
        if (config->enable == 1) {
            rv = lims_fair_semaphore_create(&config->fair_semaphore, config->semaphore.permits,
                                            PERMIT_LIFETIME, pchild);
        }
    }
    return rv;
}

/* --- The queue ------------------------------------------------------------ */

static const lims_error_t *not_admitted(int number, const char *cause, apr_pool_t *pool)
{
    return lims_server_error(
        pool, LIMS_E_SERVICE_UNAVAILABLE, number, cause,
        "Too many files are being imported at the moment. What was sent is kept, "
        "unless it was a dry run, and will be imported; send it again to learn "
        "what became of it.");
}

static bool wait_for_permits(lims_admission_t *self, const lims_config_t *config, apr_pool_t *pool)
{
    apr_time_t deadline = apr_time_now() + config->ingest_wait * 1000;
    bool waited = false;

    self->fair_permit =
        lims_fair_semaphore_acquire(&waited, config->fair_semaphore, deadline, pool);
    return self->fair_permit &&
           lims_semaphore_acquire(&self->permit, &config->semaphore, deadline - apr_time_now());
}

static void leave_queue(lims_admission_t *self, const lims_config_t *config)
{
    if (self->fair_permit) {
        lims_fair_semaphore_release(config->fair_semaphore, self->fair_permit);
    }
    self->fair_permit = NULL;
    atomic_fetch_sub(&queued, 1);
}

const lims_error_t *lims_admission_acquire(lims_admission_t *self, const server_rec *s,
                                           apr_pool_t *pool)
{
    const lims_config_t *config = lims_config_of(s);

    if (atomic_fetch_add(&queued, 1) >= queued_max) {
        leave_queue(self, config);
        return not_admitted(68, "the admission queue of this child is full", pool);
    }
    if (!wait_for_permits(self, config, pool)) {
        leave_queue(self, config);
        return not_admitted(67, "a file was not admitted within LimsIngestWait", pool);
    }
    return NULL;
}

void lims_admission_release(lims_admission_t *self, const server_rec *s)
{
    const lims_config_t *config = lims_config_of(s);

    lims_semaphore_release(&config->semaphore, &self->permit);
    leave_queue(self, config);
}
