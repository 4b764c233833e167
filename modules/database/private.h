/* SPDX-License-Identifier: Apache-2.0 */
/* private.h - what the files of this folder share. */
#ifndef LIMS_DATABASE_PRIVATE_H
#define LIMS_DATABASE_PRIVATE_H

#include <libpq-events.h>
#include <libpq-fe.h>

#include "database/database.h"

struct lims_connection_t {
    PGconn *pg;
    bool checked;                   /* this server process has our schema */
    bool stale;                     /* its prepared plans are to be dropped */
    bool prepared[LIMS_STMT_COUNT]; /* known to this server process */
};

struct lims_result_t {
    PGresult *pg;
};

/* The error that a failed result (or, where it is NULL, the connection)
 * stands for, in the caller's terms. Marks stale plans on the connection. */
const lims_error_t *lims_database_failure(lims_connection_t *connection, const PGresult *result,
                                          apr_pool_t *pool);

#endif /* LIMS_DATABASE_PRIVATE_H */
