/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resume.c - resuming files whose reading was interrupted: by a crash, a lost
 * database, a request that took too long. A job reads them again, one at a
 * time, as their senders.
 *
 * A file that still cannot be finished after a few attempts is quarantined: it
 * must not end one process after the other.
 */
#include "database/database.h"
#include "instruments/import.h"
#include "instruments/instruments.h"
#include "kernel/field.h"
#include "service/retry.h"

#include <string.h>

/* Begins a transaction as the sender of the file. */
static const lims_error_t *begin(lims_request_t *rq)
{
    const lims_call_t act = { .statement = LIMS_STMT_JOB_FILE_ACT };
    lims_result_t *ignored = NULL;

    return lims_database_run(&ignored, rq, &act, 1, LIMS_DB_BEGIN);
}

static const lims_error_t *commit(lims_request_t *rq)
{
    return lims_database_run(NULL, rq, NULL, 0, LIMS_DB_COMMIT);
}

static const lims_error_t *load(lims_import_t *import, lims_request_t *rq, const char *id)
{
    const lims_error_t *error = begin(rq);

    if (!error) {
        error = lims_import_load(import, rq, id);
    }
    if (!error) {
        error = commit(rq);
    }
    lims_connection_release(rq->connection);
    return error;
}

typedef struct {
    lims_import_t *import;
    lims_request_t *rq;
    bool spent;
} decision_t;

static const lims_error_t *decide_once(void *data)
{
    const decision_t *decision = data;
    lims_import_t *import = decision->import;
    lims_request_t *rq = decision->rq;
    const lims_error_t *error = begin(rq);

    if (!error) {
        error = decision->spent
                    ? lims_import_give_up(import, rq, "received", "reading_failed",
                                          "Reading the file was begun several times and never "
                                          "finished.")
                    : lims_import_decide(import, rq, "received", NULL, NULL);
    }
    if (!error) {
        error = commit(rq);
    }
    lims_connection_release(rq->connection);
    return error;
}

static const lims_error_t *resume(lims_import_t *import, lims_request_t *rq, const char *id,
                                  bool spent)
{
    decision_t decision = { .import = import, .rq = rq, .spent = spent };

    import->id = id;
    if (!spent) {
        const lims_error_t *error = load(import, rq, id);

        if (error) {
            return error;
        }
        lims_import_read(import);
    }
    return lims_retry(decide_once, &decision, false);
}

const lims_error_t *lims_files_resume(lims_resumed_e *resumed, lims_request_t *rq)
{
    lims_import_t *import = lims_import_create(NULL, NULL, 0, NULL, rq->pool);
    lims_result_t *row = NULL;
    const lims_error_t *error = lims_database_call(&row, rq, LIMS_STMT_JOB_FILE_TAKE);

    *resumed = LIMS_RESUMED_NONE;
    if (error || lims_result_count(row) != 1) {
        return error;
    }
    *resumed = LIMS_RESUMED_UNDECIDED;
    rq->actor.organization = lims_result_get(row, 0, "organization");
    rq->actor.user = lims_result_get(row, 0, "user");
    rq->actor.key = lims_result_get(row, 0, "key");
    error = resume(import, rq, lims_result_get(row, 0, "id"), lims_result_true(row, 0, "spent"));
    if (!error && import->decided) {
        *resumed = strcmp(import->status, "quarantined") == 0 ? LIMS_RESUMED_QUARANTINED
                                                              : LIMS_RESUMED_IMPORTED;
    }
    return error;
}
