/* SPDX-License-Identifier: Apache-2.0 */
/* workers.c - the busy worker threads of httpd, counted in its scoreboard. */
#include "server/workers.h"

#include <ap_mpm.h>
#include <httpd.h>
#include <scoreboard.h>
#include <stdbool.h>

static int ask(int what)
{
    int number = 0;

    return ap_mpm_query(what, &number) == APR_SUCCESS ? number : 0;
}

static bool is_busy(int status)
{
    return status != SERVER_DEAD && status != SERVER_STARTING && status != SERVER_READY &&
           status != SERVER_IDLE_KILL;
}

static int busy_in(int child, int threads)
{
    const process_score *process = ap_get_scoreboard_process(child);
    int busy = 0;

    if (!process || process->pid == 0 || process->quiescing) {
        return 0;
    }
    for (int i = 0; i < threads; i++) {
        const worker_score *worker = ap_get_scoreboard_worker_from_indexes(child, i);
        busy += worker && is_busy(worker->status);
    }
    return busy;
}

lims_workers_t lims_workers_count(void)
{
    int children = ask(AP_MPMQ_HARD_LIMIT_DAEMONS), threads = ask(AP_MPMQ_HARD_LIMIT_THREADS);
    int each = ask(AP_MPMQ_MAX_THREADS);
    lims_workers_t workers = { .most = ask(AP_MPMQ_MAX_DAEMONS) * (each > 0 ? each : 1) };

    for (int i = 0; i < children; i++) {
        workers.busy += busy_in(i, threads > 0 ? threads : 1);
    }
    return workers;
}
