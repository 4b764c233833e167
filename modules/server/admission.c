/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admission.c - the admission queues of CPU-bound requests: reading and importing the
 * files of instruments; checking passwords of people who sign in, and of people who sign;
 * printing documents for an answer.
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

/* Longer than a document takes by how much its permit is held at most: for starting and ending
 * the printer. */
#define PRINT_REST apr_time_from_sec(3)

/* Number of threads of a child for each one that is kept out of the queue; at least one
 * is. */
#define THREADS_PER_FREE_ONE 8

/* Requests of this child, admitted or waiting, and the most there may be. */
static atomic_int queued[LIMS_QUEUE_COUNT];
static int queued_max;

/* Longest wait for the turn of a password or a document: a person waits for the answer. */
#define PERSON_WAIT apr_time_from_sec(5)

/* --- Getting ready -------------------------------------------------------- */

/* Returns how many requests the machine admits at once: by default half of its
 * processors, so that reads find a free one. */
static int permits_of(const lims_config_t *config, lims_queue_e queue)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int chosen = queue == LIMS_QUEUE_IMPORT ? (int)config->ingest_concurrency : 0;

    return chosen ? chosen : processors > 2 ? (int)processors / 2 : 1;
}

/* Returns the lifetime of a permit. That of a document lasts as long as its printer may run:
 * each further printer would take as much memory again. */
static apr_interval_time_t lifetime_of(const lims_config_t *config, lims_queue_e queue)
{
    return queue == LIMS_QUEUE_PRINT ? config->printer.timeout + PRINT_REST : PERMIT_LIFETIME;
}

static apr_status_t create(lims_semaphore_t *semaphore, const lims_config_t *config,
                           lims_queue_e queue, server_rec *s)
{
    static const char *const lines[] = {
        [LIMS_QUEUE_IMPORT] = "",
        [LIMS_QUEUE_SIGN_IN] = "sign-in ",
        [LIMS_QUEUE_SIGNATURE] = "signature ",
        [LIMS_QUEUE_PRINT] = "print ",
    };
    int permits = permits_of(config, queue);
    const char *name =
        apr_psprintf(s->process->pconf, "mod_lims_line %s%d", lines[queue], permits);

    _Static_assert(LIMS_LENGTH(lines) == LIMS_QUEUE_COUNT, "a name for each");
    *semaphore = (lims_semaphore_t){ .permits = permits, .lifetime = lifetime_of(config, queue) };
    return lims_shared_memory(&semaphore->memory, name, lims_semaphore_size(permits), s);
}

apr_status_t lims_admission_create(lims_config_t *config, server_rec *s)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < LIMS_QUEUE_COUNT && rv == APR_SUCCESS; i++) {
        rv = create(&config->semaphores[i], config, (lims_queue_e)i, s);
    }
    return rv;
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
        for (int i = 0; i < LIMS_QUEUE_COUNT && config->enable == 1 && rv == APR_SUCCESS; i++) {
            rv = lims_fair_semaphore_create(&config->fair_semaphores[i],
                                            config->semaphores[i].permits,
                                            lifetime_of(config, (lims_queue_e)i), pchild);
        }
    }
    return rv;
}

/* --- The queue ------------------------------------------------------------ */

static const lims_error_t *not_admitted(lims_queue_e queue, int number, const char *cause,
                                        apr_pool_t *pool)
{
    if (queue == LIMS_QUEUE_PRINT) {
        return lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, number, cause,
                                 "Too many documents are being printed at the moment; try again "
                                 "in a few seconds.");
    }
    if (queue != LIMS_QUEUE_IMPORT) {
        return lims_server_error(pool, LIMS_E_SERVICE_UNAVAILABLE, number, cause,
                                 "Too many passwords are being checked at the moment; try again "
                                 "in a few seconds.");
    }
    return lims_server_error(
        pool, LIMS_E_SERVICE_UNAVAILABLE, number, cause,
        "Too many files are being imported at the moment. What was sent is kept, "
        "unless it was a dry run, and will be imported; send it again to learn "
        "what became of it.");
}

static bool wait_for_permits(lims_admission_t *self, const lims_config_t *config,
                             lims_queue_e queue, apr_pool_t *pool)
{
    apr_time_t wait = queue == LIMS_QUEUE_IMPORT ? config->ingest_wait * 1000 : PERSON_WAIT;
    apr_time_t deadline = apr_time_now() + wait;
    bool waited = false;

    self->fair_permit =
        lims_fair_semaphore_acquire(&waited, config->fair_semaphores[queue], deadline, pool);
    return self->fair_permit && lims_semaphore_acquire(&self->permit, &config->semaphores[queue],
                                                       deadline - apr_time_now());
}

static void leave_queue(lims_admission_t *self, lims_queue_e queue, const lims_config_t *config)
{
    if (self->fair_permit) {
        lims_fair_semaphore_release(config->fair_semaphores[queue], self->fair_permit);
    }
    self->fair_permit = NULL;
    atomic_fetch_sub(&queued[queue], 1);
}

/* Passwords and documents wait in a short line, so that most threads of the child serve others. */
static int places_of(lims_queue_e queue)
{
    return queue == LIMS_QUEUE_IMPORT || queued_max < 8 ? queued_max : queued_max / 4;
}

const lims_error_t *lims_admission_acquire(lims_admission_t *self, lims_queue_e queue,
                                           const server_rec *s, apr_pool_t *pool)
{
    static const char *const late[] = {
        [LIMS_QUEUE_IMPORT] = "a file was not admitted within LimsIngestWait",
        [LIMS_QUEUE_SIGN_IN] = "a password did not get its turn in time",
        [LIMS_QUEUE_SIGNATURE] = "a password did not get its turn in time",
        [LIMS_QUEUE_PRINT] = "a document did not get its turn in time",
    };
    const lims_config_t *config = lims_config_of(s);

    _Static_assert(LIMS_LENGTH(late) == LIMS_QUEUE_COUNT, "a cause for each");
    if (atomic_fetch_add(&queued[queue], 1) >= places_of(queue)) {
        leave_queue(self, queue, config);
        return not_admitted(queue, 68, "the admission queue of this child is full", pool);
    }
    if (!wait_for_permits(self, config, queue, pool)) {
        leave_queue(self, queue, config);
        return not_admitted(queue, 67,
                            late[queue], pool);
    }
    return NULL;
}

void lims_admission_release(lims_admission_t *self, lims_queue_e queue, const server_rec *s)
{
    const lims_config_t *config = lims_config_of(s);

    lims_semaphore_release(&config->semaphores[queue], &self->permit);
    leave_queue(self, queue, config);
}
